"""Rules of returns and advantages."""

from __future__ import annotations

import pytest

from arena.errors import InputError
from curricula.learnability import Evidence, pay, rules


def test_advantages_count_by_size_or_only_above_zero():
    evidence = Evidence(attempts=2, advantages=(1.0, -0.5))
    assert rules.make("sec_advantage").score(evidence) == {"advantage": 0.75}
    assert rules.make("pvl").score(evidence) == {"positive_advantage": 0.5}


@pytest.mark.parametrize("name", ["sec_advantage", "pvl"])
def test_advantages_are_needed(name):
    with pytest.raises(InputError, match=rf"{name}\.advantages: expected at least one, got none"):
        rules.make(name).score(Evidence(attempts=2))


def test_maxmc_is_the_gap_to_the_best_return():
    terms = rules.make("maxmc").score(Evidence(attempts=1, best_return=3.0, mean_return=1.0))
    assert terms == {"best": 3.0, "mean": -1.0}
    with pytest.raises(InputError, match=r"maxmc\.best_return"):
        rules.make("maxmc").score(Evidence(attempts=1, mean_return=1.0))


def test_regret_may_be_negative():
    terms = rules.make("regret").score(Evidence(attempts=1, antagonist_return=0.0, protagonist_return=1.0))
    assert pay(terms) == -1.0
    with pytest.raises(InputError, match=r"regret\.protagonist_return"):
        rules.make("regret").score(Evidence(attempts=1, antagonist_return=0.0))
