"""What a person may be told of the others' moves: those that its own observation tells it anyway, and no other.

A move is told only where the seat and the mover knew the same before (their information sets have one name) and every
other move of the mover would have left the seat with another information set. So nothing is said of a hidden choice,
and nothing where the mover knew more: there the game's own texts say what is public.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.foreign.game import ForeignGame
from arena.game import Game
from arena.types import NATURE


def public_moves(game: Game[Any], before: object, moves: Mapping[str, str], seat: str) -> dict[str, str]:
    """Returns those of a step's moves, by mover, that ``seat`` learned of.

    Args:
        game: the rules; a foreign game's moves are never told.
        before: the state before the step.
        moves: the legal actions that were taken, one a seat that was to move.
        seat: who is told.
    """
    if isinstance(game, ForeignGame) or not moves:
        return {}
    key = game.information_key(before, seat)
    rivals = [mover for mover in moves if mover != seat and game.information_key(before, mover) == key]
    return {mover: moves[mover] for mover in rivals if key is not None and _tells(game, before, moves, mover, seat)}


def _tells(game: Game[Any], before: object, moves: Mapping[str, str], mover: str, seat: str) -> bool:
    """Whether every other action of ``mover`` would have given ``seat`` another information set."""
    others = [action for action in game.observe(before, mover).legal_actions or () if action != moves[mover]]
    states = [game.step(before, moves), *(game.step(before, {**moves, mover: action}) for action in others)]
    if any(game.to_move(state) == (NATURE,) for state in states):
        return False  # nobody observes before nature has moved
    actual, *possible = [game.information_key(state, seat) for state in states]
    return actual is not None and actual not in possible
