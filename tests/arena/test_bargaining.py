"""Judging how an end of a negotiation divides its pool."""

import pytest

from arena.bargaining import efficiency, nash_bargaining, nash_ratio, pareto_optimal
from arena.games.negotiation import Bargain, agreed_split


def bargain(*history, values=((1, 6, 3), (7, 0, 3)), **params):
    return Bargain(values=values, history=history, **params)


def test_an_efficient_agreement():
    state = bargain("ask 0 1 1", "accept")  # 1 6 3 takes hat and ball, 7 0 3 takes the book: 9 + 7 of at most 16
    assert agreed_split(state) == ((0, 1, 1), (1, 0, 0))
    assert efficiency(state) == 1.0
    assert pareto_optimal(state)


def test_an_agreement_that_wastes_value():
    state = bargain("ask 0 1 1", "ask 0 1 1", "accept")  # the second seat asked for the hat, worthless to it
    assert agreed_split(state) == ((1, 0, 0), (0, 1, 1))
    assert efficiency(state) == pytest.approx((1 + 3) / 16)
    assert nash_ratio(state) == pytest.approx(1 * 3 / 63)
    assert not pareto_optimal(state)


def test_the_nash_bargaining_outcome():
    # Candidates: book to 7 0 3, hat to 1 6 3, and the ball to either: 9 * 7 = 63 beats 6 * 10 = 60.
    assert nash_bargaining(bargain()) == ((0, 1, 1), (1, 0, 0))
    assert nash_ratio(bargain("ask 0 1 0", "accept")) == pytest.approx(60 / 63)
    assert nash_ratio(bargain("ask 0 1 1", "accept")) == 1.0
    mirrored = bargain(values=((7, 0, 3), (1, 6, 3)))
    assert nash_bargaining(mirrored) == ((1, 0, 0), (0, 1, 1))


def test_taking_all_is_pareto_optimal_only_where_no_item_is_worthless():
    assert pareto_optimal(bargain("ask 1 1 1", "accept"))  # each item is worth something to 1 6 3
    assert not pareto_optimal(bargain("ask 1 1 1", "accept", values=((7, 0, 3), (1, 6, 3))))
    assert efficiency(bargain("ask 1 1 1", "accept")) == pytest.approx(10 / 16)


def test_without_agreement_nothing_was_gained():
    rejected = bargain("ask 0 1 1", "reject", turns=1)
    for state in (rejected, bargain("ask 0 1 1")):
        assert agreed_split(state) is None
        assert efficiency(state) == nash_ratio(state) == 0.0
        assert not pareto_optimal(state)


def test_the_discount_does_not_judge_the_split():
    assert efficiency(bargain("ask 1 0 0", "ask 1 0 0", "accept", discount=0.5)) == 1.0
