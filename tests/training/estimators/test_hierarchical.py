"""Two levels: solvers inside one episode, proposers across the group, and what follows when either stands alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_samples import unit

from arena.errors import ConfigError
from training.estimators.grpo import GroupRelative
from training.estimators.hierarchical import Hierarchical

VALUES = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0]), min_size=2, max_size=6)


def game(episode, proposer, solvers, group="g"):
    """The units of one episode of a proposer and several solvers."""
    seats = [
        unit(episode, f"solver{k}", value, role="solver", role_seats=len(solvers), group_id=group)
        for k, value in enumerate(solvers)
    ]
    return [unit(episode, "proposer", proposer, role="proposer", group_id=group), *seats]


def of(units, **knobs):
    return Hierarchical(**knobs).estimate(units, {}).advantages


def test_by_hand():
    units = game(0, 1.0, [1.0, 0.0, 0.0, 1.0]) + game(1, 0.0, [0.0, 0.0, 0.0, 1.0])
    found = of(units).reshape(2, 5)
    assert found[:, 0].tolist() == [0.5, -0.5]
    assert found[:, 1:].tolist() == [[0.5, -0.5, -0.5, 0.5], [-0.25, -0.25, -0.25, 0.75]]


def test_an_easier_problem_changes_nothing_for_its_solvers():
    hard, easy = game(0, 0.0, [0.0, 0.0, 1.0, 0.0]), game(1, 0.0, [10.0, 10.0, 11.0, 10.0])
    found = of(hard + easy).reshape(2, 5)
    assert found[0].tolist() == found[1].tolist()


def test_proposers_of_another_source_are_apart():
    units = game(0, 1.0, [0.0, 1.0], "g0") + game(1, 5.0, [0.0, 1.0], "g1")
    assert of(units).reshape(2, 3)[:, 0].tolist() == [0.0, 0.0]


def test_normalised():
    found = of(game(0, 1.0, [0.0, 1.0, 5.0]), normalise=True)
    np.testing.assert_allclose(found, np.array([0.0, -2, -1, 3]) / np.sqrt(14 / 3))
    with pytest.raises(ConfigError, match="floor: expected"):
        Hierarchical(floor=0.0)


def test_turns_of_a_seat_share_its_return_and_count_once():
    units = [
        *game(0, 0.0, [4.0, 0.0]),
        *(unit(0, "solver0", 4.0, role="solver", role_seats=2, ordinal=k) for k in (1, 2)),
    ]
    assert of(units).tolist() == [0.0, 2.0, -2.0, 2.0, 2.0]


def test_flat_groups_are_counted():
    estimate = Hierarchical().estimate(game(0, 1.0, [1.0, 1.0]) + game(1, 0.0, [0.0, 1.0]), {})
    assert estimate.diagnostics["flat_group_rate"] == pytest.approx(1 / 3)


@given(VALUES)
def test_all_solvers_of_one_problem_are_dr_grpo(values):
    units = [unit(0, f"s{k}", v, role="solver", role_seats=len(values)) for k, v in enumerate(values)]
    copies = [unit(k, "s", v) for k, v in enumerate(values)]
    assert of(units).tolist() == GroupRelative(normalise=False).estimate(copies, {}).advantages.tolist()


@given(st.lists(VALUES, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_units_does_not_matter(episodes, random):
    units = [one for e, values in enumerate(episodes) for one in game(e, float(e), values)]
    order = random.sample(range(len(units)), len(units))
    np.testing.assert_allclose(of([units[i] for i in order]), of(units)[order], atol=1e-12)
