"""Episodes to columns and back: every field, any text, exact numbers."""

from __future__ import annotations

import io
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import LogError
from arena.log import schema
from arena.log.episode_columns import episode_batch
from arena.log.episode_rows import batch_episodes
from arena.log.text_codec import MARK
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

text = st.text(
    alphabet=st.one_of(st.characters(exclude_categories=()), st.sampled_from(["\ud83d", "\ude00", MARK, "\x00"])),
    max_size=6,
)
whole = st.integers(-(2**63), 2**63 - 1)
token = st.integers(0, 2**31 - 1)
number = st.floats(allow_nan=False)
json_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(text, inner, max_size=2),
    max_leaves=4,
)


def tuples(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(inner, max_size=3).map(tuple)


policies = st.builds(PolicyId, name=text, version=whole)
completions = st.builds(
    Completion,
    id=text,
    prompt_ids=tuples(token),
    token_ids=tuples(token),
    logprobs=tuples(number),
    support=st.none() | tuples(tuples(token)),
    text=text,
    finish_reason=text,
    policy=policies,
    sampling=st.builds(Sampling, temperature=number, top_p=number, top_k=whole, max_tokens=whole),
    version_spans=tuples(st.tuples(whole, whole)),
)
turns = st.builds(
    Turn,
    seat=text,
    env_step=whole,
    ordinal=whole,
    observation=st.builds(
        Observation, seat=text, text=text, legal_actions=st.none() | tuples(text), information_key=text
    ),
    completion=st.none() | completions,
    action=st.none() | text,
    reason=text,
    legal=st.booleans(),
    reward=number,
    node_id=text,
    anchor_key=text,
    produced_task=text,
    attempted_task=text,
)
episodes = st.builds(
    Episode,
    id=text,
    task=st.builds(
        Task,
        game=text,
        params=st.dictionaries(text, json_value, max_size=2),
        seed=whole,
        author=text,
        parents=tuples(text),
    ),
    group_id=text,
    round=whole,
    lineup=st.dictionaries(text, st.builds(SeatPlan, policy=policies, role=text, tag=st.sampled_from(Tag)), max_size=2),
    turns=tuples(turns),
    returns=st.dictionaries(text, st.none() | number, max_size=2),
    status=st.sampled_from(Status),
    reason=text,
    parent=text,
    fork_turn=whole,
    calls=tuples(st.builds(CallRecord, ply=whole, kind=text, request=text, answer=text)),
    prompt_tokens=whole,
    completion_tokens=whole,
)


def plain_episode(**changes: Any) -> Episode:
    fields: dict[str, Any] = {
        "id": "e0",
        "task": Task(game="kuhn_poker-v0", seed=5),
        "group_id": "g0",
        "round": 0,
        "lineup": {},
        "turns": (),
        "returns": {"first": 1.0, "second": None},
        "status": Status.COMPLETED,
    }
    return Episode(**fields | changes)


def plain_completion(**changes: Any) -> Completion:
    fields: dict[str, Any] = {
        "id": "c",
        "prompt_ids": (1,),
        "token_ids": (2,),
        "logprobs": (-0.5,),
        "support": None,
        "text": "",
        "finish_reason": "length",
        "policy": PolicyId(name="player"),
        "sampling": Sampling(),
        "version_spans": ((0, 0),),
    }
    return Completion(**fields | changes)


def plain_turn(**changes: Any) -> Turn:
    fields: dict[str, Any] = {
        "seat": "first",
        "env_step": 0,
        "ordinal": 0,
        "observation": Observation(seat="first", text="", legal_actions=None),
        "completion": None,
        "action": None,
        "reason": "no_action",
        "legal": False,
        "reward": -1.0,
        "node_id": "",
        "anchor_key": "",
    }
    return Turn(**fields | changes)


def through_parquet(batch: pa.RecordBatch) -> pa.RecordBatch:
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_batches([batch]), stream)
    (back,) = pq.read_table(stream).combine_chunks().to_batches()
    return back


@settings(max_examples=60, deadline=None)
@given(st.lists(episodes, min_size=1, max_size=3))
def test_every_episode_comes_back_equal(given_episodes: list[Episode]) -> None:
    batch = episode_batch(given_episodes)
    batch.validate(full=True)
    assert batch_episodes(batch) == given_episodes
    assert batch_episodes(through_parquet(batch)) == given_episodes


def test_a_column_names_the_schema_version() -> None:
    batch = episode_batch([plain_episode(), plain_episode()])
    assert batch["schema_version"].to_pylist() == [schema.SCHEMA_VERSION] * 2
    assert batch.schema.metadata == {b"ludus.schema_version": b"1"}


def test_log_probabilities_of_32_bits_come_back_bit_by_bit() -> None:
    given_logprobs = tuple((-np.random.default_rng(0).exponential(1.0, 200)).astype(np.float32).tolist())
    turn = plain_turn(completion=plain_completion(token_ids=(2,) * 200, logprobs=given_logprobs))
    (back,) = batch_episodes(through_parquet(episode_batch([plain_episode(turns=(turn,))])))
    assert back.turns[0].completion is not None
    assert back.turns[0].completion.logprobs == given_logprobs
    assert np.float32(back.turns[0].completion.logprobs).tolist() == list(given_logprobs)


def test_a_read_only_mapping_equals_its_copy() -> None:
    given_episode = plain_episode(lineup=MappingProxyType({}), returns=MappingProxyType({"first": 1.0}))
    assert batch_episodes(episode_batch([given_episode])) == [given_episode]


def test_a_slice_of_a_batch_reads_as_its_own_rows() -> None:
    given_episodes = [plain_episode(id=f"e{index}", returns={"first": float(index)}) for index in range(5)]
    assert batch_episodes(episode_batch(given_episodes).slice(2, 2)) == given_episodes[2:4]


MISFITS = {
    "seed past 63 bits": {"task": Task(game="g", seed=2**63)},
    "parameter that is no JSON": {"task": Task(game="g", params={"x": float("nan")})},
    "round that is no number": {"round": "seven"},
    "return that is no number": {"returns": {"first": "many"}},
    "action that is no text": {"turns": (plain_turn(action=3),)},
    "token past 31 bits": {"turns": (plain_turn(completion=plain_completion(token_ids=(2**31,))),)},
}


@pytest.mark.parametrize("case", MISFITS)
def test_values_that_fit_no_column_are_refused(case: str) -> None:
    with pytest.raises(LogError, match="expected"):
        episode_batch([plain_episode(**MISFITS[case])])


def test_the_columns_are_what_the_schema_says() -> None:
    assert episode_batch([plain_episode()]).schema.equals(schema.EPISODE)
    assert schema.EPISODE.field("returns").type == pa.map_(pa.string(), pa.float64())
