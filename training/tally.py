"""How played games came out: wins, draws and losses with intervals, and every other end told apart.

A count cannot flatter: what a seat wins because the other side forfeits stands apart, a truncated game is neither won
nor drawn but stays in the denominator, a failed or unjudged one leaves it. Every seat and every opponent meets the
same deals, so the mean over the seats of one deal cancels its luck (duplicate play, as in bridge and computer poker).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena.types import Episode, Status

Z = 1.96
"""Normal quantile of 95 % intervals."""


def wilson(successes: float, trials: int, z: float = Z) -> tuple[float, float, float]:
    """Returns the Wilson interval of a rate as (low, mid, high); mid is the plain rate.

    Source: E. B. Wilson, Probable inference, JASA 22 (1927).
    """
    if trials == 0:
        return 0.0, 0.5, 1.0
    rate = successes / trials
    centre = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    half = z * np.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return max(0.0, float(centre - half)), rate, min(1.0, float(centre + half))


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Returns the 95 % interval of a mean as (low, mid, high), by the normal law; all equal below two values."""
    mid = float(np.mean(values))
    half = Z * float(np.std(values, ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return mid - half, mid, mid + half


def offenders(episode: Episode) -> tuple[str, ...]:
    """Returns the seats whose forfeit ended an episode."""
    kind, _, seats = episode.reason.partition(":")
    return tuple(seats.split(",")) if kind == "forfeit" else ()


def result(episode: Episode, seat: str) -> str:
    """Returns how an episode came out for a seat.

    ``won``, ``drawn``, ``lost`` (a return above, equal to, below the best of the other seats; alone: a return above,
    equal to, below 0), ``won_by_forfeit`` (another seat forfeited), ``forfeited``, ``truncated``, ``failed`` or
    ``unjudged``.
    """
    if episode.status is Status.FAILED:
        return "failed"
    if episode.status is Status.TRUNCATED:
        return "truncated"
    if seat in offenders(episode):
        return "forfeited"
    if episode.returns.get(seat) is None:
        return "unjudged"
    if offenders(episode):
        return "won_by_forfeit"
    own = float(episode.returns[seat] or 0.0)
    best = max((float(v) for other, v in episode.returns.items() if other != seat and v is not None), default=0.0)
    return "won" if own > best else "lost" if own < best else "drawn"


def tally(seat: str, opponent: str, episodes: Sequence[Episode]) -> dict[str, Any]:
    """Returns how one seat fared.

    ``wins`` and ``losses`` hold those by forfeit, which ``won_by_forfeit`` and ``forfeits`` count again. ``win_rate``
    and ``not_lost_rate`` are over all games but the failed and the unjudged, as (low, mid, high); ``return_mean`` is
    over the games that have a return.
    """
    ends = [result(episode, seat) for episode in episodes]
    count = {end: ends.count(end) for end in dict.fromkeys(ends)}
    wins = count.get("won", 0) + count.get("won_by_forfeit", 0)
    draws = count.get("drawn", 0)
    judged = len(ends) - count.get("failed", 0) - count.get("unjudged", 0)
    own = returns_of(seat, episodes)
    return {
        "opponent": opponent,
        "seat": seat,
        "games": len(episodes),
        "wins": wins,
        "draws": draws,
        "losses": count.get("lost", 0) + count.get("forfeited", 0),
        "won_by_forfeit": count.get("won_by_forfeit", 0),
        "forfeits": count.get("forfeited", 0),
        "truncated": count.get("truncated", 0),
        "failed": count.get("failed", 0),
        "unjudged": count.get("unjudged", 0),
        "win_rate": list(wilson(wins, judged)),
        "not_lost_rate": list(wilson(wins + draws, judged)),
        "return_mean": float(np.mean(own)) if own else None,
    }


def returns_of(seat: str, episodes: Sequence[Episode]) -> list[float]:
    """Returns the seat's returns in the episodes that have one."""
    played = [episode for episode in episodes if episode.status is not Status.FAILED]
    return [float(value) for episode in played if (value := episode.returns.get(seat)) is not None]


def duplicates(opponent: str, episodes: Mapping[str, Sequence[Episode]]) -> dict[str, Any]:
    """Returns the mean return over all seats and deals, with an interval that the luck of the deal does not widen.

    The i-th episodes of all seats share one deal. A deal in which any of them failed or was left unjudged is left out.

    Args:
        opponent: whom every seat met.
        episodes: by the seat that was measured, in the order of the deals.

    Returns:
        ``deals`` (how many), ``return`` as (low, mid, high) over deals, and ``variance_ratio``: the variance of that
        mean divided by what the same number of unrelated deals a seat would have given (below 1: swapping paid off).
    """
    deals = [_deal(together) for together in _together(episodes)]
    table = np.array([deal for deal in deals if deal is not None], dtype=np.float64)
    if not len(table):
        return {"opponent": opponent, "deals": 0, "return": None, "variance_ratio": None}
    means = table.mean(axis=1)
    apart = float(table.var(axis=0, ddof=1).sum()) / table.shape[1] ** 2 if len(table) > 1 else 0.0
    return {
        "opponent": opponent,
        "deals": len(table),
        "return": list(mean_interval(means.tolist())),
        "variance_ratio": float(means.var(ddof=1)) / apart if apart else None,
    }


def _together(episodes: Mapping[str, Sequence[Episode]]) -> list[dict[str, Episode]]:
    rows = zip(*episodes.values(), strict=True)
    return [dict(zip(episodes, row, strict=True)) for row in rows]


def _deal(together: Mapping[str, Episode]) -> list[float] | None:
    values = [returns_of(seat, [episode]) for seat, episode in together.items()]
    return [value for (value,) in values] if all(values) else None
