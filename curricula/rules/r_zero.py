"""R-Zero's challenger reward: uncertainty of the solver minus repetition within the batch.

In the paper p is the share of answers that agree with the majority, and there is no other check. Such a vote pays
ambiguity: a question that nobody can answer, with answers spread at random, earns nearly the most. Here p is the
checked solve rate. Where the evidence also holds ``vote_share``, the score reports both: ``vote`` is what the vote
alone pays and ``check`` is the correction to what the check pays. A campaign without any check counts agreement with
the majority as success; then the two are equal and the pay is the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from curricula.learnability import Evidence, judged_rate, rules


@rules.register("r_zero_paper")
class RZeroPaper:
    """Pays max(0, 1 - 2|p - 1/2| - cluster share), and 0 for an invalid proposal."""

    name = "r_zero_paper"
    version = 1
    source = "R-Zero, arXiv 2508.05004, the challenger's reward; differs in p, which is checked and no vote"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``uncertainty`` (or ``vote`` and ``check``) and ``repetition``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        p = judged_rate(self, evidence)
        # Cutting the repetition at the uncertainty is the same as cutting the sum at 0.
        repetition = min(evidence.cluster_share, _tent(p))
        return {**_uncertainty(_tent, p, evidence.vote_share), "repetition": -repetition}


@rules.register("r_zero_code")
class RZeroCode:
    """Pays min(p, 1 - p) - cluster share, and -1 for an invalid proposal."""

    name = "r_zero_code"
    version = 1
    source = "R-Zero's published code (arXiv 2508.05004); differs in p, and an invalid proposal has no cluster"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``uncertainty`` (or ``vote`` and ``check``) and ``repetition``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": -1.0}
        p = judged_rate(self, evidence)
        return {**_uncertainty(_smaller, p, evidence.vote_share), "repetition": -evidence.cluster_share}


def _tent(p: float) -> float:
    return 1 - 2 * abs(p - 0.5)


def _smaller(p: float) -> float:
    return min(p, 1 - p)


def _uncertainty(of: Callable[[float], float], p: float, vote_share: float | None) -> dict[str, float]:
    if vote_share is None:
        return {"uncertainty": of(p)}
    return {"vote": of(vote_share), "check": of(p) - of(vote_share)}
