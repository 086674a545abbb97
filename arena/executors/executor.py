"""What runs a program that a model wrote: ``Program`` in, ``Execution`` out, and the registry of executors.

An executor gives no verdict. It hands back the ``repr`` of what ``f`` returned, made inside and cut short, as text;
whoever asked compares it with another text. Code that runs inside can say whatever it likes: an execution is data.

Every failure kind is paid alike. A program that raises ``MemoryError`` by itself looks like one that ran out of
memory, one that ends itself looks like a crash, and a reward that told them apart would pay for choosing the kind. The
ending is for people and for statistics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from arena.errors import ConfigError
from arena.registry import Registry

CLOCK_START = 946_684_800
"""Where the frozen clock of hash seed 0 stands: the start of the year 2000, in seconds since 1970."""
CLOCK_STEP = 43_212_345
"""How far apart the clocks of two hash seeds stand: 500 days and a bit, so that every part of a date differs."""
MOST_DETAIL_CHARS = 200


class Ending(StrEnum):
    """How a program ended. All but ``RETURNED`` are one and the same failure for pay.

    ``UNSUPPORTED`` is the executor's shortcoming as far as it can tell: CPython would have gone on. ``CRASHED`` is a
    worker that died or whose answer could not be read.
    """

    RETURNED = "returned"
    RAISED = "raised"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    TOO_LONG = "too_long"
    UNSUPPORTED = "unsupported"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program and what it is called with.

    Attributes:
        source: defines a function ``f``.
        argument: exactly the text between the parentheses of ``f(...)``: a Python literal in canonical form, which
            the caller has vetted; several positional arguments stand with commas between them.
        hash_seed: selects the order of sets, the frozen clock and the state of ``random``. A program is a function of
            its argument as far as its outputs under two hash seeds are equal.
    """

    source: str
    argument: str
    hash_seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """What came of a program.

    Attributes:
        ending: how it ended.
        output: the ``repr`` of what ``f`` returned, whole; empty unless ``ending`` is ``RETURNED``.
        detail: for people: the exception, or which limit was passed; at most ``MOST_DETAIL_CHARS`` characters.
    """

    ending: Ending
    output: str = ""
    detail: str = ""


@dataclass(slots=True, kw_only=True)
class Limits:
    """What one program may use.

    Attributes:
        seconds: computing time.
        memory_bytes: memory on top of what the bare interpreter takes.
        output_chars: length of the output; a longer one ends ``TOO_LONG``.
        source_chars: length of source and argument together; a longer one is not run and ends ``TOO_LONG``.

    Raises:
        ConfigError: a limit is not positive, or leaves no room for an interpreter.
    """

    seconds: float = 0.5
    memory_bytes: int = 64 << 20
    output_chars: int = 2000
    source_chars: int = 8000

    def __post_init__(self) -> None:
        """Refuses limits that make no sense."""
        if not 0.01 <= self.seconds <= 60:
            raise ConfigError(f"limits.seconds: expected 0.01 to 60, got {self.seconds}; choose within")
        if self.memory_bytes < 4 << 20:
            raise ConfigError(f"limits.memory_bytes: expected at least 4 MiB, got {self.memory_bytes}; raise it")
        for name in ("output_chars", "source_chars"):
            if not 1 <= getattr(self, name) <= 1_000_000:
                raise ConfigError(f"limits.{name}: expected 1 to 1,000,000, got {getattr(self, name)}; choose within")


class Executor(Protocol):
    """Runs programs, each from a fresh state, and survives all of them.

    Attributes:
        name: what it is filed under.
        version: of the interpreter inside. It belongs into a task beside the name: results differ between versions.
    """

    name: str
    version: str

    def run(self, programs: Sequence[Program]) -> list[Execution]:
        """Returns one execution a program, in their order, in bounded time; raises nothing a program can cause."""
        ...

    def close(self) -> None:
        """Ends the processes behind it; may be called again."""
        ...


executors: Registry[Executor] = Registry("executor", "arena.executors")


def frozen_clock(hash_seed: int) -> int:
    """Returns what the clock shows under a hash seed, in seconds since 1970."""
    return CLOCK_START + hash_seed % 20 * CLOCK_STEP


def not_run(program: Program, limits: Limits) -> Execution | None:
    """Returns the execution of a program that is too long to be run, or ``None``."""
    length = len(program.source) + len(program.argument)
    if length <= limits.source_chars:
        return None
    return Execution(ending=Ending.TOO_LONG, detail=f"source: {length} characters")


def returned(output: str, limits: Limits) -> Execution:
    """Returns the execution of a program that returned, with its output unless that is longer than allowed."""
    if len(output) > limits.output_chars:
        return Execution(ending=Ending.TOO_LONG, detail=f"output: over {limits.output_chars} characters")
    return Execution(ending=Ending.RETURNED, output=output)
