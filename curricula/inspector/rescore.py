"""The view ``rescore RULE``: the same log under another learnability rule, without training.

It answers what the other rule would have paid for these proposals. It does not answer what a run under that rule would
have proposed: the proposer would have learnt something else.

Each score of the log is made again from the attempts of its own episode, so the evidence is what the run's rule had.
A task's share of near duplicates is computed here, from the texts of its round (``curricula.memory.cluster_shares``),
and that a solution used its seed is assumed. What else a rule needs (advantages, returns, votes) leaves its tasks *not
scored*, with the rule's own reason, never at 0.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from arena.errors import InputError
from arena.log import Event
from arena.types import Outcome
from curricula.inspector.rates import mean
from curricula.inspector.run_tasks import RunTasks, TaskHistory
from curricula.inspector.task_page import written
from curricula.inspector.task_table import selected
from curricula.learnability import Evidence, LearnabilityRule, evidence_of, formula, pay, rules
from curricula.memory import Fingerprint, cluster_shares
from curricula.proposals import NEAR

EXTREMES = 5
"""How many of the most and the least paid tasks are told."""


def rescore(run: RunTasks, rule_name: str, where: str = "") -> dict[str, Any]:
    """Returns the old and the new pay of every task, their rank correlation, and the means by round.

    ``spearman`` is ``None`` where fewer than two tasks have both, or one of the two never varies. ``rejected`` is what
    the rule pays for a proposal that was rejected; the log does not hold what the run paid.

    Raises:
        UnknownNameError: no such rule.
        InputError: ``where`` cannot be read or names no column.
    """
    rule = rules.make(rule_name)
    chosen = selected(run, where)
    reads = _reads(rule)
    shares = _shares(chosen) if "cluster_share" in reads else {}
    lines = [line for task in chosen for line in _lines(rule, task, shares.get(task.id, 0.0))]
    both = [line for line in lines if line["new"] is not None and line["old"] is not None]
    scored = sorted((line for line in lines if line["new"] is not None), key=lambda line: -line["new"])
    return {
        "state": run.state,
        "rule": rule.name,
        "version": rule.version,
        "source": rule.source,
        "formulas": sorted({line["formula"] for line in lines if line["formula"]}),
        "computed": ["cluster_share"] if "cluster_share" in reads else [],
        "assumed": ["used_seed"] if "used_seed" in reads else [],
        "compared": len(both),
        "spearman": spearman([line["old"] for line in both], [line["new"] for line in both]),
        "not_scored": dict(Counter(line["not_scored"] for line in lines if line["not_scored"])),
        "rejected": {"count": len(run.rejections), "pay": pay(rule.score(Evidence(invalid="rejected")))},
        "rounds": _rounds(lines),
        "most": [line["id"] for line in scored[:EXTREMES]],
        "least": [line["id"] for line in reversed(scored[-EXTREMES:])],
        "tasks": lines,
    }


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Returns the rank correlation, ties at their mean rank; ``None`` where it does not exist."""
    if len(one) < 2 or len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return float(np.corrcoef(_ranks(one), _ranks(other))[0, 1])


def _lines(rule: LearnabilityRule, task: TaskHistory, share: float) -> list[dict[str, Any]]:
    """Returns a line for each score of a task, or one for its attempts when none was scored."""
    attempts, scores = task.of_kind("attempt"), task.of_kind("score")
    if not scores:
        return [_line(rule, task, attempts, None, share)] if attempts else []
    by_episode: defaultdict[str, list[Event]] = defaultdict(list)
    for event in attempts:
        by_episode[event.fields["episode"]].append(event)
    return [_line(rule, task, by_episode.get(one.fields["episode"], attempts), one, share) for one in scores]


def _line(
    rule: LearnabilityRule, task: TaskHistory, attempts: Sequence[Event], score: Event | None, share: float
) -> dict[str, Any]:
    evidence = evidence_of([(Outcome(one.fields["outcome"]), one.fields.get("share")) for one in attempts])
    evidence = replace(evidence, cluster_share=share)
    line = {
        "id": task.id,
        "kind": task.record.origin.kind,
        "by": task.record.origin.by,
        "round": (score or attempts[0]).round,
        "successes": evidence.successes,
        "attempts": evidence.attempts,
        "undecided": evidence.undecided,
        "formula": score.fields["formula"] if score else None,
        "old": sum(score.fields["terms"].values()) if score else None,
    }
    try:
        terms = dict(rule.score(evidence))
    except InputError as error:
        return {**line, "new": None, "terms": None, "new_formula": None, "not_scored": _reason(error)}
    return {
        **line,
        "new": pay(terms),
        "terms": terms,
        "new_formula": formula(rule, evidence.attempts),
        "not_scored": "",
    }


def _reason(error: InputError) -> str:
    """Returns why a rule refused, without what to do about it in a run that is over."""
    return str(error).partition(";")[0]


def _rounds(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    groups: defaultdict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for line in lines:
        groups[line["round"]].append(line)
    return [
        {
            "round": round,
            "old": mean([line["old"] for line in found if line["old"] is not None]),
            "new": mean([line["new"] for line in found if line["new"] is not None]),
            "scored": sum(line["new"] is not None for line in found),
            "not_scored": sum(line["new"] is None for line in found),
        }
        for round, found in sorted(groups.items())
    ]


def _shares(tasks: Sequence[TaskHistory]) -> dict[str, float]:
    """Returns each task's share of near duplicates among the tasks of its round."""
    batches: defaultdict[int, list[Fingerprint]] = defaultdict(list)
    for task in tasks:
        fingerprint = Fingerprint(id=task.id, text=written(task.record.task.params))
        batches[task.record.origin.round].append(fingerprint)
    return {id: share for batch in batches.values() for id, share in cluster_shares(batch, threshold=NEAR).items()}


def _reads(rule: LearnabilityRule) -> set[str]:
    """Returns which fields that attempts cannot give a rule's pay depends on, by a sample that says everything."""
    whole = Evidence(
        successes=1,
        attempts=8,
        vote_share=0.5,
        answer_variance=0.25,
        verified_share=0.5,
        advantages=(1.0,),
        best_return=1.0,
        mean_return=0.5,
        antagonist_return=1.0,
        protagonist_return=0.5,
    )
    others = {"cluster_share": replace(whole, cluster_share=0.5), "used_seed": replace(whole, used_seed=False)}
    return {name for name, other in others.items() if rule.score(other) != rule.score(whole)}


def _ranks(values: Sequence[float]) -> npt.NDArray[np.float64]:
    """Returns the ranks from 0, equal values at the mean of theirs."""
    _, inverse, counts = np.unique(np.asarray(values, dtype=float), return_inverse=True, return_counts=True)
    starts = np.cumsum(counts) - counts
    ranks: npt.NDArray[np.float64] = (starts + (counts - 1) / 2)[inverse]
    return ranks
