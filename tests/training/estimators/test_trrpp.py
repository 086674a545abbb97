"""Task-relative advantages: by hand, what a group is, and what has nothing to be compared with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_samples import unit

from arena.errors import ConfigError
from training.estimators.grpo import GroupRelative
from training.estimators.trrpp import TaskRelative

VALUES = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=2, max_size=8)


def of(values, **changes):
    return TaskRelative().estimate([unit(i, value=v, group_id=f"g{i}", **changes) for i, v in enumerate(values)], {})


def test_groups_of_one_are_pooled_over_the_round():
    # mean 2, std (ddof 0) sqrt(14/3)
    np.testing.assert_allclose(of([0.0, 1.0, 5.0]).advantages, np.array([-2, -1, 3]) / np.sqrt(14 / 3))


def test_types_roles_and_games_are_apart_and_seats_of_one_role_are_not():
    places = [
        ("first", "solver", "deduction", "a-v0"),
        ("second", "solver", "deduction", "a-v0"),
        ("first", "solver", "induction", "a-v0"),
        ("first", "proposer", "deduction", "a-v0"),
        ("first", "solver", "deduction", "b-v0"),
    ]
    units = [
        unit(episode, seat, 10.0 * place + episode, role=role, task_type=kind, game=game)
        for episode in range(2)
        for place, (seat, role, kind, game) in enumerate(places)
    ]
    found = TaskRelative().estimate(units, {}).advantages.reshape(2, 5)
    together = np.array([0.0, 10.0, 1.0, 11.0])
    expected = (together - together.mean()) / together.std()
    np.testing.assert_allclose(found[:, :2].flatten(), expected)
    np.testing.assert_allclose(found[:, 2:], [[-1.0] * 3, [1.0] * 3])


def test_statistics_are_over_episodes_not_over_turns():
    units = [unit(e, value=v, ordinal=k) for e, (v, turns) in {0: (4.0, 3), 1: (0.0, 1)}.items() for k in range(turns)]
    assert TaskRelative().estimate(units, {}).advantages.tolist() == [1.0, 1.0, 1.0, -1.0]


@pytest.mark.parametrize("values", [[1.0], [0.35 * 7, sum([0.35] * 7)], [0.0, 0.0, 0.0]])
def test_nothing_to_compare_is_zero_and_counted(values):
    estimate = of(values)
    assert estimate.advantages.tolist() == [0.0] * len(values)
    assert estimate.diagnostics == {"flat_group_rate": 1.0}


def test_the_floor_keeps_a_tiny_spread_small():
    np.testing.assert_allclose(of([0.0, 1e-6]).advantages, [-5e-4, 5e-4], rtol=1e-6)
    with pytest.raises(ConfigError, match="floor: expected"):
        TaskRelative(floor=0.0)


@given(VALUES, st.floats(-50, 50), st.floats(0.5, 20))
def test_shift_and_scale_change_nothing_and_groups_sum_to_zero(values, shift, scale):
    plain = of(values).advantages
    np.testing.assert_allclose(of([v * scale + shift for v in values]).advantages, plain, atol=1e-9)
    assert abs(plain.sum()) < 1e-9


@given(VALUES)
def test_with_one_type_one_role_and_one_group_it_is_grpo(values):
    grpo = GroupRelative().estimate([unit(i, value=v) for i, v in enumerate(values)], {})
    assert of(values).advantages.tolist() == grpo.advantages.tolist()
