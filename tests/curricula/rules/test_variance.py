"""Rules that pay variance."""

from __future__ import annotations

import math

import pytest

from arena.errors import InputError
from curricula.learnability import Evidence, pay, rules


def test_variance_is_most_at_even_odds():
    even, rare = Evidence(successes=4, attempts=8), Evidence(successes=1, attempts=8)
    assert rules.make("variance").score(even) == {"variance": 1.0}
    assert rules.make("variance").score(rare) == {"variance": 0.4375}
    assert rules.make("sfl").score(even) == {"learnability": 0.25}


def test_the_correction_is_a_term_of_its_own():
    terms = rules.make("variance_corrected").score(Evidence(successes=4, attempts=8))
    assert terms == {"variance": 1.0, "correction": 1 / 7}
    assert pay(terms) == pytest.approx(8 / 7)


@pytest.mark.parametrize(("variance", "paid"), [(0.25, 1.0), (0.15, math.exp(-0.5)), (0.0, math.exp(-3.125))])
def test_spice_is_a_gaussian_in_the_variance_of_the_answers(variance, paid):
    evidence = Evidence(successes=2, attempts=4, answer_variance=variance)
    assert rules.make("spice").score(evidence) == {"closeness": pytest.approx(paid)}


def test_spice_needs_the_variance_of_the_answers():
    with pytest.raises(InputError, match=r"spice\.answer_variance: expected a number, got None; set it"):
        rules.make("spice").score(Evidence(successes=2, attempts=4))
