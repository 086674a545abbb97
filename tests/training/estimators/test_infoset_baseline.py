"""The information-set baseline: by hand, and unbiased by enumeration."""

import numpy as np
import pytest
from enumerated_games import Outcome, Tabular, bandit, kuhn
from hypothesis import given
from hypothesis import strategies as st
from training_samples import unit

from training.estimators.grpo import GroupRelative
from training.estimators.infoset_baseline import InformationSetBaseline

VALUES = st.lists(st.floats(-5, 5), min_size=2, max_size=8)


def advantages(units):
    return InformationSetBaseline().estimate(units, {}).advantages


def test_each_unit_is_compared_with_the_others_of_its_set():
    units = [unit(0, value=1.0), unit(1, value=2.0), unit(2, value=6.0), unit(3, value=9.0, anchor_key="Q")]
    np.testing.assert_allclose(advantages(units), [1 - 4, 2 - 3.5, 6 - 1.5, 0.0])


def test_seats_and_games_are_apart():
    units = [unit(0, value=1.0), unit(0, "second", value=5.0), unit(1, value=3.0, game="other-v0")]
    assert advantages(units).tolist() == [0.0, 0.0, 0.0]
    assert InformationSetBaseline().estimate(units, {}).diagnostics == {"single_infosets": 3.0}


def test_the_return_to_go_counts_not_the_whole_return():
    units = [unit(0, value=1.0, episode_return=100.0), unit(1, value=0.0)]
    assert advantages(units).tolist() == [1.0, -1.0]


def test_equal_returns_up_to_float_residue_teach_nothing():
    residue = sum([0.35] * 7)
    assert residue != 0.35 * 7
    assert advantages([unit(0, value=residue), unit(1, value=0.35 * 7)]).tolist() == [0.0, 0.0]
    assert np.abs(advantages([unit(i, value=0.35) for i in range(7)] + [unit(7, value=1.0)])).max() < 1


@given(VALUES, st.floats(-100, 100), st.floats(0.1, 10))
def test_shift_scale_and_sum(values, shift, scale):
    plain = advantages([unit(i, value=v) for i, v in enumerate(values)])
    moved = advantages([unit(i, value=v + shift) for i, v in enumerate(values)])
    scaled = advantages([unit(i, value=v * scale) for i, v in enumerate(values)])
    np.testing.assert_allclose(moved, plain, atol=1e-6)
    np.testing.assert_allclose(scaled, scale * plain, atol=1e-6)
    assert abs(plain.sum()) < 1e-9


@given(VALUES)
def test_leave_one_out_is_the_mean_baseline_times_g_over_g_minus_1(values):
    units = [unit(i, value=v) for i, v in enumerate(values)]
    mean_baseline = GroupRelative(normalise=False).estimate(units, {}).advantages
    np.testing.assert_allclose(advantages(units), mean_baseline * len(values) / (len(values) - 1), atol=1e-9)


@pytest.mark.parametrize("episodes", [2, 3])
def test_unbiased_on_a_bandit(episodes):
    policy = Tabular(bandit(), seed=1)
    expected = policy.expected_estimate(InformationSetBaseline(), episodes)
    np.testing.assert_allclose(expected, policy.exact_gradient(), atol=1e-12)
    assert np.abs(expected).max() > 0.1


def test_on_kuhn_poker_each_set_gets_its_gradient_times_the_chance_to_be_compared():
    policy = Tabular(kuhn(), seed=2)
    share = [policy.reach(seat, key) for seat, key, _ in policy.slots]  # 1 - (1 - p)^(N - 1) for N = 2
    expected = policy.expected_estimate(InformationSetBaseline(), episodes=2)
    np.testing.assert_allclose(expected, np.multiply(share, policy.exact_gradient()), atol=1e-12)
    assert 0 < min(share) < max(share) < 1
    assert np.abs(expected).max() > 0.01


def test_on_a_bandit_with_rare_tasks_too():
    """N = 3: a set that is met with probability 1/4 is compared with probability 1 - (3/4)^2."""
    arms = ("left", "right")
    outcomes = [Outcome(0.75, (), {"first": 0.0})]
    outcomes += [
        Outcome(0.25, (("rare", "first", arms, arm),), {"first": r}) for arm, r in (("left", 1.0), ("right", -2.0))
    ]
    policy = Tabular(outcomes, seed=6)
    expected = policy.expected_estimate(InformationSetBaseline(), episodes=3)
    np.testing.assert_allclose(expected, (1 - 0.75**2) * policy.exact_gradient(), atol=1e-12)
