"""The verifier: batches, sealed problems, and faults that never become zeros."""

import json

import pytest

from arena.domains.domain import CHECK, VALIDATE
from arena.domains.verifier import DomainVerifier, check_call, domain_of, fields, undecided, validate_call
from arena.errors import CapabilityError, ConfigError, UnknownNameError
from arena.game import Call
from arena.games.propose_solve import ProposeSolve
from arena.games.solve import Solve
from arena.referee import Referee
from arena.types import Action, Outcome, Task, Verdict

SUM = {"kind": "sum", "left": 2, "right": 3}
RIGHT = Verdict(outcome=Outcome.CORRECT, detail="{}")


class Checker:
    """Answers every batch by a function of its size."""

    def __init__(self, answer):
        self.answer, self.sizes, self.closed = answer, [], 0

    def check(self, attempts):
        self.sizes.append(len(attempts))
        return self.answer(len(attempts))

    validate = check

    def close(self):
        self.closed += 1


class Odd(Exception):
    """An error of nobody's tree."""


def failing(error):
    def answer(count):
        raise error

    return answer


FAULTS = {
    "value": (failing(ValueError("no")), "raised:ValueError"),
    "attribute": (failing(AttributeError("no")), "raised:AttributeError"),
    "assertion": (failing(AssertionError()), "raised:AssertionError"),
    "key": (failing(KeyError("no")), "raised:KeyError"),
    "memory": (failing(MemoryError()), "raised:MemoryError"),
    "recursion": (failing(RecursionError()), "raised:RecursionError"),
    "timeout": (failing(TimeoutError()), "raised:TimeoutError"),
    "its own": (failing(Odd("no")), "raised:Odd"),
    "too few": (lambda count: [RIGHT] * (count - 1), "returned:not one verdict a request"),
    "too many": (lambda count: [RIGHT] * (count + 1), "returned:not one verdict a request"),
    "nothing": (lambda count: None, "returned:not one verdict a request"),
    "an iterator": (lambda count: iter([RIGHT] * count), "returned:not one verdict a request"),
    "words": (lambda count: ["correct"] * count, "returned:no verdict"),
    "truth": (lambda count: [True] * count, "returned:no verdict"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_a_checker_is_undecided_and_never_wrong(fault):
    answer, reason = FAULTS[fault]
    verifier = DomainVerifier(checkers={"arithmetic": Checker(answer)})
    verdicts = verifier.check([check_call("arithmetic", SUM, "5")] * 3)
    assert {verdict.outcome for verdict in verdicts} == {Outcome.UNDECIDED}
    assert [fields(verdict) for verdict in verdicts] == [{"reason": reason}] * 3


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "an iterator"])
def test_a_fault_while_validating_is_undecided(fault):
    verifier = DomainVerifier(checkers={"arithmetic": Checker(FAULTS[fault][0])})
    (verdict, _) = verifier.check([validate_call("arithmetic", SUM)] * 2)
    assert verdict.outcome is Outcome.UNDECIDED


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "an iterator"])
def test_games_leave_an_undecided_seat_unpaid(fault):
    verifier = DomainVerifier(checkers={"arithmetic": Checker(FAULTS[fault][0])})
    referee = Referee(Solve(), Task(game="solve-v0", params={"problem": SUM}))
    referee.act("solver", Action(value="5"))
    referee.resolve(verifier.check([referee.pending_call, referee.pending_call])[0])
    assert referee.returns == {"solver": None} and referee.undecided == {"solver"}
    referee = Referee(ProposeSolve(2), Task(game="propose_solve/2-v0", params={"kind": "sum"}))
    referee.act("proposer", Action(value="2 + 3"))
    referee.resolve(verifier.check([referee.pending_call, referee.pending_call])[0])
    assert referee.done and referee.undecided == {"proposer"}


def test_one_bad_verdict_leaves_the_others():
    verifier = DomainVerifier(checkers={"arithmetic": Checker(lambda count: [RIGHT, None, RIGHT])})
    verdicts = verifier.check([check_call("arithmetic", SUM, "5")] * 3)
    assert [str(one.outcome) for one in verdicts] == ["correct", "undecided", "correct"]


def test_a_missing_extra_is_no_verdict():
    verifier = DomainVerifier(checkers={"arithmetic": Checker(failing(CapabilityError("install it")))})
    with pytest.raises(CapabilityError, match="install it"):
        verifier.check([check_call("arithmetic", SUM, "5")])


def test_programs_that_hang_are_bounded_and_wrong(executor):
    problem = {"kind": "induction", "program": "def f(x):\n    return x", "cases": [["1", "'0123'"], ["2", "'0124'"]]}
    loop = "def f(x):\n    while True: pass"
    verifier = DomainVerifier(executor)
    (verdict,) = verifier.check([check_call("python_io", problem, loop)])
    verifier.close()
    assert (verdict.outcome, fields(verdict)) == (Outcome.WRONG, {"reason": "timeout", "share": 0.0})


def test_calls_of_one_kind_and_domain_are_one_batch_and_come_back_in_order():
    verifier = DomainVerifier()
    calls = [
        check_call("arithmetic", SUM, "5"),
        validate_call("arithmetic", SUM),
        check_call("arithmetic", SUM, "6"),
        check_call("arithmetic", SUM, "?"),
    ]
    assert [call.kind for call in calls] == [CHECK, VALIDATE, CHECK, CHECK]
    verdicts = verifier.check(calls)
    assert [str(one.outcome) for one in verdicts] == ["correct", "correct", "wrong", "invalid"]
    assert fields(verdicts[1])["problem"] == SUM
    counting = Checker(lambda count: [RIGHT] * count)
    DomainVerifier(checkers={"arithmetic": counting}).check([*calls, check_call("arithmetic", SUM, "7")])
    assert sorted(counting.sizes) == [1, 4]
    assert verifier.check([]) == []


def test_sealed_problems_are_no_proposals():
    verifier = DomainVerifier(sealed={"arithmetic": frozenset({'["sum", [2, 3]]'})})
    sealed, free, answered = verifier.check(
        [
            validate_call("arithmetic", {"kind": "sum", "left": 3, "right": 2}),
            validate_call("arithmetic", {"kind": "sum", "left": 3, "right": 3}),
            check_call("arithmetic", SUM, "5"),
        ]
    )
    assert (sealed.outcome, fields(sealed)) == (Outcome.INVALID, {"reason": "sealed"})
    assert sealed.verifier == "arithmetic"
    assert (free.outcome, answered.outcome) == (Outcome.CORRECT, Outcome.CORRECT)


def test_other_calls_are_refused():
    with pytest.raises(CapabilityError, match="expected calls of kind check or validate, got 'judge'"):
        DomainVerifier().check([Call("judge", "{}")])


def test_an_unknown_domain_is_refused():
    with pytest.raises(UnknownNameError, match="arithmetic"):
        DomainVerifier().check([check_call("arithmetics", SUM, "5")])
    with pytest.raises(ConfigError, match=r"task\.params\.domain: expected the name of a domain, got 3"):
        domain_of(3)


def test_checkers_are_opened_once_and_closed():
    verifier = DomainVerifier()
    assert verifier.open("arithmetic") is verifier.open("arithmetic")
    mine = Checker(lambda count: [RIGHT] * count)
    verifier = DomainVerifier(checkers={"arithmetic": mine})
    assert verifier.open("arithmetic") is mine
    verifier.close()
    verifier.close()
    assert mine.closed == 1


@pytest.mark.parametrize("detail", ["", "no JSON", "[1]", "null", "3", "[" * 100_000])
def test_a_detail_without_an_object_has_no_fields(detail):
    assert fields(Verdict(outcome=Outcome.WRONG, detail=detail)) == {}


def test_undecided_says_why():
    assert json.loads(undecided("mine", "asleep", "2").detail) == {"reason": "asleep"}
