"""Problems about real programs: predict the output, find an input, or write the program (arXiv 2505.03335).

A problem is a triple of program, input and output that a fresh interpreter confirmed. ``deduction`` asks for the
output, ``abduction`` for any input that gives the output, ``induction`` for a program that fits cases of which half
stay hidden. A triple is valid when the program can be read, runs, gives the same output under another hash seed and
clock, and that output is a plain literal that is not guessed by chance (``python_source.answer_bits``).

``python_io`` asks for the answer alone and takes any program. ``python_trace`` takes straight programs and asks for a
written trace: each line, and below it the value after it (in abduction the last line first, and the value before
it). Each step is verified, so that a right answer by a wrong way is wrong, and a wrong one says how far it was right.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from arena.domains import digit_chains as chains
from arena.domains.domain import Checker, Domain, Problem, Rejection, domains
from arena.domains.python_source import MOST_SOURCE, Program, canonical, read_program, written_trace

INPUT = "Input:"
CASES = (4, 10)
"""The least and the most cases of an induction."""

_ASKS = {
    "deduction": "Say the output of this program.",
    "abduction": "Say an input that gives this output.",
    "induction": "Write a program f(x) that fits all cases, the hidden ones too.",
}
_TRACE_ASKS = {
    "deduction": "Trace this program: write each line, and below it x after that line.",
    "abduction": "Trace this program back: write each line, last line first, and below it x before that line.",
}


@domains.register("python_io")
class PythonIO(Domain):
    """Deduction, abduction and induction over Python programs; only the final answer is judged."""

    name = "python_io"
    version = 1
    kinds: tuple[str, ...] = ("deduction", "abduction", "induction")
    most_difficulty = chains.MOST_DEPTH
    traced = False

    def generate(self, random: np.random.Generator, kind: str, difficulty: int) -> Problem:
        """Returns a chain of ``difficulty`` steps on a string of digits (``digit_chains``) that moves its input."""
        while True:
            steps = chains.draw_steps(random, difficulty)
            count = CASES[0] if kind == "induction" else 1
            cases = [(value, chains.trace(steps, value)[-1]) for value in _distinct(random, count)]
            if all(given != got for given, got in cases):
                break
        if kind == "induction":
            told = [[repr(given), repr(got)] for given, got in cases]
            return {"kind": kind, "program": chains.source(steps), "cases": told}
        ((given, got),) = cases
        return {"kind": kind, "program": chains.source(steps), "input": repr(given), "output": repr(got)}

    def statement(self, problem: Problem) -> str:
        """Returns the question with what may be seen: never the output of a deduction or a hidden case."""
        kind = problem["kind"]
        ask = (_TRACE_ASKS if self.traced else _ASKS)[kind]
        if kind == "induction":
            shown = problem["cases"][: (len(problem["cases"]) + 1) // 2]
            told = "\n".join(f"{INPUT}\n{given}\nOutput:\n{got}" for given, got in shown)
            return f"{ask}\n{told}"
        known = f"{INPUT}\n{problem['input']}" if kind == "deduction" else f"Output:\n{problem['output']}"
        return f"{ask}\n{problem['program']}\n{known}"

    def skills(self, problem: Problem) -> tuple[str, ...]:
        """Returns the steps of the small family by name, and the functions and methods that other programs call."""
        program = _read(problem)
        known = {chains.BY_LINE[line].name for line in _lines(problem) if line in chains.BY_LINE}
        return tuple(sorted(known or program.names))

    def difficulty(self, problem: Problem) -> int:
        """Returns the number of lines of a straight program, of statements of another (its tree's size over 8)."""
        program = _read(problem)
        return max(1, len(program.steps) or program.size // 8)

    def signature(self, problem: Problem) -> str:
        """Returns a hash of the program without the names of its variables, and of its inputs."""
        inputs = [given for given, _ in problem["cases"]] if "cases" in problem else [problem["input"]]
        text = json.dumps([_read(problem).key, inputs])
        return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()

    def solution(self, problem: Problem) -> str:
        """Returns the output, the input, or the program."""
        return str(problem[{"deduction": "output", "abduction": "input", "induction": "program"}[problem["kind"]]])

    def canonical_answer(self, answer: str) -> str:
        """Returns the canonical form of every line that is a literal; two programs are equal by their text."""
        if len(answer) > MOST_SOURCE:
            return answer.strip()
        return "\n".join(canonical(line) or line.strip() for line in answer.strip().split("\n"))

    def checker(self, executor: str) -> Checker:
        """Returns a checker that runs programs with the named executor."""
        from arena.domains.python_checker import PythonChecker

        return PythonChecker(self, executor)

    def read_proposal(self, text: str, kind: str) -> Mapping[str, Any] | Rejection:
        """Returns the program and the canonical inputs of a text ``PROGRAM / Input: / LITERAL``."""
        head, *rest = f"{_unfenced(text)}\n".split(f"\n{INPUT}\n")
        if not rest:
            return Rejection(reason="no_input", detail=f"expected a line {INPUT!r} after the program")
        program = read_program(head.strip("\n"))
        if isinstance(program, str):
            return Rejection(reason=program)
        if self.traced and not program.steps:
            return Rejection(reason="not_straight", detail="every line must assign to x, and the last return it")
        inputs = [canonical(one) for one in rest]
        known = [one for one in inputs if one is not None]
        if len(known) < len(inputs):
            return Rejection(reason="input_literal", detail="an input is no plain literal")
        least, most = CASES if kind == "induction" else (1, 1)
        if not least <= len(set(known)) <= most:
            return Rejection(reason="inputs", detail=f"expected {least} to {most} distinct inputs, got {len(known)}")
        return {"kind": kind, "program": program.source, "inputs": list(dict.fromkeys(known))}

    def proposal_text(self, problem: Problem) -> str:
        """Returns the program and its inputs, as a proposer writes them."""
        inputs = [given for given, _ in problem["cases"]] if "cases" in problem else [problem["input"]]
        return "\n".join([problem["program"], *(f"{INPUT}\n{one}" for one in inputs)])

    def proposal_form(self, kind: str) -> str:
        """Returns how to write a program with its inputs."""
        count = f"{CASES[0]} to {CASES[1]} different inputs" if kind == "induction" else "an input"
        straight = " Every line assigns to x; the last returns it." if self.traced else ""
        return f"Write a program f(x) and {count} for a new {kind} task.{straight}"


@domains.register("python_trace")
class PythonTrace(PythonIO):
    """Deduction and abduction over straight programs; every step of the written trace is judged."""

    name = "python_trace"
    kinds = ("deduction", "abduction")
    traced = True

    def solution(self, problem: Problem) -> str:
        """Returns the whole trace, forwards for deduction, backwards for abduction.

        Raises:
            KeyError: the program is not one of the small family, whose steps this process knows.
        """
        lines, given = _lines(problem), str(problem["input"])
        after = [repr(one) for one in chains.trace([chains.BY_LINE[line] for line in lines], given[1:-1])]
        if problem["kind"] == "abduction":
            return written_trace(lines[::-1], [given, *after][-2::-1])
        return written_trace(lines, after)


def _read(problem: Problem) -> Program:
    program = read_program(problem["program"])
    if isinstance(program, str):
        raise ValueError(f"problem.program: expected a program that can be read, got {program}; validate it first")
    return program


def _lines(problem: Problem) -> list[str]:
    """Returns the statements of a program as they are written, without the head and the return."""
    return [line.strip() for line in str(problem["program"]).split("\n")[1:-1]]


def _distinct(random: np.random.Generator, count: int) -> list[str]:
    values: dict[str, None] = {}
    while len(values) < count:
        values[chains.draw_value(random)] = None
    return list(values)


def _unfenced(text: str) -> str:
    """Returns a text without the code fence that chat models put around programs."""
    lines = [line for line in text.replace("\r\n", "\n").strip().split("\n") if not line.startswith("```")]
    return "\n".join(lines)
