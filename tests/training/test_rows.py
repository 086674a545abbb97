"""Rows: exact masks, and the conservation of sampled tokens."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from training_samples import completion, episode, group, plan, turn, unit

from arena.types import Tag
from training.rows import AS_SAMPLED, rows_of
from training.units import units_of

TOKENS = st.lists(st.integers(0, 10**6), min_size=1, max_size=9)


@given(st.lists(st.tuples(TOKENS, TOKENS, st.sampled_from(["first", "second"])), max_size=12))
def test_every_sampled_token_is_trained_exactly_once(said):
    turns, counts = [], {"first": 0, "second": 0}
    for prompt, tokens, seat in said:
        turns.append(turn(seat, counts[seat], 0.0, completion(tokens, prompt)))
        counts[seat] += 1
    lineup = {"first": plan(), "second": plan(tag=Tag.FROZEN)}
    rows = rows_of(units := units_of([group(episode(turns, lineup=lineup))]), np.zeros(len(units)))
    sampled = [tokens for _, tokens, seat in said if seat == "first"]
    assert sum(sum(row.mask) for row in rows) == sum(len(tokens) for tokens in sampled)
    assert [[t for t, on in zip(row.ids, row.mask, strict=True) if on] for row in rows] == sampled
    prompts = [prompt for prompt, _, seat in said if seat == "first"]
    assert [[t for t, on in zip(row.ids, row.mask, strict=True) if not on] for row in rows] == prompts


def test_a_row_holds_what_was_sampled_and_its_own_advantage():
    said = completion((3, 4, 0), (9, 8), ((3, 5), (4, 6), (0,)), (-0.1, -0.2, 0.0))
    rows = rows_of([unit(completion=said, group_id="g7"), unit()], np.array([0.25, -2.0]))
    assert rows[0].ids == (9, 8, 3, 4, 0)
    assert rows[0].mask == (False, False, True, True, True)
    assert rows[0].support == ((3, 5), (4, 6), (0,))
    assert rows[0].behaviour_logprobs == (-0.1, -0.2, 0.0)
    assert (rows[0].unit, rows[0].group_id, rows[0].advantage, rows[0].weight) == (0, "g7", 0.25, 1.0)
    assert (rows[0].context, rows[0].prompt_length) == (AS_SAMPLED, 2)
    assert (rows[1].unit, rows[1].advantage) == (1, -2.0)


def test_each_unit_needs_an_advantage():
    import pytest

    with pytest.raises(ValueError, match="zip"):
        rows_of([unit(), unit()], np.zeros(1))
