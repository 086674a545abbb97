"""The small family of programs: its steps by hand, and the same in every executor."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.domains.digit_chains import BASE, BY_LINE, LENGTHS, STEPS, draw_steps, draw_value, source, trace
from arena.domains.python_source import read_program
from arena.executors.executor import Ending, Program, executors

BY_NAME = {step.name: step for step in STEPS}


@pytest.mark.parametrize(
    ("name", "value", "result"),
    [
        ("reverse", "0123", "3210"),
        ("rotate", "0123", "1230"),
        ("keep_first", "0123", "0321"),
        ("sort", "3102", "0123"),
        ("add_one", "0134", "1240"),
        ("double", "01234", "02413"),
        ("add_place", "00000", "01234"),
        ("add_last", "304", "302"),
    ],
)
def test_steps_by_hand(name, value, result):
    assert BY_NAME[name].apply(value) == result


@given(st.text(alphabet="01234", min_size=LENGTHS[0], max_size=LENGTHS[1]), st.sampled_from(STEPS))
def test_steps_keep_length_and_digits(value, step):
    result = step.apply(value)
    assert len(result) == len(value) and set(result) <= set("01234")


@pytest.mark.parametrize("step", [step for step in STEPS if step.name != "sort"], ids=lambda step: step.name)
def test_all_steps_but_sorting_can_be_undone(step):
    values = [f"{a}{b}{c}" for a in range(BASE) for b in range(BASE) for c in range(BASE)]
    assert len({step.apply(value) for value in values}) == len(values)


def test_lines_are_the_steps(executor):
    random = np.random.default_rng(7)
    values = [draw_value(random) for _ in range(6)]
    runs = [(step, value) for step in STEPS for value in values]
    made = executors.make(executor)
    results = made.run([Program(source=source([step]), argument=repr(value)) for step, value in runs])
    chains = [draw_steps(random, depth) for depth in (2, 3, 4, 5, 6)]
    whole = made.run([Program(source=source(chain), argument=repr(values[0])) for chain in chains])
    made.close()
    assert all(result.ending is Ending.RETURNED for result in [*results, *whole])
    assert [result.output for result in results] == [repr(step.apply(value)) for step, value in runs]
    assert [result.output for result in whole] == [repr(trace(chain, values[0])[-1]) for chain in chains]


def test_programs_are_straight_and_their_lines_are_known():
    chain = draw_steps(np.random.default_rng(3), 6)
    assert [BY_LINE[line] for line in read_program(source(chain)).steps] == chain
    assert len(BY_LINE) == len(STEPS)


@given(st.integers(0, 2**32), st.integers(1, 6))
def test_draws(seed, depth):
    random = np.random.default_rng(seed)
    steps, value = draw_steps(random, depth), draw_value(random)
    assert len(steps) == depth
    assert all(first is not second for first, second in pairwise(steps))
    assert LENGTHS[0] <= len(value) <= LENGTHS[1] and set(value) <= set("01234")
    assert len(trace(steps, value)) == depth
