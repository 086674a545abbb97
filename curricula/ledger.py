"""The memory of every task of one game, as a fold over events.

``record`` appends an event and folds it; ``apply`` is the same fold alone, so a ledger rebuilt from a log equals the
one that wrote it. A task is in at most one pool. A pool over its cap drops a task by an event of its own, so that the
fold needs no caps and the log says why a task left. The newest task of a pool is never the one that is dropped.

Tasks that look mastered or impossible stay in pools of these names and come up for another test on a schedule: a
solver forgets, and what nobody solved at one version may be easy at a later one.

Left out: texts and structures of tasks (``curricula.memory``), and when to move a task (a curriculum decides).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Literal

from arena.errors import InputError
from arena.types import Outcome, PolicyId, Task
from curricula.ledger_events import KINDS, event_fields
from curricula.record_json import record_fields, record_from, score_from, task_fields, task_from
from curricula.task_record import Origin, TaskRecord, TaskStatus

MASTERED, IMPOSSIBLE = "mastered", "impossible"
RESTING = (MASTERED, IMPOSSIBLE)
"""The pools whose tasks are re-tested on a schedule."""

Drop = Literal["oldest", "least_useful"]


class TaskLedger:
    """Every task of one game, what became of it, and the pools.

    Args:
        game: the registered id of the game.
        caps: the most tasks of a pool, by pool; a pool that is not named has no cap.
        drop: which task a full pool drops: the one that came first, or the one with the least score (a task that has
            none yet counts as the most useful).
        retest_every: the rounds after which a mastered or impossible task is due for another test.

    Raises:
        InputError: a cap or ``retest_every`` is less than 1, or ``drop`` is unknown.
    """

    def __init__(
        self,
        game: str,
        *,
        caps: Mapping[str, int] = MappingProxyType({}),
        drop: Drop = "oldest",
        retest_every: int = 8,
    ) -> None:
        for name, value in {
            **{f"caps[{pool!r}]": cap for pool, cap in caps.items()},
            "retest_every": retest_every,
        }.items():
            if value < 1:
                raise InputError(f"ledger.{name}: expected at least 1, got {value}; raise it or leave it out")
        if drop not in ("oldest", "least_useful"):
            raise InputError(f"ledger.drop: expected oldest or least_useful, got {drop!r}; choose one of them")
        self.game = game
        self._caps, self._drop, self._retest_every = dict(caps), drop, retest_every
        self._pending: list[tuple[str, dict[str, Any]]] = []
        self._clear()

    def _clear(self) -> None:
        self._round = -1
        self._records: dict[str, TaskRecord] = {}
        # Ordered sets: a task leaves the middle of a pool in constant time.
        self._pools: dict[str, dict[str, None]] = {}
        self._rejections: Counter[str] = Counter()
        self._alarms: Counter[str] = Counter()

    # What is known.

    @property
    def round(self) -> int:
        """The round in progress, or -1 before the first."""
        return self._round

    @property
    def records(self) -> Mapping[str, TaskRecord]:
        """Every record by id, in the order of proposal; the mapping cannot be changed."""
        return MappingProxyType(self._records)

    @property
    def rejections(self) -> Mapping[str, int]:
        """How many proposals were rejected, by reason."""
        return MappingProxyType(self._rejections)

    @property
    def alarms(self) -> Mapping[str, int]:
        """How many alarms were raised, by detector."""
        return MappingProxyType(self._alarms)

    def __contains__(self, id: object) -> bool:
        """Whether a task of this id was proposed."""
        return id in self._records

    def __len__(self) -> int:
        """How many tasks were proposed."""
        return len(self._records)

    def __getitem__(self, id: str) -> TaskRecord:
        """Returns the record of a task.

        Raises:
            InputError: nobody proposed it.
        """
        if id not in self._records:
            raise InputError(f"ledger of {self.game}: expected a task that was proposed, got {id!r}; propose it first")
        return self._records[id]

    def proposed_now(self) -> list[TaskRecord]:
        """Returns the records of the round in progress, the newest first, without a look at older ones."""
        latest = reversed(self._records.values())
        return list(takewhile(lambda record: record.origin.round == self._round, latest))

    def pool(self, name: str) -> tuple[str, ...]:
        """Returns the ids of a pool, the one that came first at the front; empty when there is no such pool."""
        return tuple(self._pools.get(name, ()))

    def pools(self) -> dict[str, int]:
        """Returns how many tasks each pool has, those that ran empty included."""
        return {name: len(ids) for name, ids in self._pools.items()}

    def due_for_retest(self, round: int, limit: int | None = None) -> list[str]:
        """Returns the mastered and impossible tasks whose last try is ``retest_every`` rounds ago or more.

        Those that waited longest come first, so that with any ``limit`` of at least 1 every task has its turn.
        """
        resting = [self._records[id] for name in RESTING for id in self._pools.get(name, ())]
        waiting = [(max(record.tried_round, record.origin.round), record.task.id) for record in resting]
        return [id for since, id in sorted(waiting) if round - since >= self._retest_every][:limit]

    # What happens.

    def begin_round(self, number: int) -> None:
        """Records that a round begins; nothing when it is the one in progress."""
        if number != self._round:
            self.record("ledger_round", number=number)

    def propose(self, task: Task, by: str, **fields: object) -> str:
        """Records a proposal (see ``KINDS`` for the other fields) and returns the task's id."""
        self.record("task_proposed", task=task_fields(task), by=by, **fields)
        return task.id

    def move(self, id: str, to: str, reason: str = "") -> None:
        """Moves a task into a pool, at its newest end, or out of every pool when ``to`` is empty."""
        self.record("pool_moved", id=id, to=to, reason=reason)

    def record(self, kind: str, /, **fields: object) -> None:
        """Folds an event and keeps it for the log; a pool over its cap then drops tasks, each by an event.

        Raises:
            InputError: the kind or a field is unknown, a field is missing or no JSON value, or the task is not known.
        """
        if kind == "pool_moved" and "id" in fields:
            fields = {**fields, "from": self[str(fields["id"])].pool}
        whole = event_fields(kind, fields, self.game)
        self.apply(kind, whole)
        self._pending.append((kind, whole))
        if kind == "pool_moved" and whole["to"]:
            self._enforce_cap(whole["to"])

    def drain(self) -> list[tuple[str, dict[str, Any]]]:
        """Returns the events since the last call, for the log, and forgets them."""
        pending, self._pending = self._pending, []
        return pending

    def apply(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Folds one event into what is known; nothing else changes, and nothing else is read.

        Raises:
            InputError: the event is about a task that nobody proposed, or proposes one twice.
        """
        self._folds[kind](self, fields)

    def replay(self, events: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Folds the events of this game among others, in order; events that are not a ledger's are left out."""
        for kind, fields in events:
            if kind in KINDS and fields.get("game") == self.game:
                self.apply(kind, fields)

    # The state.

    def state(self) -> dict[str, Any]:
        """Returns everything as JSON values, the events that were not drained included."""
        return {
            "game": self.game,
            "round": self._round,
            "records": [record_fields(record) for record in self._records.values()],
            "pools": {name: list(ids) for name, ids in self._pools.items()},
            "rejections": dict(self._rejections),
            "alarms": dict(self._alarms),
            "pending": [[kind, dict(fields)] for kind, fields in self._pending],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces everything by what ``state`` returned.

        Raises:
            InputError: it is the state of another game.
        """
        if state["game"] != self.game:
            raise InputError(
                f"ledger.restore: expected the state of {self.game}, got {state['game']}; resume the same campaign"
            )
        self._clear()
        self._round = int(state["round"])
        self._records = {fields["task"]["id"]: record_from(fields) for fields in state["records"]}
        self._pools = {name: dict.fromkeys(ids) for name, ids in state["pools"].items()}
        self._rejections, self._alarms = Counter(state["rejections"]), Counter(state["alarms"])
        self._pending = [(kind, dict(fields)) for kind, fields in state["pending"]]

    def _enforce_cap(self, name: str) -> None:
        cap = self._caps.get(name)
        while cap is not None and len(self._pools[name]) > cap:
            *others, _newest = self._pools[name]
            self.record("pool_moved", id=self._least(others), to="", reason=f"cap:{self._drop}")

    def _least(self, ids: list[str]) -> str:
        if self._drop == "oldest":
            return ids[0]
        scores = {id: self._records[id].score for id in ids}
        return min(ids, key=lambda id: float("inf") if (score := scores[id]) is None else score)

    # The folds, one a kind.

    def _on_round(self, fields: Mapping[str, Any]) -> None:
        self._round = fields["number"]

    def _on_proposed(self, fields: Mapping[str, Any]) -> None:
        task = task_from(fields["task"])
        if task.id in self._records:
            raise InputError(
                f"ledger of {self.game}: expected a new task, got {task.id} again; reject the later one by its episode"
            )
        said = {name: fields[name] for name in ("by", "role", "episode", "signature", "kind")}
        origin = Origin(**said, round=self._round, skills=tuple(fields["skills"]))
        self._records[task.id] = TaskRecord(task=task, origin=origin)

    def _on_validated(self, fields: Mapping[str, Any]) -> None:
        valid = fields["outcome"] == "valid"
        record = replace(self[fields["id"]], valid=valid, checks=dict(fields["checks"]))
        self._records[record.task.id] = record if valid else replace(record, reason=fields["reason"])

    def _on_admitted(self, fields: Mapping[str, Any]) -> None:
        self._records[fields["id"]] = self[fields["id"]].with_status(TaskStatus.ADMITTED, fields["reason"])

    def _on_rejected(self, fields: Mapping[str, Any]) -> None:
        if fields["id"]:
            self._leave(fields["id"])
            self._records[fields["id"]] = self[fields["id"]].with_status(TaskStatus.REJECTED, fields["reason"])
        self._rejections[fields["reason"]] += 1

    def _on_attempt(self, fields: Mapping[str, Any]) -> None:
        policy = PolicyId(name=fields["policy"], version=fields["version"])
        outcome, share = Outcome(fields["outcome"]), fields["share"]
        record = self[fields["id"]].with_attempt(policy, outcome, round_index=self._round, share=share)
        self._records[record.task.id] = record

    def _on_score(self, fields: Mapping[str, Any]) -> None:
        self._records[fields["id"]] = self[fields["id"]].with_score(score_from(fields))

    def _on_moved(self, fields: Mapping[str, Any]) -> None:
        id, to = fields["id"], fields["to"]
        self._leave(id)
        record = replace(self[id], pool=to)
        if to:
            self._pools.setdefault(to, {})[id] = None
        elif record.status is TaskStatus.ADMITTED:
            record = record.with_status(TaskStatus.RETIRED, fields["reason"])
        if to and record.status is TaskStatus.RETIRED:
            record = record.with_status(TaskStatus.ADMITTED, fields["reason"])
        self._records[id] = record

    def _on_alarm(self, fields: Mapping[str, Any]) -> None:
        self._alarms[fields["detector"]] += 1

    def _leave(self, id: str) -> None:
        record = self[id]
        if record.pool:
            del self._pools[record.pool][id]
            self._records[id] = replace(record, pool="")

    _folds: Mapping[str, Callable[[TaskLedger, Mapping[str, Any]], None]] = MappingProxyType(
        {
            "ledger_round": _on_round,
            "task_proposed": _on_proposed,
            "task_validated": _on_validated,
            "task_admitted": _on_admitted,
            "task_rejected": _on_rejected,
            "attempt": _on_attempt,
            "score": _on_score,
            "pool_moved": _on_moved,
            "alarm": _on_alarm,
        }
    )
