"""Coefficients: known values, and that a row's share does not depend on how many of its tokens were choices."""

import numpy as np
import pytest

from arena.errors import ConfigError
from training.normalisation import AGGREGATIONS, coefficients

ROW_N = np.array([0, 0, 1])  # row 2 was forced throughout: it has no choice token but counts
TOKENS_R = np.array([4, 2, 2])


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [
        ("turn_sum", [1 / 3, 1 / 3, 0.5 / 3]),
        ("turn_mean", [1 / 12, 1 / 12, 0.5 / 6]),
        ("token_mean", [1 / 8, 1 / 8, 0.5 / 8]),
    ],
)
def test_denominators_count_all_rows_and_all_tokens(aggregation, expected):
    result = coefficients(aggregation, ROW_N, TOKENS_R, np.array([1.0, 0.5, 1.0]))
    np.testing.assert_allclose(result, expected, rtol=1e-15)


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_no_rows_give_no_coefficients(aggregation):
    empty = np.zeros(0, dtype=np.int64)
    assert coefficients(aggregation, empty, empty, np.zeros(0)).shape == (0,)


def test_an_unknown_aggregation_is_refused():
    with pytest.raises(ConfigError, match="turn_sum, turn_mean, token_mean, got 'mean'"):
        coefficients("mean", ROW_N, TOKENS_R, np.ones(3))
