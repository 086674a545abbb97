"""The view ``lineage``: which tasks came from which, and what a branch taught.

``lineage ID`` draws one family; without an id, the generations and the tasks that most others were made from. What a
branch taught is a difference between policy versions on the same tasks, no effect (``curricula.lineage``).
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from curricula.inspector.rates import mean
from curricula.inspector.run_tasks import RunTasks
from curricula.inspector.task_table import task_row
from curricula.lineage import Lineage

WIDEST = 10
"""How many of the widest branches are told."""


def generations(run: RunTasks) -> dict[str, Any]:
    """Returns ``{state, generations, widest}``: counts by generation, and the tasks with the most children.

    A task is in generation 0 without parents, else one later than its latest parent. A parent that no ledger knows
    is counted as ``unknown``.
    """
    lineage = Lineage(*run.ledgers.values())
    rows = {row["id"]: row for row in map(task_row, run.tasks())}
    layers: dict[int, list[str]] = {}
    for id, depth in lineage.generations().items():
        layers.setdefault(depth, []).append(id)
    found = []
    for depth, ids in sorted(layers.items()):
        known = [rows[id] for id in ids if id in rows]
        found.append(
            {
                "generation": depth,
                "tasks": len(known),
                "unknown": len(ids) - len(known),
                "status": dict(Counter(row["status"] for row in known)),
                "difficulty": mean([row["difficulty"] for row in known if _is_number(row["difficulty"])]),
                "solve_rate": mean([row["solve_rate"] for row in known if row["solve_rate"] is not None]),
                "score": mean([row["score"] for row in known if row["score"] is not None]),
            }
        )
    return {"state": run.state, "generations": found, "widest": _widest(lineage, rows)}


def family(run: RunTasks, id: str) -> dict[str, Any]:
    """Returns ``{id, parents, children, tasks, ancestors, descendants, taught}`` of one task.

    ``parents`` and ``children`` map every task of the family to its own; ``tasks`` holds a row for each that is
    known. ``taught`` is the mean change of the solve rate's posterior from the oldest to the newest version over the
    task and its descendants, or ``None`` where no task was tried by two versions.

    Raises:
        InputError: there is no such task.
    """
    root = run.find(id).id
    lineage = Lineage(*run.ledgers.values())
    up, down = lineage.ancestors(root), lineage.descendants(root)
    members = {root, *up, *down}
    return {
        "id": root,
        "ancestors": len(up),
        "descendants": len(down),
        "taught": lineage.taught(root),
        "parents": {one: lineage.parents(one) for one in sorted({root, *up})},
        "children": {one: lineage.children(one) for one in sorted({root, *down})},
        "tasks": {one.id: task_row(one) for one in run.tasks() if one.id in members},
    }


def _widest(lineage: Lineage, rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    degrees = sorted(lineage.graph.out_degree, key=lambda one: (-one[1], one[0]))
    return [
        {
            "id": id,
            "by": rows[id]["by"] if id in rows else None,
            "kind": rows[id]["kind"] if id in rows else None,
            "children": children,
            "descendants": len(lineage.descendants(id)),
        }
        for id, children in degrees[:WIDEST]
        if children
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
