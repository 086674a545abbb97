"""Episodes to Arrow columns: each leaf is gathered into one flat list, and offsets say which row owns what.

So no nested dictionaries are built, which alone would take ten times as long (``dataclasses.asdict``), and text meets
``text_codec`` a column at a time. A missing completion is filled with an empty one under a null mask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, chain
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from arena.errors import LogError
from arena.log import schema
from arena.log.text_codec import MARK, dump_json, encode_text
from arena.types import CallRecord, Completion, Episode, Observation, PolicyId, Sampling, SeatPlan, Task, Turn

T = TypeVar("T")

_NO_COMPLETION = Completion(
    id="",
    prompt_ids=(),
    token_ids=(),
    logprobs=(),
    support=None,
    text="",
    finish_reason="",
    policy=PolicyId(name=""),
    sampling=Sampling(),
    version_spans=(),
)


def episode_batch(episodes: Sequence[Episode]) -> pa.RecordBatch:
    """Returns one record batch, a row an episode, of the type ``schema.EPISODE``.

    Raises:
        LogError: a value does not fit its column (a seed past 63 bits, a parameter that is not JSON, ...).
    """
    try:
        return pa.RecordBatch.from_arrays(_columns(episodes), schema=schema.EPISODE)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, TypeError, ValueError) as error:
        raise LogError(
            f"episodes {episodes[0].id!r} to {episodes[-1].id!r}: expected values that fit the columns of the episode "
            f"log, got one that does not ({error}); mend what made it"
        ) from error


def _columns(episodes: Sequence[Episode]) -> list[pa.Array]:
    lineups = [episode.lineup for episode in episodes]
    returns = [episode.returns for episode in episodes]
    return [
        pa.array(np.full(len(episodes), schema.SCHEMA_VERSION, dtype=np.int32)),
        _text(episode.id for episode in episodes),
        _ints(episode.round for episode in episodes),
        _text(episode.group_id for episode in episodes),
        _tasks([episode.task for episode in episodes]),
        pa.MapArray.from_arrays(_offsets(lineups), _text(chain.from_iterable(lineups)), _seat_plans(lineups)),
        pa.MapArray.from_arrays(
            _offsets(returns),
            _text(chain.from_iterable(returns)),
            _floats(value for by_seat in returns for value in by_seat.values()),
        ),
        _text(episode.status.value for episode in episodes),
        _text(episode.reason for episode in episodes),
        _text(episode.parent for episode in episodes),
        _ints(episode.fork_turn for episode in episodes),
        _lists([episode.turns for episode in episodes], _turns),
        _lists([episode.calls for episode in episodes], _calls),
        _ints(episode.prompt_tokens for episode in episodes),
        _ints(episode.completion_tokens for episode in episodes),
    ]


def _tasks(tasks: Sequence[Task]) -> pa.Array:
    # The episodes of a group share their task, and both its id and its parameters take a pass of JSON.
    distinct = {id(task): task for task in tasks}
    ids = {key: task.id for key, task in distinct.items()}
    params = {key: dump_json(task.params, f"task {ids[key]}.params") for key, task in distinct.items()}
    return _struct(
        schema.TASK,
        _text(ids[id(task)] for task in tasks),
        _text(task.game for task in tasks),
        _text(params[id(task)] for task in tasks),
        _ints(task.seed for task in tasks),
        _text(task.author for task in tasks),
        _lists([task.parents for task in tasks], _text),
    )


def _seat_plans(lineups: Sequence[Any]) -> pa.Array:
    plans: list[SeatPlan] = [plan for lineup in lineups for plan in lineup.values()]
    return _struct(
        schema.SEAT_PLAN,
        _policies([plan.policy for plan in plans]),
        _text(plan.role for plan in plans),
        _text(plan.tag.value for plan in plans),
    )


def _turns(turns: Sequence[Turn]) -> pa.Array:
    return _struct(
        schema.TURN,
        _text(turn.seat for turn in turns),
        _ints(turn.env_step for turn in turns),
        _ints(turn.ordinal for turn in turns),
        _observations([turn.observation for turn in turns]),
        _completions([turn.completion for turn in turns]),
        _text(turn.action for turn in turns),
        _text(turn.reason for turn in turns),
        pa.array([turn.legal for turn in turns], type=pa.bool_()),
        _floats(turn.reward for turn in turns),
        _text(turn.node_id for turn in turns),
        _text(turn.anchor_key for turn in turns),
        _text(turn.produced_task for turn in turns),
        _text(turn.attempted_task for turn in turns),
    )


def _observations(seen: Sequence[Observation]) -> pa.Array:
    return _struct(
        schema.OBSERVATION,
        _text(item.seat for item in seen),
        _text(item.text for item in seen),
        _lists([item.legal_actions for item in seen], _text),
        _text(item.information_key for item in seen),
    )


def _completions(given: Sequence[Completion | None]) -> pa.Array:
    filled = [_NO_COMPLETION if item is None else item for item in given]
    return _struct(
        schema.COMPLETION,
        _text(item.id for item in filled),
        _lists([item.prompt_ids for item in filled], _tokens),
        _lists([item.token_ids for item in filled], _tokens),
        _lists([item.logprobs for item in filled], _floats),
        _lists([item.support for item in filled], lambda rows: _lists(rows, _tokens)),
        _text(item.text for item in filled),
        _text(item.finish_reason for item in filled),
        _policies([item.policy for item in filled]),
        _samplings([item.sampling for item in filled]),
        _lists([item.version_spans for item in filled], _version_spans),
        mask=pa.array([item is None for item in given], type=pa.bool_()),
    )


def _policies(policies: Sequence[PolicyId]) -> pa.Array:
    return _struct(
        schema.POLICY,
        _text(policy.name for policy in policies),
        _ints(policy.version for policy in policies),
    )


def _samplings(samplings: Sequence[Sampling]) -> pa.Array:
    return _struct(
        schema.SAMPLING,
        _floats(item.temperature for item in samplings),
        _floats(item.top_p for item in samplings),
        _ints(item.top_k for item in samplings),
        _ints(item.max_tokens for item in samplings),
    )


def _version_spans(spans: Sequence[tuple[int, int]]) -> pa.Array:
    return _struct(schema.VERSION_SPAN, _ints(first for first, _ in spans), _ints(version for _, version in spans))


def _calls(calls: Sequence[CallRecord]) -> pa.Array:
    return _struct(
        schema.CALL,
        _ints(call.ply for call in calls),
        _text(call.kind for call in calls),
        _text(call.request for call in calls),
        _text(call.answer for call in calls),
    )


def _struct(kind: pa.StructType, *columns: pa.Array, mask: pa.Array | None = None) -> pa.Array:
    return pa.StructArray.from_arrays(columns, fields=list(kind), mask=mask)


def _lists(rows: Sequence[Sequence[T] | None], build: Callable[[list[T]], pa.Array]) -> pa.Array:
    """Returns a list array; ``build`` makes the values of all rows, one after another, and None is a null row."""
    filled = [row or () for row in rows]
    values = build(list(chain.from_iterable(filled)))
    missing = [row is None for row in rows]
    mask = pa.array(missing) if any(missing) else None
    return pa.ListArray.from_arrays(_offsets(filled), values, mask=mask)


def _offsets(rows: Iterable[Any]) -> pa.Array:
    return pa.array(list(accumulate((len(row) for row in rows), initial=0)), type=pa.int32())


def _text(values: Iterable[str | None]) -> pa.Array:
    given = list(values)
    try:
        array = pa.array(given, type=schema.TEXT)
        if not any(value is not None and value.startswith(MARK) for value in given):
            return array
    except UnicodeEncodeError:
        pass  # a lone surrogate: escape below
    return pa.array([None if value is None else encode_text(value) for value in given], type=schema.TEXT)


def _ints(values: Iterable[int]) -> pa.Array:
    return pa.array(list(values), type=schema.INT)


def _floats(values: Iterable[float | None]) -> pa.Array:
    return pa.array(list(values), type=schema.FLOAT)


def _tokens(values: Sequence[int]) -> pa.Array:
    return pa.array(values, type=pa.int32())
