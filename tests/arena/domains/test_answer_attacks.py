"""No hostile answer is taken for right, none takes long, and the checker goes on working after each."""

import time

import pytest
from answer_attacks import LITERALS, PROGRAMS

from arena.domains.digit_chains import BY_LINE, source
from arena.domains.domain import Attempt, domains
from arena.types import Outcome

STEPS = [BY_LINE["x = x[::-1]"], BY_LINE["x = ''.join(str((int(c) + 1) % 5) for c in x)"]]
PROGRAM = source(STEPS)
ONE = {"program": PROGRAM, "input": "'0123'", "output": "'4321'"}
CASES = [["'0123'", "'4321'"], ["'1100'", "'1122'"], ["'34'", "'04'"], ["'221'", "'233'"]]
PROBLEMS = {
    ("python_io", "deduction"): {"kind": "deduction", **ONE},
    ("python_io", "abduction"): {"kind": "abduction", **ONE},
    ("python_trace", "deduction"): {"kind": "deduction", **ONE},
    ("python_trace", "abduction"): {"kind": "abduction", **ONE},
    ("python_io", "induction"): {"kind": "induction", "program": PROGRAM, "cases": CASES},
}
SECONDS = 8.0
"""An answer is judged within this time: a run that ends at its limit, with room for a slow machine."""


def test_there_are_enough():
    assert len(LITERALS) >= 60 and len(PROGRAMS) >= 40


def test_the_problems_are_right(checkers):
    for (name, _), problem in PROBLEMS.items():
        answer = domains.make(name).solution(problem)
        (verdict,) = checkers[name].check([Attempt(problem=problem, answer=answer)])
        assert verdict.outcome is Outcome.CORRECT


@pytest.mark.parametrize("attack", LITERALS)
@pytest.mark.parametrize("place", [place for place in PROBLEMS if place[1] != "induction"], ids="-".join)
def test_no_literal_is_rewarded(checkers, place, attack, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problem = PROBLEMS[place]
    text = LITERALS[attack]
    for word, part in (("@OUTPUT@", "output"), ("@INPUT@", "input"), ("@PROGRAM@", "program")):
        text = text.replace(word, problem[part])
    _hold(checkers[place[0]], place, text, tmp_path)


@pytest.mark.parametrize("attack", PROGRAMS)
def test_no_program_is_rewarded(checkers, attack, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _hold(checkers["python_io"], ("python_io", "induction"), PROGRAMS[attack], tmp_path)


def _hold(checker, place, text, folder):
    problem = PROBLEMS[place]
    start = time.perf_counter()
    (verdict,) = checker.check([Attempt(problem=problem, answer=text)])
    assert time.perf_counter() - start < SECONDS
    assert verdict.outcome in (Outcome.WRONG, Outcome.INVALID)
    assert list(folder.iterdir()) == []
    solution = domains.make(place[0]).solution(problem)
    (after,) = checker.check([Attempt(problem=problem, answer=solution)])
    assert after.outcome is Outcome.CORRECT
