"""The view ``skills``: skill x rounds, with how often each skill was asked for and how often it was solved.

An attempt counts for every skill of its task, so shares add up to more than 1 where tasks need several.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

from arena.types import Outcome
from curricula.inspector.rates import block_of, blocks, solve_rate
from curricula.inspector.run_tasks import RunTasks
from curricula.inspector.task_table import selected

NO_SKILL = "(none named)"


def skills(run: RunTasks, most: int | None = None, where: str = "") -> dict[str, Any]:
    """Returns ``{state, blocks, skills}``: for each skill a cell a block, the skill with the most attempts first.

    A cell has ``attempts`` (judged), ``successes``, ``solve_rate`` with its ``interval``, and ``share``: the part of
    the block's judged attempts whose task needs the skill.

    Raises:
        InputError: ``where`` cannot be read or names no column.
    """
    counted: defaultdict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    totals: Counter[int] = Counter()
    tasks: Counter[str] = Counter()
    for task in selected(run, where):
        names = task.record.origin.skills or (NO_SKILL,)
        tasks.update(names)
        for event in task.of_kind("attempt"):
            if event.fields["outcome"] == Outcome.UNDECIDED:
                continue
            totals[event.round] += 1
            for name in names:
                cell = counted[name, event.round]
                cell[0] += event.fields["outcome"] == Outcome.CORRECT
                cell[1] += 1
    parts = blocks(list(totals), most)
    merged: defaultdict[tuple[str, int], list[int]] = defaultdict(lambda: [0, 0])
    sums = [0] * len(parts)
    for round, count in totals.items():
        sums[block_of(round, parts) or 0] += count
    for (name, round), (solved, tried) in counted.items():
        cell = merged[name, block_of(round, parts) or 0]
        cell[0], cell[1] = cell[0] + solved, cell[1] + tried
    rows = [_row(name, tasks[name], [merged[name, place] for place in range(len(parts))], sums) for name in tasks]
    rows.sort(key=lambda row: (-sum(cell["attempts"] for cell in row["cells"]), row["skill"]))
    return {"state": run.state, "blocks": [list(part) for part in parts], "skills": rows}


def _row(name: str, tasks: int, cells: list[list[int]], sums: list[int]) -> dict[str, Any]:
    told = [
        {**solve_rate(solved, tried), "share": tried / total}
        for (solved, tried), total in zip(cells, sums, strict=True)
    ]
    return {"skill": name, "tasks": tasks, "cells": told}
