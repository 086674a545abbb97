"""Solving as a game: one seat, one problem, pay by the verdict."""

import json
from dataclasses import replace

import pytest

from arena.domains.domain import domains
from arena.domains.verifier import DomainVerifier
from arena.errors import ConfigError, UnknownNameError
from arena.game import games
from arena.games.solve import Solve, Solving, packed, paid
from arena.params import reset
from arena.referee import Referee
from arena.seeds import generator
from arena.testing import check_game
from arena.types import NATURE, Action, NotUnderstood, Outcome, Status, Task, Verdict

GAME, SEVERAL = Solve(), Solve(3)
SUM = {"kind": "sum", "left": 7, "right": 5}


def task(**params):
    return Task(game="solve-v0", params=params)


def played(answer, verifier=None, **params):
    referee = Referee(GAME, task(**params))
    referee.act("solver", answer)
    referee.resolve(*(verifier or DomainVerifier()).check([referee.pending_call]))
    return referee


def test_a_right_answer_pays_one_and_any_other_nothing():
    pay = {text: played(Action(value=text), problem=SUM).returns["solver"] for text in ("12", "13", "twelve", "")}
    assert pay == {"12": 1.0, "13": 0.0, "twelve": 0.0, "": 0.0}


def test_an_answer_that_was_not_understood_is_judged_as_an_empty_text():
    referee = played(NotUnderstood(reason="no_action"), problem=SUM)
    assert (referee.status, referee.returns) == (Status.COMPLETED, {"solver": 0.0})
    assert json.loads(referee.calls[0].request)["answer"] == ""


@pytest.mark.parametrize(
    ("outcome", "pay"),
    [(Outcome.CORRECT, 1.0), (Outcome.WRONG, 0.0), (Outcome.INVALID, 0.0), (Outcome.UNDECIDED, None)],
)
def test_pay(outcome, pay):
    assert paid(str(outcome)) == pay
    end = GAME.step(Solving("arithmetic", packed(SUM), "verdict", ("12",)), {NATURE: Verdict(outcome=outcome)})
    assert GAME.to_move(end) == ()
    assert GAME.returns(end) == {"solver": pay}
    unpaid = GAME.step(Solving("arithmetic", packed(SUM), "nothing", ("12",)), {NATURE: Verdict(outcome=outcome)})
    assert GAME.returns(unpaid) == {"solver": 0.0}


def test_the_course_of_the_game():
    start = reset(GAME, task(problem=SUM))
    assert GAME.to_move(start) == ("solver",)
    seen = GAME.observe(start, "solver")
    assert (seen.text, seen.legal_actions) == ("Work out 7 + 5.", None)
    answered = GAME.step(start, {"solver": ""})
    assert GAME.to_move(answered) == (NATURE,)
    assert GAME.observe(answered, "solver").legal_actions == ()
    call = GAME.nature(answered)
    assert (call.kind, json.loads(call.request)) == ("check", {"domain": "arithmetic", "problem": SUM, "answer": ""})
    assert GAME.state_text(start) == 'arithmetic {"kind": "sum", "left": 7, "right": 5}\nanswer -\noutcome -'


def together(*said, outcomes=()):
    """Several solvers answer one problem, in order; the first calls are resolved by given outcomes."""
    referee = Referee(SEVERAL, Task(game="solve/3-v0", params={"problem": SUM}))
    for seat, answer in zip(SEVERAL.spec.seats, said, strict=True):
        assert referee.observe(seat).text == "Work out 7 + 5."
        referee.act(seat, answer)
    verifier = DomainVerifier()
    for outcome in outcomes:
        referee.resolve(Verdict(outcome=outcome))
    while not referee.done:
        referee.resolve(*verifier.check([referee.pending_call]))
    return referee


def test_several_solvers_are_judged_apart():
    referee = together(Action(value="12"), NotUnderstood(reason="no_action"), Action(value="12"))
    assert (referee.status, referee.reason) == (Status.COMPLETED, "")
    assert referee.returns == {"solver_0": 1.0, "solver_1": 0.0, "solver_2": 1.0}
    assert [json.loads(call.request)["answer"] for call in referee.calls] == ["12", "", "12"]


def test_an_undecided_answer_leaves_that_seat_unpaid_and_no_other():
    referee = together(*[Action(value="12")] * 3, outcomes=(Outcome.CORRECT, Outcome.UNDECIDED))
    assert referee.returns == {"solver_0": 1.0, "solver_1": None, "solver_2": 1.0}
    assert referee.undecided == {"solver_1"}


def test_no_solver_sees_what_another_said():
    start = reset(SEVERAL, Task(game="solve/3-v0", params={"problem": SUM}))
    first, second = (SEVERAL.step(start, dict(zip(SEVERAL.spec.seats, said, strict=True))) for said in ("abc", "xyz"))
    for seat in SEVERAL.spec.seats:
        assert SEVERAL.observe(first, seat) == SEVERAL.observe(second, seat)


def test_the_number_of_solvers_is_in_the_name():
    assert games.make("solve/3-v0").spec.seats == ("solver_0", "solver_1", "solver_2")
    for name in ("0-v0", "65-v0", "4", "4-v1", "04-v0", "\uff14-v0"):
        with pytest.raises(UnknownNameError, match="solve/4-v0"):
            games.make(f"solve/{name}")


@pytest.mark.parametrize("name", domains.names())
def test_a_task_without_a_problem_is_always_the_same_example(name):
    first = reset(GAME, task(domain=name))
    assert first == reset(GAME, task(domain=name, problem={}))
    domain = domains.make(name)
    assert (first.domain, json.loads(first.problem)["kind"]) == (name, domain.kinds[0])
    assert domain.difficulty(json.loads(first.problem)) == 1


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"problem": {"kind": "root"}}, ConfigError, r"task\.params\.problem: .*sum or difference or product"),
        ({"problem": "2 + 3"}, ConfigError, r"task\.params\.problem: .*got '2 \+ 3'"),
        ({"problem": [3]}, ConfigError, r"task\.params\.problem"),
        ({"domain": "arithmetics"}, UnknownNameError, "did you mean arithmetic"),
        ({"domain": ["arithmetic"]}, ConfigError, r"task\.params\.domain"),
        ({"pay": "much"}, ConfigError, r"task\.params\.pay: expected verdict or nothing, got 'much'"),
    ],
)
def test_params_out_of_range_are_refused(params, error, message):
    with pytest.raises(error, match=message):
        reset(GAME, task(**params))


def tasks():
    made = []
    for name in domains.names():
        domain = domains.make(name)
        for kind in domain.kinds:
            problem = domain.generate(generator("test", 0), kind, 2)
            made.append(task(domain=name, problem=problem))
    return made


@pytest.mark.parametrize("executor", ["monty", pytest.param("cpython", marks=pytest.mark.bwrap)])
def test_the_solution_pays_in_every_domain(executor):
    verifier = DomainVerifier(executor)
    for one in tasks():
        domain = domains.make(one.params["domain"])
        answer = Action(value=domain.solution(one.params["problem"]))
        assert played(answer, verifier, **one.params).returns == {"solver": 1.0}
        assert played(Action(value="nonsense"), verifier, **one.params).returns == {"solver": 0.0}
    verifier.close()


def test_the_check_of_games_passes_with_arbitrary_and_with_real_verdicts():
    assert check_game(GAME, episodes=2, tasks=tasks()).game == "solve-v0"
    verifier = DomainVerifier()
    check_game(GAME, episodes=2, tasks=tasks(), verifier=verifier)
    check_game(SEVERAL, episodes=2, tasks=[replace(one, game="solve/3-v0") for one in tasks()], verifier=verifier)
    verifier.close()
