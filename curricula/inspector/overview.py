"""The view ``summary``: a campaign on one screen, rounds x what was proposed, kept, solved and spent."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from curricula.inspector.episode_facts import EpisodeFacts
from curricula.inspector.funnel import funnel, is_proposal, lost
from curricula.inspector.rates import BINS, block_of, blocks, interval, mean, rate_bin
from curricula.inspector.run_tasks import RunTasks, TaskHistory
from curricula.task_record import TaskStatus

_TOKENS = "role_tokens/"


def summary(run: RunTasks, episodes: Iterable[EpisodeFacts], most: int | None = None) -> dict[str, Any]:
    """Returns ``{state, rounds, in_progress, tasks, seeds, pools, alarms, unread, blocks, heldout}``.

    A block (of rounds; at most ``most``) has the funnel's counts, ``valid_rate`` (of the proposals),
    ``duplicate_rate`` (of the valid ones), the mean ``difficulty`` of what was kept, ``solve_rates`` (how many of the
    tasks proposed there fall in each of ``bins``) and the ``tokens`` of each role. ``heldout`` has a line for each
    measurement on sealed problems.
    """
    proposals = [task for task in run.tasks() if is_proposal(task)]
    rows = lost(run, {one.id: one.validated for one in episodes})
    rounds = [*run.rounds, *(task.record.origin.round for task in proposals), *(row["round"] for row in rows)]
    parts = blocks(rounds if run.in_progress is None else [*rounds, run.in_progress], most)
    return {
        "state": run.state,
        "rounds": len(run.rounds),
        "in_progress": run.in_progress,
        "tasks": sum(map(len, run.ledgers.values())),
        "seeds": sum(map(len, run.ledgers.values())) - len(proposals),
        "pools": {game: ledger.pools() for game, ledger in run.ledgers.items()},
        "alarms": {game: dict(ledger.alarms) for game, ledger in run.ledgers.items()},
        "unread": dict(run.unread),
        "bins": list(BINS),
        "blocks": _blocks(run, proposals, rows, parts),
        "heldout": heldout(run),
    }


def heldout(run: RunTasks) -> list[dict[str, Any]]:
    """Returns a line for each policy, domain and measurement on sealed problems, with a line a kind in ``kinds``."""
    return [
        {
            "rounds_done": event.fields.get("rounds_done", event.round),
            "policy": one.get("policy"),
            "version": one.get("version"),
            "domain": one.get("domain"),
            **_measured(one.get("cells") or []),
            "kinds": {
                kind: _measured([cell for cell in one["cells"] if cell.get("kind") == kind])
                for kind in dict.fromkeys(cell.get("kind") for cell in one.get("cells") or [])
            },
        }
        for event in run.frame
        if event.kind == "evaluated"
        for one in event.fields.get("heldout") or []
    ]


def _measured(cells: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    attempts, solved = (sum(cell.get(name) or 0 for cell in cells) for name in ("attempts", "solved"))
    bounds = list(interval(solved, attempts)) if attempts else None
    return {"attempts": attempts, "solved": solved, "rate": solved / attempts if attempts else None, "interval": bounds}


def _blocks(
    run: RunTasks,
    proposals: Sequence[TaskHistory],
    rows: Sequence[Mapping[str, Any]],
    parts: Sequence[tuple[int, int]],
) -> list[dict[str, Any]]:
    ours: defaultdict[int | None, list[TaskHistory]] = defaultdict(list)
    theirs: defaultdict[int | None, list[Mapping[str, Any]]] = defaultdict(list)
    for task in proposals:
        ours[block_of(task.record.origin.round, parts)].append(task)
    for row in rows:
        theirs[block_of(row["round"], parts)].append(row)
    return [
        {"rounds": list(part), **_counts(ours[place], theirs[place]), "tokens": _tokens(run, part)}
        for place, part in enumerate(parts)
    ]


def _counts(proposals: Sequence[TaskHistory], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    counts = funnel(proposals, rows)
    bins = [0] * len(BINS)
    for task in proposals:
        if task.record.attempts:
            bins[rate_bin(task.record.successes, task.record.attempts)] += 1
    kept = [task for task in proposals if task.record.status is not TaskStatus.REJECTED]
    hard = [task.record.checks.get("difficulty") for task in kept]
    return {
        **counts,
        "valid_rate": counts["valid"] / counts["proposed"] if counts["proposed"] else None,
        "duplicate_rate": (counts["valid"] - counts["new"]) / counts["valid"] if counts["valid"] else None,
        "difficulty": mean([value for value in hard if isinstance(value, int | float)]),
        "solve_rates": bins,
    }


def _tokens(run: RunTasks, part: tuple[int, int]) -> dict[str, float]:
    spent: defaultdict[str, float] = defaultdict(float)
    for round, metrics in run.metrics.items():
        if part[0] <= round <= part[1]:
            for name, value in metrics.items():
                if name.startswith(_TOKENS):
                    spent[name.removeprefix(_TOKENS)] += value
    return dict(spent)
