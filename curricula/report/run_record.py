"""What the page needs of a run, read from its log alone: finished, running and killed runs alike.

Committed rounds and the whole lines of an open one are read; per-task events are not, because the page does not draw
them. Episodes are read for three rounds (the first, the middle and the last), and no more than a few hundred of each
game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from arena.errors import InputError, LogError
from arena.log import Event, committed_rounds, open_segment, read_episodes, read_events, read_metrics
from arena.types import Episode

KINDS = ("run_started", "updated", "evaluated", "probed", "snapshot_added", "alarm", "resumed", "run_finished")
"""The kinds of events that the page draws."""

MEASURED = ("evaluated", "probed")
"""Those that measure the policy after a number of rounds."""

_MOST_OF_A_GAME = 400
_MOST_READ = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """What a run has cost so far."""

    episodes: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as the page sees it.

    Attributes:
        name: the run directory's name.
        config: the resolved config as text.
        events: the drawn events, in order, each with ``event`` and ``round``.
        metrics: one mapping per committed round, each with its ``round``.
        rounds: the committed rounds.
        samples: episodes of a few rounds, by round.
        totals: episodes and tokens.
        in_progress: whether an open segment exists.
    """

    name: str
    config: str
    events: tuple[Mapping[str, Any], ...]
    metrics: tuple[Mapping[str, Any], ...]
    rounds: tuple[int, ...]
    samples: Mapping[int, Sequence[Episode]]
    totals: Totals
    in_progress: bool

    def of_kind(self, *kinds: str) -> list[Mapping[str, Any]]:
        """Returns the events of the given kinds, in order."""
        return [event for event in self.events if event.get("event") in kinds]

    @property
    def finished(self) -> bool:
        """Whether the run said that it was done, and did not go on afterwards."""
        ends = self.of_kind("run_finished", "resumed")
        return bool(ends) and ends[-1].get("event") == "run_finished"


def _drawn(event: Event) -> dict[str, Any]:
    """Returns an event with the round at which it is drawn: a measurement stands after the rounds that are done."""
    at = event.fields.get("rounds_done", event.round)
    return {**event.fields, "event": event.kind, "round": at if event.kind in MEASURED else event.round}


def read_run(run_dir: Path) -> RunRecord:
    """Reads a run from its log.

    Raises:
        InputError: the directory holds no run.
        LogError: a committed segment is torn or altered.
    """
    rounds = tuple(committed_rounds(run_dir))
    opened = open_segment(run_dir)
    if not rounds and opened is None:
        raise InputError(f"{run_dir}: expected a run directory, got one without rounds/; name the folder of a run")
    events = tuple(_drawn(event) for event in read_events(run_dir, KINDS))
    return RunRecord(
        name=run_dir.resolve().name,
        config=_config(run_dir),
        events=events,
        metrics=tuple({**metrics, "round": at} for at, metrics in read_metrics(run_dir, rounds).items()),
        rounds=rounds,
        samples={at: _sample(read_episodes(run_dir, [at]), _games(events)) for at in _sampled(rounds)},
        totals=_totals(run_dir, rounds),
        in_progress=opened is not None,
    )


def _sampled(rounds: Sequence[int]) -> list[int]:
    """Returns the first, the middle and the last round, as far as they differ."""
    return sorted({rounds[0], rounds[len(rounds) // 2], rounds[-1]}) if rounds else []


def _games(events: Sequence[Mapping[str, Any]]) -> int:
    """Returns how many different games the run says that it plays."""
    named = [event.get("games") for event in events if event["event"] == "run_started"]
    entries = [one for games in named if isinstance(games, Mapping) for one in games.values()]
    return len({str(one.get("game")) for one in entries if isinstance(one, Mapping)}) or 1


def _sample(episodes: Iterable[Episode], games: int) -> list[Episode]:
    """Returns a few hundred episodes of each game; a round holds them game by game."""
    kept: list[Episode] = []
    counts: Counter[str] = Counter()
    for episode in islice(episodes, _MOST_READ):
        counts[episode.task.game] += 1
        if counts[episode.task.game] <= _MOST_OF_A_GAME:
            kept.append(episode)
        if sum(count >= _MOST_OF_A_GAME for count in counts.values()) >= games:
            break
    return kept


def _config(run_dir: Path) -> str:
    try:
        return (run_dir / "config.yaml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _totals(run_dir: Path, rounds: Sequence[int]) -> Totals:
    """Sums episodes and tokens over the Parquet files, reading the two columns of counts only."""
    counts = [0, 0, 0]
    for at in rounds:
        path = run_dir / "rounds" / f"{at:06d}" / "episodes.parquet"
        try:
            table = pq.read_table(path, columns=["prompt_tokens", "completion_tokens"], use_threads=False)
        except (OSError, pa.ArrowException) as error:
            raise LogError(
                f"{path}: expected the episodes of a committed round, got an unreadable file ({error}); restore it"
            ) from error
        counts[0] += table.num_rows
        counts[1] += sum(table["prompt_tokens"].to_pylist())
        counts[2] += sum(table["completion_tokens"].to_pylist())
    return Totals(episodes=counts[0], prompt_tokens=counts[1], completion_tokens=counts[2])
