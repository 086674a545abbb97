"""Payments keep the payoff type."""

from dataclasses import replace

import pytest

from arena.games.kuhn_poker import KuhnPoker
from arena.pay import forfeit_returns, payoff_fault, penalty_payments
from arena.types import Payoff

DUEL = KuhnPoker.spec
TRIO = replace(DUEL, seats=("a", "b", "c"), returns_range=(-3.0, 3.0))


def test_penalties_go_to_the_opponents_in_equal_parts():
    assert penalty_payments(TRIO, "b", 1.0) == {"a": 0.5, "b": -1.0, "c": 0.5}
    assert penalty_payments(replace(TRIO, payoff=Payoff.COMMON), "b", 1.0) == dict.fromkeys("abc", -1.0)
    assert penalty_payments(replace(TRIO, payoff=Payoff.GENERAL_SUM), "b", 1.0) == {"a": 0.0, "b": -1.0, "c": 0.0}


def test_a_forfeit_costs_the_low_end():
    earned = {"a": 1.0, "b": -0.5, "c": -0.5}
    assert forfeit_returns(TRIO, ["a"], earned) == {"a": -3.0, "b": 1.5, "c": 1.5}
    assert forfeit_returns(TRIO, ["a", "b"], earned) == {"a": -1.5, "b": -1.5, "c": 3.0}
    assert forfeit_returns(DUEL, ["first", "second"], {}) == {"first": 0.0, "second": 0.0}
    assert forfeit_returns(replace(TRIO, payoff=Payoff.COMMON), ["a"], earned) == dict.fromkeys("abc", -3.0)
    general = forfeit_returns(replace(TRIO, payoff=Payoff.GENERAL_SUM), ["a"], earned)
    assert general == {"a": -3.0, "b": -0.5, "c": -0.5}


@pytest.mark.parametrize(
    ("payoff", "returns", "fault"),
    [
        (Payoff.ZERO_SUM, {"first": 1.0, "second": -1.0}, ""),
        (Payoff.ZERO_SUM, {"first": 1.0, "second": -1.0 + 1e-12}, ""),
        (Payoff.ZERO_SUM, {"first": 1.0, "second": -0.5}, "sum to 0"),
        (Payoff.ZERO_SUM, {"first": 1.0, "second": None}, ""),
        (Payoff.COMMON, {"first": 1.0, "second": 1.0}, ""),
        (Payoff.COMMON, {"first": 1.0, "second": 0.0}, "equal returns"),
        (Payoff.GENERAL_SUM, {"first": 1.0, "second": 5.0}, ""),
        (Payoff.GENERAL_SUM, {"first": 1.0}, "one return for each of"),
        (Payoff.GENERAL_SUM, {"first": float("nan"), "second": 0.0}, "finite"),
    ],
)
def test_returns_are_held_against_the_payoff_type(payoff, returns, fault):
    found = payoff_fault(replace(DUEL, payoff=payoff), returns)
    assert fault in found and bool(found) == bool(fault)
