"""The verifier of domain games: answers their calls in batches, and never turns a fault into a zero.

A checker that raises, returns too few verdicts or something else leaves its calls UNDECIDED, with the reason in
``detail``: an undecided attempt leaves the statistics, it is never counted as wrong.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from arena.domains.domain import CHECK, VALIDATE, Attempt, Checker, Domain, Problem, domains
from arena.errors import CapabilityError, ConfigError, InputError
from arena.game import Call
from arena.types import Outcome, Verdict


def check_call(domain: str, problem: Problem, answer: str) -> Call:
    """Returns the call that asks whether an answer is right."""
    return Call(CHECK, json.dumps({"domain": domain, "problem": dict(problem), "answer": answer}, sort_keys=True))


def validate_call(domain: str, proposal: Mapping[str, Any]) -> Call:
    """Returns the call that asks whether a proposal is a problem."""
    return Call(VALIDATE, json.dumps({"domain": domain, "proposal": dict(proposal)}, sort_keys=True))


SEALED = "sealed"
"""The reason of a proposal that is one of the sealed problems."""


class DomainVerifier:
    """Answers ``check`` and ``validate`` calls of every domain.

    Args:
        executor: what runs programs: ``monty`` or ``cpython``.
        checkers: ready checkers by domain; others are opened when they are first needed.
        sealed: signatures by domain that are no valid proposals, because they measure (``arena.domains.sealed``).

    ``seconds`` is the wall-clock time that answering calls has taken so far.
    """

    def __init__(
        self,
        executor: str = "monty",
        checkers: Mapping[str, Checker] | None = None,
        sealed: Mapping[str, frozenset[str]] = MappingProxyType({}),
    ) -> None:
        self.executor = executor
        self.seconds = 0.0
        self._sealed = sealed
        self._checkers = dict(checkers or {})

    def open(self, name: str) -> Checker:
        """Returns the checker of a domain, so that a missing extra shows before any work.

        Raises:
            UnknownNameError: no such domain.
            CapabilityError: an extra or a layer of the sandbox is missing.
        """
        if name not in self._checkers:
            self._checkers[name] = domains.make(name).checker(self.executor)
        return self._checkers[name]

    def check(self, calls: Sequence[Call]) -> list[Verdict]:
        """Returns one verdict a call, in order; one batch for each kind and domain."""
        started = time.perf_counter()
        try:
            return self._checked(calls)
        finally:
            self.seconds += time.perf_counter() - started

    def _checked(self, calls: Sequence[Call]) -> list[Verdict]:
        verdicts: dict[int, Verdict] = {}
        for (kind, name), members in self._batches(calls).items():
            requests = [request for _, request in members]
            found = _judged(name, len(requests), self._judge(kind, name, requests))
            verdicts.update(zip([index for index, _ in members], found, strict=True))
        return [verdicts[index] for index in range(len(calls))]

    def close(self) -> None:
        """Closes every checker."""
        for checker in self._checkers.values():
            checker.close()
        self._checkers.clear()

    def _unsealed(self, name: str, verdict: Verdict) -> Verdict:
        """Returns a verdict, or INVALID when the problem that it admits belongs to the sealed set."""
        problem = fields(verdict).get("problem")
        if not problem or domains.make(name).signature(problem) not in self._sealed.get(name, ()):
            return verdict
        return replace(verdict, outcome=Outcome.INVALID, detail=json.dumps({"reason": SEALED}))

    def _batches(self, calls: Sequence[Call]) -> dict[tuple[str, str], list[tuple[int, dict[str, Any]]]]:
        batches: dict[tuple[str, str], list[tuple[int, dict[str, Any]]]] = {}
        for index, call in enumerate(calls):
            if call.kind not in (CHECK, VALIDATE):
                raise CapabilityError(
                    f"verifier: expected calls of kind {CHECK} or {VALIDATE}, got {call.kind!r}; "
                    "give the game a verifier of its own"
                )
            request = json.loads(call.request)
            batches.setdefault((call.kind, request["domain"]), []).append((index, request))
        return batches

    def _judge(self, kind: str, name: str, requests: Sequence[Mapping[str, Any]]) -> Callable[[], Sequence[Verdict]]:
        checker = self.open(name)
        if kind == VALIDATE:
            proposals = [request["proposal"] for request in requests]
            return lambda: [self._unsealed(name, verdict) for verdict in checker.validate(proposals)]
        return lambda: checker.check([Attempt(problem=one["problem"], answer=one["answer"]) for one in requests])


def _judged(name: str, count: int, judge: Callable[[], Sequence[Verdict]]) -> Sequence[Verdict]:
    """Returns the verdicts, or UNDECIDED for all when the checker itself is at fault."""
    try:
        verdicts = judge()
    except InputError:
        raise
    except Exception as error:  # a checker, of whatever origin, may raise anything
        return [undecided(name, f"raised:{type(error).__name__}")] * count
    if not isinstance(verdicts, Sequence) or len(verdicts) != count:
        return [undecided(name, "returned:not one verdict a request")] * count
    return [one if isinstance(one, Verdict) else undecided(name, "returned:no verdict") for one in verdicts]


def undecided(verifier: str, reason: str, version: str = "") -> Verdict:
    """Returns the verdict of a verifier that could not tell."""
    return Verdict(outcome=Outcome.UNDECIDED, detail=json.dumps({"reason": reason}), verifier=verifier, version=version)


def fields(verdict: Verdict) -> dict[str, Any]:
    """Returns the fields of a domain verdict's detail; empty when it holds no JSON object."""
    try:
        found = json.loads(verdict.detail or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def domain_of(name: object) -> Domain:
    """Returns the domain that a task's parameter names.

    Raises:
        ConfigError: it is no text.
        UnknownNameError: no such domain.
    """
    if not isinstance(name, str):
        raise ConfigError(f"task.params.domain: expected the name of a domain, got {name!r}; for example python_io")
    return domains.make(name)
