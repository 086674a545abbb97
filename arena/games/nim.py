"""Nim: heaps, and who takes the last object (C. L. Bouton, Nim, a game with a complete mathematical theory, 1901).

Under normal play the seat to move loses exactly when the exclusive or of the heaps is 0; in the misere game the same
holds unless every heap is 1 or empty, where the parity of the heaps decides. The default heaps (1, 3, 5, 7) have the
exclusive or 0. OpenSpiel's nim is misere by default; this one is normal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import ConfigError
from arena.game import Game, games
from arena.types import GameSpec, Observation, Payoff, Task

_SEATS = ("first", "second")
_HEAPS = "abcde"
_LARGEST = 9
_DEFAULT = (1, 3, 5, 7)


@dataclass(frozen=True, slots=True)
class Heaps:
    """How many objects are left in each heap, whose turn it is (0 or 1), and whether taking the last one loses."""

    left: tuple[int, ...]
    turn: int = 0
    misere: bool = False


@games.register("nim-v0")
class Nim(Game[Heaps]):
    """Nim; ``heaps`` (1 to 5 numbers from 1 to 9) and ``misere`` (taking the last object loses) shape the task."""

    spec = GameSpec(
        name="nim",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=len(_HEAPS) * _LARGEST,
        returns_range=(-1.0, 1.0),
        actions=tuple(f"{heap}{count}" for heap in _HEAPS for count in range(1, _LARGEST + 1)),
        params={"heaps": _DEFAULT, "misere": False},
        summary="take objects from one heap; the last one decides",
    )
    rules = (
        "Nim. Objects lie in heaps, named by letters. The players take turns; each takes one or more objects from one "
        "heap. b2 takes 2 objects from heap b. Each turn says whether taking the last object of all wins or loses."
    )

    def reset(self, task: Task) -> Heaps:
        """Returns the full heaps.

        Raises:
            ConfigError: ``heaps`` is not 1 to 5 numbers from 1 to 9, or ``misere`` is not true or false.
        """
        heaps, misere = task.params.get("heaps", _DEFAULT), task.params.get("misere", False)
        if not isinstance(heaps, list | tuple) or not 1 <= len(heaps) <= len(_HEAPS):
            raise ConfigError(
                f"task.params.heaps: expected a list of 1 to {len(_HEAPS)} heaps, got {heaps!r}; for example "
                "[1, 3, 5, 7]"
            )
        for place, heap in enumerate(heaps):
            if type(heap) is not int or not 1 <= heap <= _LARGEST:
                raise ConfigError(
                    f"task.params.heaps[{place}]: expected a whole number from 1 to {_LARGEST}, got {heap!r}; change it"
                )
        if not isinstance(misere, bool):
            raise ConfigError(f"task.params.misere: expected true or false, got {misere!r}; leave it out for false")
        return Heaps(tuple(heaps), 0, misere)

    def to_move(self, state: Heaps) -> tuple[str, ...]:
        """Returns the seats in turn while an object is left."""
        return (_SEATS[state.turn],) if any(state.left) else ()

    def step(self, state: Heaps, moves: Mapping[str, Any]) -> Heaps:
        """Returns the heaps after one has been made smaller."""
        (action,) = moves.values()
        left = list(state.left)
        left[_HEAPS.index(action[0])] -= int(action[1:])
        return Heaps(tuple(left), 1 - state.turn, state.misere)

    def observe(self, state: Heaps, seat: str) -> Observation:
        """Returns the heaps that are not empty, what the last object means, and what may be taken."""
        legal = takings(state) if seat in self.to_move(state) else ()
        text = f"{_heaps(state)} {'Taking the last object loses.' if state.misere else 'Taking the last object wins.'}"
        if legal:
            text += f" You may take {', '.join(legal)}."
        return Observation(seat=seat, text=text, legal_actions=legal)

    def returns(self, state: Heaps) -> Mapping[str, float]:
        """Returns 1 to the winner and -1 to the loser: the last object was taken by the seat whose turn it is not."""
        won = _SEATS[state.turn if state.misere else 1 - state.turn]
        return {seat: 1.0 if seat == won else -1.0 for seat in _SEATS}

    def information_key(self, state: Heaps, seat: str) -> str:
        """Returns the heaps and whose turn it is: ``1 3 5 7 first``, ``1 3 5 7 first misere``."""
        return f"{' '.join(map(str, state.left))} {_SEATS[state.turn]}{' misere' if state.misere else ''}"

    def state_text(self, state: Heaps) -> str:
        """Returns each heap as a line of strokes."""
        return "\n".join(f"{heap} {'|' * count}".rstrip() for heap, count in zip(_HEAPS, state.left, strict=False))


def takings(heaps: Heaps) -> tuple[str, ...]:
    """Returns the actions that the heaps allow, in canonical order."""
    sizes = zip(_HEAPS, heaps.left, strict=False)
    return tuple(f"{heap}{count}" for heap, size in sizes for count in range(1, size + 1))


def _heaps(heaps: Heaps) -> str:
    named = [f"{heap} has {size}" for heap, size in zip(_HEAPS, heaps.left, strict=False) if size]
    return f"Heap {', '.join(named)}." if named else "All heaps are empty."
