"""The Beta posterior against scipy, an independent implementation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from curricula.beta_posterior import BetaPosterior, incomplete_beta

shapes = st.floats(min_value=0.1, max_value=5000)


@settings(deadline=None)
@given(a=shapes, b=shapes, x=st.floats(min_value=0, max_value=1))
def test_incomplete_beta_agrees_with_scipy(a: float, b: float, x: float) -> None:
    assert incomplete_beta(x, a, b) == pytest.approx(beta(a, b).cdf(x), abs=1e-10)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 9), (3.5, 0.7), (200, 13), (1, 10_001)])
def test_interval_agrees_with_scipy(a: float, b: float) -> None:
    assert BetaPosterior(alpha=a, beta=b).interval(0.9) == pytest.approx(beta(a, b).interval(0.9), abs=1e-9)


def test_none_of_eight_leaves_a_rate_of_a_tenth_credible() -> None:
    # Under a uniform prior 0 of 8 gives Beta(1, 9): its 95 % interval ends at 1 - 0.025 ** (1 / 9) = 0.336.
    posterior = BetaPosterior(alpha=1, beta=9)
    assert posterior.mean == pytest.approx(0.1)
    assert posterior.interval()[1] == pytest.approx(1 - 0.025 ** (1 / 9))
