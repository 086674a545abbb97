"""Rules for statements and proofs: barely provable conjectures, and partial credit for verified steps."""

from __future__ import annotations

from collections.abc import Mapping

from curricula.learnability import Evidence, judged_rate, need, require_attempts, rules


@rules.register("stp")
class Stp:
    """Pays 1 for 0 < p < 1/4 when a proof used the seed, and 0 otherwise and for an invalid proposal.

    With fewer than five attempts no p lies between the bounds, so the rule refuses rather than pay 0 to everything.
    """

    name = "stp"
    version = 1
    source = "STP, arXiv 2502.00212: barely provable conjectures whose proof uses the seed"
    least_attempts = 5

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``barely_provable``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        p = judged_rate(self, evidence)
        return {"barely_provable": float(evidence.used_seed and 0 < p < 0.25)}


@rules.register("partial")
class Partial:
    """Pays 4q(1 - q) where q is the mean share of verified steps, and 0 for an invalid proposal.

    It separates tasks that nobody solves but some get further into than others.
    """

    name = "partial"
    version = 1
    source = "Ludus: the variance rule on the share of verified steps instead of on whole solutions"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``partial``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        require_attempts(self, evidence)
        q = need(self, evidence, "verified_share")
        return {"partial": 4 * q * (1 - q)}
