"""The view ``tasks ID``: everything that the log says about one task."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from arena.domains.domain import domains
from arena.errors import LudusError
from arena.log import Event
from arena.types import Outcome
from curricula.inspector.rates import solve_rate
from curricula.inspector.run_tasks import RunTasks, TaskHistory
from curricula.inspector.task_table import task_row


def task(run: RunTasks, id: str) -> dict[str, Any]:
    """Returns a task's row with its statement, origin, family, attempts, posteriors, scores, verdicts and moves.

    Raises:
        InputError: there is no such task.
    """
    found = run.find(id)
    return {
        **task_row(found),
        "statement": statement(found.record.task.params),
        "params": dict(found.record.task.params),
        "role": found.record.origin.role,
        "episode": found.record.origin.episode,
        "signature": found.record.origin.signature,
        "checks": dict(found.record.checks),
        "parents": list(found.record.parents),
        "children": [one.id for one in run.tasks() if found.id in one.record.parents],
        "attempts_made": [_attempt(event) for event in found.of_kind("attempt")],
        "posteriors": posteriors(found),
        "scores": [_score(event) for event in found.of_kind("score")],
        "decisions": [_decision(e) for e in found.of_kind("task_validated", "task_admitted", "task_rejected")],
        "moves": [_said(event, "from", "to", "reason") for event in found.of_kind("pool_moved")],
    }


def statement(params: Mapping[str, Any]) -> str:
    """Returns a task in its domain's words, or its parameters as JSON where no domain can put it into words."""
    name, problem = params.get("domain"), params.get("problem")
    if isinstance(name, str) and isinstance(problem, Mapping) and name in domains:
        try:
            return domains.make(name).statement(problem)
        except (LudusError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
            pass  # a problem of another version of the domain
    return json.dumps(dict(params), indent=2, ensure_ascii=False)


def written(params: Mapping[str, Any]) -> str:
    """Returns a task as a proposer would write it, without the words around it that all tasks share."""
    name, problem = params.get("domain"), params.get("problem")
    if isinstance(name, str) and isinstance(problem, Mapping) and name in domains:
        try:
            return domains.make(name).proposal_text(problem)
        except (LudusError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
            pass  # a problem of another version of the domain
    return json.dumps(problem if isinstance(problem, Mapping) else dict(params), ensure_ascii=False)


def posteriors(found: TaskHistory) -> list[dict[str, Any]]:
    """Returns the solve rate after each policy version, in the order in which versions first tried the task.

    Each holds the version's own attempts and, in ``so_far``, those of every version up to it.
    """
    tallies: dict[str, list[int]] = {}
    rounds: dict[str, int] = {}
    for event in found.of_kind("attempt"):
        policy, outcome = policy_of(event), event.fields["outcome"]
        rounds[policy] = event.round
        tally = tallies.setdefault(policy, [0, 0])
        tally[0] += outcome == Outcome.CORRECT
        tally[1] += outcome != Outcome.UNDECIDED
    told, successes, attempts = [], 0, 0
    for policy, (solved, tried) in tallies.items():
        successes, attempts = successes + solved, attempts + tried
        own = {"policy": policy, "round": rounds[policy], **solve_rate(solved, tried)}
        told.append({**own, "so_far": solve_rate(successes, attempts)})
    return told


def policy_of(event: Event) -> str:
    """Returns who made an attempt, as ``solver@3``."""
    return f"{event.fields['policy']}@{event.fields['version']}"


def _attempt(event: Event) -> dict[str, Any]:
    return {"policy": policy_of(event), **_said(event, "seat", "outcome", "verifier", "share", "episode")}


def _score(event: Event) -> dict[str, Any]:
    said = _said(event, "formula", "terms", "p_mean", "interval", "episode")
    return {**said, "pay": sum(event.fields["terms"].values())}


def _decision(event: Event) -> dict[str, Any]:
    what = event.kind.removeprefix("task_")
    return {"what": str(event.fields.get("outcome", what)), **_said(event, "reason")}


def _said(event: Event, *names: str) -> dict[str, Any]:
    return {"round": event.round, **{name: event.fields.get(name) for name in names}}
