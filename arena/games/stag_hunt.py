"""Stag hunt: a safe hare alone or a stag together (J.-J. Rousseau 1755; B. Skyrms, The Stag Hunt, 2004).

General-sum: a hare is worth 3 whatever the other does, half a stag 4, and who hunts the stag alone gets nothing. Three
equilibria: both stag (payoff-dominant), both hare (risk-dominant), and the stag with probability 3/4 (3/4 x 4 = 3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.game import Game, games
from arena.types import GameSpec, Observation, Payoff, Task

_SEATS = ("first", "second")
_ACTIONS = ("stag", "hare")
_PAY = {("stag", "stag"): 4.0, ("stag", "hare"): 0.0, ("hare", "stag"): 3.0, ("hare", "hare"): 3.0}


@dataclass(frozen=True, slots=True)
class Hunt:
    """Both choices in the order of the seats, or nothing before."""

    choices: tuple[str, ...] = ()


@games.register("stag_hunt-v0")
class StagHunt(Game[Hunt]):
    """One hunt of two."""

    spec = GameSpec(
        name="stag_hunt",
        version=0,
        seats=_SEATS,
        payoff=Payoff.GENERAL_SUM,
        max_turns=2,
        returns_range=(0.0, 4.0),
        actions=_ACTIONS,
        summary="a safe hare alone, or a stag together",
    )
    rules = (
        "Stag hunt. Both players choose at the same time what to hunt. A hare is caught alone and pays its hunter 3. A "
        "stag is caught only together: if both hunt it, it pays each 4; who hunts it alone gets 0."
    )

    def reset(self, task: Task) -> Hunt:
        """Returns the state before the hunt."""
        return Hunt()

    def to_move(self, state: Hunt) -> tuple[str, ...]:
        """Returns both seats, once."""
        return () if state.choices else _SEATS

    def step(self, state: Hunt, moves: Mapping[str, Any]) -> Hunt:
        """Returns the state after both have chosen."""
        return Hunt(tuple(moves[seat] for seat in _SEATS))

    def observe(self, state: Hunt, seat: str) -> Observation:
        """Returns the choice to be made, or what both hunted."""
        if not state.choices:
            return Observation(seat=seat, text="You may hunt stag or hare.", legal_actions=_ACTIONS)
        own, other = state.choices if seat == "first" else state.choices[::-1]
        text = f"You hunted the {own}. The opponent hunted the {other}."
        return Observation(seat=seat, text=text, legal_actions=())

    def returns(self, state: Hunt) -> Mapping[str, float]:
        """Returns what each hunter caught."""
        first, second = state.choices
        return {"first": _PAY[first, second], "second": _PAY[second, first]}

    def information_key(self, state: Hunt, seat: str) -> str:
        """Returns ``hunt`` before it and both choices after it."""
        return " ".join(state.choices) or "hunt"

    def state_text(self, state: Hunt) -> str:
        """Returns both choices."""
        return f"first {state.choices[0]} | second {state.choices[1]}" if state.choices else "Nobody has chosen."
