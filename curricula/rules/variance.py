"""Rules that pay the variance of an attempt's success: most at even odds, nothing at certainty.

On n attempts the plain p(1 - p) is low by a factor of 1 - 1/n; ``variance_corrected`` divides by it, so that its mean
over repeated samples is the true 4p(1 - p) for every n. A single corrected value may exceed 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from curricula.learnability import Evidence, judged_rate, need, require_attempts, rules

_SPICE_CENTRE, _SPICE_WIDTH = 0.25, 0.1
_SPICE_INVALID = -0.1


@rules.register("variance")
class Variance:
    """Pays 4p(1 - p), which is 1 at even odds, and 0 for an invalid proposal."""

    name = "variance"
    version = 1
    source = "variance of a Bernoulli reward, scaled to a peak of 1"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``variance``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        p = judged_rate(self, evidence)
        return {"variance": 4 * p * (1 - p)}


@rules.register("variance_corrected")
class VarianceCorrected:
    """Pays 4p(1 - p) n/(n - 1), and 0 for an invalid proposal; the two parts are separate terms."""

    name = "variance_corrected"
    version = 1
    source = "unbiased variance of a Bernoulli reward (Bessel's correction), scaled to a peak of 1"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``variance`` and ``correction``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        p = judged_rate(self, evidence)
        plain = 4 * p * (1 - p)
        return {"variance": plain, "correction": plain / (evidence.attempts - 1)}


@rules.register("sfl")
class Sfl:
    """Pays p(1 - p), and 0 for an invalid proposal; a curriculum keeps the top k."""

    name = "sfl"
    version = 1
    source = "Sampling for Learnability, arXiv 2408.15099"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``learnability``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        p = judged_rate(self, evidence)
        return {"learnability": p * (1 - p)}


@rules.register("spice")
class Spice:
    """Pays a Gaussian in the variance of the answers, centre 0.25 and width 0.1, and -0.1 for an invalid proposal."""

    name = "spice"
    version = 1
    source = "SPICE, arXiv 2510.24684, the challenger's reward"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``closeness``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": _SPICE_INVALID}
        require_attempts(self, evidence)
        distance = (need(self, evidence, "answer_variance") - _SPICE_CENTRE) / _SPICE_WIDTH
        return {"closeness": math.exp(-distance * distance / 2)}
