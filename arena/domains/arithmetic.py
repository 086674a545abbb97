"""Sums, differences and products of whole numbers: the smallest domain, with an exact verifier and no executor.

A problem of difficulty d has numbers of up to d digits.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from arena.domains.domain import Checker, Domain, Problem, Rejection, domains
from arena.domains.exact import ExactChecker

SIGNS: Mapping[str, tuple[str, Callable[[int, int], int]]] = {
    "sum": ("+", operator.add),
    "difference": ("-", operator.sub),
    "product": ("*", operator.mul),
}
MOST_DIGITS = 9


@domains.register("arithmetic")
class Arithmetic(Domain):
    """One operation on two whole numbers."""

    name = "arithmetic"
    version = 1
    kinds = tuple(SIGNS)
    most_difficulty = MOST_DIGITS

    def generate(self, random: np.random.Generator, kind: str, difficulty: int) -> Problem:
        """Returns a problem whose greater number has ``difficulty`` digits."""
        low, high = (0 if difficulty == 1 else 10 ** (difficulty - 1)), 10**difficulty
        numbers = [int(random.integers(low, high)), int(random.integers(high))]
        if random.integers(2):
            numbers.reverse()
        return {"kind": kind, "left": numbers[0], "right": numbers[1]}

    def statement(self, problem: Problem) -> str:
        """Returns ``Work out 12 + 30.``."""
        return f"Work out {self.proposal_text(problem)}."

    def skills(self, problem: Problem) -> tuple[str, ...]:
        """Returns the operation with its carries or borrows, as ``sum/carry``."""
        left, right = str(problem["left"])[::-1], str(problem["right"])[::-1]
        pairs = [(int(a), int(b)) for a, b in zip(left, right, strict=False)]
        carried = {"sum": any(a + b > 9 for a, b in pairs), "difference": any(a < b for a, b in pairs)}
        kind = problem["kind"]
        return (f"{kind}/carry",) if carried.get(kind) else (str(kind),)

    def difficulty(self, problem: Problem) -> int:
        """Returns the digits of the greater number."""
        return max(len(str(problem["left"])), len(str(problem["right"])))

    def signature(self, problem: Problem) -> str:
        """Returns the operation and its numbers, in order where the order matters."""
        numbers = [problem["left"], problem["right"]]
        return json.dumps([problem["kind"], numbers if problem["kind"] == "difference" else sorted(numbers)])

    def solution(self, problem: Problem) -> str:
        """Returns the result."""
        return str(SIGNS[problem["kind"]][1](int(problem["left"]), int(problem["right"])))

    def canonical_answer(self, answer: str) -> str:
        """Returns the number without leading zeros."""
        return read_number(answer) or answer.strip()

    def checker(self, executor: str) -> Checker:
        """Returns a checker; nothing is executed."""
        return ExactChecker(self, read_number)

    def read_proposal(self, text: str, kind: str) -> Mapping[str, Any] | Rejection:
        """Returns the numbers of a text like ``12 + 30``."""
        match = re.fullmatch(rf"\s*(\d{{1,{MOST_DIGITS}}})\s*([+*-])\s*(\d{{1,{MOST_DIGITS}}})\s*", text, re.ASCII)
        if match is None:
            return Rejection(reason="syntax", detail=f"expected two numbers of at most {MOST_DIGITS} digits")
        if match[2] != SIGNS[kind][0]:
            return Rejection(reason="other_kind", detail=f"expected {SIGNS[kind][0]}, got {match[2]}")
        return {"kind": kind, "left": int(match[1]), "right": int(match[3])}

    def proposal_text(self, problem: Problem) -> str:
        """Returns ``12 + 30``."""
        return f"{problem['left']} {SIGNS[problem['kind']][0]} {problem['right']}"

    def proposal_form(self, kind: str) -> str:
        """Returns how to write a proposal."""
        return f"Write a new {kind} task as NUMBER {SIGNS[kind][0]} NUMBER."


def read_number(text: str) -> str | None:
    """Returns the whole number that a text holds in plain digits, without leading zeros, or ``None``."""
    match = re.fullmatch(r"\s*(-?\d{1,40})\s*", text, re.ASCII)
    return None if match is None else str(int(match[1]))
