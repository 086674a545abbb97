"""Learnability rules: what a proposed task is worth, as a pure function of what came of it.

A rule pays in named terms whose sum is the pay, so that a log can say why. It has no knobs: its name, its version and
the number of attempts (``formula``) say everything about it, and a log can be scored again under another rule. What a
rule cannot know it refuses to score; it never makes up a zero.

Assumption: a rule is given the judged attempts of one task by one policy version. The memory over versions is the
Beta posterior of ``curricula.task_record``. Left out: choosing tasks by their pay (a curriculum does).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from arena.errors import InputError
from arena.registry import Registry
from arena.types import Outcome

_SHARES = ("cluster_share", "vote_share", "verified_share")
_FINITE = (
    *_SHARES,
    "answer_variance",
    "best_return",
    "mean_return",
    "antagonist_return",
    "protagonist_return",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What came of one proposal.

    Attributes:
        successes: judged attempts that solved the task.
        attempts: judged attempts.
        undecided: attempts that no verifier could judge; they are in neither count.
        invalid: why the proposal is no valid task (a slug such as ``malformed``), or empty.
        cluster_share: the share of the batch in the task's cluster of near duplicates, in [0, 1].
        vote_share: the largest share of equal answers, in [0, 1].
        answer_variance: the variance of the answers' scores.
        verified_share: the mean share of a solution's steps that were verified, in [0, 1].
        used_seed: whether a solution used the seed that the task was made from.
        advantages: the advantages of the turns played on the task.
        best_return: the best return that anybody had on the task so far.
        mean_return: the mean return of the attempts.
        antagonist_return: the return of the seat that is meant to do well.
        protagonist_return: the return of the seat that learns.

    Raises:
        InputError: a count is negative, more attempts succeeded than were made, a share lies outside [0, 1], or a
            number is not finite.
    """

    successes: int = 0
    attempts: int = 0
    undecided: int = 0
    invalid: str = ""
    cluster_share: float = 0.0
    vote_share: float | None = None
    answer_variance: float | None = None
    verified_share: float | None = None
    used_seed: bool = True
    advantages: tuple[float, ...] = ()
    best_return: float | None = None
    mean_return: float | None = None
    antagonist_return: float | None = None
    protagonist_return: float | None = None

    def __post_init__(self) -> None:
        """Refuses counts and numbers that no batch of attempts can give."""
        if min(self.successes, self.attempts, self.undecided) < 0:
            counts = (self.successes, self.attempts, self.undecided)
            raise InputError(f"Evidence: expected counts of at least 0, got {counts}; count attempts from 0")
        if self.successes > self.attempts:
            raise InputError(
                f"Evidence.successes: expected at most {self.attempts} (the attempts), got {self.successes}; "
                "successes come first: are the two swapped?"
            )
        for name in _FINITE:
            _check_number(name, getattr(self, name))
        if not all(map(math.isfinite, self.advantages)):
            raise InputError(f"Evidence.advantages: expected finite numbers, got {self.advantages}; leave the rest out")

    @property
    def solve_rate(self) -> float:
        """The share of judged attempts that solved the task.

        Raises:
            InputError: no attempt was judged.
        """
        if not self.attempts:
            raise InputError("Evidence.solve_rate: expected judged attempts, got none; leave the task unscored")
        return self.successes / self.attempts


def evidence_of(attempts: Sequence[tuple[Outcome, float | None]]) -> Evidence:
    """Returns what came of some attempts: undecided ones are in no count, and a judged one without a share has 0.

    Args:
        attempts: the outcome of each, and the share of its steps that were verified; ``None`` where it has no steps.
    """
    judged = [(outcome, share) for outcome, share in attempts if outcome is not Outcome.UNDECIDED]
    shares = [float(share) for _, share in judged if share is not None]
    return Evidence(
        successes=sum(outcome is Outcome.CORRECT for outcome, _ in judged),
        attempts=len(judged),
        undecided=len(attempts) - len(judged),
        verified_share=sum(shares) / len(judged) if shares else None,
    )


def _check_number(name: str, value: float | None) -> None:
    if value is None:
        return
    if not math.isfinite(value):
        raise InputError(f"Evidence.{name}: expected a finite number, got {value}; leave it out where it is unknown")
    if name in _SHARES and not 0 <= value <= 1:
        raise InputError(f"Evidence.{name}: expected a share in [0, 1], got {value}; divide by the total")


@runtime_checkable
class LearnabilityRule(Protocol):
    """Pays for a proposal by what came of it.

    Attributes:
        name: the registered name.
        version: raised by any change that can change the pay.
        source: the paper and its equation, and what differs from it.
        least_attempts: the judged attempts below which a valid task is not scored.
    """

    name: str
    version: int
    source: str
    least_attempts: int

    def score(self, evidence: Evidence) -> Mapping[str, float]:
        """Returns the named terms whose sum is the pay.

        Raises:
            InputError: a valid task has fewer judged attempts than ``least_attempts``, or lacks what the rule needs.
        """
        ...


rules: Registry[LearnabilityRule] = Registry("rule", "curricula.rules")
"""Every registered learnability rule, by name (``azr_paper``)."""


def pay(terms: Mapping[str, float]) -> float:
    """Returns the sum of the terms of a score."""
    return sum(terms.values())


def formula(rule: LearnabilityRule, attempts: int) -> str:
    """Returns the name of a rule in the log, for example ``azr_paper-v1/n=4``: a rule's peak depends on n."""
    return f"{rule.name}-v{rule.version}/n={attempts}"


def judged_rate(rule: LearnabilityRule, evidence: Evidence) -> float:
    """Returns the solve rate of a valid task that has enough judged attempts for a rule.

    Raises:
        InputError: it has too few.
    """
    require_attempts(rule, evidence)
    return evidence.solve_rate


def require_attempts(rule: LearnabilityRule, evidence: Evidence) -> None:
    """Refuses evidence of fewer judged attempts than a rule needs.

    Raises:
        InputError: there are too few.
    """
    if evidence.attempts < rule.least_attempts:
        raise InputError(
            f"{rule.name}.attempts: expected at least {rule.least_attempts} judged attempts, got {evidence.attempts} "
            f"({evidence.undecided} undecided); sample more, or leave the task unscored"
        )


def need(rule: LearnabilityRule, evidence: Evidence, field: str) -> float:
    """Returns a number that a rule cannot do without.

    Raises:
        InputError: the evidence lacks it.
    """
    value = getattr(evidence, field)
    if value is None:
        raise InputError(
            f"{rule.name}.{field}: expected a number, got None; set it in the evidence or choose another rule"
        )
    return float(value)
