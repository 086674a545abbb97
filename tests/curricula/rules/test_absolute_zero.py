"""Absolute Zero's two rules differ only where nothing can be learnt."""

from __future__ import annotations

import pytest

from curricula.learnability import Evidence, rules


@pytest.mark.parametrize(
    ("successes", "paper", "code"),
    [
        (0, {"learnability": 0.0}, {"unlearnable": -0.5}),
        (1, {"learnability": 0.75}, {"learnability": 0.75}),
        (3, {"learnability": 0.25}, {"learnability": 0.25}),
        (4, {"learnability": 0.0}, {"unlearnable": -0.5}),
    ],
)
def test_harder_is_better_until_it_is_impossible(successes, paper, code):
    evidence = Evidence(successes=successes, attempts=4)
    assert rules.make("azr_paper").score(evidence) == paper
    assert rules.make("azr_code").score(evidence) == code


def test_an_invalid_proposal_is_named():
    assert rules.make("azr_paper").score(Evidence(invalid="unsafe")) == {"invalid": 0.0}
    assert rules.make("azr_code").score(Evidence(invalid="unsafe")) == {"invalid": -1.0}
