"""What is known about one task: who tried it, how often it was solved, and why it is where it is.

Assumption: an attempt that a verifier left UNDECIDED says nothing about the task, so it never enters the tallies; it
is counted apart. A record is JSON by way of ``curricula.record_json``. Left out: the events that made it; the ledger
(``curricula.ledger``) folds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

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
class Origin:
    """How a task came about.

    Attributes:
        by: who proposed it: a policy with its version (``proposer@3``) or a generator's name.
        role: the role that proposed it, or empty.
        episode: the episode in which it was written, or empty.
        round: the round in which it was proposed.
        signature: the skill signature (a canonical solution, a set of lemmas), or empty.
        kind: the kind of task within its game.
        skills: the skills that it asks for.
    """

    by: str = ""
    role: str = ""
    episode: str = ""
    round: int = 0
    signature: str = ""
    kind: str = ""
    skills: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """What a rule made of a task.

    Attributes:
        formula: the rule, its version and the number of attempts.
        terms: the named terms; their sum is the pay.
        p_mean: the mean of the solve rate's posterior.
        interval: its central credible interval.
    """

    formula: str
    terms: Mapping[str, float] = field(hash=False)
    p_mean: float
    interval: tuple[float, float]

    @property
    def pay(self) -> float:
        """The sum of the terms."""
        return sum(self.terms.values())


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
        origin: how it came about.
        valid: what validation found, or ``None`` before it.
        checks: what validation checked, by name.
        pool: the pool that it is in, or empty.
        tried_round: the round of the last attempt, judged or not, or -1.
        shared: how many attempts said which share of their steps was verified.
        share_sum: the sum of those shares.
        scored: the last score in full, or ``None``.
    """

    task: Task
    tallies: tuple[Tally, ...] = ()
    undecided: int = 0
    score: float | None = None
    status: TaskStatus = TaskStatus.PROPOSED
    reason: str = ""
    origin: Origin = Origin()
    valid: bool | None = None
    checks: Mapping[str, Any] = field(default_factory=dict, hash=False)
    pool: str = ""
    tried_round: int = -1
    shared: int = 0
    share_sum: float = 0.0
    scored: Score | None = None

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

    @property
    def verified_share(self) -> float | None:
        """The mean share of verified steps over the attempts that told it, or ``None`` when none did."""
        return self.share_sum / self.shared if self.shared else None

    def with_attempt(
        self, policy: PolicyId, outcome: Outcome, *, round_index: int = -1, share: float | None = None
    ) -> TaskRecord:
        """Returns the record after one more attempt; UNDECIDED leaves the tallies alone.

        Args:
            policy: who attempted it.
            outcome: what the verifier found.
            round_index: the round; a later one is remembered as the last try, even when it was left undecided.
            share: the share of steps that were verified, where the verifier says.
        """
        tried = max(self.tried_round, round_index)
        if outcome is Outcome.UNDECIDED:
            return replace(self, undecided=self.undecided + 1, tried_round=tried)
        before = {tally.policy: tally for tally in self.tallies}
        old = before.get(policy, Tally(policy=policy, attempts=0, successes=0))
        solved = old.successes + (outcome is Outcome.CORRECT)
        before[policy] = Tally(policy=policy, attempts=old.attempts + 1, successes=solved)
        shared, share_sum = self.shared + (share is not None), self.share_sum + (share or 0.0)
        return replace(self, tallies=tuple(before.values()), tried_round=tried, shared=shared, share_sum=share_sum)

    def with_status(self, status: TaskStatus, reason: str, score: float | None = None) -> TaskRecord:
        """Returns the record with a new status and its reason; a score of ``None`` keeps the old one."""
        return replace(self, status=status, reason=reason, score=self.score if score is None else score)

    def with_score(self, scored: Score) -> TaskRecord:
        """Returns the record with a new last score."""
        return replace(self, scored=scored, score=scored.pay)

    def posterior(self, decay: float = 1.0, prior: tuple[float, float] = (1.0, 1.0), policy: str = "") -> BetaPosterior:
        """Returns the posterior of the solve rate over all policy versions, older versions counting less.

        Args:
            decay: the weight of a version's attempts relative to the next newer version's, in (0, 1].
            prior: the Beta prior; the default is uniform.
            policy: the name of the only policy to count, or empty for all; with several names, each has its own
                newest version.

        Raises:
            InputError: ``decay`` is out of range.
        """
        if not 0 < decay <= 1:
            raise InputError(f"TaskRecord.posterior.decay: expected a number in (0, 1], got {decay}; choose 0.9")
        alpha, beta = prior
        ages: dict[str, int] = {}
        for tally in sorted(self.tallies, key=lambda tally: tally.policy, reverse=True):
            name = tally.policy.name
            if policy not in ("", name):
                continue
            ages[name] = ages.get(name, -1) + 1
            weight = decay ** ages[name]
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
