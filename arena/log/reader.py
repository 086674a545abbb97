"""Reading the episode log while it is written, or long after.

A reader takes committed rounds in order and then the open one, of which it yields whole lines only: a line that is
still being written, or was torn by a crash, is not there yet (``open_segment`` counts its bytes). A committed segment
is held to more: every line whole, the closing count right, every file readable. Nothing here writes, and nothing
executes what it reads.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from arena.errors import LogError
from arena.log import schema
from arena.log.episode_rows import batch_episodes
from arena.log.text_codec import load_json
from arena.types import Episode


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of ``events.jsonl``.

    Attributes:
        round: the round it belongs to.
        kind: what happened.
        fields: what the writer said about it.
        committed: whether its round is; an event of the open round may still be abandoned.
    """

    round: int
    kind: str
    fields: Mapping[str, Any]
    committed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSegment:
    """The round in progress, or the one that a crash left.

    Attributes:
        round: its number, or ``None`` when no whole line is there yet.
        events: how many whole lines it has.
        torn_bytes: the length of a last line that is still being written or was torn.
    """

    round: int | None
    events: int
    torn_bytes: int


def committed_rounds(run_dir: Path | str) -> list[int]:
    """Returns the committed rounds, in order; empty when the run has none or does not exist."""
    rounds = Path(run_dir) / schema.ROUNDS
    if not rounds.is_dir():
        return []
    return sorted(int(path.name) for path in rounds.iterdir() if re.fullmatch(r"[0-9]{6,}", path.name))


def segment_path(run_dir: Path | str, number: int) -> Path:
    """Returns the folder of a committed round."""
    return Path(run_dir) / schema.ROUNDS / f"{number:06d}"


def read_events(run_dir: Path | str, kinds: Collection[str] | None = None) -> Iterator[Event]:
    """Yields the events of committed rounds in order, then those of the open round.

    Args:
        run_dir: the run's directory.
        kinds: the kinds of events wanted; all when ``None``. The closing count of a segment is never yielded.

    Raises:
        LogError: a committed segment was altered or torn, or the schema is newer.
    """
    last = -1
    while True:
        for number in (number for number in committed_rounds(run_dir) if number > last):
            yield from _wanted(_committed_events(run_dir, number), kinds)
            last = number
        stream = _open_stream(run_dir)
        if all(number <= last for number in committed_rounds(run_dir)):
            break
        # A round was committed between the two looks; read it as such, so that none is missed or read twice.
        if stream is not None:
            stream.close()
    if stream is not None:
        with stream:
            data = stream.read()
        yield from _wanted(_events(data[: data.rfind(b"\n") + 1], Path(stream.name), committed=False), kinds)


def open_segment(run_dir: Path | str) -> OpenSegment | None:
    """Returns what is known about the round in progress, or ``None`` when no round is open."""
    stream = _open_stream(run_dir)
    if stream is None:
        return None
    with stream:
        data = stream.read()
    whole = data.rfind(b"\n") + 1
    events = list(_events(data[:whole], Path(stream.name), committed=False))
    return OpenSegment(
        round=events[0].round if events else None,
        events=len(events),
        torn_bytes=len(data) - whole,
    )


def read_episodes(run_dir: Path | str, rounds: Collection[int] | None = None) -> Iterator[Episode]:
    """Yields the episodes of committed rounds, in the order in which they were written.

    Args:
        run_dir: the run's directory.
        rounds: which rounds, read in ascending order; all committed ones when ``None``.

    Raises:
        LogError: a round is not committed, a file was altered or torn, or the schema is newer.
    """
    for number in _chosen(run_dir, rounds):
        path = segment_path(run_dir, number) / schema.EPISODES
        try:
            with pq.ParquetFile(path) as file:
                _check_columns(file.schema_arrow, path)
                for group in range(file.num_row_groups):
                    for batch in file.read_row_group(group).combine_chunks().to_batches():
                        yield from batch_episodes(batch)
        except (OSError, pa.ArrowException, ValueError, KeyError) as error:
            raise LogError(
                f"{path}: expected the episodes of a committed round, got an unreadable file ({error}); "
                "restore the segment from a copy, or resume from an earlier checkpoint"
            ) from error


def read_metrics(run_dir: Path | str, rounds: Collection[int] | None = None) -> dict[int, dict[str, Any]]:
    """Returns the metrics of committed rounds by round.

    Raises:
        LogError: a round is not committed, a file was altered or torn, or the schema is newer.
    """
    found = {}
    for number in _chosen(run_dir, rounds):
        path = segment_path(run_dir, number) / schema.METRICS
        record = _record(_read(path), str(path))
        if not isinstance(metrics := record.get("metrics"), dict):
            raise LogError(f"{path}: expected the metrics of a round, got {record!r:.60}; the file was altered")
        found[number] = metrics
    return found


def read_timings(run_dir: Path | str, rounds: Collection[int] | None = None) -> Iterator[Mapping[str, Any]]:
    """Yields the timing records of committed rounds, each with its ``round``.

    Raises:
        LogError: a round is not committed, a file was altered or torn, or the schema is newer.
    """
    for number in _chosen(run_dir, rounds):
        path = segment_path(run_dir, number) / schema.TIMINGS
        for record in _records(_read(path), path):
            yield {key: value for key, value in record.items() if key != "v"}


def _chosen(run_dir: Path | str, rounds: Collection[int] | None) -> list[int]:
    known = committed_rounds(run_dir)
    if rounds is None:
        return known
    if missing := sorted(set(rounds) - set(known)):
        raise LogError(f"{run_dir}: expected committed rounds, got {missing}, which are not; committed: {known}")
    return sorted(set(rounds))


def _check_columns(found: pa.Schema, path: Path) -> None:
    metadata = found.metadata or {}
    version = metadata.get(schema.VERSION_KEY, b"")
    schema.check_version(int(version) if version.isdigit() else None, str(path))
    if not found.equals(schema.EPISODE):
        raise LogError(f"{path}: expected the columns of an episode log, got other ones; the file was altered")


def _open_stream(run_dir: Path | str) -> BinaryIO | None:
    try:
        return (Path(run_dir) / schema.ROUNDS / schema.OPEN / schema.EVENTS).open("rb")
    except FileNotFoundError:
        return None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LogError(
            f"{path}: expected a file of a committed round, got {error.strerror}; restore the segment from a copy"
        ) from error


def _wanted(events: Iterator[Event], kinds: Collection[str] | None) -> Iterator[Event]:
    for event in events:
        if event.kind != schema.COMMITTED and (kinds is None or event.kind in kinds):
            yield event


def _committed_events(run_dir: Path | str, number: int) -> Iterator[Event]:
    path = segment_path(run_dir, number) / schema.EVENTS
    count, closing = 0, None
    for event in _events(_read(path), path, committed=True):
        if event.round != number:
            raise LogError(f"{path}: expected events of round {number}, got one of {event.round}; the file was altered")
        count, closing = count + 1, event
        yield event
    if closing is None or closing.kind != schema.COMMITTED or closing.fields.get("events") != count - 1:
        raise LogError(
            f"{path}: expected a closing line that counts {max(count - 1, 0)} events, got another end; "
            "the file was torn or altered: restore it from a copy, or resume from an earlier checkpoint"
        )


def _events(data: bytes, path: Path, *, committed: bool) -> Iterator[Event]:
    for record in _records(data, path):
        record.pop("v")
        if not isinstance(record.get("event"), str) or not isinstance(record.get("round"), int):
            raise LogError(
                f"{path}: expected an event and its round on every line, got {record!r:.100}; it was altered"
            )
        yield Event(kind=record.pop("event"), round=record.pop("round"), fields=record, committed=committed)


def _records(data: bytes, path: Path) -> Iterator[dict[str, Any]]:
    lines = data.split(b"\n")
    if lines.pop():
        raise LogError(
            f"{path}: expected whole lines in a committed round, got a torn last one; restore it from a copy"
        )
    for number, line in enumerate(lines, start=1):
        yield _record(line, f"{path}:{number}")


def _record(line: bytes, where: str) -> dict[str, Any]:
    record = load_json(line.decode("ascii", "replace"), where)
    if not isinstance(record, dict):
        raise LogError(f"{where}: expected a JSON object, got {record!r:.60}; the file was altered")
    schema.check_version(record.get("v"), where)
    return record
