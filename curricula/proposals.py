"""The book of what proposers wrote: pools of valid problems, the memory of duplicates, and the watch over both.

Every curriculum whose tasks a proposer writes files them here: what was no problem is rejected with its reason, what
is valid is compared with everything before it, and what is kept enters the pool of its kind, from where it is shown as
a reference. A full pool drops its oldest problem, so that the newest is never frozen out; nothing else leaves a pool.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from arena.domains.domain import Domain, Problem
from arena.errors import ConfigError
from arena.games.propose_solve import PROPOSER, Proposed
from arena.games.solve import problem_task
from arena.seeds import derive
from arena.types import Episode, Outcome, Settlement, Task
from curricula.detectors import TaskSummary
from curricula.ledger import TaskLedger
from curricula.memory import DuplicateMemory, Fingerprint, clusters
from curricula.round_watch import RoundWatch
from curricula.task_log import file_attempts, file_task, live_rate, mean_difficulty

_DRAWS_A_SEED = 100


NEAR = 0.8
"""Proposals this similar (Jaccard index of their word trigrams) are one cluster. Clusters are unions, so at a lower
threshold short programs, which share most of their lines, all chain into one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Valid:
    """A proposal that is a problem.

    Attributes:
        episode: in which it was written.
        found: what became of it.
        problem: the problem.
        cluster: the first episode of its cluster of near duplicates; empty when it is like no other.
        cluster_share: the share of the round's valid proposals in its cluster.
        vote_shares: the shares of equal answers, greatest first; empty where nobody votes.
    """

    episode: Episode
    found: Proposed
    problem: Problem
    cluster: str = ""
    cluster_share: float = 0.0
    vote_shares: tuple[float, ...] = ()


class Proposals:
    """Files proposals of one game.

    Args:
        name: of the curriculum, for messages.
        game: the registered id of the game.
        domain: whose problems.
        kinds: each has a pool.
        cap: the most problems of a pool.
        most_empty_rounds: the rounds in a row without a valid new proposal after which the run ends.
    """

    def __init__(
        self, name: str, game: str, domain: Domain, kinds: Sequence[str], cap: int, most_empty_rounds: int
    ) -> None:
        self._name, self._domain, self._kinds = name, domain, tuple(kinds)
        self.ledger = TaskLedger(game, caps=dict.fromkeys(kinds, cap))
        self.memory = DuplicateMemory()
        self.watch = RoundWatch(name, most_empty_rounds)

    def fill(self, seed: int, count: int, most_difficulty: int, sealed: frozenset[str]) -> None:
        """Fills each pool with ``count`` different problems of the generator, or as many as it seems to have.

        Raises:
            ConfigError: there is none that is not sealed.
        """
        for kind in self._kinds:
            random = np.random.Generator(np.random.PCG64(derive(f"buffer:{kind}", seed)))
            for _ in range(_DRAWS_A_SEED * count):
                if len(self.ledger.pool(kind)) == count:
                    break
                problem = self._domain.generate(random, kind, 1 + int(random.integers(most_difficulty)))
                task = self._task(problem, "generator", ())
                if self._domain.signature(problem) not in sealed and task.id not in self.ledger:
                    self.memory.add(self._fingerprint(task.id, problem))
                    file_task(self.ledger, self._domain, task, problem, by="generator", reason="seed")
                    self.ledger.move(task.id, kind, "seed")
            if not self.ledger.pool(kind):
                raise ConfigError(
                    f"{self._name}.seeds: expected problems of kind {kind} that are not sealed, got none; raise "
                    "curriculum.seed_difficulty or lower evaluation.heldout.per_cell"
                )

    def references(self, random: np.random.Generator, kind: str, count: int) -> list[str]:
        """Returns the ids of up to ``count`` different problems of a pool; all are as likely."""
        pool = self.ledger.pool(kind)
        chosen = random.choice(len(pool), size=min(count, len(pool)), replace=False)
        return [pool[int(place)] for place in chosen]

    def reject(self, episode: Episode, found: Proposed, reason: str, *, at: str = "") -> None:
        """Records why a proposal was not kept; ``at`` is the stage that it did not pass, by default the first."""
        self.ledger.record("task_rejected", reason=reason, episode=episode.id, excerpt=found.text[:500])
        self.watch.lost(reason, at or ("valid" if found.understood else "understood"))

    def clustered(self, proposed: Sequence[tuple[Episode, Proposed]]) -> dict[str, Valid]:
        """Returns the valid ones among the proposals of a round by episode, with their clusters of near duplicates."""
        valid = [(episode, found, found.problem) for episode, found in proposed if found.problem is not None]
        batch = [Fingerprint(id=one.id, text=self._domain.proposal_text(problem)) for one, _, problem in valid]
        of = {id: ids for ids in clusters(batch, threshold=NEAR) for id in ids}
        return {
            episode.id: Valid(
                episode=episode,
                found=found,
                problem=problem,
                cluster=of[episode.id][0] if len(of[episode.id]) > 1 else "",
                cluster_share=len(of[episode.id]) / len(batch),
            )
            for episode, found, problem in valid
        }

    def remember(self, one: Valid) -> tuple[Task, str]:
        """Returns a valid proposal as a task, and in what way it repeats another (``duplicate:exact``), or empty."""
        author = str(one.episode.lineup[PROPOSER].policy)
        task = self._task(one.problem, author, one.episode.task.parents)
        known = task.id in self.ledger
        repeated = self.memory.add(self._fingerprint(task.id, one.problem))
        of = repeated.of if repeated else task.id if known else ""
        earlier = self.watch.noted(of)
        judged = [answer.verdict.outcome for answer in one.found.answers]
        summary = TaskSummary(
            id=task.id,
            attempts=len(judged) - judged.count(Outcome.UNDECIDED),
            successes=judged.count(Outcome.CORRECT),
            repeats_batch=of if earlier else "",
            repeats_history=earlier.repeats_history if earlier else of,
            vote_shares=one.vote_shares,
            complexity=float(self._domain.difficulty(one.problem)),
            cluster=one.cluster,
        )
        self.watch.task(summary)
        return task, f"duplicate:{repeated.kind}" if repeated else "duplicate:exact" if known else ""

    def admit(self, one: Valid, task: Task, duplicate: str = "") -> None:
        """Files a valid proposal and its attempts; one that is known already gets the attempts alone."""
        if duplicate:
            self.watch.lost(duplicate, "new")
        else:
            self.watch.passed()
        if task.id not in self.ledger:
            episode = one.episode.id
            file_task(
                self.ledger,
                self._domain,
                task,
                one.problem,
                by=task.author,
                reason="valid",
                role=PROPOSER,
                episode=episode,
            )
            self.ledger.move(task.id, one.problem["kind"], "valid")
        file_attempts(self.ledger, task.id, one.found.answers)

    def score(self, task: Task, paid: Settlement) -> None:
        """Records what a rule paid for a task."""
        posterior = self.ledger[task.id].posterior()
        self.ledger.record(
            "score",
            id=task.id,
            formula=paid.formula,
            terms=dict(paid.terms),
            p_mean=posterior.mean,
            interval=list(posterior.interval()),
            episode=paid.episode_id,
        )

    def close_round(self, majority_rate: float | None = None, gold_rate: float | None = None) -> dict[str, float]:
        """Ends a round (``RoundWatch.close``) and returns its rates."""
        ledger = self.ledger
        new = [one for one in ledger.proposed_now() if one.origin.episode]
        return {**self.watch.close(ledger, majority_rate, gold_rate), **mean_difficulty(new), **live_rate(new)}

    def state(self) -> dict[str, Any]:
        """Returns the ledger, the memory of duplicates and the watch."""
        return {"ledger": self.ledger.state(), "memory": self.memory.state(), "watch": self.watch.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces all three."""
        self.ledger.restore(state["ledger"])
        self.memory.restore(state["memory"])
        self.watch.restore(state["watch"])

    def _task(self, problem: Problem, author: str, parents: tuple[str, ...]) -> Task:
        return problem_task(self._domain.name, problem, author, parents)

    def _fingerprint(self, id: str, problem: Problem) -> Fingerprint:
        kind = problem["kind"]
        text = json.dumps([kind, self._domain.statement(problem)])
        return Fingerprint(id=id, text=text, structure=f"{kind}:{self._domain.signature(problem)}")
