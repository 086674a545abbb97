"""Proposing and solving as a game: who moves, who sees what, and what becomes of each failure."""

import json

import pytest

from arena.domains.domain import domains
from arena.domains.verifier import DomainVerifier
from arena.errors import ConfigError, UnknownNameError
from arena.game import games
from arena.games.propose_solve import ProposeSolve, Proposing, propose_solve
from arena.games.solve import MOST_SOLVERS
from arena.params import reset
from arena.referee import Referee
from arena.seeds import generator
from arena.testing import check_game
from arena.types import NATURE, Action, NotUnderstood, Outcome, Status, Task, Verdict

GAME = ProposeSolve(3)
SILENCE = NotUnderstood(reason="no_action")
PROGRAM = "def f(x):\n    x = x[::-1]\n    return x"
PROPOSAL = f"{PROGRAM}\nInput:\n'01234'"


def task(**params):
    return Task(game="propose_solve/3-v0", params=params)


def referee_after(proposal, *outcomes, **params):
    """Plays a proposal and resolves the calls that follow with given verdicts."""
    referee = Referee(GAME, task(**params))
    referee.act("proposer", Action(value=proposal) if isinstance(proposal, str) else proposal)
    for verdict in outcomes:
        referee.resolve(verdict)
    return referee


def valid(problem):
    return Verdict(outcome=Outcome.CORRECT, detail=json.dumps({"problem": problem}))


SUM = {"kind": "sum", "left": 7, "right": 5}


def test_a_whole_episode():
    referee = Referee(GAME, task(kind="sum"))
    verifier = DomainVerifier()
    assert referee.to_move == ("proposer",)
    assert referee.observe("proposer").text == "Write a new sum task as NUMBER + NUMBER."
    referee.act("proposer", Action(value="7 + 5"))
    assert referee.pending_call.kind == "validate"
    referee.resolve(*verifier.check([referee.pending_call]))
    assert referee.to_move == ("solver_0", "solver_1", "solver_2")
    for seat, said in zip(GAME.solvers, ("12", "13", "12"), strict=True):
        assert referee.observe(seat).text == "Work out 7 + 5."
        referee.act(seat, Action(value=said))
    for _ in GAME.solvers:
        assert not referee.done
        referee.resolve(*verifier.check([referee.pending_call]))
    assert (referee.status, referee.reason) == (Status.COMPLETED, "")
    assert referee.returns == {"proposer": 0.0, "solver_0": 1.0, "solver_1": 0.0, "solver_2": 1.0}
    assert [call.kind for call in referee.calls] == ["validate", "check", "check", "check"]
    assert referee.state.outcomes == ("correct", "wrong", "correct")


@pytest.mark.parametrize("proposal", ["seven and five", "", SILENCE])
def test_an_unreadable_proposal_ends_the_episode_without_a_call(proposal):
    referee = referee_after(proposal, kind="sum")
    assert (referee.done, referee.status, referee.calls) == (True, Status.COMPLETED, ())
    assert referee.state.reason == "syntax"
    assert referee.returns == dict.fromkeys(GAME.spec.seats, 0.0)


def test_an_invalid_proposal_ends_the_episode():
    verdict = Verdict(outcome=Outcome.INVALID, detail='{"reason": "identity"}')
    referee = referee_after("7 + 5", verdict, kind="sum")
    assert (referee.done, referee.state.reason) == (True, "identity")
    assert referee.returns == dict.fromkeys(GAME.spec.seats, 0.0)


@pytest.mark.parametrize(
    ("detail", "reason"), [('{"reason": "raised:Odd"}', "undecided:raised:Odd"), ("", "undecided:undecided")]
)
def test_an_undecided_validation_pays_the_proposer_nothing_at_all(detail, reason):
    referee = referee_after("7 + 5", Verdict(outcome=Outcome.UNDECIDED, detail=detail), kind="sum")
    assert (referee.done, referee.state.reason) == (True, reason)
    assert referee.undecided == {"proposer"}
    assert referee.returns["proposer"] is None


@pytest.mark.parametrize(
    "verdict",
    [
        Verdict(outcome=Outcome.CORRECT),
        Verdict(outcome=Outcome.CORRECT, detail='{"problem": 3}'),
        Verdict(outcome=Outcome.CORRECT, detail="[]"),
        Verdict(outcome=Outcome.WRONG),
        Verdict(outcome=Outcome.INVALID, detail="no JSON"),
    ],
)
def test_a_verdict_without_a_problem_admits_none(verdict):
    referee = referee_after("7 + 5", verdict, kind="sum")
    assert referee.done and referee.state.reason and not referee.state.problem


def test_the_problem_is_the_verifiers_and_not_the_proposers():
    referee = referee_after("1 + 1", valid(SUM), kind="sum")
    assert referee.observe("solver_0").text == "Work out 7 + 5."


@pytest.mark.parametrize("silent", GAME.solvers)
def test_one_solver_that_is_not_understood_leaves_the_others_their_attempts(silent):
    referee = referee_after("7 + 5", valid(SUM), kind="sum")
    for seat in GAME.solvers:
        assert referee.act(seat, SILENCE if seat == silent else Action(value="12")) == ("no_action" * (seat == silent))
    verifier = DomainVerifier()
    while not referee.done:
        referee.resolve(*verifier.check([referee.pending_call]))
    assert referee.status is Status.COMPLETED and referee.reason == ""
    assert referee.returns == {"proposer": 0.0, **{seat: float(seat != silent) for seat in GAME.solvers}}
    assert referee.state.outcomes.count("correct") == 2


def test_all_solvers_silent_is_a_whole_episode():
    referee = referee_after("7 + 5", valid(SUM), kind="sum")
    for seat in GAME.solvers:
        referee.act(seat, SILENCE)
    assert referee.state.answers == ("", "", "")
    for _ in GAME.solvers:
        referee.resolve(Verdict(outcome=Outcome.INVALID))
    assert referee.returns == dict.fromkeys(GAME.spec.seats, 0.0)


def test_an_undecided_attempt_leaves_that_seat_unpaid_and_no_other():
    referee = referee_after("7 + 5", valid(SUM), kind="sum")
    for seat in GAME.solvers:
        referee.act(seat, Action(value="12"))
    for outcome in (Outcome.CORRECT, Outcome.UNDECIDED, Outcome.WRONG):
        referee.resolve(Verdict(outcome=outcome))
    assert referee.returns == {"proposer": 0.0, "solver_0": 1.0, "solver_1": None, "solver_2": 0.0}
    assert referee.undecided == {"solver_1"}


def test_pay_can_be_left_to_a_curriculum():
    referee = referee_after("7 + 5", valid(SUM), kind="sum", pay="nothing")
    for seat in GAME.solvers:
        referee.act(seat, Action(value="12"))
    for outcome in (Outcome.CORRECT, Outcome.UNDECIDED, Outcome.WRONG):
        referee.resolve(Verdict(outcome=outcome))
    assert referee.returns == dict.fromkeys(GAME.spec.seats, 0.0)
    assert referee.state.outcomes == ("correct", "undecided", "wrong")


def states(problem, answers):
    """Returns the states of an episode from the admitted problem on."""
    kind = problem["kind"]
    state = Proposing("python_io", kind, proposal="{}", problem=json.dumps(problem, sort_keys=True))
    found = [state]
    state = GAME.step(state, dict(zip(GAME.solvers, answers, strict=True)))
    for _ in GAME.solvers:
        found.append(state)
        state = GAME.step(state, {NATURE: Verdict(outcome=Outcome.WRONG)})
    return [*found, state]


ONE = {"program": PROGRAM, "input": "'01234'", "output": "'43210'"}
CASES = [["'01'", "'10'"], ["'02'", "'20'"], ["'33344'", "'44333'"], ["'22233'", "'33222'"]]


@pytest.mark.parametrize(
    ("problem", "hidden"),
    [
        ({"kind": "deduction", **ONE}, ["43210"]),
        ({"kind": "abduction", **ONE}, ["01234"]),
        ({"kind": "induction", "program": PROGRAM, "cases": CASES}, ["33344", "44333", "22233", "[::-1]"]),
    ],
)
def test_a_solver_sees_neither_the_answer_nor_the_answers_of_others(problem, hidden):
    other = {**problem, "executor": "another"}
    for state, same in zip(states(problem, ("a1", "b2", "c3")), states(other, ("d4", "e5", "f6")), strict=True):
        for seat in GAME.solvers:
            seen = GAME.observe(state, seat)
            assert not any(word in seen.text for word in [*hidden, "a1", "b2", "c3", "wrong", "executor"])
            # Neither what was answered nor what else the problem carries reaches a solver.
            assert seen == GAME.observe(same, seat)
        assert GAME.observe(state, "proposer") == GAME.observe(same, "proposer")


def test_solvers_see_nothing_before_a_problem_stands():
    start = reset(GAME, task(kind="sum", references=[SUM], wanted="Aim high."))
    proposed = GAME.step(start, {"proposer": "8 + 9"})
    for state in (start, proposed):
        seen = GAME.observe(state, "solver_0")
        assert (seen.text, seen.legal_actions) == ("", ())
    assert GAME.to_move(proposed) == (NATURE,)


def test_the_request_holds_references_and_what_is_wanted():
    start = reset(GAME, task(kind="sum", references=[SUM, {**SUM, "left": 1}], wanted="Aim high."))
    assert GAME.observe(start, "proposer").text == (
        "Example:\n7 + 5\nExample:\n1 + 5\nAim high.\nWrite a new sum task as NUMBER + NUMBER."
    )
    assert GAME.state_text(start) == "arithmetic sum Aim high.\n-"


def test_a_task_without_params_asks_for_the_first_kind():
    assert reset(GAME, task()) == Proposing("arithmetic", "sum")


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"kind": "root"}, ConfigError, r"task\.params\.kind: expected one of sum, difference, product for arithmetic"),
        ({"domain": "arithmetics"}, UnknownNameError, "did you mean arithmetic"),
        ({"domain": "reasoning_gym/chain_sum"}, ConfigError, "can be proposed, got reasoning_gym/chain_sum"),
        ({"pay": "much"}, ConfigError, r"task\.params\.pay: expected verdict or nothing, got 'much'"),
        ({"references": "7 + 5"}, ConfigError, r"task\.params\.references: expected a list of problems of arithmetic"),
        ({"references": ["7 + 5"]}, ConfigError, r"task\.params\.references"),
        ({"references": SUM}, ConfigError, r"task\.params\.references"),
    ],
)
def test_params_out_of_range_are_refused(params, error, message):
    with pytest.raises(error, match=message):
        reset(GAME, task(**params))


def test_the_number_of_solvers_is_in_the_name():
    assert games.make("propose_solve/4-v0").solvers == ("solver_0", "solver_1", "solver_2", "solver_3")
    assert propose_solve(f"{MOST_SOLVERS}-v0").spec.max_turns == MOST_SOLVERS + 1
    for name in ("0-v0", f"{MOST_SOLVERS + 1}-v0", "4", "4-v1", "-4-v0", "\uff14-v0", "04-v0", "four-v0"):
        with pytest.raises(UnknownNameError, match="propose_solve/4-v0"):
            propose_solve(name)


def say(seen):
    if seen.text.startswith(("Write", "Example")):
        return ("7 + 5", "3 - 1", PROPOSAL, "nonsense")
    return ("12", "'43210'", "nonsense")


def tasks():
    made = [task(kind="sum"), task(kind="difference", references=[{**SUM, "kind": "difference"}])]
    for name in ("python_io", "python_trace"):
        domain = domains.make(name)
        reference = domain.generate(generator("test", 0), "abduction", 2)
        made += [task(domain=name, kind=kind, references=[reference]) for kind in ("deduction", "abduction")]
    return made


def test_the_check_of_games_passes_with_arbitrary_and_with_real_verdicts():
    assert check_game(ProposeSolve(1), episodes=4).game == "propose_solve/1-v0"
    check_game(GAME, episodes=4, tasks=tasks(), say=say)
    verifier = DomainVerifier()
    check_game(GAME, episodes=4, tasks=tasks(), say=say, verifier=verifier)
    verifier.close()


@pytest.mark.parametrize("executor", ["monty", pytest.param("cpython", marks=pytest.mark.bwrap)])
def test_programs_are_proposed_and_solved(executor):
    verifier = DomainVerifier(executor)
    referee = Referee(GAME, task(domain="python_io", kind="deduction"))
    referee.act("proposer", Action(value=f"```python\n{PROPOSAL}\n```"))
    referee.resolve(*verifier.check([referee.pending_call]))
    for seat, said in zip(GAME.solvers, ("'43210'", '"43210"', "'01234'"), strict=True):
        referee.act(seat, Action(value=said))
    while not referee.done:
        referee.resolve(*verifier.check([referee.pending_call]))
    verifier.close()
    assert referee.returns == {"proposer": 0.0, "solver_0": 1.0, "solver_1": 1.0, "solver_2": 0.0}
