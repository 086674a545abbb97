"""Kuhn poker: three cards, two seats, one bet (H. W. Kuhn, A simplified two-person poker, 1950).

The smallest poker with a bluff: its equilibrium is mixed and pays the first seat -1/18. 30 terminal histories, 12
information sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from arena.game import Chance, Game, games
from arena.types import NATURE, GameSpec, Observation, Payoff, Task

CARDS = ("J", "Q", "K")
_NAMES = {"J": "Jack", "Q": "Queen", "K": "King"}
_SEATS = ("first", "second")
_DEALS = Chance(tuple(((a, b), 1 / 6) for a in CARDS for b in CARDS if a != b))
_OPEN = ("check", "bet")
_FACING = ("fold", "call")
_ENDS = {("check", "check"), ("bet", "fold"), ("bet", "call"), ("check", "bet", "fold"), ("check", "bet", "call")}
_PAST = {"check": "checked", "bet": "bet", "fold": "folded", "call": "called"}


@dataclass(frozen=True, slots=True)
class KuhnState:
    """The two cards (empty before the deal) and the public history of actions."""

    cards: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


@games.register("kuhn_poker-v0")
class KuhnPoker(Game[KuhnState]):
    """Kuhn poker with an ante of 1 and a bet of 1."""

    spec = GameSpec(
        name="kuhn_poker",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=3,
        returns_range=(-2.0, 2.0),
        actions=("check", "bet", "fold", "call"),
        summary="three-card poker with one bet: the smallest game with a bluff",
    )
    rules = (
        "Kuhn poker. The deck is Jack, Queen, King; King is high. Both players put 1 in the pot and get one card, "
        "seen by its owner only. The first player checks or bets 1. After a check the second player checks or bets 1. "
        "Whoever faces a bet folds, and loses the pot, or calls by adding 1. If nobody folds the higher card wins."
    )

    def reset(self, task: Task) -> KuhnState:
        """Returns the state before the deal."""
        return KuhnState()

    def to_move(self, state: KuhnState) -> tuple[str, ...]:
        """Returns nature for the deal, then the seats in turn."""
        if not state.cards:
            return (NATURE,)
        if state.history in _ENDS:
            return ()
        return (_SEATS[len(state.history) % 2],)

    def nature(self, state: KuhnState) -> Chance:
        """Returns the six deals, equally likely."""
        return _DEALS

    def step(self, state: KuhnState, moves: Mapping[str, Any]) -> KuhnState:
        """Returns the state after the deal or after one action."""
        if not state.cards:
            return KuhnState(moves[NATURE], ())
        (action,) = moves.values()
        return KuhnState(state.cards, (*state.history, action))

    def observe(self, state: KuhnState, seat: str) -> Observation:
        """Returns the seat's card, what happened, the pot and the legal actions, in one line."""
        return _seen(seat, state.cards[_SEATS.index(seat)], state.history)

    def returns(self, state: KuhnState) -> Mapping[str, float]:
        """Returns 1 or 2 from loser to winner: the folder loses its ante, else the lower card loses its stake."""
        if state.history[-1] == "fold":
            gain = 1.0 if len(state.history) == 2 else -1.0
        else:
            stake = 2.0 if state.history[-1] == "call" else 1.0
            gain = stake if CARDS.index(state.cards[0]) > CARDS.index(state.cards[1]) else -stake
        return {"first": gain, "second": -gain}

    def information_key(self, state: KuhnState, seat: str) -> str:
        """Returns the own card and the public history: ``K check bet``."""
        return _seen(seat, state.cards[_SEATS.index(seat)], state.history).information_key

    def state_text(self, state: KuhnState) -> str:
        """Returns both cards, the actions and the pot."""
        if not state.cards:
            return "The cards are not dealt."
        pot = 2 + state.history.count("bet") + state.history.count("call")
        return f"first {state.cards[0]} | second {state.cards[1]} | {' '.join(state.history) or '-'} | pot {pot}"


@cache
def _seen(seat: str, card: str, history: tuple[str, ...]) -> Observation:
    """Returns the observation; there are 54, so they are kept. The other card is not even an argument."""
    parts = [f"You hold the {_NAMES[card]}."]
    for mover, action in zip((*_SEATS, "first"), history, strict=False):
        parts.append(f"{'You' if mover == seat else 'The opponent'} {_PAST[action]}.")
    parts.append(f"Pot {2 + history.count('bet') + history.count('call')}.")
    legal: tuple[str, ...] = ()
    if history not in _ENDS and seat == _SEATS[len(history) % 2]:
        legal = _FACING if history[-1:] == ("bet",) else _OPEN
        parts.append(f"You may {' or '.join(legal)}.")
    key = " ".join((card, *history))
    return Observation(seat=seat, text=" ".join(parts), legal_actions=legal, information_key=key)
