"""Group-relative advantages: by hand, their invariances, degenerate groups, and their known bias."""

import numpy as np
import pytest
from enumerated_games import Tabular, bandit, kuhn
from hypothesis import given
from hypothesis import strategies as st
from training_samples import unit

from training.estimators.grpo import GroupRelative

VALUES = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=2, max_size=8)


def of(values, normalise=True, **changes):
    return GroupRelative(normalise=normalise).estimate([unit(i, value=v, **changes) for i, v in enumerate(values)], {})


def test_by_hand():
    # mean 2, std (ddof 0) sqrt(14/3)
    np.testing.assert_allclose(of([0.0, 1.0, 5.0]).advantages, np.array([-2, -1, 3]) / np.sqrt(14 / 3))
    np.testing.assert_allclose(of([0.0, 1.0, 5.0], normalise=False).advantages, [-2.0, -1.0, 3.0])


def test_groups_and_seats_are_apart():
    units = [
        unit(0, value=1.0, group_id="g0"),
        unit(0, "second", value=-1.0, group_id="g0"),
        unit(1, value=3.0, group_id="g0"),
        unit(1, "second", value=-3.0, group_id="g0"),
        unit(2, value=9.0, group_id="g1"),
    ]
    assert GroupRelative(normalise=False).estimate(units, {}).advantages.tolist() == [-1.0, 1.0, 1.0, -1.0, 0.0]


def test_statistics_are_over_episodes_not_over_turns():
    values = {0: (4.0, 3), 1: (0.0, 1)}  # return, turns
    units = [unit(e, value=v, ordinal=k) for e, (v, turns) in values.items() for k in range(turns)]
    assert GroupRelative(normalise=False).estimate(units, {}).advantages.tolist() == [2.0, 2.0, 2.0, -2.0]


@pytest.mark.parametrize("values", [[1.0], [0.35 * 7, sum([0.35] * 7)], [1e9, 1e9 + 0.5], [0.0, 0.0, 0.0]])
def test_nothing_to_compare_is_zero(values):
    estimate = of(values)
    assert estimate.advantages.tolist() == [0.0] * len(values)
    assert estimate.diagnostics == {"flat_group_rate": 1.0}


def test_seven_equal_floats_and_one_other():
    found = of([0.35] * 7 + [1.0]).advantages
    np.testing.assert_allclose(found, [-1 / np.sqrt(7)] * 7 + [np.sqrt(7)], rtol=1e-12)
    assert len(set(found[:7])) == 1


def test_a_tiny_spread_is_not_blown_up():
    np.testing.assert_allclose(of([0.0, 1e-6]).advantages, [-5e-4, 5e-4], rtol=1e-6)


@given(VALUES, st.floats(-50, 50), st.floats(0.5, 20))
def test_shift_scale_and_sum(values, shift, scale):
    for normalise in (True, False):
        plain = of(values, normalise).advantages
        np.testing.assert_allclose(of([v + shift for v in values], normalise).advantages, plain, atol=1e-9)
        scaled = of([v * scale for v in values], normalise).advantages
        np.testing.assert_allclose(scaled, plain if normalise else scale * plain, atol=1e-9)
        assert abs(plain.sum()) < 1e-9


@given(VALUES, st.integers(0, 10**6))
def test_permuting_episodes_permutes_advantages(values, seed):
    order = np.random.default_rng(seed).permutation(len(values))
    np.testing.assert_allclose(of([values[i] for i in order]).advantages, of(values).advantages[order], atol=1e-12)


@pytest.mark.parametrize("game", [bandit, kuhn])
def test_without_normalisation_the_gradient_is_g_minus_1_over_g_times_the_true_one(game):
    policy = Tabular(game(), seed=3)
    for episodes in (2, 3) if game is bandit else (2,):
        expected = policy.expected_estimate(GroupRelative(normalise=False), episodes)
        np.testing.assert_allclose(expected, (episodes - 1) / episodes * policy.exact_gradient(), atol=1e-12)


def test_with_normalisation_it_is_another_one():
    policy = Tabular(bandit((1.0, -0.2)), seed=3)
    ratio = policy.expected_estimate(GroupRelative(), 3) / policy.exact_gradient()
    assert not np.allclose(ratio, 2 / 3, atol=0.05)
