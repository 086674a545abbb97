"""What is known about one task: who tried it, how often it was solved, and why it is where it is.

Assumption: an attempt that a verifier left UNDECIDED says nothing about the task, so it never enters the tallies; it
is counted apart. Left out: which pool a task is in beyond its status; pools belong to the curriculum that keeps them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from arena.errors import InputError
from arena.types import Outcome, PolicyId, Task
from curricula.beta_posterior import BetaPosterior


class TaskStatus(StrEnum):
    """Where a task stands in its life."""

    PROPOSED = "proposed"
    ADMITTED = "admitted"
    REJECTED = "rejected"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The judged attempts of one policy version."""

    policy: PolicyId
    attempts: int
    successes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecord:
    """One task's history.

    Attributes:
        task: the task; its author and parents say where it came from.
        tallies: judged attempts by policy version, in the order of each version's first attempt.
        undecided: attempts that no verifier could judge.
        score: what the curriculum's rule made of it last, or ``None`` before that.
        status: where it stands.
        reason: why it stands there.
    """

    task: Task
    tallies: tuple[Tally, ...] = ()
    undecided: int = 0
    score: float | None = None
    status: TaskStatus = TaskStatus.PROPOSED
    reason: str = ""

    @property
    def parents(self) -> tuple[str, ...]:
        """The ids of the tasks it was made from."""
        return self.task.parents

    @property
    def attempts(self) -> int:
        """Judged attempts of all policy versions."""
        return sum(tally.attempts for tally in self.tallies)

    @property
    def successes(self) -> int:
        """Solved attempts of all policy versions."""
        return sum(tally.successes for tally in self.tallies)

    def with_attempt(self, policy: PolicyId, outcome: Outcome) -> TaskRecord:
        """Returns the record after one more attempt; UNDECIDED leaves the tallies alone."""
        if outcome is Outcome.UNDECIDED:
            return replace(self, undecided=self.undecided + 1)
        before = {tally.policy: tally for tally in self.tallies}
        old = before.get(policy, Tally(policy=policy, attempts=0, successes=0))
        solved = old.successes + (outcome is Outcome.CORRECT)
        before[policy] = Tally(policy=policy, attempts=old.attempts + 1, successes=solved)
        return replace(self, tallies=tuple(before.values()))

    def with_status(self, status: TaskStatus, reason: str, score: float | None = None) -> TaskRecord:
        """Returns the record with a new status and its reason; a score of ``None`` keeps the old one."""
        return replace(self, status=status, reason=reason, score=self.score if score is None else score)

    def posterior(self, decay: float = 1.0, prior: tuple[float, float] = (1.0, 1.0)) -> BetaPosterior:
        """Returns the posterior of the solve rate over all policy versions, older versions counting less.

        Args:
            decay: the weight of a version's attempts relative to the next newer version's, in (0, 1].
            prior: the Beta prior; the default is uniform.

        Raises:
            InputError: ``decay`` is out of range.
        """
        if not 0 < decay <= 1:
            raise InputError(f"TaskRecord.posterior.decay: expected a number in (0, 1], got {decay}; choose 0.9")
        alpha, beta = prior
        for age, tally in enumerate(sorted(self.tallies, key=lambda tally: tally.policy, reverse=True)):
            weight = decay**age
            alpha += weight * tally.successes
            beta += weight * (tally.attempts - tally.successes)
        return BetaPosterior(alpha=alpha, beta=beta)

    def posteriors(self, prior: tuple[float, float] = (1.0, 1.0)) -> Mapping[PolicyId, BetaPosterior]:
        """Returns the posterior of each policy version from its own attempts alone."""
        alpha, beta = prior
        return {
            tally.policy: BetaPosterior(alpha=alpha + tally.successes, beta=beta + tally.attempts - tally.successes)
            for tally in self.tallies
        }
