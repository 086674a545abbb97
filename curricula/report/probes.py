"""Held-out questions: what a policy answered before its training, after it, and whether the difference is chance.

A probe's questions are the same before and after, so the change is measured question by question, and its interval
covers which questions were asked. It does not cover another seed of training: that needs more runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from arena.visible import visible
from curricula.report.series import interval, number
from curricula.report.wording import percent, rate, signed

_Z = 1.96
_FREE = 0.01
_MOST_FAMILIES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One measure before and after; the ends of the intervals are rates in [0, 1], or ``None``."""

    name: str
    before: str
    after: str
    low_before: float | None
    mid_before: float | None
    high_before: float | None
    low_after: float | None
    mid_after: float | None
    high_after: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One family of questions: the mean probability of the right answer; the places are shares of the axis."""

    name: str
    before: str
    after: str
    change: str
    place_before: float
    place_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """How one policy answered one probe.

    Attributes:
        probe: the probe's id.
        policy: whose answers.
        questions: how many.
        when: after how many rounds it was asked, in words.
        asked_twice: whether there is an after.
        measures: accuracy and the share of right first choices.
        families: by family of questions.
        axis: the ends of the axis on which the families stand, as text.
        change: the paired change with its interval; empty when there is none.
        verdict: in a sentence, what that shows.
        free: in a sentence, what the policy does when nothing is masked; empty where it answers in form.
    """

    probe: str
    policy: str
    questions: str
    when: str
    asked_twice: bool
    measures: tuple[Measure, ...]
    families: tuple[Family, ...]
    axis: tuple[str, str]
    change: str
    verdict: str
    free: str


def probes(probed: Sequence[Mapping[str, Any]]) -> list[Probe]:
    """Returns each probe and policy, its first answers beside its last."""
    asked: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for event in probed:
        asked.setdefault((str(event.get("probe", "")), str(event.get("policy", ""))), []).append(event)
    return [_probe(probe, policy, events[0], events[-1]) for (probe, policy), events in asked.items()]


def paired_change(before: object, after: object) -> tuple[float, float, float] | None:
    """Returns the mean change, question by question, with its 95 % interval as (low, mid, high).

    The interval is that of a mean by the normal law. ``None`` when the questions are not the same, or fewer than two.
    """
    pairs = list(zip(_values(before), _values(after), strict=False))
    if len(pairs) < 2 or len(_values(before)) != len(_values(after)):
        return None
    changes = [b - a for a, b in pairs]
    mid, half = fmean(changes), _Z * stdev(changes) / sqrt(len(changes))
    return mid - half, mid, mid + half


def in_words(change: tuple[float, float, float] | None) -> str:
    """Returns what a change shows, and no more."""
    if change is None:
        return "The two sets of answers cannot be compared question by question."
    low, _, high = change
    if low <= 0 <= high:
        return "No change beyond chance: the interval of the change holds 0."
    word = "Better" if low > 0 else "Worse"
    return f"{word} than before by more than the choice of questions explains: the interval of the change excludes 0."


def _values(given: object) -> list[float]:
    values = [number(value) for value in given] if isinstance(given, list | tuple) else []
    return [value for value in values if value is not None]


def _probe(probe: str, policy: str, first: Mapping[str, Any], last: Mapping[str, Any]) -> Probe:
    twice = last is not first
    change = paired_change(first.get("p_right"), last.get("p_right")) if twice else None
    families, axis = _families(first, last)
    rounds = [int(event.get("round", 0)) for event in (first, last)]
    once = f"Asked once so far, after round {rounds[0]}; there is nothing to compare it with yet."
    return Probe(
        probe=visible(probe),
        policy=visible(policy),
        questions=str(last.get("questions", "–")),
        when=f"after rounds {rounds[0]} and {rounds[1]}" if twice else f"after round {rounds[0]}",
        asked_twice=twice,
        measures=(
            _measure("probability of the right answer", "accuracy", first, last),
            _measure("first choice is right", "greedy", first, last),
        ),
        families=families,
        axis=axis,
        change="" if change is None else _points(change),
        verdict=in_words(change) if twice else once,
        free=_free(first, last),
    )


def _measure(name: str, key: str, first: Mapping[str, Any], last: Mapping[str, Any]) -> Measure:
    before, after = interval(first.get(key)), interval(last.get(key))
    return Measure(
        name=name,
        before=rate(*before),
        after=rate(*after),
        low_before=before[0],
        mid_before=before[1],
        high_before=before[2],
        low_after=after[0],
        mid_after=after[1],
        high_after=after[2],
    )


def _families(first: Mapping[str, Any], last: Mapping[str, Any]) -> tuple[tuple[Family, ...], tuple[str, str]]:
    old, new = _means(first), _means(last)
    both = [(name, old[name], after) for name, after in new.items() if name in old][:_MOST_FAMILIES]
    values = [value for _, *pair in both for value in pair]
    low, high = _axis(values)
    span = high - low
    rows = tuple(
        Family(
            name=visible(name.replace("_", " ")),
            before=percent(before),
            after=percent(after),
            change=signed(100 * (after - before), 1),
            place_before=(before - low) / span,
            place_after=(after - low) / span,
        )
        for name, before, after in both
    )
    return rows, (f"{100 * low:.0f} %", f"{100 * high:.0f} %")


def _means(event: Mapping[str, Any]) -> dict[str, float]:
    given = event.get("families")
    pairs = given.items() if isinstance(given, Mapping) else ()
    return {str(name): mean for name, value in pairs if (mean := number(value)) is not None}


def _axis(values: Sequence[float]) -> tuple[float, float]:
    """Returns an axis of whole tenths around the values, at least two tenths wide, within [0, 1]."""
    if not values:
        return 0.0, 1.0
    low, high = int(10 * min(values)), -int(-10 * max(values) // 1)
    low = max(0, min(low, high - 2))
    return low / 10, min(10, max(high, low + 2)) / 10


def _free(first: Mapping[str, Any], last: Mapping[str, Any]) -> str:
    shares = [number(event.get("illegal_mass")) for event in (first, last)]
    if shares[0] is None or shares[1] is None or max(shares[0], shares[1]) < _FREE:
        return ""
    went = percent(shares[0]) if last is first else f"{percent(shares[0])} before and {percent(shares[1])} after"
    return f"Rates are among the legal answers; left free, it says something else with a probability of {went}."


def _points(change: tuple[float, float, float]) -> str:
    low, mid, high = (signed(100 * end, 2) for end in change)
    return f"{mid} percentage points ({low} to {high})"
