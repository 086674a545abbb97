"""Curves taken from events and metrics."""

from __future__ import annotations

from typing import Any

import pytest

from curricula.report.series import Series, deal_returns, families, nash_conv, number, other_metrics, thinned, win_rates


def evaluated(at: int, **fields: Any) -> dict[str, Any]:
    return {"round": at, "game": "kuhn", "policy": "player", **fields}


@pytest.mark.parametrize("value", [None, "0.5", True, float("nan"), float("inf"), [], {}])
def test_what_is_no_finite_number_is_a_gap(value: object) -> None:
    assert number(value) is None


def test_nash_conv_by_game_and_policy_in_order_of_rounds() -> None:
    events = [evaluated(4, nash_conv=0.5), evaluated(0, nash_conv=0.9), evaluated(2, nash_conv=None)]
    events.append({**evaluated(1, nash_conv=0.1), "policy": "other"})
    (player, other) = nash_conv(events)["kuhn"]
    assert (player.label, player.rounds, player.values) == ("player", (0, 4), (0.9, 0.5))
    assert (other.label, other.rounds) == ("other", (1,))


def test_a_repeated_round_keeps_the_later_evaluation() -> None:
    (curve,) = nash_conv([evaluated(3, nash_conv=0.9), evaluated(3, nash_conv=0.4)])["kuhn"]
    assert curve.values == (0.4,)


def test_games_without_a_solution_have_no_curve() -> None:
    assert nash_conv([evaluated(0, nash_conv=None)]) == {}


def test_win_rates_carry_their_intervals() -> None:
    opponents = [{"opponent": "uniform", "seat": "first", "win_rate": [0.4, 0.5, 0.6]}]
    (curve,) = win_rates([evaluated(0, opponents=opponents), evaluated(1, opponents=None)])["kuhn"]
    assert curve == Series(label="uniform, as first", rounds=(0,), values=(0.5,), low=(0.4,), high=(0.6,))


def test_families_draw_each_curve_once_and_the_rest_is_listed() -> None:
    updates = [{"round": 0, "policy": "player", "entropy": 0.6, "kl": 0.01}]
    metrics = [{"round": 0, "player/entropy": 0.6, "player/reference_kl": 0.2, "illegal_rate": 0.1, "rows": 12}]
    drawn = families(updates, metrics)
    assert {title: [curve.label for curve in curves] for title, curves in drawn.items()} == {
        "Illegal or missing actions": ["illegal_rate"],
        "Entropy": ["player · entropy"],
        "KL divergence": ["player · kl", "player/reference_kl"],
    }
    assert [curve.label for curve in other_metrics(updates, metrics)] == ["rows"]


def test_what_a_full_panel_leaves_out_is_listed() -> None:
    metrics = [{"round": 0, **{f"game/return_seat{at}": 0.0 for at in range(12)}}]
    (panel,) = families([], metrics).values()
    assert len(panel) + len(other_metrics([], metrics)) == 12


def test_returns_have_a_panel_a_game_and_those_of_evaluations_none() -> None:
    names = ("kuhn/return_first", "kuhn/return_second", "rps/return_first", "kuhn/return_vs_uniform")
    drawn = families([], [{"round": 0, **dict.fromkeys(names, 0.1)}])
    assert {title: [curve.label for curve in curves] for title, curves in drawn.items()} == {
        "Returns by seat in kuhn": ["kuhn/return_first", "kuhn/return_second"],
        "Returns by seat in rps": ["rps/return_first"],
    }


def test_returns_over_deals_carry_their_intervals() -> None:
    deals = [{"opponent": "uniform", "return": [-0.1, 0.0, 0.1]}, {"opponent": "initial", "return": None}]
    (curve,) = deal_returns([evaluated(0, duplicates=deals), evaluated(1)])["kuhn"]
    assert curve == Series(label="uniform", rounds=(0,), values=(0.0,), low=(-0.1,), high=(0.1,))


def test_policies_that_share_a_game_are_listed() -> None:
    (curve,) = nash_conv([{**evaluated(0, nash_conv=1.0), "policy": "first+second"}])["kuhn"]
    assert curve.label == "first and second"


def test_thinning_keeps_the_ends_and_the_intervals_in_step() -> None:
    values = tuple(float(at) for at in range(5000))
    thin = thinned(Series(label="x", rounds=tuple(range(5000)), values=values, low=values, high=values), 100)
    assert len(thin.rounds) <= 101
    assert (thin.rounds[0], thin.rounds[-1]) == (0, 4999)
    assert thin.values == tuple(map(float, thin.rounds)) == thin.low == thin.high
