"""What a person may be told of the others' moves: those that its own observation tells it anyway, and no other.

A move is told only where one seat moved alone, where the person's seat and the mover knew the same before (their
information sets have one name), and where every other move would have left the person's seat with another information
set. So nothing is said of a hidden choice, and nothing where the mover knew more or several moved at once: there the
game's own texts say what is public.
"""

from __future__ import annotations

from typing import Any

from arena.game import Game
from arena.types import NATURE


def is_public(game: Game[Any], before: object, mover: str, action: str, seat: str) -> bool:
    """Whether ``seat`` learned by what it observes that ``mover`` took ``action``.

    Args:
        game: the rules; a foreign game's moves are never told.
        before: the state before the move.
        mover: who moved.
        action: the legal action that was taken.
        seat: who is told.
    """
    from arena.foreign.game import ForeignGame

    if isinstance(game, ForeignGame) or seat == mover or game.to_move(before) != (mover,):
        return False
    key = game.information_key(before, seat)
    if key is None or key != game.information_key(before, mover):
        return False
    others = [other for other in game.observe(before, mover).legal_actions or () if other != action]
    states = [game.step(before, {mover: one}) for one in (action, *others)]
    if any(game.to_move(state) == (NATURE,) for state in states):
        return False  # nobody observes before nature has moved
    actual, *possible = [game.information_key(state, seat) for state in states]
    return actual not in possible
