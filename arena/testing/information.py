"""Checks of what the seats may know, over states grouped by information set.

In one information set a seat reads the same bytes and has the same legal actions, whatever the others hold: two
states with one key that show different texts mean that the text betrays what the key says is hidden. Perfect recall:
decisions with one key have the same own past, unless they are the very same state reached in another order.

A game that names no ``information_key`` gets the arena's default, made from the seat's own observations: then every
text is consistent with its key by construction, and a leak cannot be told from intended knowledge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from arena.errors import CheckError
from arena.game import Game, seat_observation
from arena.testing.walks import Ply
from arena.types import NATURE, Observation


@dataclass(frozen=True, slots=True)
class Sight:
    """What a seat saw in one state, and its own past."""

    ply: Ply
    seen: Observation
    to_move: bool


def check_information(game: Game[Any], plies: Iterable[Ply]) -> int:
    """Checks the states of many histories against each other; returns how many information sets decide.

    Raises:
        CheckError: two states of one information set that the seat can tell apart.
    """
    first: dict[tuple[str, str], Sight] = {}
    deciding: dict[tuple[str, str], Sight] = {}
    for ply in plies:
        movers = game.to_move(ply.state)
        if not movers or movers == (NATURE,):
            continue
        for seat in game.spec.seats:
            sight = Sight(ply, seat_observation(game, ply.state, seat, ply.own[seat]), seat in movers)
            place = (seat, sight.seen.information_key)
            _same_sight(game, seat, first.setdefault(place, sight), sight)
            if sight.to_move:
                _same_past(game, seat, deciding.setdefault(place, sight), sight)
    return len(deciding)


def _same_sight(game: Game[Any], seat: str, known: Sight, sight: Sight) -> None:
    if known.seen.text != sight.seen.text:
        _fail(game, seat, sight, "observe.text", f"{known.seen.text!r} as in {known.ply.state!r}", sight.seen.text)


def _same_past(game: Game[Any], seat: str, known: Sight, sight: Sight) -> None:
    legal = sight.seen.legal_actions
    if known.seen.legal_actions != legal:
        expected = f"{known.seen.legal_actions} as in {known.ply.state!r}"
        _fail(game, seat, sight, "observe.legal_actions", expected, legal)
    if known.ply.state != sight.ply.state and known.ply.own[seat] != sight.ply.own[seat]:
        expected = f"one own past (perfect recall), {known.ply.own[seat]} as in {known.ply.state!r}"
        _fail(game, seat, sight, "information_key", expected, sight.ply.own[seat])


def _fail(game: Game[Any], seat: str, sight: Sight, field: str, expected: str, got: object) -> NoReturn:
    raise CheckError(
        f"check_game({game.spec.id}): hidden information, ply {sight.ply.index}, seat {seat!r}, {field} in the set "
        f"{sight.seen.information_key!r}: expected {expected}, got {got!r} in {sight.ply.state!r}; hide it from the "
        "seat or tell the states apart in information_key"
    )
