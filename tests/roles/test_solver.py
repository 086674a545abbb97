"""The solver's prompt: the rules, the statement, and free thoughts only where they are asked for."""

from __future__ import annotations

import pytest

from arena.domains.domain import domains
from arena.errors import ConfigError
from arena.game import games
from arena.params import reset
from arena.types import Action, Observation, Task
from roles.player import INSTRUCTION
from roles.role import roles
from roles.solver import Solver
from roles.testing import check_role

SOLVE = games.make("solve-v0")
PROBLEM = {"kind": "sum", "left": 12, "right": 30}
SEEN = SOLVE.observe(reset(SOLVE, Task(game="solve-v0", params={"problem": PROBLEM})), "solver")


@pytest.mark.parametrize("think", [False, True])
@pytest.mark.parametrize("game", ["solve-v0", "solve/3-v0", "propose_solve/2-v0", "kuhn_poker-v0"])
def test_it_fulfils_the_contract(think: bool, game: str) -> None:
    check_role(Solver(think=think), games.make(game))


@pytest.mark.parametrize("domain", ["arithmetic", "python_io", "python_trace"])
def test_it_fulfils_the_contract_in_every_domain(domain: str) -> None:
    check_role(roles.make("solver"), SOLVE, {"domain": domain})


def test_the_prompt_is_the_rules_and_the_statement_alone() -> None:
    messages = Solver().messages(SOLVE, SEEN, ())
    assert [(one["role"], one["content"]) for one in messages] == [
        ("system", SOLVE.rules),
        ("user", domains.make("arithmetic").statement(PROBLEM)),
    ]
    assert INSTRUCTION not in str(messages)


def test_thinking_is_asked_for_in_one_line_and_never_judged() -> None:
    thinker = Solver(think=True)
    plain, asked = (one.messages(SOLVE, SEEN, ()) for one in (Solver(), thinker))
    assert asked[0]["content"] == f"{SOLVE.rules}\nThink step by step first."
    assert asked[1:] == plain[1:]
    said = "12 + 30: <action>41</action>? No.\n<action>42</action>"
    assert thinker.parse(said, SEEN) == Solver().parse(said, SEEN) == Action(value="42")


def test_answers_are_free_text_in_domains_and_named_in_finite_games() -> None:
    assert Solver().answers(SEEN) is None
    finite = Observation(seat="first", text="Go.", legal_actions=("bet",))
    assert Solver().answers(finite) == {"bet": "<action>bet</action>"}


def test_an_answer_over_several_lines_is_read_whole() -> None:
    assert Solver().parse("<action>x = x[::-1]\n'210'\n</action>", SEEN) == Action(value="x = x[::-1]\n'210'")


def test_an_unknown_history_is_refused_by_the_solvers_name() -> None:
    with pytest.raises(ConfigError, match=r"solver\.history: expected one of none, own, full, got 'most'"):
        Solver(history="most")  # type: ignore[arg-type]
