"""The view ``tasks``: one row a task, who proposed it, what came of it, and why it stands where it does."""

from __future__ import annotations

from typing import Any

from curricula.inspector.rates import solve_rate
from curricula.inspector.run_tasks import RunTasks, TaskHistory
from curricula.inspector.where import keep, parse

COLUMNS = (
    "id",
    "game",
    "kind",
    "difficulty",
    "skills",
    "by",
    "round",
    "status",
    "pool",
    "attempts",
    "successes",
    "undecided",
    "solve_rate",
    "score",
    "reason",
)
"""What ``--where`` may compare."""


def task_row(task: TaskHistory) -> dict[str, Any]:
    """Returns one task in a row.

    ``round`` is the ledger's round of the proposal: -1 for what was there before the first. ``solve_rate`` is the
    posterior mean over the attempts of all policy versions, each counting the same.
    """
    record = task.record
    return {
        "id": task.id,
        "game": task.game,
        "kind": record.origin.kind,
        "difficulty": record.checks.get("difficulty"),
        "skills": list(record.origin.skills),
        "by": record.origin.by,
        "round": record.origin.round,
        "status": record.status.value,
        "pool": record.pool,
        **solve_rate(record.successes, record.attempts),
        "undecided": record.undecided,
        "score": record.score,
        "reason": record.reason,
    }


def tasks(run: RunTasks, where: str = "") -> dict[str, Any]:
    """Returns ``{state, total, shown, tasks}``, the tasks in the order of proposal.

    Raises:
        InputError: ``where`` cannot be read or names no column.
    """
    terms = parse(where, COLUMNS)
    rows = [task_row(task) for task in run.tasks()]
    kept = keep(rows, terms)
    return {"state": run.state, "total": len(rows), "shown": len(kept), "tasks": kept}


def selected(run: RunTasks, where: str = "") -> list[TaskHistory]:
    """Returns the tasks that pass a query, for views that count over tasks.

    Raises:
        InputError: ``where`` cannot be read or names no column.
    """
    terms = parse(where, COLUMNS)
    return [task for task in run.tasks() if not terms or keep([task_row(task)], terms)]
