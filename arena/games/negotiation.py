"""Negotiation: two seats divide books, hats and balls that are worth different amounts to each of them.

The setting of D. DeVault, J. Mell and J. Gratch (2015) and of M. Lewis et al., Deal or No Deal? (arXiv 1706.05125),
with offers in place of words, as in OpenSpiel's ``bargaining``. It differs from that one in three ways: the profiles
of values come from a short public list, the two seats never hold the same profile, so that every deal has gains from
trade, and the last offer is answered by accept or reject.

Task parameters: ``pool`` (how many books, hats and balls, one of ``POOLS``), ``turns`` (the most offers), and
``discount`` (pay shrinks by this factor with each offer after the first). The default has 12 deals and 20,173 nodes.

``arena.bargaining`` judges how an end divides the pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

from arena.errors import ConfigError
from arena.game import Chance, Game, games
from arena.params import whole_number
from arena.types import NATURE, GameSpec, Observation, Payoff, Task

Items = tuple[int, int, int]
"""How many books, hats and balls; or what one of each is worth."""
Split = tuple[Items, Items]
"""What each seat gets, in the order of the seats."""

POOLS: dict[Items, tuple[Items, ...]] = {
    (1, 1, 1): ((1, 6, 3), (3, 2, 5), (5, 4, 1), (7, 0, 3)),
    (1, 2, 1): ((0, 2, 6), (1, 4, 1), (5, 0, 5), (6, 2, 0)),
    (2, 2, 1): ((1, 2, 4), (2, 0, 6), (2, 3, 0), (3, 1, 2)),
}
"""The public profiles of values of each pool: all items together are worth 10, and any two profiles can make 14."""
MOST_TURNS = 6
"""The most offers that a task may allow."""
TOTAL = 10

_SEATS = ("first", "second")
_NAMES = ("book", "hat", "ball")
_MOST: Items = (2, 2, 1)


@dataclass(frozen=True, slots=True)
class Bargain:
    """The task's parameters, both seats' values (empty before the deal) and the public history of actions."""

    pool: Items = (1, 1, 1)
    turns: int = 3
    discount: float = 1.0
    values: tuple[Items, ...] = ()
    history: tuple[str, ...] = ()


@cache
def _divisions(pool: Items) -> tuple[Items, ...]:
    return tuple((books, hats, balls) for books, hats, balls in product(*(range(count + 1) for count in pool)))


def _digits(items: Items) -> str:
    return " ".join(map(str, items))


def _ask(items: Items) -> str:
    return f"ask {_digits(items)}"


@games.register("negotiation-v0")
class Negotiation(Game[Bargain]):
    """Alternating offers over a pool of items with private values."""

    spec = GameSpec(
        name="negotiation",
        version=0,
        seats=_SEATS,
        payoff=Payoff.GENERAL_SUM,
        max_turns=MOST_TURNS + 1,
        returns_range=(0.0, float(TOTAL)),
        actions=("accept", "reject", *map(_ask, _divisions(_MOST))),
        params={"pool": (1, 1, 1), "turns": 3, "discount": 1.0},
        summary="two seats divide books, hats and balls that each values differently",
    )
    rules = (
        "Negotiation. Two players divide books, hats and balls. Values 7 0 3 mean that a book is worth 7, a hat 0 and "
        "a ball 3; each player has its own values, by which all items together are worth 10. ask 1 0 1 asks for 1 "
        "book and 1 ball and leaves the rest to the other player, who accepts or asks in turn. With no offers left it "
        "accepts or rejects. On agreement each player gets what its items are worth to it, otherwise both get 0."
    )

    def reset(self, task: Task) -> Bargain:
        """Returns the state before the deal.

        Raises:
            ConfigError: a parameter is out of range.
        """
        return Bargain(
            pool=_pool(task.params.get("pool", (1, 1, 1))),
            turns=whole_number(self.spec, task, "turns", 1, MOST_TURNS),
            discount=_discount(task.params.get("discount", 1.0)),
        )

    def to_move(self, state: Bargain) -> tuple[str, ...]:
        """Returns nature for the deal, then the seats in turn until one accepts or rejects."""
        if not state.values:
            return (NATURE,)
        return () if _over(state) else (_SEATS[len(state.history) % 2],)

    def nature(self, state: Bargain) -> Chance:
        """Returns the ordered pairs of different profiles, equally likely."""
        profiles = POOLS[state.pool]
        pairs = [(a, b) for a in profiles for b in profiles if a != b]
        return Chance(tuple((pair, 1 / len(pairs)) for pair in pairs))

    def step(self, state: Bargain, moves: Mapping[str, Any]) -> Bargain:
        """Returns the state after the deal or after one action."""
        if not state.values:
            return replace(state, values=moves[NATURE])
        (action,) = moves.values()
        return replace(state, history=(*state.history, action))

    def observe(self, state: Bargain, seat: str) -> Observation:
        """Returns the pool, the own values, the opponent's possible values, what happened and the legal actions."""
        own = state.values[_SEATS.index(seat)]
        others = [_digits(profile) for profile in POOLS[state.pool] if profile != own]
        parts = [
            f"The pool is {_words(state.pool)}.",
            f"Your values are {_digits(own)}.",
            f"The opponent's values are {', '.join(others[:-1])} or {others[-1]}.",
        ]
        if state.discount < 1:
            parts.append(f"Each offer after the first multiplies all pay by {state.discount:g}.")
        for ply, action in enumerate(state.history):
            parts.append(f"{'You' if _SEATS[ply % 2] == seat else 'The opponent'} {_past(action)}.")
        legal = _legal(state) if self.to_move(state) == (seat,) else ()
        parts += _outlook(state, seat, legal)
        return Observation(seat=seat, text=" ".join(parts), legal_actions=legal)

    def returns(self, state: Bargain) -> Mapping[str, float]:
        """Returns what each seat's items are worth to it, discounted by the offers after the first; 0 if rejected."""
        return dict(zip(_SEATS, _pay(state), strict=True))

    def information_key(self, state: Bargain, seat: str) -> str:
        """Returns the own values and the public history: ``1 6 3 | ask 0 1 1 | accept``."""
        return " | ".join((_digits(state.values[_SEATS.index(seat)]), *state.history))

    def state_text(self, state: Bargain) -> str:
        """Returns the pool, both seats' values and the actions."""
        if not state.values:
            return f"pool {_digits(state.pool)} | The values are not dealt."
        first, second = map(_digits, state.values)
        told = ", ".join(state.history) or "-"
        return f"pool {_digits(state.pool)} | first values {first} | second values {second} | {told}"


def agreed_split(state: Bargain) -> Split | None:
    """Returns what each seat gets, or ``None`` without an agreement."""
    if state.history[-1:] != ("accept",):
        return None
    asked = _items(state.history[-2])
    rest = _rest(state.pool, asked)
    return (asked, rest) if len(state.history) % 2 == 0 else (rest, asked)


def splits(pool: Items) -> list[Split]:
    """Returns every way to divide a pool."""
    return [(items, _rest(pool, items)) for items in _divisions(pool)]


def worths(state: Bargain, split: Split) -> tuple[int, int]:
    """Returns what each seat's part of a split is worth to it."""
    first, second = (_worth(values, items) for values, items in zip(state.values, split, strict=True))
    return first, second


def agreed_worths(state: Bargain) -> tuple[int, int]:
    """Returns what the agreement is worth to each seat; nothing without one."""
    split = agreed_split(state)
    return (0, 0) if split is None else worths(state, split)


def _pay(state: Bargain) -> tuple[float, float]:
    mine, yours = agreed_worths(state)
    shrunk = state.discount ** max(0, len(state.history) - 2)
    return mine * shrunk, yours * shrunk


def _outlook(state: Bargain, seat: str, legal: tuple[str, ...]) -> list[str]:
    """Returns what the seat got, or what it would get by accepting and what it may do."""
    if _over(state):
        return [f"You get {_pay(state)[_SEATS.index(seat)]:g}."]
    parts = [f"Offers left {state.turns - len(state.history)}."]
    if "accept" in legal:
        accepted = replace(state, history=(*state.history, "accept"))
        parts.append(f"Accepting gives you {_pay(accepted)[_SEATS.index(seat)]:g}.")
    ways = [action for action in legal if action in ("accept", "reject")]
    if len(legal) > len(ways):
        ways.append(f"ask up to {_digits(state.pool)}")
    return [*parts, f"You may {' or '.join(ways)}."] if legal else parts


def _legal(state: Bargain) -> tuple[str, ...]:
    asks = tuple(map(_ask, _divisions(state.pool)))
    if not state.history:
        return asks
    return ("accept", *asks) if len(state.history) < state.turns else ("accept", "reject")


def _over(state: Bargain) -> bool:
    return state.history[-1:] in (("accept",), ("reject",))


def _past(action: str) -> str:
    return f"asked for {action[4:]}" if action.startswith("ask ") else f"{action}ed"


def _worth(values: Items, items: Items) -> int:
    return sum(value * count for value, count in zip(values, items, strict=True))


def _rest(pool: Items, items: Items) -> Items:
    return pool[0] - items[0], pool[1] - items[1], pool[2] - items[2]


def _items(ask: str) -> Items:
    books, hats, balls = map(int, ask.split()[1:])
    return books, hats, balls


def _words(pool: Items) -> str:
    return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in zip(pool, _NAMES, strict=True))


def _pool(value: object) -> Items:
    for pool in POOLS:
        if isinstance(value, (list, tuple)) and tuple(value) == pool:
            return pool
    known = ", ".join(str(list(pool)) for pool in POOLS)
    raise ConfigError(f"task.params.pool: expected one of {known}, got {value!r}; choose one")


def _discount(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value <= 1:
        return float(value)
    raise ConfigError(
        f"task.params.discount: expected a number above 0 and up to 1, got {value!r}; 1 means no discount"
    )
