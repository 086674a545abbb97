"""Arrow columns back to episodes: each leaf becomes one Python list, and rows are cut out of it by offsets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import pyarrow as pa

from arena.log.text_codec import MARK, decode_text, load_json
from arena.types import (
    CallRecord,
    Completion,
    Episode,
    Observation,
    PolicyId,
    Sampling,
    SeatPlan,
    Status,
    Tag,
    Task,
    Turn,
)

T = TypeVar("T")


def batch_episodes(batch: pa.RecordBatch) -> list[Episode]:
    """Returns the episodes of a record batch of the type ``schema.EPISODE``.

    Raises:
        LogError: a text was altered.
        ValueError: a status, a tag or a task's parameters were.
    """
    texts, numbers = (
        ("id", "group_id", "reason", "parent"),
        ("round", "fork_turn", "prompt_tokens", "completion_tokens"),
    )
    fields: dict[str, Sequence[Any]] = {name: _text(batch[name]) for name in texts}
    fields |= {name: batch[name].to_pylist() for name in numbers}
    fields["task"] = _tasks(batch["task"])
    fields["lineup"] = _map(batch["lineup"], _seat_plans)
    fields["returns"] = _map(batch["returns"], pa.Array.to_pylist)
    fields["status"] = [Status(status) for status in _text(batch["status"])]
    fields["turns"] = _rows(batch["turns"], _turns)
    fields["calls"] = _rows(batch["calls"], _calls)
    return [Episode(**dict(zip(fields, row, strict=True))) for row in zip(*fields.values(), strict=True)]


def _tasks(column: pa.StructArray) -> list[Task]:
    params = [_params(text) for text in column.field("params").to_pylist()]
    return [
        Task(game=game, params=given, seed=seed, author=author, parents=parents)
        for game, given, seed, author, parents in zip(
            _text(column.field("game")),
            params,
            column.field("seed").to_pylist(),
            _text(column.field("author")),
            _rows(column.field("parents"), _text),
            strict=True,
        )
    ]


def _params(text: str) -> dict[str, Any]:
    given = load_json(text, "task.params")
    if not isinstance(given, dict):
        raise ValueError(f"task.params is {type(given).__name__}, not a mapping")
    return given


def _seat_plans(column: pa.StructArray) -> list[SeatPlan]:
    return [
        SeatPlan(policy=policy, role=role, tag=Tag(tag))
        for policy, role, tag in zip(
            _policies(column.field("policy")), _text(column.field("role")), _text(column.field("tag")), strict=True
        )
    ]


def _turns(column: pa.StructArray) -> list[Turn]:
    texts = ("seat", "action", "reason", "node_id", "anchor_key", "produced_task", "attempted_task")
    numbers = ("env_step", "ordinal", "legal", "reward")
    fields: dict[str, Sequence[Any]] = {name: _text(column.field(name)) for name in texts}
    fields |= {name: column.field(name).to_pylist() for name in numbers}
    fields["observation"] = _observations(column.field("observation"))
    fields["completion"] = _completions(column.field("completion"))
    return [Turn(**dict(zip(fields, row, strict=True))) for row in zip(*fields.values(), strict=True)]


def _observations(column: pa.StructArray) -> list[Observation]:
    return [
        Observation(seat=seat, text=text, legal_actions=legal, information_key=key)
        for seat, text, legal, key in zip(
            _text(column.field("seat")),
            _text(column.field("text")),
            _optional_rows(column.field("legal_actions"), _text),
            _text(column.field("information_key")),
            strict=True,
        )
    ]


def _completions(column: pa.StructArray) -> list[Completion | None]:
    present = column.is_valid()
    kept = iter(_present_completions(column.filter(present)))
    return [next(kept) if there else None for there in present.to_pylist()]


def _present_completions(column: pa.StructArray) -> list[Completion]:
    fields: dict[str, Sequence[Any]] = {name: _text(column.field(name)) for name in ("id", "text", "finish_reason")}
    fields |= {name: _rows(column.field(name), _numbers) for name in ("prompt_ids", "token_ids", "logprobs")}
    fields["support"] = _optional_rows(column.field("support"), lambda inner: _rows(inner, _numbers))
    fields["policy"] = _policies(column.field("policy"))
    fields["sampling"] = _samplings(column.field("sampling"))
    fields["version_spans"] = _rows(column.field("version_spans"), _version_spans)
    return [Completion(**dict(zip(fields, row, strict=True))) for row in zip(*fields.values(), strict=True)]


def _policies(column: pa.StructArray) -> list[PolicyId]:
    return [
        PolicyId(name=name, version=version)
        for name, version in zip(_text(column.field("name")), column.field("version").to_pylist(), strict=True)
    ]


def _samplings(column: pa.StructArray) -> list[Sampling]:
    return [Sampling(**row) for row in column.to_pylist()]


def _version_spans(column: pa.StructArray) -> list[tuple[int, int]]:
    return list(zip(column.field("first").to_pylist(), column.field("version").to_pylist(), strict=True))


def _calls(column: pa.StructArray) -> list[CallRecord]:
    return [
        CallRecord(ply=ply, kind=kind, request=request, answer=answer)
        for ply, kind, request, answer in zip(
            column.field("ply").to_pylist(),
            _text(column.field("kind")),
            _text(column.field("request")),
            _text(column.field("answer")),
            strict=True,
        )
    ]


def _map(column: pa.MapArray, read: Callable[[Any], Sequence[T]]) -> list[dict[str, T]]:
    pairs = list(zip(_text(column.keys), read(column.items), strict=True))
    bounds = column.offsets.to_pylist()
    return [dict(pairs[start:end]) for start, end in pairwise(bounds)]


def _rows(column: pa.ListArray, read: Callable[[Any], Sequence[T]]) -> list[tuple[T, ...]]:
    """Returns a tuple for each row of a list array; a null row reads as an empty one."""
    values = tuple(read(column.values))
    bounds = column.offsets.to_pylist()
    return [values[start:end] for start, end in pairwise(bounds)]


def _optional_rows(column: pa.ListArray, read: Callable[[Any], Sequence[T]]) -> list[tuple[T, ...] | None]:
    rows = _rows(column, read)
    if not column.null_count:
        return list(rows)
    return [row if there else None for row, there in zip(rows, column.is_valid().to_pylist(), strict=True)]


def _numbers(column: pa.Array) -> list[Any]:
    return list(column.to_numpy().tolist())


def _text(column: pa.Array) -> list[Any]:
    values = column.to_pylist()
    if any(value is not None and value.startswith(MARK) for value in values):
        return [None if value is None else decode_text(value) for value in values]
    return list(values)
