"""Judging answers about programs, with every executor: by hand."""

import json

import pytest

from arena.domains import python_checker
from arena.domains.digit_chains import BY_LINE, source
from arena.domains.domain import Attempt, domains
from arena.domains.python_source import straight
from arena.domains.verifier import fields
from arena.types import Outcome

REVERSE, ROTATE, SORT = "x = x[::-1]", "x = x[1:] + x[:1]", "x = ''.join(sorted(x))"
PROGRAM = source([BY_LINE[REVERSE], BY_LINE[ROTATE], BY_LINE[REVERSE]])
ONE = {"program": PROGRAM, "input": "'01234'", "output": "'40123'"}
DEDUCTION, ABDUCTION = {"kind": "deduction", **ONE}, {"kind": "abduction", **ONE}
SORTING = {"kind": "abduction", "program": source([BY_LINE[SORT]]), "input": "'210'", "output": "'012'"}
CASES = [["'01'", "'10'"], ["'012'", "'201'"], ["'123'", "'312'"], ["'0000'", "'0000'"]]
INDUCTION = {"kind": "induction", "program": PROGRAM, "cases": CASES}


def judge(checker, problem, *answers):
    return checker.check([Attempt(problem=problem, answer=answer) for answer in answers])


@pytest.mark.parametrize(
    ("problem", "answer", "outcome", "detail"),
    [
        (DEDUCTION, "'40123'", "correct", {}),
        (DEDUCTION, ' "40123" ', "correct", {}),
        (DEDUCTION, "'40132'", "wrong", {}),
        (DEDUCTION, "40123", "wrong", {}),
        (DEDUCTION, "40123'", "invalid", {"reason": "not_an_answer"}),
        (ABDUCTION, "'01234'", "correct", {"share": 1.0}),
        (ABDUCTION, "['0', '1', '2', '3', '4']", "wrong", {"share": 0.0}),
        (ABDUCTION, "1", "wrong", {"reason": "raised", "share": 0.0}),
        (ABDUCTION, "x", "invalid", {"reason": "not_an_answer"}),
        # Any input that gives the output is right, not the proposer's alone.
        (SORTING, "'102'", "correct", {"share": 1.0}),
        (SORTING, "['2', '1', '0']", "correct", {"share": 1.0}),
        (INDUCTION, PROGRAM, "correct", {"share": 1.0}),
        (INDUCTION, "def f(x):\n    return x[-1:] + x[:-1]", "correct", {"share": 1.0}),
        (INDUCTION, "def f(x): return x[-1:] + x[:-1]", "correct", {"share": 1.0}),
        (INDUCTION, "def f(x):\n    return x", "wrong", {"share": 0.25}),
        # Knows the shown half and not the hidden one.
        (INDUCTION, "def f(x):\n    return {'01': '10', '012': '201'}[x]", "wrong", {"reason": "raised", "share": 0.5}),
        (INDUCTION, "x", "invalid", {"reason": "not_an_answer"}),
    ],
)
def test_answers(checkers, problem, answer, outcome, detail):
    (verdict,) = judge(checkers["python_io"], problem, answer)
    assert (str(verdict.outcome), fields(verdict)) == (outcome, detail)


def traced(*values):
    return "\n".join(part for pair in zip((REVERSE, ROTATE, REVERSE), values, strict=True) for part in pair)


@pytest.mark.parametrize(
    ("problem", "answer", "outcome", "detail"),
    [
        (DEDUCTION, traced("'43210'", "'32104'", "'40123'"), "correct", {"share": 1.0}),
        (DEDUCTION, "\n" + traced('"43210"', " '32104'", "'40123'  ") + "\n", "correct", {"share": 1.0}),
        # The right end by a wrong way: two of three links are broken.
        (DEDUCTION, traced("'43210'", "'00000'", "'40123'"), "wrong", {"share": 1 / 3}),
        (DEDUCTION, traced("'43210'", "'32104'", "'00000'"), "wrong", {"share": 2 / 3}),
        # A slip and what follows from it: one link is broken.
        (DEDUCTION, traced("'43211'", "'32114'", "'41123'"), "wrong", {"share": 2 / 3}),
        (DEDUCTION, traced("1", "2", "3"), "wrong", {"share": 0.0}),
        (DEDUCTION, "'40123'", "invalid", {"reason": "not_a_trace", "share": 0.0}),
        (
            DEDUCTION,
            traced("'43210'", "'32104'", "'40123'") + "\n'40123'",
            "invalid",
            {"reason": "not_a_trace", "share": 0.0},
        ),
        (DEDUCTION, traced("'43210'", "x", "'40123'"), "invalid", {"reason": "not_a_trace", "share": 0.0}),
        # Another program than the one that was asked about.
        (
            DEDUCTION,
            f"{ROTATE}\n'12340'\n{ROTATE}\n'23401'\n{ROTATE}\n'34012'",
            "invalid",
            {"reason": "not_a_trace", "share": 0.0},
        ),
        (ABDUCTION, traced("'32104'", "'43210'", "'01234'"), "correct", {"share": 1.0}),
        (ABDUCTION, traced("'32104'", "'43210'", "'01233'"), "wrong", {"share": 2 / 3}),
    ],
)
def test_traces(checkers, problem, answer, outcome, detail):
    (verdict,) = judge(checkers["python_trace"], problem, answer)
    assert (str(verdict.outcome), fields(verdict)) == (outcome, pytest.approx(detail))


def test_hindsight_keeps_the_stretches_that_hold(checkers):
    checker = checkers["python_trace"]
    slip = Attempt(problem=DEDUCTION, answer=traced("'43210'", "'32104'", "'00000'"))
    back = Attempt(problem=ABDUCTION, answer=traced("'32104'", "'43210'", "'01233'"))
    found = checker.hindsight([slip, back, Attempt(problem=DEDUCTION, answer="?")])
    assert [len(several) for several in found] == [1, 1, 0]
    (forth,), (aback,), _ = found
    assert forth.problem["program"] == source([BY_LINE[REVERSE], BY_LINE[ROTATE]])
    assert (forth.problem["input"], forth.problem["output"]) == ("'01234'", "'32104'")
    assert forth.answer == f"{REVERSE}\n'43210'\n{ROTATE}\n'32104'"
    assert (aback.problem["input"], aback.problem["output"]) == ("'43210'", "'40123'")
    assert aback.answer == f"{REVERSE}\n'32104'\n{ROTATE}\n'43210'"
    assert all(one.outcome is Outcome.CORRECT for one in checker.check([forth, aback]))
    right = Attempt(problem=DEDUCTION, answer=traced("'43210'", "'32104'", "'40123'"))
    assert checker.hindsight([right]) == [[]]
    assert checkers["python_io"].hindsight([slip]) == [[]]


@pytest.mark.parametrize(
    ("program", "given", "reason"),
    [
        ("def f(x):\n    return x / 0", "1", "raised"),
        ("def f(x):\n    while True: pass", "1", "timeout"),
        ("def f(x):\n    return '0' * 5000", "1", "too_long"),
        ("def f(x):\n    return '0' * 1500", "1", "output_literal"),
        ("def f(x):\n    return len", "1", "output_literal"),
        ("def f(x):\n    return {123, 456, x}", "1", "output_literal"),
        ("def f(x):\n    return float('nan')", "1", "output_literal"),
        ("def f(x):\n    return float('inf')", "1", "output_literal"),
        ("def f(x):\n    return x > 3", "4", "low_entropy"),
        ("def f(x):\n    return 7", "4", "low_entropy"),
        ("def f(x):\n    return ()", "4", "low_entropy"),
        ("def f(x):\n    return x", "'0123'", "identity"),
        ("import datetime\ndef f(x):\n    return str(datetime.datetime.now())", "1", "not_deterministic"),
        ("import random\ndef f(x):\n    return random.random()", "1", "not_deterministic"),
    ],
)
def test_proposals_that_make_no_problem(checkers, program, given, reason):
    (verdict,) = checkers["python_io"].validate([{"kind": "deduction", "program": program, "inputs": [given]}])
    assert (verdict.outcome, fields(verdict)) == (Outcome.INVALID, {"reason": reason})


def test_the_order_of_a_set_makes_no_problem(checkers, executor):
    program = "def f(x):\n    return ''.join({'ab', 'cd', 'ef', 'gh', 'ij', x})"
    (verdict,) = checkers["python_io"].validate([{"kind": "deduction", "program": program, "inputs": ["'kl'"]}])
    # Monty keeps the order in which a set was filled, so that there it is a function of the input.
    outcome, reason = {"cpython": ("invalid", "not_deterministic"), "monty": ("correct", None)}[executor]
    assert (str(verdict.outcome), fields(verdict).get("reason")) == (outcome, reason)


def test_valid_proposals_become_problems_that_name_their_executor(checkers, executor):
    checker = checkers["python_io"]
    inputs = [given for given, _ in CASES]
    verdicts = checker.validate(
        [
            {"kind": "abduction", "program": PROGRAM, "inputs": ["'01234'"]},
            {"kind": "induction", "program": PROGRAM, "inputs": inputs},
            {"kind": "induction", "program": "def f(x):\n    return '0123'", "inputs": inputs},
        ]
    )
    assert [str(one.outcome) for one in verdicts] == ["correct", "correct", "invalid"]
    first, second = (fields(one)["problem"] for one in verdicts[:2])
    assert checker.executor_id.startswith(f"{executor} ")
    assert first == {**ABDUCTION, "executor": checker.executor_id}
    assert second == {**INDUCTION, "executor": checker.executor_id}
    assert fields(verdicts[2]) == {"reason": "constant"}
    assert verdicts[0].verifier == f"python_io/{executor}" and verdicts[0].version.startswith("1/")


def test_a_program_that_changes_itself_is_not_trusted(checkers):
    program = "n = []\ndef f(x):\n    n.append(x)\n    return str(n) * 2"
    (verdict,) = checkers["python_io"].validate([{"kind": "deduction", "program": program, "inputs": ["12"]}])
    # Every run is fresh: the list begins empty, so the output is a function of the input.
    assert json.loads(verdict.detail)["problem"]["output"] == "'[12][12]'"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([REVERSE, ROTATE], None),
        # The second line needs a name that the first one made.
        (["x = (y := x)", "x = y + y"], "no_trace"),
        # The value between is a set, which has no single text.
        (["x = set(x)", "x = ''.join(sorted(x)) * 3"], "no_trace"),
        (["x = sorted(x)", "x = ''.join(x) * 3"], None),
        # A trace is read line by line, without the blanks around them.
        (["x = x[::-1] "], "no_trace"),
        # Longer than a trace may be.
        ([f"x = x + '{'0' * 400}'", *["x = x[::-1]"] * 8], "no_trace"),
        (["x = x / 0"], "raised"),
    ],
)
def test_straight_programs_need_a_trace(checkers, lines, reason):
    proposal = {"kind": "deduction", "program": straight(lines), "inputs": ["'0123'"]}
    (verdict, other) = checkers["python_trace"].validate([proposal, {**proposal, "program": PROGRAM}])
    assert fields(verdict).get("reason") == reason
    assert other.outcome is Outcome.CORRECT
    (untraced,) = checkers["python_io"].validate([proposal])
    assert fields(untraced).get("reason") == (None if reason == "no_trace" else reason)


def test_results_are_remembered_and_forgotten_in_order(executor, monkeypatch):
    monkeypatch.setattr(python_checker, "REMEMBERED", 4)
    checker = domains.make("python_io").checker(executor)
    answers = [f"'{n:05d}'" for n in range(6)]
    first = [one.outcome for one in judge(checker, ABDUCTION, *answers)]
    assert checker.runs == 6
    assert [one.outcome for one in judge(checker, ABDUCTION, *answers, "'01234'")] == [*first, Outcome.CORRECT]
    again = checker.runs
    judge(checker, ABDUCTION, "'01234'")
    assert checker.runs == again
    checker.close()


def test_a_program_at_its_limit_is_not_run_on_the_other_cases(executor):
    checker = domains.make("python_io").checker(executor)
    loop = "def f(x):\n    while True: pass"
    verdicts = judge(checker, INDUCTION, loop, PROGRAM)
    assert [str(one.outcome) for one in verdicts] == ["wrong", "correct"]
    assert fields(verdicts[0]) == {"reason": "timeout", "share": 0.0}
    assert checker.runs == 1 + len(CASES)
    checker.close()
