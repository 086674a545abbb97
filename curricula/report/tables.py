"""The page's last tables: events, and the metrics that no panel draws."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.visible import visible
from curricula.report.run_record import RunRecord
from curricula.report.series import Series, thinned
from curricula.report.transcript import FoldedText, folded
from curricula.report.wording import short

_MOST_EVENTS = 200
_TONES = {"alarm": "bad", "resumed": "warn", "run_finished": "good"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """One event of the table."""

    round: int
    kind: str
    tone: str
    text: FoldedText


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRow:
    """One metric of the table; ``points`` is its course as a polyline."""

    name: str
    first: str
    last: str
    least: str
    greatest: str
    points: str


def event_rows(run: RunRecord) -> tuple[tuple[EventRow, ...], int]:
    """Returns the latest events of a run, and how many earlier ones are left out."""
    happened = run.of_kind("run_started", "alarm", "resumed", "snapshot_added", "run_finished")
    rows = tuple(
        EventRow(
            round=int(event.get("round", 0)),
            kind=str(event["event"]).replace("_", " "),
            tone=_TONES.get(str(event["event"]), "plain"),
            text=folded(described(event), head=400, fold=8000),
        )
        for event in happened[-_MOST_EVENTS:]
    )
    return rows, len(happened) - len(rows)


def metric_row(series: Series) -> MetricRow:
    """Returns a metric's ends, extremes and course."""
    known = [value for value in series.values if value is not None]
    least, greatest = min(known), max(known)
    scale = 20 / (greatest - least) if greatest > least else 0.0
    thin = thinned(series, 120)
    step = 120 / max(1, len(thin.values) - 1)
    points = [
        f"{at * step:.1f},{20 - (value - least) * scale:.1f}"
        for at, value in enumerate(thin.values)
        if value is not None
    ]
    return MetricRow(
        name=visible(series.label),
        first=short(known[0]),
        last=short(known[-1]),
        least=short(least),
        greatest=short(greatest),
        points=" ".join(points),
    )


def described(event: Mapping[str, Any]) -> str:
    """Returns what an event says, in one line."""
    shown = {key: value for key, value in event.items() if key not in ("v", "event", "round", "versions")}
    return visible(pairs(shown))


def pairs(values: object) -> str:
    """Returns a mapping as ``name: value`` pairs; empty text for anything else."""
    if not isinstance(values, Mapping):
        return ""
    return " · ".join(
        f"{key.replace('_', ' ')}: {value if isinstance(value, str) else json.dumps(value, default=str)}"
        for key, value in values.items()
    )
