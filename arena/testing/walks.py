"""Playing by the pure rules alone, without the referee, so that a check does not rest on what it checks.

A walk is one random episode; a sweep lists every history breadth first, up to a number. Both show each state with
what every seat has seen and done so far. Where a game calls a verifier and none is given, an arbitrary verdict that
depends on the request alone stands in: a game must cope with every outcome.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from arena.game import Call, Game, Verifier
from arena.params import reset
from arena.seeds import derive
from arena.types import NATURE, Observation, Outcome, Task, Verdict

Say = Callable[[Observation], Sequence[str]]
"""What may be said at an observation of a free-text game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ply:
    """One state of a history.

    Attributes:
        index: how many transitions lie before it.
        state: the state.
        own: for each seat the observations and actions of its own decisions so far, alternating.
        turns: how many own moves of any seat lie before it.
    """

    index: int
    state: Any
    own: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    turns: int = 0


class AnyVerdict:
    """A stand-in verifier: an arbitrary verdict that depends on the request alone."""

    def check(self, calls: Sequence[Call]) -> list[Verdict]:
        """Returns one verdict a call, in order."""
        outcomes = list(Outcome)
        picks = [derive(f"verdict {call.kind} {call.request!a}") % len(outcomes) for call in calls]
        return [Verdict(outcome=outcomes[pick], verifier="any", version="0") for pick in picks]


def first_ply(game: Game[Any], task: Task) -> Ply:
    """Returns the first state of ``task``."""
    return Ply(index=0, state=reset(game, task), own=dict.fromkeys(game.spec.seats, ()))


def spoken(seen: Observation, say: Say) -> tuple[str, ...]:
    """Returns the actions to try at an observation."""
    return tuple(say(seen)) if seen.legal_actions is None else seen.legal_actions


def moves_of(game: Game[Any], state: object, say: Say, verifier: Verifier) -> list[dict[str, Any]]:
    """Returns every joint move at a state: nature's outcomes or verdict, or the product of the seats' actions."""
    movers = game.to_move(state)
    if movers == (NATURE,):
        event = game.nature(state)
        if isinstance(event, Call):
            return [{NATURE: verifier.check([event])[0]}]
        return [{NATURE: outcome} for outcome, p_outcome in event.outcomes if p_outcome > 0]
    choices = [spoken(game.observe(state, seat), say) for seat in movers]
    return [dict(zip(movers, joint, strict=True)) for joint in product(*choices)] if movers else []


def follow(game: Game[Any], ply: Ply, moves: Mapping[str, Any]) -> Ply:
    """Returns the ply after ``moves``."""
    own = dict(ply.own)
    seats = [seat for seat in moves if seat != NATURE]
    for seat in seats:
        own[seat] = (*own[seat], game.observe(ply.state, seat).text, moves[seat])
    state = game.step(ply.state, moves)
    return Ply(index=ply.index + 1, state=state, own=own, turns=ply.turns + len(seats))


def pick(
    game: Game[Any], state: object, random: np.random.Generator, say: Say, verifier: Verifier
) -> dict[str, Any] | None:
    """Returns a random joint move, uniform for each mover and for nature's outcomes, or ``None`` at the end."""
    movers = game.to_move(state)
    if movers == (NATURE,):
        options = moves_of(game, state, say, verifier)
        return options[int(random.integers(len(options)))]
    moves: dict[str, Any] = {}
    for seat in movers:
        choices = spoken(game.observe(state, seat), say)
        moves[seat] = choices[int(random.integers(len(choices)))]
    return moves or None


def sweep(game: Game[Any], task: Task, most: int, say: Say, verifier: Verifier) -> Iterator[Ply]:
    """Yields the first ``most`` histories of a task, breadth first."""
    waiting = deque([first_ply(game, task)])
    for _ in range(most):
        if not waiting:
            return
        ply = waiting.popleft()
        yield ply
        if len(waiting) < most and ply.turns < game.spec.max_turns:
            waiting.extend(follow(game, ply, moves) for moves in moves_of(game, ply.state, say, verifier))
