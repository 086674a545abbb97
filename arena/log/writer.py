"""Writing the episode log: one open segment, flushed event by event, committed by one rename.

A crash leaves either the committed segment or an open one that nobody counts on; a resumed run moves the latter, and
whatever is later than its checkpoint, to ``abandoned/``. Nothing is ever deleted or rewritten. One process writes a
run; a lock on ``rounds/.writer.lock`` keeps a second one out and ends with its process.

After a failed write (a full disk, above all) the log takes nothing more: the open segment may end in half a line, and
the committed rounds are intact. Left out: clock times outside ``timings.jsonl``, and with them every other thing that
would differ between two runs of one seed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import pyarrow.parquet as pq

from arena.errors import LogError
from arena.log import durable, schema
from arena.log.episode_columns import episode_batch
from arena.log.reader import committed_rounds, segment_path
from arena.log.text_codec import dump_json
from arena.types import Episode

T = TypeVar("T")

_RESERVED = frozenset({"v", "event", "round"})


class RunLog:
    """The one writer of a run's log.

    Args:
        directory: the run's directory; made when it does not exist.

    Raises:
        LogError: another process writes this run, or the directory cannot be made.
    """

    def __init__(self, directory: Path | str) -> None:
        self.directory = Path(directory)
        self._rounds = self.directory / schema.ROUNDS
        self._open = self._rounds / schema.OPEN
        self._round: int | None = None
        self._failed = False
        self._counts = {"events": 0, "episodes": 0}
        self._metrics: dict[str, object] = {}
        self._files: dict[str, int] = {}
        self._parquet: pq.ParquetWriter | None = None
        self._attempt(self._rounds, 0, lambda: self._rounds.mkdir(parents=True, exist_ok=True))
        self._lock = self._take_lock()

    def committed_rounds(self) -> list[int]:
        """Returns the committed rounds, in order."""
        return committed_rounds(self.directory)

    def open_round(self, number: int) -> None:
        """Opens the segment of a round.

        Raises:
            LogError: a round is open, a crash left one, or ``number`` is not later than every committed round.
        """
        if self._round is not None or self._open.exists():
            raise LogError(
                f"{self._open}: expected no open segment before round {number}, got one; commit it, or call "
                "abandon_after with the round to resume from"
            )
        committed = self.committed_rounds()
        if number < 0 or (committed and number <= committed[-1]):
            raise LogError(
                f"{self._rounds}: expected a round later than {committed[-1] if committed else -1}, got {number}; "
                "call abandon_after to go back to an earlier round"
            )
        self._check_usable()
        self._attempt(self._open, 0, self._open.mkdir)
        for name in (schema.EVENTS, schema.TIMINGS):
            self._files[name] = self._create(name)
        self._round, self._metrics = number, {}
        self._counts = {"events": 0, "episodes": 0}

    def event(self, kind: str, /, **fields: object) -> None:
        """Appends one event; readers see it at once.

        Args:
            kind: what happened, for example ``evaluation``.
            fields: JSON values, mappings, numpy scalars and arrays; no clock times.

        Raises:
            LogError: a field is reserved or no JSON value, no round is open, or the write failed.
        """
        if kind == schema.COMMITTED or (taken := sorted(_RESERVED & fields.keys())):
            raise LogError(
                f"event {kind!r}: expected a kind other than {schema.COMMITTED!r} and fields other than "
                f"{sorted(_RESERVED)}, got {taken if kind != schema.COMMITTED else kind}; rename it"
            )
        self._append(schema.EVENTS, {"event": kind}, fields)
        self._counts["events"] += 1

    def timing(self, **fields: object) -> None:
        """Appends one record of clock times to ``timings.jsonl``, the only file that may hold any.

        Raises:
            LogError: a field is reserved or no JSON value, no round is open, or the write failed.
        """
        if taken := sorted(_RESERVED & fields.keys()):
            raise LogError(f"timing: expected fields other than {sorted(_RESERVED)}, got {taken}; rename them")
        self._append(schema.TIMINGS, {}, fields)

    def episodes(self, episodes: Sequence[Episode]) -> None:
        """Appends episodes as one Parquet row group (write a round, or a chunk of fixed size, at a time).

        Raises:
            LogError: a value does not fit its column, no round is open, or the write failed.
        """
        self._require_round()
        if not episodes:
            return
        batch = episode_batch(episodes)
        self._attempt(self._open / schema.EPISODES, batch.nbytes, lambda: self._episode_file().write_batch(batch))
        self._counts["episodes"] += len(episodes)

    def metrics(self, metrics: Mapping[str, object]) -> None:
        """Adds to the round's metrics; a later value of the same name replaces an earlier one.

        Raises:
            LogError: a value is no JSON value (``None`` stands for a number that does not exist), or no round is open.
        """
        self._require_round()
        dump_json(metrics, "metrics")
        self._metrics.update(metrics)

    def commit(self) -> Path:
        """Closes the open segment, makes it durable and renames it to its round.

        Returns:
            The committed segment.

        Raises:
            LogError: no round is open, or a write failed; then the round is not committed.
        """
        number = self._require_round()
        self._append(schema.EVENTS, {"event": schema.COMMITTED}, self._counts)
        self._write_metrics()
        self._attempt(self._open / schema.EPISODES, 0, lambda: self._episode_file().close())
        self._parquet = None
        for name in (schema.EVENTS, schema.EPISODES, schema.METRICS, schema.TIMINGS):
            self._attempt(self._open / name, 0, partial(durable.sync, self._open / name))
        target = segment_path(self.directory, number)
        self._attempt(target, 0, partial(durable.rename_folder, self._open, target))
        self._forget()
        return target

    def abandon_after(self, number: int) -> list[Path]:
        """Moves the segments of later rounds, and a stale open one, to ``abandoned/<attempt>/``.

        Args:
            number: the last round to keep; -1 keeps none.

        Returns:
            Where the segments lie now.

        Raises:
            LogError: a round of this writer is open, or a segment cannot be moved.
        """
        if self._round is not None:
            raise LogError(f"{self._open}: expected no round in progress, got round {self._round}; commit it first")
        stale = [segment_path(self.directory, later) for later in self.committed_rounds() if later > number]
        stale += [self._open] if self._open.exists() else []
        if not stale:
            return []
        target = self._attempt(self.directory / schema.ABANDONED, 0, self._new_attempt)
        # The latest first: whatever interrupts this, the rounds that remain have no gap.
        for segment in reversed(stale):
            self._attempt(segment, 0, partial(durable.rename_folder, segment, target / segment.name))
        return [target / segment.name for segment in stale]

    def close(self) -> None:
        """Releases the files and the lock; an open round stays open, to be abandoned."""
        if self._parquet is not None:
            try:
                self._parquet.close()
            except OSError:
                self._failed = True  # it was not committed, so nothing is lost with it
            self._parquet = None
        self._forget()
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def __enter__(self) -> RunLog:
        """Returns the log."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the log."""
        self.close()

    def _take_lock(self) -> int:
        path = self._rounds / ".writer.lock"
        try:
            return durable.lock(path)
        except BlockingIOError as error:
            raise LogError(
                f"{path}: expected no other writer of this run, got one that holds the lock; wait for its process, "
                "or stop it"
            ) from error
        except OSError as error:
            raise LogError(f"{path}: expected to lock it, got {error}; use a file system with locks") from error

    def _check_usable(self) -> None:
        if self._failed or self._lock < 0:
            state = "one that failed to write" if self._failed else "a closed one"
            raise LogError(f"{self.directory}: expected a usable log, got {state}; resume the run from its checkpoint")

    def _require_round(self) -> int:
        self._check_usable()
        if self._round is None:
            raise LogError(f"{self.directory}: expected an open round, got none; call open_round first")
        return self._round

    def _append(self, name: str, head: Mapping[str, str], fields: Mapping[str, object]) -> None:
        number = self._require_round()
        record = {"v": schema.SCHEMA_VERSION, **head, "round": number, **fields}
        line = dump_json(record, f"{name}, round {number}").encode("ascii") + b"\n"
        self._attempt(self._open / name, len(line), lambda: durable.write_all(self._files[name], line))

    def _write_metrics(self) -> None:
        record = {"v": schema.SCHEMA_VERSION, "round": self._round, "metrics": self._metrics}
        data = dump_json(record, "metrics").encode("ascii") + b"\n"
        self._files[schema.METRICS] = self._create(schema.METRICS)
        self._attempt(
            self._open / schema.METRICS, len(data), lambda: durable.write_all(self._files[schema.METRICS], data)
        )

    def _create(self, name: str) -> int:
        return self._attempt(self._open / name, 0, lambda: durable.create(self._open / name))

    def _episode_file(self) -> pq.ParquetWriter:
        if self._parquet is None:
            # Everything that decides about bytes is named here, so that a new default of pyarrow changes nothing.
            self._parquet = pq.ParquetWriter(
                str(self._open / schema.EPISODES),
                schema.EPISODE,
                compression="zstd",
                compression_level=3,
                use_dictionary=True,
                version="2.6",
                data_page_version="1.0",
            )
        return self._parquet

    def _new_attempt(self) -> Path:
        folder = self.directory / schema.ABANDONED
        folder.mkdir(exist_ok=True)
        last = max((int(path.name) for path in folder.iterdir() if path.name.isdigit()), default=0)
        attempt = folder / f"{last + 1:06d}"
        attempt.mkdir()
        return attempt

    def _forget(self) -> None:
        for descriptor in self._files.values():
            os.close(descriptor)
        self._files, self._round = {}, None

    def _attempt(self, path: Path, size: int, act: Callable[[], T]) -> T:
        """Does one thing to a file; an operating system's error becomes a ``LogError`` and ends the log."""
        try:
            return act()
        except OSError as error:
            self._failed = True
            raise LogError(
                f"{path}: expected to write {size} bytes, got {error}; nothing committed is lost: free space or mend "
                "the file system, then resume the run"
            ) from error
