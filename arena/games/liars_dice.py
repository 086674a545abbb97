"""Liar's dice for two: hidden dice, rising bids, and a wild face (OpenSpiel's ``liars_dice``).

A bid tells and hides at once. Histories double with each bid that there is: one die of six faces each makes 147,420
terminal histories and 24,576 information sets, two such dice each more than can be enumerated. ``task.params``:
``faces`` of a die (2 to 6, 6 by default), ``dice`` of a seat (1 or 2, 1 by default).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from arena.game import Chance, Game, games
from arena.params import whole_number
from arena.types import NATURE, GameSpec, Observation, Payoff, Task

LIAR = "liar"
MOST_FACES, MOST_DICE = 6, 2
_SEATS = ("first", "second")


@cache
def sayings(faces: int, dice: int) -> tuple[str, ...]:
    """Returns all bids in rising order, ``quantity-face``, and ``liar``, when each seat has ``dice`` dice."""
    quantities, values = range(1, 2 * dice + 1), range(1, faces + 1)
    return (*(f"{quantity}-{face}" for quantity in quantities for face in values), LIAR)


@cache
def rolls(faces: int, dice: int) -> Chance:
    """Returns what one seat may roll: its dice in rising order."""
    counts = Counter(tuple(sorted(roll)) for roll in product(range(1, faces + 1), repeat=dice))
    return Chance(tuple((hand, count / faces**dice) for hand, count in sorted(counts.items())))


@dataclass(frozen=True, slots=True)
class DiceState:
    """The faces of a die, the dice of a seat, the hands rolled so far, and what was said."""

    faces: int
    dice: int
    hands: tuple[tuple[int, ...], ...] = ()
    said: tuple[str, ...] = ()


@games.register("liars_dice-v0")
class LiarsDice(Game[DiceState]):
    """Liar's dice with rising bids; the highest face is wild."""

    spec = GameSpec(
        name="liars_dice",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=len(sayings(MOST_FACES, MOST_DICE)),
        returns_range=(-1.0, 1.0),
        actions=sayings(MOST_FACES, MOST_DICE),
        params={"faces": 6, "dice": 1},
        summary="rising bids on hidden dice, until one is doubted",
    )
    rules = (
        "Liar's dice. Both players roll in secret. In turn each bids on the dice of both: 2-3 says that at least two "
        "dice show 3. The highest face counts as every face. A bid must rise: more dice, or as many dice and a higher "
        "face. Instead of bidding, a player may say liar: then all dice are shown. If the last bid is true, its bidder "
        "wins, else the player who doubted it."
    )

    def reset(self, task: Task) -> DiceState:
        """Returns the state before the rolls.

        Raises:
            ConfigError: a parameter is out of range.
        """
        faces = whole_number(self.spec, task, "faces", 2, MOST_FACES)
        return DiceState(faces=faces, dice=whole_number(self.spec, task, "dice", 1, MOST_DICE))

    def to_move(self, state: DiceState) -> tuple[str, ...]:
        """Returns nature for the roll of each seat, then the seats in turn until one says liar."""
        if len(state.hands) < len(_SEATS):
            return (NATURE,)
        return () if state.said[-1:] == (LIAR,) else (_SEATS[len(state.said) % 2],)

    def nature(self, state: DiceState) -> Chance:
        """Returns the rolls of the next seat."""
        return rolls(state.faces, state.dice)

    def step(self, state: DiceState, moves: Mapping[str, Any]) -> DiceState:
        """Returns the state after one roll or one saying."""
        if NATURE in moves:
            return DiceState(state.faces, state.dice, (*state.hands, moves[NATURE]))
        (action,) = moves.values()
        return DiceState(state.faces, state.dice, state.hands, (*state.said, action))

    def observe(self, state: DiceState, seat: str) -> Observation:
        """Returns what is rolled with, the seat's own dice, what was said, and the legal actions, in one line."""
        dice = "1 die" if state.dice == 1 else f"{state.dice} dice"
        own = " and ".join(map(str, state.hands[_SEATS.index(seat)]))
        parts = [f"Each player has {dice} with faces 1 to {state.faces}.", f"You rolled {own}."]
        for turn, saying in enumerate(state.said):
            parts.append(f"{'You' if _SEATS[turn % 2] == seat else 'The opponent'} said {saying}.")
        legal = legal_sayings(state) if self.to_move(state) == (seat,) else ()
        if legal:
            parts.append(
                f"You may say {', '.join(legal[:-1])} or {legal[-1]}." if legal[1:] else f"You may say {LIAR}."
            )
        return Observation(seat=seat, text=" ".join(parts), legal_actions=legal)

    def returns(self, state: DiceState) -> Mapping[str, float]:
        """Returns 1 to the last bidder and -1 to the doubter when the bid is true, else the reverse."""
        bidder = _SEATS[len(state.said) % 2]
        gain = 1.0 if is_true(state) else -1.0
        return {seat: gain if seat == bidder else -gain for seat in _SEATS}

    def information_key(self, state: DiceState, seat: str) -> str:
        """Returns dice and faces, the own roll, and what was said: ``1d6 4 1-2 2-4``."""
        own = map(str, state.hands[_SEATS.index(seat)])
        return " ".join((f"{state.dice}d{state.faces}", *own, *state.said))

    def state_text(self, state: DiceState) -> str:
        """Returns all dice and what was said."""
        rolled = [f"{seat} {' '.join(map(str, hand))}" for seat, hand in zip(_SEATS, state.hands, strict=False)]
        return " | ".join((f"{state.dice}d{state.faces}", *rolled, " ".join(state.said) or "-"))


def legal_sayings(state: DiceState) -> tuple[str, ...]:
    """Returns the bids above the last one, and ``liar`` once there is a bid."""
    known = sayings(state.faces, state.dice)
    return known[known.index(state.said[-1]) + 1 :] if state.said else known[:-1]


def is_true(state: DiceState) -> bool:
    """Whether the bid that was doubted holds for the dice of both seats."""
    quantity, face = map(int, state.said[-2].split("-"))
    return sum(die in (face, state.faces) for hand in state.hands for die in hand) >= quantity
