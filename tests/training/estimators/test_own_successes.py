"""Expert iteration: weights by hand, what counts as the same problem, and the edge of the threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_samples import unit

from arena.errors import ConfigError
from training.estimators.own_successes import OwnSuccesses


def of(units, **knobs):
    return OwnSuccesses(**knobs).estimate(units, {}).advantages


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 0.0, 0.0, 0.0], [0.75, 0.0, 0.0, 0.0]),
        ([1.0, 1.0, 0.0, 1.0], [0.25, 0.25, 0.0, 0.25]),
        ([1.0, 1.0], [0.1, 0.1]),  # the floor
        ([0.0, -1.0], [0.0, 0.0]),
        ([1.0], [0.1]),
        ([2.0, 0.999], [0.5, 0.0]),
    ],
)
def test_by_hand(values, expected):
    np.testing.assert_allclose(of([unit(i, value=v) for i, v in enumerate(values)]), expected, rtol=1e-12)


def test_a_floor_of_one_weighs_all_successes_alike():
    assert of([unit(i, value=v) for i, v in enumerate([1.0, 0.0, 1.0])], floor=1.0).tolist() == [1.0, 0.0, 1.0]
    with pytest.raises(ConfigError, match="floor: expected"):
        OwnSuccesses(floor=1.5)


def test_the_threshold_is_a_return():
    assert of([unit(i, value=v) for i, v in enumerate([0.5, 0.4])], threshold=0.5).tolist() == [0.5, 0.0]


def test_solvers_of_one_episode_attempt_one_problem():
    units = [
        unit(e, f"s{k}", v, role="solver", role_seats=2)
        for e, values in enumerate([(1.0, 0.0), (1.0, 1.0)])
        for k, v in enumerate(values)
    ]
    np.testing.assert_allclose(of(units), [0.5, 0.0, 0.1, 0.1])


def test_a_lone_role_attempts_its_task_whatever_the_group():
    units = [unit(0, value=1.0, group_id="g0"), unit(1, group_id="g1"), unit(2, value=1.0, task_id="u", group_id="g1")]
    np.testing.assert_allclose(of(units), [0.5, 0.0, 0.1])


def test_success_rates_are_over_episodes_not_over_turns():
    units = [unit(0, value=1.0, ordinal=k) for k in range(3)] + [unit(1)]
    assert of(units).tolist() == [0.5, 0.5, 0.5, 0.0]


def test_the_episode_decides_not_the_rest_of_it():
    assert of([unit(0, episode_return=1.0, return_to_go=-1.0), unit(1)]).tolist() == [0.5, 0.0]


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), max_size=8))
def test_weights_are_never_negative_and_only_successes_have_one(values):
    estimate = OwnSuccesses().estimate([unit(i, value=v) for i, v in enumerate(values)], {})
    assert ((estimate.advantages > 0) == (np.array(values) >= 1.0)).all()
    assert (estimate.advantages >= 0).all()
    assert estimate.diagnostics["kept_rate"] == pytest.approx(sum(v >= 1 for v in values) / max(1, len(values)))
