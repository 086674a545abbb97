"""Leduc poker: six cards, two seats, two betting rounds (F. Southey et al., Bayes' bluff, arXiv 1207.1411).

A pair with the open card beats a high card, so that a hand's worth changes in mid-game. The equilibrium pays the
first seat -0.0856. Suits do not count but are told apart, as in OpenSpiel's ``leduc_poker``: 936 information sets; with
the parameter ``suits`` false they are not shown (OpenSpiel's ``suit_isomorphism``): 288 information sets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Any

from arena.errors import ConfigError
from arena.game import Chance, Game, games
from arena.types import NATURE, GameSpec, Observation, Payoff, Task

RANKS = ("J", "Q", "K")
CARDS = tuple(rank + suit for rank in RANKS for suit in "hs")
_WORDS = {"J": "Jack", "Q": "Queen", "K": "King", "h": "hearts", "s": "spades"}
_SEATS = ("first", "second")
_RAISES = (2, 4)
_MOST_RAISES = 2
_PAST = {"check": "checked", "fold": "folded", "call": "called", "raise": "raised"}


@dataclass(frozen=True, slots=True)
class LeducState:
    """The cards dealt so far (the first seat's, the second's, the open one) and the actions of each betting round.

    A card is a rank and, where they are told apart, a suit.
    """

    cards: tuple[str, ...] = ()
    rounds: tuple[tuple[str, ...], ...] = ()
    suits: bool = True


@games.register("leduc_poker-v0")
class LeducPoker(Game[LeducState]):
    """Leduc poker with an ante of 1 and up to two raises a round, of 2 in the first round and of 4 in the second."""

    spec = GameSpec(
        name="leduc_poker",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=8,
        returns_range=(-13.0, 13.0),
        actions=("check", "fold", "call", "raise"),
        params={"suits": True},
        summary="six-card poker with an open card and two betting rounds",
    )
    rules = (
        "Leduc poker. The deck is two Jacks, two Queens, two Kings; suits do not count. Both players put 1 in the pot "
        "and get one card, seen by its owner only. Players check or raise by 2, the first player first. Whoever faces "
        "a raise folds, and loses the pot, or calls, or raises again; a round has at most two raises. Then a card is "
        "opened, and a second round has raises of 4. A pair with the open card wins, else the higher card; "
        "equal cards share the pot."
    )

    def reset(self, task: Task) -> LeducState:
        """Returns the state before the deal.

        Raises:
            ConfigError: ``suits`` is neither true nor false.
        """
        suits = task.params.get("suits", True)
        if not isinstance(suits, bool):
            raise ConfigError(f"task.params.suits: expected true or false, got {suits!r}; leave it out for true")
        return LeducState(suits=suits)

    def to_move(self, state: LeducState) -> tuple[str, ...]:
        """Returns nature for the deal and for the open card, else the seats in turn; the first begins each round."""
        if not state.cards:
            return (NATURE,)
        actions = state.rounds[-1]
        if not closed(actions):
            return (_SEATS[len(actions) % 2],)
        return () if len(state.rounds) == 2 or actions[-1] == "fold" else (NATURE,)

    def nature(self, state: LeducState) -> Chance:
        """Returns the deals of two cards, or of the open one, by what is seen of them."""
        return _deals(state.cards, state.suits)

    def step(self, state: LeducState, moves: Mapping[str, Any]) -> LeducState:
        """Returns the state after the deal, the open card, or one action."""
        if not state.cards:
            return LeducState(moves[NATURE], ((),), state.suits)
        if NATURE in moves:
            return LeducState((*state.cards, moves[NATURE]), (*state.rounds, ()), state.suits)
        (action,) = moves.values()
        return LeducState(state.cards, (*state.rounds[:-1], (*state.rounds[-1], action)), state.suits)

    def observe(self, state: LeducState, seat: str) -> Observation:
        """Returns the seat's card, what happened, the open card, the pot and the legal actions, in one line."""
        return _seen(seat, state.cards[_SEATS.index(seat)], "".join(state.cards[2:]), state.rounds)

    def returns(self, state: LeducState) -> Mapping[str, float]:
        """Returns what the loser staked from it to the winner; nothing when equal cards share the pot."""
        folder = (len(state.rounds[-1]) - 1) % 2 if state.rounds[-1][-1] == "fold" else None
        first, second = (strength(state, place) for place in (0, 1))
        lead = first - second if folder is None else 2 * folder - 1
        gain = float((lead > 0) - (lead < 0)) * min(stakes(state.rounds))
        return {"first": gain, "second": -gain}

    def information_key(self, state: LeducState, seat: str) -> str:
        """Returns the own card, the actions and the open card: ``Jh check raise call Ks``."""
        return self.observe(state, seat).information_key

    def state_text(self, state: LeducState) -> str:
        """Returns all cards, the actions of each round and the pot."""
        if not state.cards:
            return "The cards are not dealt."
        played = " / ".join(" ".join(actions) or "-" for actions in state.rounds)
        opened = "".join(f" | open {card}" for card in state.cards[2:])
        return f"first {state.cards[0]} | second {state.cards[1]}{opened} | {played} | pot {sum(stakes(state.rounds))}"


@cache
def _seen(seat: str, card: str, opened: str, rounds: tuple[tuple[str, ...], ...]) -> Observation:
    """Returns the observation; there are a few thousand, so they are kept. The other card is not even an argument."""
    parts, key = [f"You hold the {_named(card)}."], [card]
    for number, actions in enumerate(rounds):
        if number:
            parts.append(f"The open card is the {_named(opened)}.")
            key.append(opened)
        key += actions
        for turn, action in enumerate(actions):
            parts.append(f"{'You' if _SEATS[turn % 2] == seat else 'The opponent'} {_PAST[action]}.")
    parts.append(f"Pot {sum(stakes(rounds))}.")
    legal: tuple[str, ...] = ()
    if not closed(rounds[-1]) and seat == _SEATS[len(rounds[-1]) % 2]:
        legal = legal_actions(rounds[-1])
        parts.append(f"You may {', '.join(legal[:-1])} or {legal[-1]}.")
    return Observation(seat=seat, text=" ".join(parts), legal_actions=legal, information_key=" ".join(key))


@cache
def _deals(dealt: tuple[str, ...], suits: bool) -> Chance:
    """Returns the deals of both cards, or then of the open one; equal ranks are one outcome where suits are hidden."""
    deck = CARDS if suits else tuple(card[0] for card in CARDS)
    left = tuple((Counter(deck) - Counter(dealt)).elements())
    drawn = Counter(left if dealt else permutations(left, 2))
    return Chance(tuple((outcome, count / drawn.total()) for outcome, count in drawn.items()))


def closed(actions: tuple[str, ...]) -> bool:
    """Whether a betting round with these actions is over: a fold, a call, or two checks."""
    return actions[-1:] in (("fold",), ("call",)) or actions == ("check", "check")


def legal_actions(actions: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what may be done next in a betting round that is not over."""
    if actions[-1:] != ("raise",):
        return ("check", "raise")
    return ("fold", "call", "raise") if actions.count("raise") < _MOST_RAISES else ("fold", "call")


def stakes(rounds: tuple[tuple[str, ...], ...]) -> list[int]:
    """Returns what each seat has put in the pot, in the order of the seats."""
    paid = [1, 1]
    for actions, amount in zip(rounds, _RAISES, strict=False):
        for turn, action in enumerate(actions):
            if action in ("call", "raise"):
                paid[turn % 2] = max(paid) + (amount if action == "raise" else 0)
    return paid


def strength(state: LeducState, place: int) -> int:
    """Returns the worth of a seat's hand: its rank, above every rank when it pairs the open card."""
    rank = state.cards[place][0]
    return RANKS.index(rank) + len(RANKS) * any(card[0] == rank for card in state.cards[2:])


def _named(card: str) -> str:
    return " of ".join(_WORDS[part] for part in card)
