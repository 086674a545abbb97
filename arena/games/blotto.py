"""Colonel Blotto: coins spread over fields, most fields win (E. Borel, La theorie du jeu, 1921).

The rules are OpenSpiel's: both seats spread all their coins at once, more coins take a field, more fields take the
game. Symmetric and zero-sum, so its value is 0. Two fields are left out: who takes one loses the other, always a draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from arena.game import Game, games
from arena.params import whole_number
from arena.types import GameSpec, Observation, Payoff, Task

_SEATS = ("first", "second")
_MOST_COINS = 6
_FIELDS = (3, 4)


def _spread(coins: int, fields: int) -> Iterator[tuple[int, ...]]:
    """Yields every way to spread all coins over the fields, in lexicographic order."""
    if fields == 1:
        yield (coins,)
        return
    for first in range(coins + 1):
        for rest in _spread(coins - first, fields - 1):
            yield (first, *rest)


@cache
def allocations(coins: int, fields: int) -> tuple[str, ...]:
    """Returns the names of the ways to spread ``coins`` over ``fields``: ``2 1 2``."""
    return tuple(" ".join(map(str, spread)) for spread in _spread(coins, fields))


@dataclass(frozen=True, slots=True)
class Battle:
    """The coins of each seat, how many fields there are, and both allocations once they are made."""

    coins: int = 5
    fields: int = 3
    placed: tuple[str, ...] = ()


@games.register("blotto-v0")
class Blotto(Game[Battle]):
    """Colonel Blotto; ``coins`` (1 to 6, default 5) and ``fields`` (3 or 4, default 3) shape the task."""

    spec = GameSpec(
        name="blotto",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=2,
        returns_range=(-1.0, 1.0),
        actions=tuple(
            name for fields in _FIELDS for coins in range(1, _MOST_COINS + 1) for name in allocations(coins, fields)
        ),
        params={"coins": 5, "fields": 3},
        summary="coins spread over fields at once; most fields win",
    )
    rules = (
        "Colonel Blotto. Both players spread all their coins over the fields at the same time; 2 1 2 puts 2 coins on "
        "the first field, 1 on the second and 2 on the third. Whoever has more coins on a field takes it; equal coins "
        "leave it to nobody. Whoever takes more fields wins; equal fields are a draw."
    )

    def reset(self, task: Task) -> Battle:
        """Returns the state before the coins are placed.

        Raises:
            ConfigError: ``coins`` or ``fields`` is out of range.
        """
        coins = whole_number(self.spec, task, "coins", 1, _MOST_COINS)
        return Battle(coins, whole_number(self.spec, task, "fields", _FIELDS[0], _FIELDS[-1]))

    def to_move(self, state: Battle) -> tuple[str, ...]:
        """Returns both seats, once."""
        return () if state.placed else _SEATS

    def step(self, state: Battle, moves: Mapping[str, Any]) -> Battle:
        """Returns the state after both have placed their coins."""
        return Battle(state.coins, state.fields, tuple(moves[seat] for seat in _SEATS))

    def observe(self, state: Battle, seat: str) -> Observation:
        """Returns the coins and fields and every allocation, or what both placed."""
        if state.placed:
            own, other = state.placed if seat == "first" else state.placed[::-1]
            return Observation(seat=seat, text=f"You placed {own}. The opponent placed {other}.", legal_actions=())
        legal = allocations(state.coins, state.fields)
        text = f"{state.coins} coins, {state.fields} fields. You may place {', '.join(legal)}."
        return Observation(seat=seat, text=text.replace("1 coins", "1 coin"), legal_actions=legal)

    def returns(self, state: Battle) -> Mapping[str, float]:
        """Returns 1 to the seat that takes more fields and -1 to the other, 0 for equal fields."""
        first, second = (tuple(map(int, name.split())) for name in state.placed)
        lead = sum((a > b) - (a < b) for a, b in zip(first, second, strict=True))
        gain = float((lead > 0) - (lead < 0))
        return {"first": gain, "second": -gain}

    def information_key(self, state: Battle, seat: str) -> str:
        """Returns the coins and fields, and both allocations once they are made: ``5 on 3``."""
        return " | ".join((f"{state.coins} on {state.fields}", *state.placed))

    def state_text(self, state: Battle) -> str:
        """Returns both allocations, field under field."""
        if not state.placed:
            return f"{state.coins} coins, {state.fields} fields: nobody has placed any."
        return "\n".join(f"{seat:6} {placed}" for seat, placed in zip(_SEATS, state.placed, strict=True))
