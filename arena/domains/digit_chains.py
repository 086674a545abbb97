"""A small family of real Python programs: chains of one-line steps on a string of digits.

Eight steps, each one line of Python on ``x``, a string of 2 to 5 digits from 0 to 4; a program applies one after
another. Small models can learn it, each step is a line that can be named, and its difficulty is its depth. Every step
keeps the length. All but sorting can be undone, so an output has few inputs that lead to it, and guessing one is rare.

The functions beside the lines are the same steps in this process, so that making ten thousand tasks needs no
executor; a test runs both and compares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from arena.domains.python_source import straight

BASE = 5
LENGTHS = (2, 5)
"""The shortest and the longest string."""
MOST_DEPTH = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One line of a program, and what it does.

    Attributes:
        name: the skill.
        line: the statement.
        apply: the same in this process.
    """

    name: str
    line: str
    apply: Callable[[str], str]


STEPS = (
    Step(name="reverse", line="x = x[::-1]", apply=lambda x: x[::-1]),
    Step(name="rotate", line="x = x[1:] + x[:1]", apply=lambda x: x[1:] + x[:1]),
    Step(name="keep_first", line="x = x[:1] + x[:0:-1]", apply=lambda x: x[:1] + x[:0:-1]),
    Step(name="sort", line="x = ''.join(sorted(x))", apply=lambda x: "".join(sorted(x))),
    Step(
        name="add_one",
        line="x = ''.join(str((int(c) + 1) % 5) for c in x)",
        apply=lambda x: "".join(str((int(c) + 1) % BASE) for c in x),
    ),
    Step(
        name="double",
        line="x = ''.join(str(int(c) * 2 % 5) for c in x)",
        apply=lambda x: "".join(str(int(c) * 2 % BASE) for c in x),
    ),
    Step(
        name="add_place",
        line="x = ''.join(str((int(c) + i) % 5) for i, c in enumerate(x))",
        apply=lambda x: "".join(str((int(c) + i) % BASE) for i, c in enumerate(x)),
    ),
    Step(
        name="add_last",
        line="x = x[:-1] + str((int(x[0]) + int(x[-1])) % 5)",
        apply=lambda x: x[:-1] + str((int(x[0]) + int(x[-1])) % BASE),
    ),
)
"""Every step, in canonical order."""

BY_LINE = {step.line: step for step in STEPS}


def source(steps: Sequence[Step]) -> str:
    """Returns the program that applies ``steps`` in order."""
    return straight([step.line for step in steps])


def draw_steps(random: np.random.Generator, depth: int) -> list[Step]:
    """Returns ``depth`` steps, no two equal neighbours (two reversals would undo each other)."""
    chosen: list[Step] = []
    while len(chosen) < depth:
        step = STEPS[int(random.integers(len(STEPS)))]
        if not chosen or chosen[-1] is not step:
            chosen.append(step)
    return chosen


def draw_value(random: np.random.Generator) -> str:
    """Returns a string of digits; all lengths are as likely."""
    length = int(random.integers(LENGTHS[0], LENGTHS[1] + 1))
    return "".join(str(int(digit)) for digit in random.integers(BASE, size=length))


def trace(steps: Sequence[Step], value: str) -> list[str]:
    """Returns the value after each step."""
    values = []
    for step in steps:
        value = step.apply(value)
        values.append(value)
    return values
