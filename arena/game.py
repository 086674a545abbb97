"""The contract of a game: a Dec-POMDP in a few pure methods.

A game holds no state of its own: every method is a function of the state it is given. ``arena.env`` turns a game
into a PettingZoo environment, ``arena.solutions`` solves it, ``arena.testing.check_game`` checks it.

Chance is declared (``Chance``), sampled by the arena from (task.seed, ply) and enumerated by solvers: a deal is
never hidden in the seed. ``Call`` is how verifiers, tools and judges enter a pure game.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from arena.errors import GameError
from arena.registry import Registry
from arena.types import GameSpec, Observation, Task, Verdict

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Chance:
    """A chance event: outcomes with their probabilities, which sum to 1."""

    outcomes: tuple[tuple[Any, float], ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A request to a verifier, tool or judge; its answer becomes nature's move.

    Attributes:
        kind: which verifier answers, for example ``python``.
        request: JSON text.
    """

    kind: str
    request: str


class Verifier(Protocol):
    """Answers the calls of games, in batches."""

    def check(self, calls: Sequence[Call]) -> Sequence[Verdict]:
        """Returns one verdict a call, in order; a call that cannot be decided is UNDECIDED, never an exception."""
        ...


class Game(ABC, Generic[State]):
    """The rules of one game; subclass it, set ``spec``, and implement the abstract methods.

    States are immutable and hashable. Seats are named as in ``spec.seats``.
    """

    spec: GameSpec
    rules: str = ""
    """What a player must know, in words; shown to every player before its first observation."""

    @abstractmethod
    def reset(self, task: Task) -> State:
        """Returns the first state of ``task``; reads ``task.params`` only, never ``task.seed``."""

    @abstractmethod
    def to_move(self, state: State) -> tuple[str, ...]:
        """Returns who moves: one seat, several seats at once, ``(NATURE,)``, or ``()`` when the game is over."""

    @abstractmethod
    def observe(self, state: State, seat: str) -> Observation:
        """Returns what ``seat`` may know, its legal actions when it is to move included."""

    @abstractmethod
    def step(self, state: State, moves: Mapping[str, Any]) -> State:
        """Returns the state after ``moves`` (one legal action per seat to move, or nature's outcome or verdict)."""

    @abstractmethod
    def returns(self, state: State) -> Mapping[str, float | None]:
        """Returns each seat's return at the end (``None``: a verifier left the seat unjudged)."""

    def nature(self, state: State) -> Chance | Call:
        """Returns the chance event or the call at a state where nature moves.

        Raises:
            GameError: the game has no nature, and ``to_move`` said otherwise.
        """
        raise GameError(
            f"{self.spec.id}.nature: expected a chance event or a call, since to_move said nature, got no such method; "
            "define it"
        )

    def rewards(self, before: State, after: State) -> Mapping[str, float] | None:
        """Returns what each seat earned by one step, or ``None`` when returns are paid at the end only."""
        return None

    def state_text(self, state: State) -> str:
        """Returns the whole state in words or as a board, hidden information included (for ``render``)."""
        return repr(state)

    def information_key(self, state: State, seat: str) -> str | None:
        """Returns the name of the seat's information set, or ``None`` for the arena's default.

        The default is the seat's own sequence of observations and actions. A game that overrides this must return
        equal keys exactly for states that the seat cannot tell apart, and must do so with perfect recall.
        """
        return None


@runtime_checkable
class FixedTasks(Protocol):
    """What a game offers that is a fixed set of tasks, such as a quiz."""

    def tasks(self) -> Sequence[Task]:
        """Returns every task, always the same, in order."""
        ...

    def family(self, task: Task) -> str:
        """Returns the kind of a task, for reports."""
        ...


def default_information_key(history: Sequence[str]) -> str:
    """Returns the key of a seat's own history: its observations and actions, alternating, the latest last."""
    return hashlib.blake2b(json.dumps(list(history)).encode(), digest_size=8).hexdigest()


def seat_observation(game: Game[State], state: State, seat: str, history: Sequence[str]) -> Observation:
    """Returns what ``seat`` observes, its information key filled in.

    Args:
        game: the rules.
        state: the state at which the seat observes.
        seat: who observes.
        history: the seat's earlier observations and actions, alternating; read only when the game names no key.
    """
    seen = game.observe(state, seat)
    key = game.information_key(state, seat)
    if key is None:
        key = default_information_key([*history, seen.text])
    if seen.information_key == key:
        return seen  # The game filled the key in itself; nothing is left to add.
    return Observation(seat=seen.seat, text=seen.text, legal_actions=seen.legal_actions, information_key=key)


games: Registry[Game[Any]] = Registry("game", "arena.games", "arena.adapters")
"""Every registered game, by id (``kuhn_poker-v0``), and those of other libraries (``openspiel/leduc_poker-v0``)."""
