"""The campaign loop: the same for every system.

Schedule.next -> Curriculum.propose -> matchmaking -> Sampler over the runtime -> refills -> Curriculum.settle
-> estimator -> objective -> learner -> new policy versions -> Curriculum.observe -> log, evaluation, checkpoint
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial

from arena.domains.verifier import DomainVerifier
from arena.log import RunLog
from arena.types import EpisodeGroup, Settlement
from curricula.curriculum import Measured, Recorded
from training.campaign_game import CampaignGame
from training.campaign_state import announced, capture
from training.checkpoints import save_checkpoint
from training.config import CampaignConfig
from training.credit import CreditAssignment
from training.evaluator import Evaluator
from training.hindsight import hindsight
from training.metrics import DerivedMetrics, round_metrics
from training.opponents.matchmaking import Population
from training.policies import Policy, Snapshots
from training.refill import refilled
from training.rows import Row
from training.run_directory import RunDirectory
from training.runtimes.local import LocalRuntime
from training.samplers.sampler import EpisodePlan
from training.schedules.schedule import Phase, Schedule
from training.units import units_of
from training.watcher import Watcher


@dataclass(slots=True, kw_only=True)
class Campaign:
    """Everything a campaign needs, assembled (``training.assembly``), and the loop over it.

    ``seconds`` holds how long the parts of the present round took; ``warm_start_s`` how long its models took to load or
    to make.
    """

    config: CampaignConfig
    run: RunDirectory
    log: RunLog
    policies: Mapping[str, Policy]
    snapshots: Snapshots
    games: Mapping[str, CampaignGame]
    schedule: Schedule
    runtime: LocalRuntime
    credit: CreditAssignment
    evaluator: Evaluator
    derived: DerivedMetrics
    watcher: Watcher
    stop_requested: Callable[[], bool] = lambda: False
    rounds_done: int = 0
    resumed: bool = False
    warm_start_s: float = 0.0
    seconds: dict[str, float] = field(default_factory=dict)

    def play(self) -> bool:
        """Runs rounds until the schedule ends or a stop is asked for; returns whether the campaign is complete."""
        while (phase := self.schedule.next(self.rounds_done)) is not None:
            if self.stop_requested():
                self.checkpoint()
                return False
            self._round(phase)
        self.checkpoint()
        return True

    def _round(self, phase: Phase) -> None:
        self.seconds = {}
        started, verified = time.perf_counter(), self._verified_s()
        self.log.open_round(phase.round)
        if phase.round == 0:
            self.log.event("run_started", **announced(self))
            self._evaluate()
            self._probe()
        elif self.resumed:
            self.log.event("resumed", from_round=phase.round)
        self.resumed = False
        plans = self._plan(phase)
        metrics: dict[str, float] = {}
        with self._timed("rollout_s"):
            propose, first = partial(self._propose, phase.round), sum(map(len, plans.values()))
            batches = refilled(self.runtime.batches(plans), self.games, self.runtime, propose, first)
        for batch, kept in batches:
            groups = [group for name in batch.groups for group in batch.groups[name]]
            with self._timed("update_s"):
                metrics |= self._learn(phase, batch.groups, kept)
            with self._timed("log_s"):
                self.log.episodes([episode for group in groups for episode in group.episodes])
            metrics |= round_metrics(batch.groups)
        self.rounds_done = phase.round + 1
        if self._due(self.config.snapshot_every):
            self._snapshot()
        if self._due(self.config.evaluate_every) or self.schedule.next(self.rounds_done) is None:
            metrics |= self._evaluate()
        if self.schedule.next(self.rounds_done) is None:
            self._probe()
            self.log.event("run_finished", rounds=self.rounds_done)
        self.seconds["verify_s"] = self._verified_s() - verified
        self._commit(phase.round, metrics, time.perf_counter() - started)

    def _plan(self, phase: Phase) -> dict[str, list[EpisodePlan]]:
        plans: dict[str, list[EpisodePlan]] = {}
        for name, episodes in phase.episodes.items():
            plans[name] = self._propose(phase.round, name, episodes, sum(map(len, plans.values())))
        return plans

    def _propose(self, round_index: int, name: str, episodes: int, first: int, refill: int = 0) -> list[EpisodePlan]:
        population: Population = self.snapshots.population()
        plans = self.games[name].plan(self.config.seed, round_index, episodes, population, first, refill)
        tasks = {plan.group_id: plan.task for plan in plans}
        authors = sorted({task.author for task in tasks.values()})
        again = {"refill": refill} if refill else {}
        self.log.event("tasks_proposed", game=name, tasks=len(tasks), authors=authors, **again)
        return plans

    def _learn(
        self, phase: Phase, by_game: Mapping[str, Sequence[EpisodeGroup]], kept: Mapping[str, Sequence[EpisodeGroup]]
    ) -> dict[str, float]:
        settlements: list[Settlement] = []
        for name, played in by_game.items():
            settlements += self.games[name].curriculum.settle(played)
        units = units_of([group for name in kept for group in kept[name]], settlements)
        rows, credits = self.credit.assign(units)
        metrics = self._hindsight(kept, rows)
        metrics |= self._update(phase, rows)
        for name, played in by_game.items():
            own = {episode.id for group in played for episode in group.episodes}
            self.games[name].curriculum.observe(played, [c for c in credits if c.episode_id in own])
            metrics |= {f"{name}/{key}": value for key, value in self._record(name).items()}
        return metrics

    def _hindsight(self, by_game: Mapping[str, Sequence[EpisodeGroup]], rows: dict[str, list[Row]]) -> dict[str, float]:
        """Adds the rows that games make of wrong answers; returns how many, and how many were left out as sealed."""
        metrics: dict[str, float] = {}
        for name, played in by_game.items():
            if not self.games[name].hindsight.weight:
                continue
            found = hindsight(self.games[name], played)
            for policy, more in found.rows.items():
                rows.setdefault(policy, []).extend(more)
            metrics[f"{name}/hindsight"] = float(sum(map(len, found.rows.values())))
            metrics[f"{name}/hindsight_sealed"] = float(found.sealed)
        return metrics

    def _record(self, name: str) -> Mapping[str, float]:
        """Writes what a curriculum remembers into the log, so that it can be rebuilt from there; returns its rates."""
        curriculum = self.games[name].curriculum
        if isinstance(curriculum, Recorded):
            for kind, fields in curriculum.drain():
                self.log.event(kind, **fields)
        return curriculum.metrics() if isinstance(curriculum, Measured) else {}

    def _update(self, phase: Phase, rows: Mapping[str, Sequence[Row]]) -> dict[str, float]:
        metrics: dict[str, float] = {}
        for name, policy in self.policies.items():
            if policy.learner is None or name not in phase.trained or not rows.get(name):
                continue
            report = policy.learner.update(rows[name], phase.round)
            policy.publish()
            advantages = self.credit.statistics(name)
            self.log.event("updated", policy=name, version=policy.version, advantage=advantages, **report)
            metrics |= {f"{name}/{key}": value for key, value in report.items()}
        return metrics

    def _evaluate(self) -> dict[str, float]:
        with self._timed("evaluate_s"), self._averaged():
            events = self.evaluator.evaluate()
        metrics: dict[str, float] = {}
        for event in events:
            self.log.event("evaluated", rounds_done=self.rounds_done, **event)
            self.watcher.evaluated(self.rounds_done, event)
            metrics |= self.evaluator.headline(event)
        return metrics

    def _probe(self) -> None:
        with self._timed("evaluate_s"), self._averaged():
            for event in self.evaluator.probe():
                self.log.event("probed", rounds_done=self.rounds_done, **event)

    def _snapshot(self) -> None:
        for policy in self.policies.values():
            self.snapshots.add(policy)
            self.log.event("snapshot_added", policy=policy.name, version=policy.version)

    def _commit(self, round_index: int, metrics: Mapping[str, float], seconds: float) -> None:
        self.log.metrics(metrics)
        self.log.timing(round_s=seconds, **self.seconds)
        self.log.commit()
        self.derived.add(round_index, metrics)
        self.watcher.round(round_index, metrics, {"round_s": seconds, **self.seconds})
        if self._due(self.config.checkpoint_every):
            self.checkpoint()

    def checkpoint(self) -> None:
        """Writes everything that a resumed run needs to go on after the rounds that are done."""
        save_checkpoint(self.run.checkpoints, capture(self), self.config.keep_checkpoints)

    def close(self) -> None:
        """Stops what judges, and lets others write the run; an open round stays open, to be abandoned."""
        for verifier in self._verifiers():
            verifier.close()
        self.derived.close()
        self.log.close()

    def _verifiers(self) -> list[DomainVerifier]:
        own = {id(entry.verifier): entry.verifier for entry in self.games.values()}
        return [verifier for verifier in own.values() if isinstance(verifier, DomainVerifier)]

    def _verified_s(self) -> float:
        """Returns how long verifiers took so far; a part of the time of play and of evaluation."""
        return sum(verifier.seconds for verifier in self._verifiers())

    def _due(self, every: int) -> bool:
        return every > 0 and self.rounds_done % every == 0

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        """Lets every policy that keeps an average of its weights answer with it."""
        with ExitStack() as stack:
            for policy in self.policies.values():
                stack.enter_context(policy.averaged())
            yield

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started
