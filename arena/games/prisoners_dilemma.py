"""The iterated prisoner's dilemma of known length (R. Axelrod, The Evolution of Cooperation, 1984).

The pay of one round is Axelrod's: temptation 5, reward 3, punishment 1, sucker 0, and the whole past is public. By
backward induction mutual defection in every round is the only subgame-perfect equilibrium, and it pays 1 a round where
cooperation pays 3. 5 rounds are a tree of 2,047 nodes; 10, past two million, are too many to enumerate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.game import Game, games
from arena.params import whole_number
from arena.types import GameSpec, Observation, Payoff, Task

_SEATS = ("first", "second")
_ACTIONS = ("cooperate", "defect")
_MOST_ROUNDS = 100
_PAY = {"cc": 3.0, "cd": 0.0, "dc": 5.0, "dd": 1.0}


@dataclass(frozen=True, slots=True)
class Dilemma:
    """How many rounds there are, and what each seat did so far: one letter a round, ``c`` or ``d``."""

    rounds: int
    first: str = ""
    second: str = ""


@games.register("prisoners_dilemma-v0")
class PrisonersDilemma(Game[Dilemma]):
    """The prisoner's dilemma over ``rounds`` rounds (1 to 100, 5 unless the task says otherwise), paid by round."""

    spec = GameSpec(
        name="prisoners_dilemma",
        version=0,
        seats=_SEATS,
        payoff=Payoff.GENERAL_SUM,
        max_turns=2 * _MOST_ROUNDS,
        returns_range=(0.0, 5.0 * _MOST_ROUNDS),
        actions=_ACTIONS,
        params={"rounds": 5},
        summary="cooperate or defect, again and again, the end in sight",
    )
    rules = (
        "Iterated prisoner's dilemma. In each round both players choose at the same time to cooperate (c) or to defect "
        "(d). If both cooperate each gets 3. If both defect each gets 1. If one defects it gets 5 and the other 0. The "
        "pay of all rounds is added; get as much as you can."
    )

    def reset(self, task: Task) -> Dilemma:
        """Returns the state before the first round.

        Raises:
            ConfigError: ``rounds`` is out of range.
        """
        return Dilemma(whole_number(self.spec, task, "rounds", 1, _MOST_ROUNDS))

    def to_move(self, state: Dilemma) -> tuple[str, ...]:
        """Returns both seats until the last round is played."""
        return _SEATS if len(state.first) < state.rounds else ()

    def step(self, state: Dilemma, moves: Mapping[str, Any]) -> Dilemma:
        """Returns the state after one more round."""
        return Dilemma(state.rounds, state.first + moves["first"][0], state.second + moves["second"][0])

    def observe(self, state: Dilemma, seat: str) -> Observation:
        """Returns the number of the round, and what both did so far, a letter a round."""
        own, other = (state.first, state.second) if seat == "first" else (state.second, state.first)
        past = f"You played {' '.join(own)}. The opponent played {' '.join(other)}." if own else ""
        if len(own) == state.rounds:
            return Observation(seat=seat, text=f"{past} The game is over.", legal_actions=())
        text = f"Round {len(own) + 1} of {state.rounds}. {past} You may cooperate or defect."
        return Observation(seat=seat, text=" ".join(text.split()), legal_actions=_ACTIONS)

    def returns(self, state: Dilemma) -> Mapping[str, float]:
        """Returns the sum of each seat's pay."""
        return _earned(state, 0)

    def rewards(self, before: Dilemma, after: Dilemma) -> Mapping[str, float]:
        """Returns the pay of the round."""
        return _earned(after, len(before.first))

    def information_key(self, state: Dilemma, seat: str) -> str:
        """Returns the rounds so far, the own letter first: ``cc cd of 5``; ``start of 5`` before the first."""
        own, other = (state.first, state.second) if seat == "first" else (state.second, state.first)
        return f"{' '.join(map(''.join, zip(own, other, strict=True))) or 'start'} of {state.rounds}"

    def state_text(self, state: Dilemma) -> str:
        """Returns what both did, the round, and what both earned."""
        pay = self.returns(state)
        return "\n".join(
            [
                f"first  {' '.join(state.first) or '-'} | {pay['first']:g}",
                f"second {' '.join(state.second) or '-'} | {pay['second']:g}",
                f"{len(state.first)} of {state.rounds} rounds played",
            ]
        )


def _earned(state: Dilemma, since: int) -> dict[str, float]:
    """Returns each seat's pay from the round numbered ``since`` on."""
    pairs = list(zip(state.first[since:], state.second[since:], strict=True))
    return {"first": sum((_PAY[a + b] for a, b in pairs), 0.0), "second": sum((_PAY[b + a] for a, b in pairs), 0.0)}
