"""Votes among answers: the label that a group gives itself when nobody else says what is right.

A vote sees canonical texts only, never a verdict: the truth is looked up afterwards, to measure the label. An empty
answer votes for nothing but counts among the answers, so that a group that mostly says nothing agrees on little. An
answer that the verifier left undecided votes like any other, because a vote must not depend on the verifier; it is in
no measure of the label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.types import Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What a group agreed on.

    Attributes:
        label: the canonical text with the most weight; among equals the first in alphabetical order.
        share: its share of the whole weight, in (0, 1].
        shares: the shares of all texts, greatest first.
        tied: whether another text has as much weight.
    """

    label: str
    share: float
    shares: tuple[float, ...]
    tied: bool


def vote(answers: Sequence[str], weights: Sequence[float] | None = None) -> Vote | None:
    """Returns the vote of canonical answers, or ``None`` when none of weight said anything.

    Args:
        answers: the canonical texts; empty where nothing was understood.
        weights: of each answer, at least 0; default: 1.
    """
    weighed = list(zip(answers, weights or [1.0] * len(answers), strict=True))
    totals: dict[str, float] = {}
    for answer, weight in sorted(weighed):
        if answer:
            totals[answer] = totals.get(answer, 0.0) + weight
    whole = sum(weight for _, weight in weighed)
    if not any(totals.values()):
        return None
    most = max(totals.values())
    leading = sorted(answer for answer, total in totals.items() if total == most)
    return Vote(
        label=leading[0],
        share=most / whole,
        shares=tuple(sorted((total / whole for total in totals.values()), reverse=True)),
        tied=len(leading) > 1,
    )


def label_right(label: str, answers: Sequence[str], verdicts: Sequence[Verdict]) -> bool | None:
    """Returns whether a label is right, by the verdict on an answer that says it; ``None`` where nobody could tell."""
    for answer, verdict in zip(answers, verdicts, strict=True):
        if answer == label and verdict.outcome is not Outcome.UNDECIDED:
            return verdict.outcome is Outcome.CORRECT
    return None
