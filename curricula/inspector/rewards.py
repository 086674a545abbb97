"""The view ``rewards``: what proposers were paid, by formula and term, and what the other seats returned.

Pay comes from the ledger's scores, so it is that of admitted proposals; the pay of rejected ones is not in the log and
they are counted apart. Returns come from the episodes of committed rounds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.log import Event
from curricula.inspector.episode_facts import EpisodeFacts
from curricula.inspector.rates import block_of, blocks, histogram, mean
from curricula.inspector.run_tasks import RunTasks, TaskHistory

_Key = tuple[int, str, str]


def rewards(run: RunTasks, episodes: Iterable[EpisodeFacts], most: int | None = None) -> dict[str, Any]:
    """Returns ``{state, pay, rejected, returns}``, each a list by block of rounds and role; at most ``most`` blocks.

    A line of ``pay`` has ``formula``, ``count``, ``mean``, ``least``, ``most``, the mean of each of its ``terms`` and
    a ``histogram`` of ten bins over ``range``, which all lines of a formula share; ``rejected`` counts the proposals
    whose pay is not in the log. A line of ``returns`` has the mean over a role's seats and each seat's.
    """
    facts = list(episodes)
    paid = [(event.round, task.record.origin.role, event.fields) for task in run.tasks() for event in _scores(task)]
    rounds = [round for round, _, _ in paid] + [one.round for one in facts] + [one.round for one in run.rejections]
    parts = blocks(rounds, most)
    rejected = Counter(block_of(event.round, parts) or 0 for event in run.rejections)
    return {
        "state": run.state,
        "pay": _pay(paid, parts),
        "rejected": [{"rounds": list(parts[place]), "count": count} for place, count in sorted(rejected.items())],
        "returns": _returns(facts, parts),
    }


def _scores(task: TaskHistory) -> list[Event]:
    return task.of_kind("score")


def _pay(paid: Sequence[tuple[int, str, Mapping[str, Any]]], parts: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    lines: defaultdict[_Key, list[Mapping[str, float]]] = defaultdict(list)
    for round, role, fields in paid:
        lines[block_of(round, parts) or 0, role, fields["formula"]].append(fields["terms"])
    ranges = _ranges(lines)
    return [
        {
            "rounds": list(parts[place]),
            "role": role,
            "formula": formula,
            **_spread([sum(terms.values()) for terms in found]),
            "terms": _mean_terms(found),
            "range": list(ranges[formula]),
            "histogram": histogram([sum(terms.values()) for terms in found], *ranges[formula]),
        }
        for (place, role, formula), found in sorted(lines.items())
    ]


def _ranges(lines: Mapping[_Key, Sequence[Mapping[str, float]]]) -> dict[str, tuple[float, float]]:
    """Returns the least and the greatest pay by each formula, 0 included."""
    pays: defaultdict[str, list[float]] = defaultdict(lambda: [0.0])
    for (_, _, formula), found in lines.items():
        pays[formula] += [sum(terms.values()) for terms in found]
    return {formula: (min(values), max(values)) for formula, values in pays.items()}


def _returns(facts: Sequence[EpisodeFacts], parts: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    lines: defaultdict[tuple[int, str], dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    for one in facts:
        for role, seat, value in one.returns:
            lines[block_of(one.round, parts) or 0, role][seat].append(value)
    told = []
    for (place, role), seats in sorted(lines.items()):
        judged = {seat: [one for one in values if one is not None] for seat, values in seats.items()}
        whole = [one for values in judged.values() for one in values]
        told.append(
            {
                "rounds": list(parts[place]),
                "role": role,
                **_spread(whole),
                "undecided": sum(map(len, seats.values())) - len(whole),
                "seats": {seat: mean(values) for seat, values in judged.items()},
            }
        )
    return told


def _spread(values: Sequence[float]) -> dict[str, Any]:
    return {
        "count": len(values),
        "mean": mean(values),
        "least": min(values, default=None),
        "most": max(values, default=None),
    }


def _mean_terms(found: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Returns the mean of each term over all lines; one that a line lacks added nothing to its pay."""
    names = dict.fromkeys(name for terms in found for name in terms)
    return {name: sum(terms.get(name, 0.0) for terms in found) / len(found) for name in names}
