"""Who gets what: payoff types, penalties and forfeits, as pure functions of the game's spec.

Payments keep the payoff type: in a zero-sum game the opponents receive in equal parts what the offender pays, in a
common-payoff game every seat bears it, in a general-sum game only the offender does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from arena.types import GameSpec, Payoff

TOLERANCE = 1e-9
"""How far a sum of returns or probabilities may be from what it should be."""


def payoff_fault(spec: GameSpec, returns: Mapping[str, float | None]) -> str:
    """Returns what the returns of a finished game should have been, or an empty string when they fit the spec.

    A zero-sum or common payoff is checked within 1e-9; where a verifier left a seat unjudged (``None``) a sum of zero
    cannot be checked.
    """
    if set(returns) != set(spec.seats):
        return f"one return for each of {spec.seats}"
    judged = [value for value in returns.values() if value is not None]
    if not all(math.isfinite(value) for value in judged):
        return "finite returns"
    if spec.payoff is Payoff.ZERO_SUM and len(judged) == len(returns) and abs(sum(judged)) > TOLERANCE:
        return "returns that sum to 0 (the game is zero-sum)"
    if spec.payoff is Payoff.COMMON and judged and max(judged) - min(judged) > TOLERANCE:
        return "equal returns (the game has a common payoff)"
    return ""


def penalty_payments(spec: GameSpec, offender: str, penalty: float) -> dict[str, float]:
    """Returns what each seat receives when ``offender`` pays ``penalty``; zero-sum games sum to 0."""
    if spec.payoff is Payoff.COMMON:
        return dict.fromkeys(spec.seats, -penalty)
    others = [seat for seat in spec.seats if seat != offender]
    share = penalty / len(others) if spec.payoff is Payoff.ZERO_SUM and others else 0.0
    return {seat: -penalty if seat == offender else share for seat in spec.seats}


def forfeit_returns(spec: GameSpec, offenders: Sequence[str], earned: Mapping[str, float]) -> dict[str, float]:
    """Returns each seat's return when ``offenders`` forfeit.

    An offender gets the low end of ``returns_range``. In a zero-sum game each opponent receives its part; two
    offenders so pay each other, and when both seats of a duel forfeit both get 0. In a common-payoff game every
    seat gets the low end; in a general-sum game the others keep what they had earned.
    """
    low = spec.returns_range[0]
    if spec.payoff is Payoff.COMMON:
        return dict.fromkeys(spec.seats, low)
    if spec.payoff is Payoff.GENERAL_SUM:
        return {seat: low if seat in offenders else earned[seat] for seat in spec.seats}
    totals = dict.fromkeys(spec.seats, 0.0)
    for offender in offenders:
        for seat, amount in penalty_payments(spec, offender, -low).items():
            totals[seat] += amount
    return totals
