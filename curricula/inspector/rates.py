"""Solve rates as every view tells them, and rounds put together where there are too many to show."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from curricula.beta_posterior import BetaPosterior

BINS = ("0", "up to 1/3", "between", "from 2/3", "1")
"""The bins of ``rate_bin``: never, seldom, now and then, mostly, always solved."""


@lru_cache(maxsize=65536)
def interval(successes: float, attempts: float) -> tuple[float, float]:
    """Returns the central 95 % credible interval of a solve rate under a uniform prior."""
    return BetaPosterior(alpha=1.0 + successes, beta=1.0 + attempts - successes).interval()


def solve_rate(successes: int, attempts: int) -> dict[str, Any]:
    """Returns ``attempts``, ``successes``, the posterior mean ``solve_rate`` and its 95 % ``interval``.

    The last two are ``None`` without an attempt: a prior is no finding.
    """
    told = {"attempts": attempts, "successes": successes}
    if not attempts:
        return {**told, "solve_rate": None, "interval": None}
    mean = (1 + successes) / (2 + attempts)
    return {**told, "solve_rate": mean, "interval": list(interval(successes, attempts))}


def rate_bin(successes: int, attempts: int) -> int:
    """Returns the place in ``BINS`` of a task's share of solved attempts; ``attempts`` is at least 1."""
    if successes in (0, attempts):
        return 0 if not successes else 4
    rate = successes / attempts
    return 1 if rate <= 1 / 3 else 3 if rate >= 2 / 3 else 2


def mean(values: Sequence[float]) -> float | None:
    """Returns the mean, or ``None`` of nothing."""
    return sum(values) / len(values) if values else None


def histogram(values: Sequence[float], low: float, high: float, bins: int = 10) -> list[int]:
    """Returns how many values each of ``bins`` equal parts of [low, high] holds; the last holds ``high`` too."""
    counts = [0] * bins
    for value in values:
        place = int((value - low) / (high - low) * bins) if high > low else 0
        counts[min(max(place, 0), bins - 1)] += 1
    return counts


def blocks(rounds: Sequence[int], most: int | None) -> list[tuple[int, int]]:
    """Returns the first and the last round of at most ``most`` blocks of as many rounds each, as far as they go."""
    ordered = sorted(set(rounds))
    size = 1 if most is None else max(1, -(-len(ordered) // most))
    parts = [ordered[start : start + size] for start in range(0, len(ordered), size)]
    return [(part[0], part[-1]) for part in parts]


def block_of(round: int, found: Sequence[tuple[int, int]]) -> int | None:
    """Returns the place of the block that holds a round, or ``None``."""
    place = bisect_right(found, round, key=lambda part: part[0]) - 1
    return place if place >= 0 and round <= found[place][1] else None
