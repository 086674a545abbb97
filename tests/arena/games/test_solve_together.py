"""Several solvers at one problem, unseen by each other; and what their episodes say afterwards."""

import json
import sys
from pathlib import Path

import pytest

from arena.domains.domain import domains
from arena.domains.verifier import DomainVerifier
from arena.errors import UnknownNameError
from arena.game import games
from arena.games.propose_solve import PROPOSER, read_proposed
from arena.games.solve import MOST_SOLVERS, read_answers
from arena.referee import Referee
from arena.testing import check_game
from arena.types import Action, Outcome, Payoff, PolicyId, Task

sys.path.insert(0, str(Path(__file__).parents[2] / "curricula"))
from played_episodes import Undecided, play

GAME = games.make("solve/3-v0")
SUM = {"kind": "sum", "left": 7, "right": 5}
SAID = {"solver_0": "12", "solver_1": "13", "solver_2": ""}


def task(game="solve/3-v0", **params):
    return Task(game=game, params={"problem": SUM, **params})


def test_all_answer_at_once_and_none_sees_another():
    referee = Referee(GAME, task())
    assert (GAME.spec.seats, GAME.spec.payoff, GAME.spec.max_turns) == (tuple(SAID), Payoff.GENERAL_SUM, 3)
    assert referee.to_move == tuple(SAID)
    before = {seat: referee.observe(seat) for seat in SAID}
    assert {seen.text for seen in before.values()} == {"Work out 7 + 5."}
    referee.act("solver_0", Action(value="12"))
    assert referee.observe("solver_1") == before["solver_1"]
    for seat in ("solver_1", "solver_2"):
        referee.act(seat, Action(value=SAID[seat]))
    verifier, asked = DomainVerifier(), []
    while referee.pending_call is not None:
        asked.append(json.loads(referee.pending_call.request)["answer"])
        referee.resolve(*verifier.check([referee.pending_call]))
    assert asked == ["12", "13", ""]
    assert referee.returns == {"solver_0": 1.0, "solver_1": 0.0, "solver_2": 0.0}
    assert GAME.state_text(referee.state).endswith("answer 12 | 13 | \noutcome correct | wrong | invalid")


def test_without_pay_verdicts_stand_in_the_log():
    episode = play(task(pay="nothing"), SAID)
    assert set(episode.returns.values()) == {0.0}
    outcomes = [answer.verdict.outcome for answer in read_answers(episode)]
    assert outcomes == [Outcome.CORRECT, Outcome.WRONG, Outcome.INVALID]


def test_answers_are_read_by_seat_with_their_policies():
    policies = {"solver_0": "one", "solver_1": "other", "solver_2": "one"}
    answers = read_answers(play(task(), SAID, policies=policies, version=4, verifier=Undecided(1)))
    assert [(one.seat, one.text) for one in answers] == list(SAID.items())
    assert [one.policy for one in answers] == [PolicyId(name=name, version=4) for name in policies.values()]
    assert answers[1].verdict.outcome is Outcome.UNDECIDED


def test_one_seat_keeps_its_name_and_its_game():
    assert games.make("solve-v0").spec.seats == ("solver",)
    assert games.make("solve/1-v0").spec.seats == ("solver_0",)
    (answer,) = read_answers(play(task("solve-v0"), {"solver": "12"}))
    assert (answer.seat, answer.verdict.outcome) == ("solver", Outcome.CORRECT)


@pytest.mark.parametrize("rest", ["0-v0", f"{MOST_SOLVERS + 1}-v0", "4", "4-v1", "04-v0", "four-v0"])
def test_the_number_of_solvers_is_in_the_name(rest):
    assert len(games.make(f"solve/{MOST_SOLVERS}-v0").spec.seats) == MOST_SOLVERS
    with pytest.raises(UnknownNameError, match="solve/4-v0"):
        games.make(f"solve/{rest}")


def test_a_proposed_problem_can_go_unpaid_too():
    request = Task(game="propose_solve/3-v0", params={"kind": "sum", "pay": "nothing"})
    episode = play(request, {PROPOSER: "7 + 5", **SAID})
    found = read_proposed(episode)
    assert set(episode.returns.values()) == {0.0}
    assert (found.problem, found.understood) == (SUM, True)
    assert [answer.text for answer in found.answers] == list(SAID.values())
    assert found.verdicts[0].outcome is Outcome.CORRECT
    lost = read_proposed(play(request, {PROPOSER: "what", **SAID}))
    assert (lost.problem, lost.understood, lost.reason) == (None, False, "syntax")


def test_the_check_of_games_passes():
    assert check_game(GAME, episodes=2, tasks=[task(), task(pay="nothing")]).game == "solve/3-v0"


@pytest.mark.parametrize(
    ("domain", "one", "other"),
    [
        ("arithmetic", " 012 ", "12"),
        ("python_io", '"3412" ', "'3412'"),
        ("python_io", "[1,2]", "[1, 2]"),
        ("python_trace", 'x = x[::-1]\n"43"', "x = x[::-1] \n'43'"),
    ],
)
def test_answers_that_say_the_same_are_equal_to_a_vote(domain, one, other):
    canonical = domains.make(domain).canonical_answer
    assert canonical(one) == canonical(other)
    assert canonical(canonical(one)) == canonical(one)


@pytest.mark.parametrize("domain", domains.names())
def test_different_answers_stay_different_and_hostile_ones_do_no_harm(domain):
    canonical = domains.make(domain).canonical_answer
    texts = ["", "12", "13", "'12'", "(" * 5000, "9" * 5000, "a\n\nb", "\ud800"]
    assert len({canonical(text) for text in texts}) == len(texts)
    assert canonical(" \n") == ""
