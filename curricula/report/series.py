"""Curves over rounds, taken from evaluation events, update events and metrics.

A curve is a label with rounds and values, and, where a rate was estimated, the ends of its interval. Values that are
not finite numbers become gaps. Long curves are thinned evenly, with the last point kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from curricula.report.wording import policies

_MOST_POINTS = 1200
_MOST_CURVES = 8
_RETURNS = "Returns by seat"

FAMILIES: tuple[tuple[str, str], ...] = (
    ("illegal", "Illegal or missing actions"),
    ("entropy", "Entropy"),
    ("kl", "KL divergence"),
    ("return", _RETURNS),
    ("loss", "Loss"),
    ("grad_norm", "Gradient norm"),
    ("clip_rate", "Clipped share"),
    ("learning_rate", "Learning rate"),
)
"""Fragments of metric names and the titles of the panels that draw them, in the order of the page."""


Interval = tuple[float | None, float | None, float | None]
"""The lower end, the middle and the upper end, as far as they are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve over rounds.

    Attributes:
        label: what it is called in the legend.
        rounds: strictly increasing.
        values: one per round; ``None`` is a gap.
        low: lower ends of the intervals, or empty.
        high: upper ends of the intervals, or empty.
    """

    label: str
    rounds: tuple[int, ...]
    values: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()


def number(value: object) -> float | None:
    """Returns a finite float, or ``None`` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def interval(given: object) -> Interval:
    """Returns a logged ``[low, mid, high]``; what is missing is ``None``."""
    ends = given if isinstance(given, list | tuple) else ()
    low, mid, high = (*map(number, ends), None, None, None)[:3]
    return low, mid, high


def nash_conv(evaluated: Iterable[Mapping[str, Any]]) -> dict[str, list[Series]]:
    """Returns the NashConv curves by game, one per policy; games that were never solved are left out."""
    return _by_game(
        evaluated, lambda event: [(policies(str(event.get("policy", ""))), event.get("nash_conv"), None, None)]
    )


def win_rates(evaluated: Iterable[Mapping[str, Any]]) -> dict[str, list[Series]]:
    """Returns the win-rate curves by game, one per opponent and seat, with their intervals."""
    return _by_game(evaluated, _win_points)


def deal_returns(evaluated: Iterable[Mapping[str, Any]]) -> dict[str, list[Series]]:
    """Returns the mean returns over deals played from every seat by game, one per opponent, with their intervals."""
    return _by_game(evaluated, _deal_points)


def families(updated: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> dict[str, list[Series]]:
    """Returns the curves of each known family of metrics by the family's title, in the order of the page.

    A metric that repeats what an update event says of a policy (``player/kl`` beside the event's ``kl``) is not drawn
    again. The returns of several games have a panel a game. A panel shows its first eight curves.
    """
    drawn: dict[str, list[Series]] = {}
    curves = _distinct(updated, metrics)
    for _, title in FAMILIES:
        found = [curve for curve in curves if _family(curve.label) == title]
        games = list(dict.fromkeys(_game(curve.label) for curve in found)) if title == _RETURNS else []
        for curve in found:
            panel = f"{title} in {_game(curve.label)}" if len(games) > 1 else title
            drawn.setdefault(panel, []).append(curve)
    return {title: chosen[:_MOST_CURVES] for title, chosen in drawn.items()}


def other_metrics(updated: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> list[Series]:
    """Returns the curves that no family draws, by name."""
    drawn = {curve.label for chosen in families(updated, metrics).values() for curve in chosen}
    return [curve for curve in _distinct(updated, metrics) if curve.label not in drawn]


def thinned(series: Series, most: int = _MOST_POINTS) -> Series:
    """Returns at most ``most + 1`` evenly spread points of a curve, the last one among them."""
    count = len(series.rounds)
    if count <= most:
        return series
    stride = -(-count // most)
    keep = sorted({*range(0, count, stride), count - 1})
    picked = [
        tuple(values[index] for index in keep) if values else () for values in (series.values, series.low, series.high)
    ]
    rounds = tuple(series.rounds[index] for index in keep)
    return replace(series, rounds=rounds, values=picked[0], low=picked[1], high=picked[2])


def from_points(label: str, points: Mapping[int, tuple[Any, Any, Any]]) -> Series:
    """Builds a curve from ``{round: (value, low, high)}``; intervals stay only if some point has one."""
    rounds = tuple(sorted(points))
    values, low, high = (tuple(number(points[at][part]) for at in rounds) for part in range(3))
    banded = any(end is not None for end in low)
    return Series(label=label, rounds=rounds, values=values, low=low if banded else (), high=high if banded else ())


def _by_game(events: Iterable[Mapping[str, Any]], points_of: Any) -> dict[str, list[Series]]:  # noqa: ANN401
    games: dict[str, dict[str, dict[int, tuple[Any, Any, Any]]]] = {}
    for event in events:
        for label, value, low, high in points_of(event):
            if number(value) is not None:
                curves = games.setdefault(str(event.get("game", "")), {})
                curves.setdefault(label, {})[int(event.get("round", 0))] = (value, low, high)
    return {game: [from_points(label, points) for label, points in curves.items()] for game, curves in games.items()}


def _win_points(event: Mapping[str, Any]) -> list[tuple[str, Any, Any, Any]]:
    points = []
    for one in event.get("opponents") or ():
        low, middle, high = interval(one.get("win_rate"))
        points.append((f"{one.get('opponent', '?')}, as {one.get('seat', '?')}", middle, low, high))
    return points


def _deal_points(event: Mapping[str, Any]) -> list[tuple[str, Any, Any, Any]]:
    points = []
    for one in event.get("duplicates") or ():
        low, middle, high = interval(one.get("return"))
        points.append((str(one.get("opponent", "?")), middle, low, high))
    return points


def _update_series(updated: Iterable[Mapping[str, Any]]) -> list[Series]:
    points: dict[str, dict[int, tuple[Any, Any, Any]]] = {}
    for event in updated:
        for name in ("entropy", "kl", "loss", "grad_norm", "clip_rate", "learning_rate"):
            if number(event.get(name)) is not None:
                label = f"{event.get('policy', '?')} · {name}"
                points.setdefault(label, {})[int(event.get("round", 0))] = (event[name], None, None)
    return [from_points(label, each) for label, each in points.items()]


def _metric_series(metrics: Iterable[Mapping[str, Any]]) -> list[Series]:
    points: dict[str, dict[int, tuple[Any, Any, Any]]] = {}
    for row in metrics:
        for name, value in row.items():
            if name not in ("round", "v") and number(value) is not None:
                points.setdefault(name, {})[int(row.get("round", 0))] = (value, None, None)
    return [from_points(name, points[name]) for name in sorted(points)]


def _distinct(updated: Sequence[Mapping[str, Any]], metrics: Sequence[Mapping[str, Any]]) -> list[Series]:
    exact = _update_series(updated)
    known = {curve.label.replace(" · ", "/") for curve in exact}
    return [*exact, *(curve for curve in _metric_series(metrics) if curve.label not in known)]


def _game(label: str) -> str:
    return label.rpartition("/")[0]


def _family(label: str) -> str | None:
    return next((title for fragment, title in FAMILIES if _belongs(label, fragment)), None)


def _belongs(label: str, fragment: str) -> bool:
    last = label.rsplit(" · ", 1)[-1].rsplit("/", 1)[-1]
    if fragment == "illegal":
        return "illegal" in last
    if last.startswith("return_vs_"):  # an evaluation's, which has a figure of its own
        return False
    return last == fragment or last.startswith(f"{fragment}_") or last.endswith(f"_{fragment}")
