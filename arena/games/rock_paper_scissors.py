"""Rock-paper-scissors: one simultaneous move, zero-sum, the uniform mix its only equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.game import Game, games
from arena.types import GameSpec, Observation, Payoff, Task

_SEATS = ("first", "second")
_ACTIONS = ("rock", "paper", "scissors")


@dataclass(frozen=True, slots=True)
class Throw:
    """Both actions in the order of the seats, or nothing before the throw."""

    actions: tuple[str, ...] = ()


@games.register("rock_paper_scissors-v0")
class RockPaperScissors(Game[Throw]):
    """One throw of rock-paper-scissors."""

    spec = GameSpec(
        name="rock_paper_scissors",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=2,
        returns_range=(-1.0, 1.0),
        actions=_ACTIONS,
        summary="one simultaneous throw",
    )
    rules = (
        "Rock-paper-scissors. Both players choose at the same time. Rock beats scissors, scissors beat paper, paper "
        "beats rock; equal choices are a draw."
    )

    def reset(self, task: Task) -> Throw:
        """Returns the state before the throw."""
        return Throw()

    def to_move(self, state: Throw) -> tuple[str, ...]:
        """Returns both seats, once."""
        return () if state.actions else _SEATS

    def step(self, state: Throw, moves: Mapping[str, Any]) -> Throw:
        """Returns the state after both have chosen."""
        return Throw(tuple(moves[seat] for seat in _SEATS))

    def observe(self, state: Throw, seat: str) -> Observation:
        """Returns the choice to be made, or what both chose."""
        if not state.actions:
            return Observation(seat=seat, text=f"You may choose {', '.join(_ACTIONS)}.", legal_actions=_ACTIONS)
        own = state.actions[_SEATS.index(seat)]
        other = state.actions[1 - _SEATS.index(seat)]
        return Observation(seat=seat, text=f"You chose {own}. The opponent chose {other}.", legal_actions=())

    def returns(self, state: Throw) -> Mapping[str, float]:
        """Returns 1 to the winner and -1 to the loser, 0 for equal choices."""
        first, second = (_ACTIONS.index(action) for action in state.actions)
        gain = (0.0, 1.0, -1.0)[(first - second) % 3]
        return {"first": gain, "second": -gain}

    def information_key(self, state: Throw, seat: str) -> str:
        """Returns ``throw`` before it and both actions after it."""
        return " ".join(state.actions) or "throw"

    def state_text(self, state: Throw) -> str:
        """Returns both actions."""
        return f"first {state.actions[0]} | second {state.actions[1]}" if state.actions else "Nobody has chosen."
