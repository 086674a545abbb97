"""What a rule may be given, and what every rule holds to."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import InputError, UnknownNameError
from curricula.golden_table import INVALID_CLASSES, binary_evidence
from curricula.learnability import Evidence, LearnabilityRule, formula, pay, rules

NAMES = rules.names()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            {"successes": 8, "attempts": 3},
            r"Evidence\.successes: expected at most 3 \(the attempts\), got 8; .*swapped",
        ),
        ({"successes": -1, "attempts": 3}, r"Evidence: expected counts of at least 0, got \(-1, 3, 0\)"),
        ({"undecided": -1}, r"Evidence: expected counts of at least 0"),
        ({"cluster_share": 1.5}, r"Evidence\.cluster_share: expected a share in \[0, 1\], got 1\.5"),
        ({"vote_share": -0.1}, r"Evidence\.vote_share: expected a share"),
        ({"answer_variance": math.nan}, r"Evidence\.answer_variance: expected a finite number, got nan"),
        ({"advantages": (1.0, math.inf)}, r"Evidence\.advantages: expected finite numbers"),
    ],
)
def test_impossible_evidence_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        Evidence(**fields)


def test_there_is_no_solve_rate_without_judged_attempts():
    with pytest.raises(InputError, match="expected judged attempts, got none; leave the task unscored"):
        _ = Evidence(undecided=4).solve_rate


def test_formula_names_the_rule_its_version_and_the_attempts():
    assert formula(rules.make("azr_paper"), 4) == "azr_paper-v1/n=4"
    assert formula(rules.make("azr_paper"), 8) != formula(rules.make("azr_paper"), 4)


def test_a_misspelt_rule_names_its_neighbours():
    with pytest.raises(UnknownNameError, match="azr_paper"):
        rules.make("azr_papr")


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_says_who_it_is(name):
    rule = rules.make(name)
    assert isinstance(rule, LearnabilityRule)
    assert (rule.name, rule.version >= 1, bool(rule.source)) == (name, True, True)


@pytest.mark.parametrize("name", NAMES)
def test_too_few_judged_attempts_are_refused_however_many_are_undecided(name):
    rule = rules.make(name)
    for attempts in range(rule.least_attempts):
        with pytest.raises(InputError, match=rf"{name}\.attempts: expected at least {rule.least_attempts}"):
            rule.score(Evidence(attempts=attempts, undecided=10))


def test_rules_of_a_solve_rate_need_two_attempts():
    of_returns = {"maxmc", "pvl", "regret"}
    assert {name for name in NAMES if rules.make(name).least_attempts < 2} == of_returns


@pytest.mark.parametrize("name", NAMES)
@given(slug=st.sampled_from(INVALID_CLASSES) | st.text(min_size=1), share=st.floats(0, 1), undecided=st.integers(0, 9))
def test_every_failure_of_a_proposal_costs_the_same(name, slug, share, undecided):
    rule = rules.make(name)
    expected = pay(rule.score(Evidence(invalid="malformed")))
    assert pay(rule.score(Evidence(invalid=slug, cluster_share=share, undecided=undecided))) == expected


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data(), attempts=st.integers(5, 40))
def test_an_invalid_proposal_never_earns_more_than_a_valid_one(name, data, attempts):
    rule = rules.make(name)
    valid = pay(rule.score(binary_evidence(data.draw(st.integers(0, attempts)), attempts)))
    assert math.isfinite(valid)
    assert pay(rule.score(Evidence(invalid="unsafe"))) <= valid
