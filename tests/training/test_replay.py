"""Replay: how often rows are trained, when, and that a saved buffer goes on exactly as if it had not been saved."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_samples import row

from training.config import ReplayConfig
from training.replay import Replay
from training.rows import AS_SAMPLED, REPLAYED

SUPPORT = ((1, 4), (2, 3))


def made(round_index, count, **changes):
    """Rows that tell themselves apart by their unit."""
    return [replace(row(**changes), unit=100 * round_index + k) for k in range(count)]


def replay(seed=0, **config):
    return Replay(ReplayConfig(**config), seed)


def drawn(buffer, rounds, batch_rows=4):
    """The units of every mini-batch, round by round; ``rounds`` holds the number of new rows of each."""
    return [
        [[one.unit for one in batch] for batch in buffer.draw(made(r, count), r, batch_rows)]
        for r, count in enumerate(rounds)
    ]


@given(st.integers(1, 5), st.integers(1, 4), st.lists(st.integers(0, 12), min_size=1, max_size=4))
def test_each_row_is_trained_exactly_as_often_as_passes_says_and_then_gone(rounds, passes, counts):
    found = drawn(replay(rounds=rounds, passes=float(passes)), [*counts, *([0] * rounds)])
    uses = Counter(unit for batches in found for batch in batches for unit in batch)
    assert uses == {100 * r + k: passes for r, count in enumerate(counts) for k in range(count)}
    last = {unit: r for r, batches in enumerate(found) for batch in batches for unit in batch}
    assert all(r - unit // 100 < rounds for unit, r in last.items())
    assert found[-1] == []


@given(st.integers(1, 4), st.floats(0.1, 3.0), st.integers(1, 20))
def test_a_fraction_of_a_pass_is_taken_within_one_row(rounds, passes, count):
    found = drawn(replay(rounds=rounds, passes=passes), [count] + [0] * rounds)
    taken = sum(len(batch) for batches in found for batch in batches)
    assert abs(taken - passes * count) <= 1
    for r in range(rounds):
        assert abs(sum(map(len, found[r])) - passes * count / rounds) <= 2


def test_passes_are_spread_over_the_rounds():
    found = drawn(replay(rounds=3), [12, 12, 12, 12])
    shares = [Counter(unit // 100 for batch in batches for unit in batch) for batches in found]
    assert shares == [{0: 4}, {0: 4, 1: 4}, {0: 4, 1: 4, 2: 4}, {1: 4, 2: 4, 3: 4}]


@pytest.mark.parametrize(
    ("count", "batch_rows", "sizes"), [(12, 4, [4, 4, 4]), (10, 4, [4, 3, 3]), (3, 100, [3]), (0, 4, [])]
)
def test_the_number_of_steps_follows_from_the_size_and_the_config(count, batch_rows, sizes):
    batches = replay(rounds=1).draw(made(0, count), 0, batch_rows)
    assert [len(batch) for batch in batches] == sizes


def test_the_oldest_go_when_there_are_too_many():
    buffer = replay(rounds=9, passes=9.0, capacity=5)
    found = drawn(buffer, [4, 4, 0])
    assert {unit for batch in found[1] for unit in batch} == {3, 100, 101, 102, 103}
    assert len(buffer.state()) == 5


def test_rows_lose_their_behaviour_after_their_own_round():
    buffer = replay(rounds=2, passes=2.0)
    (first,) = buffer.draw(made(0, 3), 0, 9)
    (second,) = buffer.draw([], 1, 9)
    assert {(one.behaviour_logprobs, one.context) for one in first} == {((-1.0, -1.0), AS_SAMPLED)}
    assert {(one.behaviour_logprobs, one.context) for one in second} == {(None, REPLAYED)}
    changed = replace(row(), behaviour_logprobs=None, context="replaced(hint)")
    buffer.draw([changed], 2, 9)
    assert [one["context"] for one in buffer.state()] == ["replaced(hint)"]


def test_the_seed_and_the_round_decide_the_draw_alone():
    assert drawn(replay(rounds=3), [12, 12]) == drawn(replay(rounds=3), [12, 12])
    assert drawn(replay(rounds=3), [12]) != drawn(replay(1, rounds=3), [12])


@given(st.lists(st.integers(0, 7), min_size=2, max_size=6), st.data())
def test_a_saved_buffer_goes_on_bit_for_bit(counts, data):
    config = {"rounds": 3, "passes": 1.7, "capacity": 10}
    straight, first, second = replay(**config), replay(**config), replay(**config)
    cut = data.draw(st.integers(1, len(counts) - 1))

    def play(buffer, some):
        return [buffer.draw(made(r, counts[r], support=SUPPORT, advantage=0.1 + r / 3), r, 4) for r in some]

    whole = play(straight, range(len(counts)))
    play(first, range(cut))
    second.restore(json.loads(json.dumps(first.state())))
    assert second.state() == first.state()
    assert play(second, range(cut, len(counts))) == whole[cut:]
    assert second.state() == straight.state()
