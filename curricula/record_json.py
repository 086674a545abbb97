"""Tasks and task records as JSON values, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from arena.types import PolicyId, Task
from curricula.task_record import Origin, Score, Tally, TaskRecord, TaskStatus


def task_fields(task: Task) -> dict[str, Any]:
    """Returns a task as JSON values, its id included."""
    return {
        "id": task.id,
        "game": task.game,
        "params": dict(task.params),
        "seed": task.seed,
        "author": task.author,
        "parents": list(task.parents),
    }


def task_from(fields: Mapping[str, Any]) -> Task:
    """Returns the task of ``task_fields``; its id is computed anew."""
    return Task(
        game=fields["game"],
        params=dict(fields["params"]),
        seed=fields["seed"],
        author=fields["author"],
        parents=tuple(fields["parents"]),
    )


def record_fields(record: TaskRecord) -> dict[str, Any]:
    """Returns a record as JSON values; its score is the one in ``scored``, or stands alone."""
    return {
        "task": task_fields(record.task),
        "tallies": [[one.policy.name, one.policy.version, one.attempts, one.successes] for one in record.tallies],
        "undecided": record.undecided,
        "score": record.score,
        "status": record.status.value,
        "reason": record.reason,
        "origin": {**asdict(record.origin), "skills": list(record.origin.skills)},
        "valid": record.valid,
        "checks": dict(record.checks),
        "pool": record.pool,
        "tried_round": record.tried_round,
        "shared": record.shared,
        "share_sum": record.share_sum,
        "scored": None if record.scored is None else score_fields(record.scored),
    }


def record_from(fields: Mapping[str, Any]) -> TaskRecord:
    """Returns the record of ``record_fields``."""
    origin = fields["origin"]
    return TaskRecord(
        **{
            **fields,
            "task": task_from(fields["task"]),
            "tallies": tuple(
                Tally(policy=PolicyId(name=name, version=version), attempts=attempts, successes=successes)
                for name, version, attempts, successes in fields["tallies"]
            ),
            "status": TaskStatus(fields["status"]),
            "origin": Origin(**{**origin, "skills": tuple(origin["skills"])}),
            "scored": None if fields["scored"] is None else score_from(fields["scored"]),
        }
    )


def score_fields(score: Score) -> dict[str, Any]:
    """Returns a score as JSON values."""
    return {
        "formula": score.formula,
        "terms": dict(score.terms),
        "p_mean": score.p_mean,
        "interval": list(score.interval),
    }


def score_from(fields: Mapping[str, Any]) -> Score:
    """Returns the score of ``score_fields``; other fields are ignored."""
    low, high = fields["interval"]
    return Score(formula=fields["formula"], terms=dict(fields["terms"]), p_mean=fields["p_mean"], interval=(low, high))
