"""Rules for conjectures and partial proofs."""

from __future__ import annotations

import pytest

from arena.errors import InputError
from curricula.learnability import Evidence, rules


@pytest.mark.parametrize(
    ("successes", "used_seed", "paid"),
    [(0, True, 0.0), (1, True, 1.0), (1, False, 0.0), (2, True, 0.0), (8, True, 0.0)],
)
def test_a_conjecture_must_be_barely_provable_and_use_its_seed(successes, used_seed, paid):
    evidence = Evidence(successes=successes, attempts=8, used_seed=used_seed)
    assert rules.make("stp").score(evidence) == {"barely_provable": paid}


def test_partial_credit_tells_unsolved_tasks_apart():
    rule = rules.make("partial")
    assert rule.score(Evidence(attempts=4, verified_share=0.5)) == {"partial": 1.0}
    assert rule.score(Evidence(attempts=4, verified_share=0.0)) == {"partial": 0.0}
    with pytest.raises(InputError, match=r"partial\.verified_share: expected a number, got None"):
        rule.score(Evidence(attempts=4))
