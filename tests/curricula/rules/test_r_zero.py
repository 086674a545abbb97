"""R-Zero's rules pay the checked rate, say what the vote would pay, and take repetition off."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curricula.learnability import Evidence, pay, rules


def test_repetition_lowers_the_pay_to_nothing_but_no_further_in_the_paper():
    evidence = Evidence(successes=1, attempts=4, cluster_share=0.75)
    assert rules.make("r_zero_paper").score(evidence) == {"uncertainty": 0.5, "repetition": -0.5}
    assert rules.make("r_zero_code").score(evidence) == {"uncertainty": 0.25, "repetition": -0.75}


@given(attempts=st.integers(2, 40), data=st.data(), share=st.floats(0, 1))
def test_the_paper_is_the_published_formula(attempts, data, share):
    successes = data.draw(st.integers(0, attempts))
    evidence = Evidence(successes=successes, attempts=attempts, cluster_share=share)
    p = successes / attempts
    assert pay(rules.make("r_zero_paper").score(evidence)) == pytest.approx(max(0, 1 - 2 * abs(p - 0.5) - share))
    assert pay(rules.make("r_zero_code").score(evidence)) == pytest.approx(min(p, 1 - p) - share)


def test_an_ambiguous_task_is_paid_by_its_check_and_both_are_reported():
    # Nobody is right, and the votes are split evenly: the vote alone would pay the most there is.
    terms = rules.make("r_zero_code").score(Evidence(successes=0, attempts=4, vote_share=0.5))
    assert terms == {"vote": 0.5, "check": -0.5, "repetition": 0.0}
    assert pay(terms) == 0.0


@pytest.mark.parametrize("name", ["r_zero_paper", "r_zero_code"])
@given(attempts=st.integers(2, 40), data=st.data(), vote=st.floats(0, 1))
def test_the_vote_never_changes_the_pay(name, attempts, data, vote):
    successes = data.draw(st.integers(0, attempts))
    checked = Evidence(successes=successes, attempts=attempts, cluster_share=0.125)
    voted = Evidence(successes=successes, attempts=attempts, cluster_share=0.125, vote_share=vote)
    rule = rules.make(name)
    assert pay(rule.score(voted)) == pytest.approx(pay(rule.score(checked)))
