"""The view ``rejections``: how many proposals were understood, valid, new and admitted, and why the others were not.

Whether a proposal was understood is read from its episode: a verifier was asked about it. For the round in progress,
which has no episodes yet, a reason counts as it did in the committed rounds, and a reason that is new to them counts
as understood. What nobody could judge (``undecided:...``) is lost where the judge was missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.log import Event
from curricula.inspector.episode_facts import EpisodeFacts
from curricula.inspector.run_tasks import RunTasks, TaskHistory
from curricula.inspector.where import keep, parse
from curricula.task_record import TaskStatus

STAGES = ("understood", "valid", "new", "admitted")
"""What a proposal has to pass, in order."""

COLUMNS = ("reason", "round", "lost_at", "episode", "game", "id")
"""What ``--where`` may compare."""

EXAMPLES = 3
"""How many excerpts are told for a reason."""


def rejections(run: RunTasks, episodes: Iterable[EpisodeFacts], where: str = "") -> dict[str, Any]:
    """Returns ``{state, funnel, reasons, rejected}``.

    ``funnel`` counts what is left after each stage, tasks of a generator left out; ``reasons`` counts by stage and
    reason with the first and the last round and a few different excerpts, the newest first. ``where`` chooses among
    the rejected proposals, and ``reasons`` follows it.

    Raises:
        InputError: ``where`` cannot be read or names no column.
    """
    terms = parse(where, COLUMNS)
    rows = lost(run, {one.id: one.validated for one in episodes})
    kept = keep(rows, terms)
    return {
        "state": run.state,
        "funnel": funnel([task for task in run.tasks() if is_proposal(task)], rows),
        "reasons": _reasons(kept),
        "rejected": kept,
    }


def is_proposal(task: TaskHistory) -> bool:
    """Returns whether a role wrote the task in an episode; a curriculum's own seeds are none."""
    return bool(task.record.origin.episode or task.record.origin.role)


def lost(run: RunTasks, understood: Mapping[str, bool]) -> list[dict[str, Any]]:
    """Returns the rejected proposals with the stage at which each was lost; ``understood`` is by episode."""
    known = {
        event.fields["reason"]: understood[event.fields["episode"]]
        for event in run.rejections
        if event.fields["episode"] in understood
    }
    return [
        {
            "round": event.round,
            "game": event.fields["game"],
            "id": event.fields["id"],
            "episode": event.fields["episode"],
            "reason": event.fields["reason"],
            "lost_at": _stage(event, understood.get(event.fields["episode"], known.get(event.fields["reason"], True))),
            "excerpt": event.fields["excerpt"],
        }
        for event in run.rejections
    ]


def funnel(proposals: Sequence[TaskHistory], rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Returns how many proposals there were, and how many are left after each stage.

    A proposal of the ledger that was neither admitted nor rejected yet is in no stage it has not passed.
    """
    unfiled = [row for row in rows if not row["id"]]
    lost_at = Counter(row["lost_at"] for row in rows)
    pending = sum(task.record.status is TaskStatus.PROPOSED for task in proposals)
    left = len(proposals) + len(unfiled)
    counts = {"proposed": left}
    for stage in STAGES:
        left -= lost_at[stage] + (pending if stage == STAGES[-1] else 0)
        counts[stage] = left
    return counts


def _stage(event: Event, understood: bool) -> str:
    reason = event.fields["reason"]
    if reason.startswith("duplicate"):
        return "new"
    # Its attempts were judged by nobody: it was a problem, and a new one.
    if reason == "undecided:attempts":
        return "admitted"
    return "valid" if understood else "understood"


def _reasons(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["lost_at"], row["reason"]), []).append(row)
    ordered = sorted(groups.items(), key=lambda one: (STAGES.index(one[0][0]), -len(one[1]), one[0][1]))
    return [
        {
            "lost_at": stage,
            "reason": reason,
            "count": len(found),
            "first_round": found[0]["round"],
            "last_round": found[-1]["round"],
            "excerpts": list(dict.fromkeys(row["excerpt"] for row in reversed(found) if row["excerpt"]))[:EXAMPLES],
        }
        for (stage, reason), found in ordered
    ]
