"""Role-conditioned advantages: by hand, once per episode and seat, and a state that survives a checkpoint."""

import json

import numpy as np
import pytest
from enumerated_games import Tabular, bandit
from hypothesis import given
from hypothesis import strategies as st
from training_samples import completion, episode, group, turn, unit

from arena.errors import ConfigError
from training.estimators.rae import RoleConditionedAdvantage
from training.estimators.reinforce import Reinforce
from training.units import units_of

KEY = "kuhn_poker-v0/first"


def test_subtracts_first_then_updates():
    estimate = RoleConditionedAdvantage(decay=0.9).estimate([unit(0, value=1.0), unit(1, value=2.0)], {})
    np.testing.assert_allclose(estimate.advantages, [1.0, 2.0 - 0.1])
    assert estimate.state == pytest.approx({KEY: 0.9 * 0.1 + 0.1 * 2.0})


def test_once_per_episode_and_seat_however_many_turns():
    units = [unit(0, value=1.0), unit(0, value=1.0, ordinal=1), unit(0, "second", -1.0), unit(1, value=1.0)]
    estimate = RoleConditionedAdvantage(decay=0.5).estimate(units, {})
    np.testing.assert_allclose(estimate.advantages, [1.0, 1.0, -1.0, 0.5])
    assert estimate.state == {KEY: 0.75, "kuhn_poker-v0/second": -0.5}


def test_the_whole_return_counts_for_every_turn():
    units = [unit(0, value=5.0, return_to_go=5.0), unit(0, value=5.0, return_to_go=2.0, ordinal=1)]
    assert RoleConditionedAdvantage().estimate(units, {}).advantages.tolist() == [5.0, 5.0]


def test_games_have_baselines_of_their_own():
    state = RoleConditionedAdvantage(decay=0.5).estimate([unit(0, value=4.0), unit(1, value=8.0, game="x")], {}).state
    assert state == {KEY: 2.0, "x/first": 4.0}


@given(st.lists(st.floats(-10, 10), min_size=1, max_size=20), st.integers(0, 20))
def test_the_state_carries_on_whatever_the_cut_between_rounds(values, cut):
    estimator = RoleConditionedAdvantage()
    units = [unit(i, value=v) for i, v in enumerate(values)]
    whole = estimator.estimate(units, {})
    first = estimator.estimate(units[:cut], {})
    second = estimator.estimate(units[cut:], json.loads(json.dumps(first.state)))
    assert np.array_equal(np.concatenate([first.advantages, second.advantages]), whole.advantages)
    assert second.state == whole.state or not units[cut:]


def test_the_mean_of_a_constant_return_is_found():
    state = RoleConditionedAdvantage().estimate([unit(i, value=0.25) for i in range(300)], {}).state
    assert state[KEY] == pytest.approx(0.25 * (1 - 0.95**300))


@given(st.permutations(range(8)))
def test_two_rounds_leave_the_same_state_whoever_finished_first(order):
    """Workers hand groups over in any order; ``units_of`` restores the canonical one."""

    def after_two_rounds(arrival):
        state = {}
        for start in (0, 8):
            groups = []
            for i in (start + place for place in arrival):
                turns = [turn("first", 0, i % 3 - 0.5, completion()), turn("second", 0, 0.5 - i % 3, completion())]
                groups.append(group(episode(turns, i), name=f"g{i}"))
            state = RoleConditionedAdvantage().estimate(units_of(groups), state).state
        return state

    assert after_two_rounds(order) == after_two_rounds(range(8))
    assert set(after_two_rounds(order)) == {KEY, "kuhn_poker-v0/second"}


@given(st.lists(st.floats(-10, 10), max_size=10))
def test_a_decay_of_one_is_reinforce_without_baseline(values):
    units = [unit(i, value=v) for i, v in enumerate(values)]
    rae = RoleConditionedAdvantage(decay=1.0).estimate(units, {}).advantages
    assert np.array_equal(rae, Reinforce("none").estimate(units, {}).advantages)


@pytest.mark.parametrize("episodes", [1, 2, 3])
def test_unbiased_because_the_baseline_is_older_than_the_episode(episodes):
    policy = Tabular(bandit(), seed=4)
    for state in ({}, {KEY: 0.7}):
        expected = policy.expected_estimate(RoleConditionedAdvantage(decay=0.6), episodes, state)
        np.testing.assert_allclose(expected, policy.exact_gradient(), atol=1e-12)


@pytest.mark.parametrize("decay", [-0.1, 1.1, float("nan")])
def test_a_decay_outside_of_0_1_is_refused(decay):
    with pytest.raises(ConfigError, match=r"estimator.decay: expected a number in \[0, 1\]"):
        RoleConditionedAdvantage(decay=decay)
