"""The contract of executors: limits, the registry, and what a missing extra or sandbox says."""

import sys

import pytest

from arena.errors import CapabilityError, ConfigError
from arena.executors.executor import Ending, Execution, Limits, Program, executors, frozen_clock, not_run, returned


def test_both_executors_are_registered():
    assert {"cpython", "monty"} <= set(executors.names())


@pytest.mark.parametrize(
    "wrong", [{"seconds": 0}, {"seconds": 1e9}, {"memory_bytes": 1}, {"output_chars": 0}, {"source_chars": 10**9}]
)
def test_limits_refuse_what_makes_no_sense(wrong):
    with pytest.raises(ConfigError, match=f"limits.{next(iter(wrong))}: expected .*, got"):
        Limits(**wrong)


def test_a_source_that_is_too_long_is_not_run():
    limits = Limits(source_chars=20)
    assert not_run(Program(source="x" * 18, argument="11"), limits) is None
    refused = not_run(Program(source="x" * 18, argument="111"), limits)
    assert refused == Execution(ending=Ending.TOO_LONG, detail="source: 21 characters")


def test_an_output_that_is_too_long_is_none():
    limits = Limits(output_chars=3)
    assert returned("abc", limits) == Execution(ending=Ending.RETURNED, output="abc")
    assert returned("abcd", limits) == Execution(ending=Ending.TOO_LONG, detail="output: over 3 characters")


def test_clocks_of_two_hash_seeds_differ():
    assert frozen_clock(0) == 946_684_800  # 2000-01-01T00:00:00Z
    assert len({frozen_clock(seed) for seed in range(20)}) == 20


def test_a_missing_extra_names_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    with pytest.raises(CapabilityError, match=r"expected pydantic-monty, got .*; pip install 'ludus-arena\[code\]'"):
        executors.make("monty")
