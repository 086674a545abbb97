"""The tasks of a run with their history, rebuilt from its log: finished, running and killed runs alike.

The ledgers are the fold that the run itself made (``curricula.ledger``); beside them every task keeps its events with
the log's rounds, because a record holds only what they came to. A field that an older log lacks takes its default, and
one that is not known is left alone. An event that cannot be folded is counted in ``unread`` and changes nothing that
the fold had not reached.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from arena.errors import InputError
from arena.log import Event, committed_rounds, open_segment, read_events, read_metrics
from curricula.ledger import TaskLedger
from curricula.ledger_events import KINDS
from curricula.task_record import TaskRecord

FRAME = ("run_started", "evaluated", "resumed", "run_finished")
"""The kinds of events that are read beside a ledger's."""

_TASK_DEFAULTS: Mapping[str, Any] = {"params": {}, "seed": 0, "author": "", "parents": []}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskHistory:
    """One task: what is known about it, and every event that is about it.

    Attributes:
        id: the task's id.
        game: the game whose ledger holds it.
        record: what the fold made of it.
        events: its events, in order.
    """

    id: str
    game: str
    record: TaskRecord
    events: tuple[Event, ...]

    def of_kind(self, *kinds: str) -> list[Event]:
        """Returns the events of the given kinds, in order."""
        return [event for event in self.events if event.kind in kinds]


@dataclass(slots=True, kw_only=True)
class RunTasks:
    """Every ledger of a run, with histories.

    Attributes:
        ledgers: by game.
        rejections: every rejected proposal, in order.
        frame: the events of ``FRAME``, in order.
        metrics: the numbers of committed rounds, by round.
        rounds: the committed rounds.
        in_progress: the round that is open, or ``None``; a torn last line belongs to it and is not read.
        unread: how many events could not be folded, by kind and reason.
    """

    ledgers: dict[str, TaskLedger] = field(default_factory=dict)
    rejections: list[Event] = field(default_factory=list)
    frame: list[Event] = field(default_factory=list)
    metrics: dict[int, dict[str, Any]] = field(default_factory=dict)
    rounds: list[int] = field(default_factory=list)
    in_progress: int | None = None
    unread: Counter[str] = field(default_factory=Counter)
    _events: defaultdict[tuple[str, str], list[Event]] = field(default_factory=lambda: defaultdict(list))

    def observe(self, event: Event) -> None:
        """Folds one event of the log."""
        if event.kind in FRAME:
            self.frame.append(event)
        game = event.fields.get("game")
        if event.kind not in KINDS or not isinstance(game, str):
            return
        whole = _whole(event)
        if game not in self.ledgers:
            self.ledgers[game] = TaskLedger(game)
        try:
            self.ledgers[game].apply(event.kind, whole.fields)
            id = _about(whole)
        except (InputError, LookupError, TypeError, ValueError, AttributeError) as error:
            self.unread[f"{event.kind}: {type(error).__name__}"] += 1
            return
        if event.kind == "task_rejected":
            self.rejections.append(whole)
        if id:
            self._events[game, id].append(whole)

    def tasks(self) -> Iterator[TaskHistory]:
        """Yields every task, in the order of proposal."""
        for game, ledger in self.ledgers.items():
            for id, record in ledger.records.items():
                yield TaskHistory(id=id, game=game, record=record, events=tuple(self._events[game, id]))

    def __len__(self) -> int:
        """How many tasks were proposed or rejected."""
        return sum(map(len, self.ledgers.values())) + sum(not event.fields["id"] for event in self.rejections)

    def find(self, id: str) -> TaskHistory:
        """Returns the task of an id, or of the only id that begins like it.

        Raises:
            InputError: there is none, or more than one.
        """
        known = {one: game for game, ledger in self.ledgers.items() for one in ledger.records}
        found = [id] if id in known else [one for one in known if id and one.startswith(id)]
        if len(found) != 1:
            near = found[:5] or get_close_matches(id, known, n=3, cutoff=0.0)
            raise InputError(
                f"task: expected the id of one of {len(known)} tasks or the beginning of one, got {id!r}; "
                f"{'more than one begins so' if found else 'nearest'}: {', '.join(near) or 'none'}"
            )
        whole, game = found[0], known[found[0]]
        record, events = self.ledgers[game][whole], tuple(self._events[game, whole])
        return TaskHistory(id=whole, game=game, record=record, events=events)

    @property
    def state(self) -> str:
        """``finished`` when the run said so and did not go on afterwards, else ``unfinished``: running or killed."""
        ends = [event.kind for event in self.frame if event.kind in ("run_finished", "resumed")]
        return "finished" if ends[-1:] == ["run_finished"] else "unfinished"


def read_run_tasks(run_dir: Path) -> RunTasks:
    """Reads a run from its log.

    Raises:
        InputError: the directory holds no run, or the run no tasks.
        LogError: a committed segment is torn or altered.
    """
    opened, before = open_segment(run_dir), committed_rounds(run_dir)
    if not before and opened is None:
        raise InputError(
            f"{run_dir}: expected a run directory, got one without rounds/; name a folder that ludus runs lists"
        )
    run, last = RunTasks(), max(before, default=-1)
    for event in read_events(run_dir, {*KINDS, *FRAME}):
        run.observe(event)
        last = max(last, event.round) if event.committed else last
        run.in_progress = run.in_progress if event.committed else event.round
    # A running run goes on meanwhile: what was committed after the events were read is not this reading's.
    run.rounds = [number for number in committed_rounds(run_dir) if number <= last]
    run.metrics = read_metrics(run_dir, run.rounds)
    if opened is not None and run.in_progress is None:
        begun = last + 1 if opened.round is None else opened.round
        run.in_progress = begun if begun > last else None
    if not len(run):
        raise InputError(
            f"{run_dir}: expected a run whose curriculum proposes tasks, got {len(run.rounds)} rounds without one; "
            "inspect a run of such a campaign (ludus train campaign=absolute_zero), or open its report.html"
        )
    return run


def _whole(event: Event) -> Event:
    """Returns an event with the defaults of the fields that it lacks."""
    fields = {**KINDS[event.kind].defaults, **event.fields}
    if event.kind == "task_proposed" and isinstance(fields.get("task"), dict):
        fields["task"] = {**_TASK_DEFAULTS, **fields["task"]}
    return Event(round=event.round, kind=event.kind, fields=fields, committed=event.committed)


def _about(event: Event) -> str:
    """Returns the id of the task that an event is about, or empty."""
    return str(event.fields["task"]["id"] if event.kind == "task_proposed" else event.fields.get("id", ""))
