"""Every registered estimator passes the conformance check."""

import pytest

from training.estimators.estimator import AdvantageEstimator, estimators
from training.testing import check_estimator


@pytest.mark.parametrize("name", list(estimators))
def test_estimator(name):
    estimator = estimators.make(name)
    assert isinstance(estimator, AdvantageEstimator)
    assert estimator.name == name
    check_estimator(estimator)
