"""The proposer's prompt: references, what is wanted, and how to write a proposal; the challenger aims at the edge."""

from __future__ import annotations

import numpy as np
import pytest

from arena.domains.domain import domains
from arena.game import games
from arena.params import reset
from arena.types import Action, Observation, Task
from roles.proposer import Challenger, Proposer
from roles.role import roles
from roles.testing import check_role

GAME = games.make("propose_solve/2-v0")
DOMAINS = {"arithmetic": "sum", "python_io": "induction", "python_trace": "abduction"}


def request(domain: str, wanted: str = "", references: int = 2) -> tuple[Observation, list[dict[str, object]]]:
    """Returns what the proposer sees, and the references in it."""
    made = domains.make(domain)
    random = np.random.default_rng(0)
    shown = [dict(made.generate(random, DOMAINS[domain], 2)) for _ in range(references)]
    params = {"domain": domain, "kind": DOMAINS[domain], "references": shown, "wanted": wanted}
    return GAME.observe(reset(GAME, Task(game=GAME.spec.id, params=params)), "proposer"), shown


@pytest.mark.parametrize("name", ["proposer", "challenger"])
@pytest.mark.parametrize("game", ["propose_solve/1-v0", "propose_solve/2-v0", "kuhn_poker-v0"])
def test_they_fulfil_the_contract(name: str, game: str) -> None:
    check_role(roles.make(name), games.make(game))


@pytest.mark.parametrize("name", ["proposer", "challenger"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_they_fulfil_the_contract_in_every_domain(name: str, domain: str) -> None:
    check_role(roles.make(name), GAME, {"domain": domain})


@pytest.mark.parametrize("domain", DOMAINS)
def test_references_wishes_and_the_form_stand_in_the_prompt(domain: str) -> None:
    seen, shown = request(domain, wanted="A harder one.")
    system, user = Proposer().messages(GAME, seen, ())
    made = domains.make(domain)
    assert system == {"role": "system", "content": GAME.rules}
    for reference in shown:
        assert made.proposal_text(reference) in user["content"]
    assert "A harder one." in user["content"]
    assert user["content"].endswith(made.proposal_form(DOMAINS[domain]))


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_reference_that_is_written_back_is_read_as_a_proposal(domain: str) -> None:
    seen, (reference, _) = request(domain)
    made = domains.make(domain)
    text = made.proposal_text(reference)
    said = Proposer().parse(f"Here: <action>{text}</action>", seen)
    assert said == Action(value=text.strip())
    assert isinstance(said, Action)
    assert isinstance(made.read_proposal(said.value, DOMAINS[domain]), dict)


def test_the_challenger_is_a_proposer_that_is_told_where_to_aim() -> None:
    seen, _ = request("arithmetic")
    plain, aimed = (one.messages(GAME, seen, ()) for one in (Proposer(), Challenger()))
    assert aimed[0]["content"] == f"{GAME.rules}\n{Challenger.instruction}"
    assert "half" in Challenger.instruction
    assert aimed[1:] == plain[1:]
    assert (Proposer().name, Challenger().name) == ("proposer", "challenger")
