"""What all estimators share: groups, flatness, and that distinct baselines are distinct."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from training_samples import unit

from training.estimators.estimator import estimators, grouped, is_flat
from training.estimators.grpo import GroupRelative
from training.testing import sample_units


def test_groups_keep_the_order_of_first_appearance():
    units = [unit(0, group_id="b"), unit(1, group_id="a"), unit(2, group_id="b")]
    assert list(grouped(units, GroupRelative()).items()) == [(("b", "first"), [0, 2]), (("a", "first"), [1])]


@given(st.floats(-1e6, 1e6), st.integers(1, 9))
def test_equal_floats_are_flat_and_a_real_difference_is_not(value, count):
    assert is_flat(np.array([value] * count))
    assert is_flat(np.array([value, np.nextafter(value, 1e9)]))
    assert not is_flat(np.array([value, value + 1e-3 * max(1.0, abs(value))]))


def test_returns_that_are_not_numbers_are_not_flat():
    assert not is_flat(np.array([np.nan, 1.0]))


def test_distinct_baselines_give_distinct_advantages():
    """Four variants that come out equal (after a common standardisation, say) would be one variant."""
    units = sample_units(0)
    variants = [estimators.make(name) for name in estimators]
    variants += [estimators.make("grpo", normalise=False), estimators.make("reinforce", baseline="none")]
    found = [variant.estimate(units, {}).advantages for variant in variants]
    for index, one in enumerate(found):
        for other in found[:index]:
            assert np.abs(one - other).max() > 0.05
