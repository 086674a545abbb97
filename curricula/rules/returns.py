"""Rules that score a level by returns and advantages: regret and its stand-ins, and what moved the learner.

An invalid proposal earns 0: these rules rank levels that a generator made, where one that cannot be built is simply
not there. Regret may be negative when the protagonist does better.
"""

from __future__ import annotations

from collections.abc import Mapping

from arena.errors import InputError
from curricula.learnability import Evidence, LearnabilityRule, need, require_attempts, rules


@rules.register("sec_advantage")
class SecAdvantage:
    """Pays the mean absolute advantage, and 0 for an invalid proposal."""

    name = "sec_advantage"
    version = 1
    source = "Self-Evolving Curriculum, arXiv 2505.14970, the bandit's reward"
    least_attempts = 2

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``advantage``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        advantages = _advantages(self, evidence)
        return {"advantage": sum(map(abs, advantages)) / len(advantages)}


@rules.register("pvl")
class Pvl:
    """Pays the positive value loss, the mean of advantages cut at 0, and 0 for an invalid proposal."""

    name = "pvl"
    version = 1
    source = "Robust PLR, arXiv 2110.02439, positive value loss"
    least_attempts = 1

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``positive_advantage``, or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        advantages = _advantages(self, evidence)
        return {"positive_advantage": sum(max(one, 0.0) for one in advantages) / len(advantages)}


@rules.register("maxmc")
class MaxMc:
    """Pays the best return so far minus the mean return, and 0 for an invalid proposal."""

    name = "maxmc"
    version = 1
    source = "Robust PLR, arXiv 2110.02439, maximum Monte Carlo; the mean return stands for the value estimate"
    least_attempts = 1

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``best`` and ``mean`` (negated), or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        require_attempts(self, evidence)
        return {"best": need(self, evidence, "best_return"), "mean": -need(self, evidence, "mean_return")}


@rules.register("regret")
class Regret:
    """Pays the antagonist's return minus the protagonist's, and 0 for an invalid proposal."""

    name = "regret"
    version = 1
    source = "PAIRED, arXiv 2012.02096, with the antagonist for the optimal policy"
    least_attempts = 1

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns ``antagonist`` and ``protagonist`` (negated), or ``invalid``."""
        if evidence.invalid:
            return {"invalid": 0.0}
        require_attempts(self, evidence)
        return {
            "antagonist": need(self, evidence, "antagonist_return"),
            "protagonist": -need(self, evidence, "protagonist_return"),
        }


def _advantages(rule: LearnabilityRule, evidence: Evidence) -> tuple[float, ...]:
    require_attempts(rule, evidence)
    if not evidence.advantages:
        raise InputError(
            f"{rule.name}.advantages: expected at least one, got none; score it after the estimator, or choose another"
        )
    return evidence.advantages
