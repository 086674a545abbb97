"""Cheap checks of what self-made curricula do wrong, one function each, over the summaries of the rounds so far.

A detector looks at the last summary, or at a window of the last few, and returns an alarm that names the tasks, gives
the numbers and says what to do, or ``None``. It never acts. Thresholds are starting points, not measurements: set them
from the rates of a healthy run of the same campaign.

Left out: what needs transcripts or the payoff matrix of a population (a reward-hacking monitor, cycles, collapse
against an anchored opponent) and what needs clock times (a verifier's latency).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

Action = Literal["continue", "pause", "rollback"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSummary:
    """One task of a round.

    Attributes:
        id: the task.
        attempts: its judged attempts in the round.
        successes: those that solved it.
        repeats_batch: the task of the same batch that it repeats, or empty.
        repeats_history: the earlier task that it repeats, or empty.
        vote_shares: the shares of equal answers, greatest first; empty where nobody voted.
        complexity: its length or nesting, in the campaign's unit, or ``None``.
        cluster: the name of its cluster of near duplicates; empty means that it is alone.
    """

    id: str
    attempts: int = 0
    successes: int = 0
    repeats_batch: str = ""
    repeats_history: str = ""
    vote_shares: tuple[float, ...] = ()
    complexity: float | None = None
    cluster: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSummary:
    """What detectors see of one round.

    Attributes:
        round: its number.
        tasks: the tasks that were proposed or played.
        pools: how many tasks each pool that is drawn from has.
        majority_rate: the mean share of answers that agree with the majority, or ``None``.
        gold_rate: the accuracy on the sealed sample with known answers, or ``None``.
        solver_rate: the solve rate on the original tasks, those that no proposer made, or ``None``.
        canaries: how many tasks with a known verdict were given to the verifier.
        failed_canaries: those on which it was wrong: a canary that passed or a known-good one that failed.
        mastered: for each task that was ever mastered, the posterior mean then and now.
    """

    round: int
    tasks: tuple[TaskSummary, ...] = ()
    pools: Mapping[str, int] = field(default_factory=dict)
    majority_rate: float | None = None
    gold_rate: float | None = None
    solver_rate: float | None = None
    canaries: int = 0
    failed_canaries: tuple[str, ...] = ()
    mastered: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """What a detector found.

    Attributes:
        detector: the detector's name.
        evidence: the numbers, thresholds included; JSON values.
        tasks: the tasks that it is about; empty when it is about all.
        action: what to do: note it and go on, pause for a person, or go back to an earlier checkpoint.
    """

    detector: str
    evidence: Mapping[str, Any]
    tasks: tuple[str, ...]
    action: Action

    def fields(self) -> dict[str, Any]:
        """Returns the fields of the ledger's event ``alarm``."""
        return {
            "detector": self.detector,
            "evidence": dict(self.evidence),
            "tasks": list(self.tasks),
            "action": self.action,
        }


History = Sequence[RoundSummary]
"""The rounds so far, the one to judge last; not empty."""

Detector = Callable[[History], Alarm | None]


def batch_duplicates(history: History, *, most: float = 0.3, least_tasks: int = 4) -> Alarm | None:
    """Alarms when more than ``most`` of the batch repeats another task of it."""
    tasks = history[-1].tasks
    hits = [task.id for task in tasks if task.repeats_batch]
    return _too_many("batch_duplicates", hits, len(tasks), most, least_tasks, "continue")


def history_duplicates(history: History, *, most: float = 0.3, least_tasks: int = 4) -> Alarm | None:
    """Alarms when more than ``most`` of the batch repeats a task of an earlier round."""
    tasks = history[-1].tasks
    hits = [task.id for task in tasks if task.repeats_history]
    return _too_many("history_duplicates", hits, len(tasks), most, least_tasks, "continue")


def trivial_flooding(history: History, *, most: float = 0.5, least_tasks: int = 4) -> Alarm | None:
    """Alarms when more than ``most`` of the tasks with two judged attempts or more were always solved."""
    judged = _judged(history[-1])
    hits = [task.id for task in judged if task.successes == task.attempts]
    return _too_many("trivial_flooding", hits, len(judged), most, least_tasks, "continue")


def unsolvable_flooding(history: History, *, most: float = 0.5, least_tasks: int = 4) -> Alarm | None:
    """Alarms when more than ``most`` of the tasks with two judged attempts or more were never solved."""
    judged = _judged(history[-1])
    hits = [task.id for task in judged if task.successes == 0]
    return _too_many("unsolvable_flooding", hits, len(judged), most, least_tasks, "continue")


def ambiguity(history: History, *, least_margin: float = 0.2, most: float = 0.3, least_tasks: int = 4) -> Alarm | None:
    """Alarms when on more than ``most`` of the tasks with votes the two best answers are within ``least_margin``."""
    voted = [task for task in history[-1].tasks if task.vote_shares]
    hits = [task.id for task in voted if _margin(task.vote_shares) < least_margin]
    return _too_many("ambiguity", hits, len(voted), most, least_tasks, "pause", least_margin=least_margin)


def label_drift(history: History, *, window: int = 4, least_move: float = 0.05) -> Alarm | None:
    """Alarms when over a window agreement rose and accuracy on the sealed sample fell, each by ``least_move``.

    That is a solver agreeing with itself on wrong labels.
    """
    rounds = history[-window:]
    pairs = [(one.majority_rate, one.gold_rate) for one in rounds]
    known = [(majority, gold) for majority, gold in pairs if majority is not None and gold is not None]
    if len(rounds) < window or len(known) < 2:
        return None
    rise, fall = known[-1][0] - known[0][0], known[0][1] - known[-1][1]
    if rise < least_move or fall < least_move:
        return None
    evidence = {"majority_rise": rise, "gold_fall": fall, "window": window, "least_move": least_move}
    return Alarm(detector="label_drift", evidence=evidence, tasks=(), action="rollback")


def silent_window(history: History, *, window: int = 3) -> Alarm | None:
    """Alarms when every round of a window has judged attempts and not one success: more often a fault than a limit."""
    rounds = history[-window:]
    attempts = [sum(task.attempts for task in one.tasks) for one in rounds]
    if len(rounds) < window or not all(attempts) or any(task.successes for one in rounds for task in one.tasks):
        return None
    tried = tuple(task.id for task in rounds[-1].tasks if task.attempts)
    return Alarm(
        detector="silent_window",
        evidence={"window": window, "attempts": sum(attempts), "successes": 0},
        tasks=tried,
        action="pause",
    )


def canary_failures(history: History, *, most: int = 0) -> Alarm | None:
    """Alarms when the verifier was wrong on more than ``most`` tasks with a known verdict: it is being exploited."""
    last = history[-1]
    if len(last.failed_canaries) <= most:
        return None
    evidence = {"failed": len(last.failed_canaries), "canaries": last.canaries, "most": most}
    return Alarm(detector="canary_failures", evidence=evidence, tasks=last.failed_canaries, action="rollback")


def pool_starvation(history: History, *, least: int = 1) -> Alarm | None:
    """Alarms when a pool that is drawn from has fewer than ``least`` tasks."""
    short = {name: size for name, size in history[-1].pools.items() if size < least}
    if not short:
        return None
    return Alarm(detector="pool_starvation", evidence={"pools": short, "least": least}, tasks=(), action="continue")


def forgetting(history: History, *, most_fall: float = 0.2) -> Alarm | None:
    """Alarms when the posterior mean of a task that was once mastered fell by more than ``most_fall``."""
    falls = {id: then - now for id, (then, now) in history[-1].mastered.items() if then - now > most_fall}
    if not falls:
        return None
    worst = sorted(falls, key=lambda id: (-falls[id], id))
    evidence = {"fell": len(falls), "mastered": len(history[-1].mastered), "worst_fall": falls[worst[0]]}
    return Alarm(
        detector="forgetting", evidence={**evidence, "most_fall": most_fall}, tasks=tuple(worst), action="continue"
    )


def complexity_hacking(
    history: History, *, window: int = 4, most_growth: float = 0.1, least_gain: float = 0.02
) -> Alarm | None:
    """Alarms when tasks grow by more than ``most_growth`` of their mean a round while the solver gains nothing.

    The growth is the least-squares slope of the mean complexity; the gain is the solver's on the original tasks, from
    the first to the last round of the window.
    """
    rounds = [one for one in history[-window:] if _mean_complexity(one) is not None and one.solver_rate is not None]
    if len(rounds) < max(window, 2):
        return None
    means = [_mean_complexity(one) or 0.0 for one in rounds]
    level = sum(means) / len(means)
    growth = float(np.polyfit(range(len(means)), means, 1)[0]) / level if level > 0 else 0.0
    gain = (rounds[-1].solver_rate or 0.0) - (rounds[0].solver_rate or 0.0)
    if growth <= most_growth or gain >= least_gain:
        return None
    evidence = {"growth": growth, "gain": gain, "most_growth": most_growth, "least_gain": least_gain, "window": window}
    long = tuple(task.id for task in rounds[-1].tasks if (task.complexity or 0.0) > level)
    return Alarm(detector="complexity_hacking", evidence=evidence, tasks=long, action="continue")


def few_clusters(history: History, *, least_share: float = 0.3, least_tasks: int = 4) -> Alarm | None:
    """Alarms when the effective number of clusters, e to their entropy, is below ``least_share`` of the batch."""
    tasks = history[-1].tasks
    if len(tasks) < least_tasks:
        return None
    sizes = Counter(("cluster", task.cluster) if task.cluster else ("task", task.id) for task in tasks)
    effective = effective_number(list(sizes.values()))
    if effective / len(tasks) >= least_share:
        return None
    largest = max(sizes.values())
    crowd = tuple(task.id for task in tasks if task.cluster and sizes["cluster", task.cluster] == largest)
    evidence = {
        "entropy_nats": math.log(effective),
        "effective_clusters": effective,
        "tasks": len(tasks),
        "least_share": least_share,
    }
    return Alarm(detector="few_clusters", evidence=evidence, tasks=crowd, action="continue")


DETECTORS: Mapping[str, Detector] = MappingProxyType(
    {
        "batch_duplicates": batch_duplicates,
        "history_duplicates": history_duplicates,
        "trivial_flooding": trivial_flooding,
        "unsolvable_flooding": unsolvable_flooding,
        "ambiguity": ambiguity,
        "label_drift": label_drift,
        "silent_window": silent_window,
        "canary_failures": canary_failures,
        "pool_starvation": pool_starvation,
        "forgetting": forgetting,
        "complexity_hacking": complexity_hacking,
        "few_clusters": few_clusters,
    }
)
"""Every detector by name, each with its default thresholds; ``functools.partial`` sets others."""


def alarms(history: History, detectors: Mapping[str, Detector] = DETECTORS) -> list[Alarm]:
    """Returns what each detector found in the last round, in their order; nothing for no round."""
    found = [detect(history) for detect in detectors.values()] if history else []
    return [alarm for alarm in found if alarm is not None]


def effective_number(sizes: Sequence[int]) -> float:
    """Returns e to the entropy of the shares: k for k groups of equal size, 1 for a single one.

    ``sizes`` are positive counts, at least one.
    """
    shares = np.asarray(sizes, dtype=float) / sum(sizes)
    return math.exp(-float(np.sum(shares * np.log(shares))))


def _too_many(
    detector: str, hits: Sequence[str], total: int, most: float, least_tasks: int, action: Action, **more: float
) -> Alarm | None:
    if total < least_tasks or len(hits) / total <= most:
        return None
    evidence = {"rate": len(hits) / total, "hits": len(hits), "tasks": total, "most": most, **more}
    return Alarm(detector=detector, evidence=evidence, tasks=tuple(hits), action=action)


def _judged(summary: RoundSummary) -> list[TaskSummary]:
    return [task for task in summary.tasks if task.attempts >= 2]


def _margin(shares: Sequence[float]) -> float:
    first, second = [*sorted(shares, reverse=True), 0.0][:2]
    return first - second


def _mean_complexity(summary: RoundSummary) -> float | None:
    known = [task.complexity for task in summary.tasks if task.complexity is not None]
    return sum(known) / len(known) if known else None
