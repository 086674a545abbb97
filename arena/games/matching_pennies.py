"""Matching pennies: one simultaneous choice, zero-sum, value 0, both sides fair coins the only equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.game import Game, games
from arena.types import GameSpec, Observation, Payoff, Task

_SEATS = ("even", "odd")
_ACTIONS = ("heads", "tails")
_AIMS = {"even": "You win if the pennies match.", "odd": "You win if the pennies differ."}


@dataclass(frozen=True, slots=True)
class Pennies:
    """Both sides shown in the order of the seats, or nothing before."""

    shown: tuple[str, ...] = ()


@games.register("matching_pennies-v0")
class MatchingPennies(Game[Pennies]):
    """One round of matching pennies."""

    spec = GameSpec(
        name="matching_pennies",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=2,
        returns_range=(-1.0, 1.0),
        actions=_ACTIONS,
        summary="one wants equal pennies, the other different ones",
    )
    rules = (
        "Matching pennies. Both players show heads or tails at the same time. If the pennies match, even wins; if they "
        "differ, odd wins."
    )

    def reset(self, task: Task) -> Pennies:
        """Returns the state before the choice."""
        return Pennies()

    def to_move(self, state: Pennies) -> tuple[str, ...]:
        """Returns both seats, once."""
        return () if state.shown else _SEATS

    def step(self, state: Pennies, moves: Mapping[str, Any]) -> Pennies:
        """Returns the state after both have chosen."""
        return Pennies(tuple(moves[seat] for seat in _SEATS))

    def observe(self, state: Pennies, seat: str) -> Observation:
        """Returns the seat's aim and the choice to be made, or what both showed."""
        aim = f"You are {seat}. {_AIMS[seat]}"
        if not state.shown:
            return Observation(seat=seat, text=f"{aim} You may show heads or tails.", legal_actions=_ACTIONS)
        own, other = state.shown if seat == "even" else state.shown[::-1]
        return Observation(seat=seat, text=f"{aim} You showed {own}. The opponent showed {other}.", legal_actions=())

    def returns(self, state: Pennies) -> Mapping[str, float]:
        """Returns 1 to even and -1 to odd when the pennies match, else the reverse."""
        gain = 1.0 if state.shown[0] == state.shown[1] else -1.0
        return {"even": gain, "odd": -gain}

    def information_key(self, state: Pennies, seat: str) -> str:
        """Returns ``choice`` before it and both sides after it."""
        return " ".join(state.shown) or "choice"

    def state_text(self, state: Pennies) -> str:
        """Returns both sides."""
        return f"even {state.shown[0]} | odd {state.shown[1]}" if state.shown else "Nobody has shown a penny."
