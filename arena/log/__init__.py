"""The episode log: append-only, typed, versioned, in one segment per round.

``RunLog`` writes, the ``read_*`` functions read::

    <run>/rounds/000012/events.jsonl      what happened, one JSON object a line
                        episodes.parquet  every episode whole, in nested typed columns
                        metrics.json      the round's numbers
                        timings.jsonl     all clock times, and nothing else
    <run>/rounds/open/                    the round in progress; a rename commits it
    <run>/abandoned/<attempt>/            segments later than the checkpoint that was resumed from

The first three files hold no clock, host or random identifier: the same seed gives the same bytes.
"""

from arena.log.reader import (
    Event,
    OpenSegment,
    committed_rounds,
    open_segment,
    read_episodes,
    read_events,
    read_metrics,
    read_timings,
)
from arena.log.schema import SCHEMA_VERSION
from arena.log.writer import RunLog

__all__ = [
    "SCHEMA_VERSION",
    "Event",
    "OpenSegment",
    "RunLog",
    "committed_rounds",
    "open_segment",
    "read_episodes",
    "read_events",
    "read_metrics",
    "read_timings",
]
