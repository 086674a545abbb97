"""REINFORCE: with and without the batch mean."""

import numpy as np
import pytest
from enumerated_games import Tabular, bandit
from hypothesis import given
from hypothesis import strategies as st
from training_samples import unit

from arena.errors import ConfigError
from training.estimators.reinforce import Reinforce

VALUES = st.lists(st.floats(-5, 5), min_size=1, max_size=8)


def of(values, baseline="batch"):
    return Reinforce(baseline).estimate([unit(i, value=v) for i, v in enumerate(values)], {}).advantages


def test_by_hand():
    assert of([1.0, 2.0, 6.0]).tolist() == [-2.0, -1.0, 3.0]
    assert of([1.0, 2.0, 6.0], "none").tolist() == [1.0, 2.0, 6.0]
    assert of([]).tolist() == []


@given(VALUES, st.floats(-50, 50), st.floats(0.1, 10))
def test_shift_scale_and_sum(values, shift, scale):
    np.testing.assert_allclose(of([v + shift for v in values]), of(values), atol=1e-9)
    np.testing.assert_allclose(of([v * scale for v in values]), scale * of(values), atol=1e-9)
    np.testing.assert_allclose(of([v + shift for v in values], "none"), np.array(values) + shift, atol=1e-9)
    assert abs(of(values).sum()) < 1e-9


def test_games_that_share_the_estimator_have_means_of_their_own():
    units = [unit(0, value=1.0), unit(1, value=3.0), unit(2, value=100.0, game="x"), unit(3, value=300.0, game="x")]
    assert Reinforce().estimate(units, {}).advantages.tolist() == [-1.0, 1.0, -100.0, 100.0]


@pytest.mark.parametrize("episodes", [2, 3])
def test_bias_on_a_bandit_is_as_documented(episodes):
    policy = Tabular(bandit(), seed=5)
    exact = policy.exact_gradient()
    np.testing.assert_allclose(policy.expected_estimate(Reinforce("none"), episodes), exact, atol=1e-12)
    share = (episodes - 1) / episodes
    np.testing.assert_allclose(policy.expected_estimate(Reinforce("batch"), episodes), share * exact, atol=1e-12)


def test_another_baseline_is_refused():
    with pytest.raises(ConfigError, match=r"estimator.baseline: expected none or batch, got 'mean'"):
        Reinforce("mean")
