"""The checker of domains with one right answer each: nothing is executed, two canonical texts are compared."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.domains.domain import Attempt, Domain
from arena.types import Outcome, Verdict


class ExactChecker:
    """Calls an answer right when it reads as the domain's solution does; every proposal that was read is a problem.

    Args:
        domain: whose ``solution`` is the one right answer.
        read: returns the canonical form of an answer, or ``None`` for a text that is no answer. It meets texts of any
            kind and length.
    """

    def __init__(self, domain: Domain, read: Callable[[str], str | None]) -> None:
        self._domain = domain
        self._read = read

    def check(self, attempts: Sequence[Attempt]) -> list[Verdict]:
        """Returns CORRECT, WRONG or INVALID for each attempt."""
        return [self._one(attempt) for attempt in attempts]

    def validate(self, proposals: Sequence[Mapping[str, Any]]) -> list[Verdict]:
        """Returns each proposal as a problem."""
        return [self._say(Outcome.CORRECT, problem=dict(proposal)) for proposal in proposals]

    def hindsight(self, attempts: Sequence[Attempt]) -> list[list[Attempt]]:
        """Returns none: a wrong answer answers nothing else."""
        return [[] for _ in attempts]

    def close(self) -> None:
        """Holds nothing."""

    def _one(self, attempt: Attempt) -> Verdict:
        value = self._read(attempt.answer)
        if value is None:
            return self._say(Outcome.INVALID, reason="not_an_answer")
        right = value == self._read(self._domain.solution(attempt.problem))
        return self._say(Outcome.CORRECT if right else Outcome.WRONG)

    def _say(self, outcome: Outcome, **fields: object) -> Verdict:
        detail = json.dumps(fields, sort_keys=True)
        return Verdict(outcome=outcome, detail=detail, verifier=self._domain.name, version=str(self._domain.version))
