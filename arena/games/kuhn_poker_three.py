"""Kuhn poker for three: four cards, three seats, one bet (N. Abou Risk and D. Szafron, AAMAS 2010).

The smallest poker in which one seat's choice moves pay between the two others: in a family of equilibria the second
seat, at no cost to itself, decides what the first and the third get (D. Szafron, R. Gibson, N. Sturtevant, AAMAS 2013).
312 terminal histories, 48 information sets, as in OpenSpiel's ``kuhn_poker(players=3)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from arena.game import Chance, Game, games
from arena.types import NATURE, GameSpec, Observation, Payoff, Task

CARDS = ("J", "Q", "K", "A")
_NAMES = {"J": "Jack", "Q": "Queen", "K": "King", "A": "Ace"}
_SEATS = ("first", "second", "third")
_DEALS = Chance(tuple((cards, 1 / 24) for cards in permutations(CARDS, 3)))
_OPEN = ("check", "bet")
_FACING = ("fold", "call")
_PAST = {"check": "checked", "bet": "bet", "fold": "folded", "call": "called"}


@dataclass(frozen=True, slots=True)
class KuhnThreeState:
    """The three cards (empty before the deal) and the public history of actions."""

    cards: tuple[str, ...] = ()
    history: tuple[str, ...] = ()


@games.register("kuhn_poker_three-v0")
class KuhnPokerThree(Game[KuhnThreeState]):
    """Kuhn poker for three with an ante of 1 and a bet of 1."""

    spec = GameSpec(
        name="kuhn_poker_three",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=5,
        returns_range=(-2.0, 4.0),
        actions=("check", "bet", "fold", "call"),
        summary="four-card poker for three with one bet",
    )
    rules = (
        "Kuhn poker for three. The deck is Jack, Queen, King, Ace; Ace is high. Each player puts 1 in the pot and gets "
        "one card, seen by its owner only. In turn, from the first player on, each checks or bets 1. After a bet the "
        "two others, in turn, fold or call by adding 1. The highest card among those who bet or called wins the pot; "
        "if nobody bet, the highest card of all."
    )

    def reset(self, task: Task) -> KuhnThreeState:
        """Returns the state before the deal."""
        return KuhnThreeState()

    def to_move(self, state: KuhnThreeState) -> tuple[str, ...]:
        """Returns nature for the deal, then the seats in turn: each once, or until two have answered a bet."""
        if not state.cards:
            return (NATURE,)
        opened = state.history.index("bet") + 1 if "bet" in state.history else 1
        if len(state.history) == opened + 2:
            return ()
        return (_SEATS[len(state.history) % 3],)

    def nature(self, state: KuhnThreeState) -> Chance:
        """Returns the 24 deals, equally likely."""
        return _DEALS

    def step(self, state: KuhnThreeState, moves: Mapping[str, Any]) -> KuhnThreeState:
        """Returns the state after the deal or after one action."""
        if not state.cards:
            return KuhnThreeState(moves[NATURE], ())
        (action,) = moves.values()
        return KuhnThreeState(state.cards, (*state.history, action))

    def observe(self, state: KuhnThreeState, seat: str) -> Observation:
        """Returns the seat's card, what happened, the pot and the legal actions, in one line."""
        parts = [f"You hold the {_NAMES[state.cards[_SEATS.index(seat)]]}."]
        for turn, action in enumerate(state.history):
            mover = _SEATS[turn % 3]
            parts.append(f"{'You' if mover == seat else f'The {mover} player'} {_PAST[action]}.")
        parts.append(f"Pot {3 + len(bettors(state))}.")
        legal: tuple[str, ...] = ()
        if self.to_move(state) == (seat,):
            legal = _FACING if "bet" in state.history else _OPEN
            parts.append(f"You may {' or '.join(legal)}.")
        return Observation(seat=seat, text=" ".join(parts), legal_actions=legal)

    def returns(self, state: KuhnThreeState) -> Mapping[str, float]:
        """Returns the others' stakes to the highest card that bet or called (of all, without a bet), and their loss."""
        staying = bettors(state) or _SEATS
        winner = max(staying, key=lambda seat: CARDS.index(state.cards[_SEATS.index(seat)]))
        staked = {seat: 2.0 if seat in bettors(state) else 1.0 for seat in _SEATS}
        return {seat: sum(staked.values()) * (seat == winner) - staked[seat] for seat in _SEATS}

    def information_key(self, state: KuhnThreeState, seat: str) -> str:
        """Returns the own card and the public history: ``K check bet``."""
        return " ".join((state.cards[_SEATS.index(seat)], *state.history))

    def state_text(self, state: KuhnThreeState) -> str:
        """Returns the three cards, the actions and the pot."""
        if not state.cards:
            return "The cards are not dealt."
        held = " | ".join(f"{seat} {card}" for seat, card in zip(_SEATS, state.cards, strict=True))
        return f"{held} | {' '.join(state.history) or '-'} | pot {3 + len(bettors(state))}"


def bettors(state: KuhnThreeState) -> tuple[str, ...]:
    """Returns the seats that have bet or called, each with a stake of 2."""
    return tuple(_SEATS[turn % 3] for turn, action in enumerate(state.history) if action in ("bet", "call"))
