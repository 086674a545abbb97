"""Absolute Zero's proposer reward: the harder the better, as long as it can be solved.

What is paid for a solve rate of 0 or 1 is where the paper and its code part: 0 in the one, a penalty in the other. In
the paper's rule an invalid proposal earns what an impossible one does, so nothing teaches the proposer the format.
"""

from __future__ import annotations

from collections.abc import Mapping

from curricula.learnability import Evidence, judged_rate, rules


@rules.register("azr_paper")
class AzrPaper:
    """Pays 1 - p, and 0 at p = 0, at p = 1 and for an invalid proposal."""

    name = "azr_paper"
    version = 1
    source = "Absolute Zero, arXiv 2505.03335, equation 4, without the format penalties of equation 6"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``learnability``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        p = judged_rate(self, evidence)
        return {"learnability": 1 - p if 0 < p < 1 else 0.0}


@rules.register("azr_code")
class AzrCode:
    """Pays 1 - p, -0.5 for a valid task at p = 0 or p = 1, and -1 for an invalid proposal."""

    name = "azr_code"
    version = 1
    source = "Absolute Zero, arXiv 2505.03335, equations 4 and 6 as its published code combines them"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``learnability``, ``unlearnable`` or ``invalid``."""
        if evidence.invalid:
            return {"invalid": -1.0}
        p = judged_rate(self, evidence)
        return {"learnability": 1 - p} if 0 < p < 1 else {"unlearnable": -0.5}
