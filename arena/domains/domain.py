"""The contract of a domain: problems that can be made, stated, answered and judged.

A domain's own methods are pure: they draw a problem, put it into words, read a proposal, name its skills. Whatever
runs a model's text or takes time belongs to its ``Checker``, which the arena asks in batches through calls
(``arena.domains.verifier``), so that a game over a domain stays a game of pure rules. Proposer and solver, conjecturer
and prover, critic and actor are different names for seats at games over the same domains.

A *problem* is a mapping of JSON values; it travels in a task's parameters and holds everything that judging needs, the
hidden parts included. Only ``statement`` decides what a solver sees.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from arena.registry import Registry
from arena.types import Verdict

Problem = Mapping[str, Any]
"""JSON values; equal problems are the same problem."""

CHECK, VALIDATE = "check", "validate"
"""The two kinds of calls: is this answer right, and is this proposal a problem."""

NOT_PROPOSABLE = "not_proposable"
"""The reason of every proposal to a domain whose problems only its own generator makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """Why a text is no proposal, or a proposal no problem.

    Attributes:
        reason: a short slug that can be counted, for example ``syntax``.
        detail: one line for people.
    """

    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An answer to a problem."""

    problem: Problem
    answer: str


class Checker(Protocol):
    """The side of a domain that runs things. Bounded in time; whatever a text does becomes a verdict."""

    def check(self, attempts: Sequence[Attempt]) -> list[Verdict]:
        """Returns one verdict an attempt, in order; ``detail`` is a JSON object that may hold ``share``.

        CORRECT, WRONG (understood, and not right), INVALID (not an answer) or UNDECIDED (nobody can tell). ``share`` is
        the share of steps that were verified, for domains whose answers have steps.
        """
        ...

    def validate(self, proposals: Sequence[Mapping[str, Any]]) -> list[Verdict]:
        """Returns one verdict a proposal: CORRECT with the problem in ``detail``, or INVALID with ``reason`` there."""
        ...

    def hindsight(self, attempts: Sequence[Attempt]) -> list[list[Attempt]]:
        """Returns for each attempt other problems that it is right about, with the part of it that answers them."""
        ...

    def close(self) -> None:
        """Lets go of processes and files."""
        ...


class Domain(ABC):
    """One family of problems.

    Attributes:
        name: the registered name.
        version: raised by any change that can change a verdict.
        kinds: what a problem can ask for, in canonical order.
        most_difficulty: difficulties run from 1 to this.
        proposable: whether models can write its problems; otherwise ``read_proposal`` returns a ``Rejection`` with the
            reason ``NOT_PROPOSABLE``.
        shows_solution: whether a solution may stand in its statement by nature, as one of the choices does.
    """

    name: str
    version: int
    kinds: tuple[str, ...]
    most_difficulty: int
    proposable: bool = True
    shows_solution: bool = False

    @abstractmethod
    def generate(self, random: np.random.Generator, kind: str, difficulty: int) -> Problem:
        """Returns a fresh valid problem."""

    @abstractmethod
    def statement(self, problem: Problem) -> str:
        """Returns what the solver sees, how to answer included."""

    @abstractmethod
    def skills(self, problem: Problem) -> tuple[str, ...]:
        """Returns the skills that the problem needs, sorted."""

    @abstractmethod
    def difficulty(self, problem: Problem) -> int:
        """Returns how deep the problem is, from 1."""

    @abstractmethod
    def signature(self, problem: Problem) -> str:
        """Returns a canonical text: equal for problems that differ in spelling or in kind only."""

    @abstractmethod
    def solution(self, problem: Problem) -> str:
        """Returns one right answer, for warm starts and controls; never shown to a solver."""

    def canonical_answer(self, answer: str) -> str:
        """Returns a text that is equal for answers that say the same, so that a vote can count them.

        It is pure, says nothing of right or wrong, and meets texts of any kind: what is no answer stays as it is.
        """
        return answer.strip()

    @abstractmethod
    def checker(self, executor: str) -> Checker:
        """Returns the domain's checker; ``executor`` names what runs programs, where anything does.

        Raises:
            CapabilityError: an extra or a layer of the sandbox is missing.
        """

    @abstractmethod
    def read_proposal(self, text: str, kind: str) -> Mapping[str, Any] | Rejection:
        """Returns the parts of a proposal, read from a model's text without running it."""

    @abstractmethod
    def proposal_text(self, problem: Problem) -> str:
        """Returns the text that ``read_proposal`` reads back as this problem, for references and warm starts."""

    @abstractmethod
    def proposal_form(self, kind: str) -> str:
        """Returns how to write a proposal, in words."""


domains: Registry[Domain] = Registry("domain", "arena.domains")
"""Every registered domain, by name (``python_io``)."""
