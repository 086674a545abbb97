"""Sums, differences and products: by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.domains.arithmetic import MOST_DIGITS, Arithmetic, read_number
from arena.domains.domain import Attempt, Rejection
from arena.seeds import generator

DOMAIN = Arithmetic()


def problem(kind, left, right):
    return {"kind": kind, "left": left, "right": right}


@pytest.mark.parametrize(
    ("kind", "left", "right", "result", "skills", "difficulty"),
    [
        ("sum", 2, 3, "5", ("sum",), 1),
        ("sum", 7, 5, "12", ("sum/carry",), 1),
        ("sum", 90, 9, "99", ("sum",), 2),
        ("difference", 3, 12, "-9", ("difference",), 2),
        ("difference", 32, 5, "27", ("difference/carry",), 2),
        ("product", 12, 12, "144", ("product",), 2),
        ("product", 999_999_999, 999_999_999, "999999998000000001", ("product",), 9),
    ],
)
def test_problems_by_hand(kind, left, right, result, skills, difficulty):
    one = problem(kind, left, right)
    assert (DOMAIN.solution(one), DOMAIN.skills(one), DOMAIN.difficulty(one)) == (result, skills, difficulty)


def test_texts():
    one = problem("difference", 30, 12)
    assert DOMAIN.statement(one) == "Work out 30 - 12."
    assert DOMAIN.proposal_text(one) == "30 - 12"
    assert DOMAIN.proposal_form("product") == "Write a new product task as NUMBER * NUMBER."


def test_signatures_forget_the_order_where_it_does_not_matter():
    for kind, same in (("sum", True), ("product", True), ("difference", False)):
        first, second = (DOMAIN.signature(problem(kind, *pair)) for pair in ((1, 2), (2, 1)))
        assert (first == second) is same
    assert DOMAIN.signature(problem("sum", 1, 2)) != DOMAIN.signature(problem("product", 1, 2))


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("12", "correct"),
        (" 12\n", "correct"),
        ("012", "correct"),
        ("13", "wrong"),
        ("-12", "wrong"),
        ("", "invalid"),
        ("+12", "invalid"),
        ("12.0", "invalid"),
        ("1e1", "invalid"),
        ("7 + 5", "invalid"),
        ("12 12", "invalid"),
        ("twelve", "invalid"),
        ("\uff11\uff12", "invalid"),
        ("\u0661\u0662", "invalid"),
        ("1" * 41, "invalid"),
        ("1" * 1_000_000, "invalid"),
        (" " * 1_000_000, "invalid"),
        ("12\x00", "invalid"),
        ("__import__('os')", "invalid"),
    ],
)
def test_answers(answer, outcome):
    (verdict,) = DOMAIN.checker("monty").check([Attempt(problem=problem("sum", 7, 5), answer=answer)])
    assert (str(verdict.outcome), verdict.verifier, verdict.version) == (outcome, "arithmetic", "1")


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("", "sum", "syntax"),
        ("1 +", "sum", "syntax"),
        ("1 + 2 + 3", "sum", "syntax"),
        ("-1 + 2", "sum", "syntax"),
        ("1 / 2", "sum", "syntax"),
        (f"{10**MOST_DIGITS} + 1", "sum", "syntax"),
        ("\uff11 + \uff12", "sum", "syntax"),
        ("1 * 2", "sum", "other_kind"),
    ],
)
def test_texts_that_are_no_proposals(text, kind, reason):
    read = DOMAIN.read_proposal(text, kind)
    assert isinstance(read, Rejection) and read.reason == reason


@given(st.integers(0, 10**MOST_DIGITS - 1), st.integers(0, 10**MOST_DIGITS - 1), st.sampled_from(DOMAIN.kinds))
def test_every_problem_can_be_proposed(left, right, kind):
    one = problem(kind, left, right)
    assert DOMAIN.read_proposal(f" {DOMAIN.proposal_text(one)}\n", kind) == one


@given(st.text())
def test_reading_a_number_never_raises(text):
    value = read_number(text)
    assert value is None or str(int(value)) == value


@given(st.integers(0, 2**32), st.sampled_from(DOMAIN.kinds), st.integers(1, MOST_DIGITS))
def test_generated_problems_are_as_difficult_as_asked(seed, kind, difficulty):
    assert DOMAIN.difficulty(DOMAIN.generate(generator("test", seed), kind, difficulty)) == difficulty
