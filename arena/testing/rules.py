"""Checks of the pure rules along random episodes: purity, determinism, legality, chance, payoff.

Every method is called twice on the same state and the state is compared with a deep copy of itself, so hidden
counters, clocks and mutated states show at once; when all episodes are played, each is replayed from its moves alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from arena.errors import CheckError
from arena.game import Call, Game, Verifier
from arena.params import reset
from arena.pay import TOLERANCE, payoff_fault
from arena.seeds import generator
from arena.testing.walks import Ply, Say, first_ply, follow, pick, spoken
from arena.types import NATURE, Observation, Task

R = TypeVar("R")


class RuleCheck:
    """Walks one random episode of a task and checks each state on the way.

    Args:
        game: the game under test.
        task: what is played.
        episode: the number of the episode, the root of its randomness.
        say: what may be said in a free-text game.
        verifier: answers calls.
    """

    def __init__(self, game: Game[Any], task: Task, episode: int, say: Say, verifier: Verifier) -> None:
        self._game = game
        self._task = task
        self._episode = episode
        self._say = say
        self._verifier = verifier
        self._ply = 0
        self._seat = ""
        self._plies: list[Ply] = []
        self._made: list[dict[str, Any]] = []

    def run(self) -> list[Ply]:
        """Returns the plies of the episode.

        Raises:
            CheckError: the first thing that is not as the contract says.
        """
        random = generator("check", self._episode, self._task.seed)
        ply = self._twice("reset", lambda: first_ply(self._game, self._task))
        other = replace(self._task, seed=self._task.seed + 1)
        reseeded = self._call("reset", lambda: reset(self._game, other))
        self._expect("reset", "the same first state for every task.seed", reseeded == ply.state, reseeded)
        self._plies.append(ply)
        earned: dict[str, float] = {}
        while True:
            self._ply, self._seat = ply.index, ""
            self._state(ply.state)
            if ply.turns >= self._game.spec.max_turns and self._game.to_move(ply.state) != (NATURE,):
                break
            moves = pick(self._game, ply.state, random, self._say, self._verifier)
            if moves is None:
                break
            before, ply = ply, self._next(ply, moves)
            self._rewards(before.state, ply.state, earned)
            self._plies.append(ply)
            self._made.append(moves)
        if not self._game.to_move(ply.state):
            self._end(ply.state, earned)
        elif self._game.spec.capabilities.enumerate:
            most = self._game.spec.max_turns
            self._fail("to_move", f"the end within spec.max_turns={most} moves of seats", "a game that goes on")
        return self._plies

    def replay(self) -> None:
        """Plays the same moves again from the start: every state must come back.

        Raises:
            CheckError: one does not.
        """
        state = reset(self._game, self._task)
        for ply, moves in zip(self._plies[1:], self._made, strict=True):
            self._ply, self._seat = ply.index, ""
            state = self._call("step", lambda now=state, moves=moves: self._game.step(now, moves))  # type: ignore[misc]
            self._expect("step", "the same state when the same moves are replayed", state == ply.state, state)

    def _state(self, state: Any) -> None:  # noqa: ANN401 - whatever a game's states are
        """Checks everything that can be asked of one state, and that asking does not change it."""
        kept = copy.deepcopy(state)
        self._call("state", lambda: hash(state))
        movers = self._twice("to_move", lambda: self._game.to_move(state))
        self._movers(movers)
        self._twice("state_text", lambda: self._game.state_text(state))
        if movers == (NATURE,):
            self._nature(state)
        else:
            for seat in self._game.spec.seats:
                self._seat = seat
                seen = self._twice("observe", lambda seat=seat: self._game.observe(state, seat))  # type: ignore[misc]
                self._twice("information_key", lambda seat=seat: self._game.information_key(state, seat))  # type: ignore[misc]
                self._observation(seen, seat)
                if seat in movers:
                    self._legal(state, movers, seat, seen)
                elif self._game.spec.actions is not None:
                    idle = "() for a seat that is not to move"
                    self._expect("observe.legal_actions", idle, seen.legal_actions == (), seen.legal_actions)
        self._seat = ""
        self._expect("state", "the state unchanged after its methods", state == kept and hash(state) == hash(kept))

    def _movers(self, movers: object) -> None:
        spec = self._game.spec
        fits = isinstance(movers, tuple) and (movers == (NATURE,) or set(movers) <= set(spec.seats))
        self._expect("to_move", f"a tuple of seats among {spec.seats}, (NATURE,) or ()", fits, movers)
        if isinstance(movers, tuple):
            self._expect("to_move", "each seat once", len(set(movers)) == len(movers), movers)

    def _nature(self, state: object) -> None:
        event = self._twice("nature", lambda: self._game.nature(state))
        if isinstance(event, Call):
            return
        chances = [p_outcome for _, p_outcome in event.outcomes]
        self._expect("nature", "no negative probability", min(chances, default=0.0) >= 0, chances)
        self._expect("nature", "probabilities that sum to 1", abs(sum(chances) - 1) <= TOLERANCE, sum(chances))
        for outcome, p_outcome in event.outcomes:
            if p_outcome > 0:
                self._call("step", lambda outcome=outcome: self._game.step(state, {NATURE: outcome}))  # type: ignore[misc]

    def _observation(self, seen: object, seat: str) -> None:
        if not isinstance(seen, Observation):
            self._fail("observe", "an Observation", seen)
        self._expect("observe.seat", repr(seat), seen.seat == seat, seen.seat)
        size = len(seen.text.encode("utf-8", "surrogatepass"))
        most = self._game.spec.text_bytes
        self._expect("observe.text", f"at most {most} bytes (spec.text_bytes)", size <= most, f"{size} bytes")

    def _legal(self, state: object, movers: tuple[str, ...], seat: str, seen: Observation) -> None:
        """Checks the legal actions of a seat to move: listed in canonical order, and each accepted by ``step``."""
        listed, legal = self._game.spec.actions, seen.legal_actions
        if listed is not None:
            if not legal:
                self._fail("observe.legal_actions", "at least one legal action", legal)
            order = [name for name in listed if name in legal]
            self._expect("observe.legal_actions", "actions of spec.actions, in its order", list(legal) == order, legal)
        others = {mover: spoken(self._game.observe(state, mover), self._say)[0] for mover in movers}
        for action in spoken(seen, self._say):
            moves = {**others, seat: action}
            after = self._twice(f"step({action!r})", lambda moves=moves: self._game.step(state, moves))  # type: ignore[misc]
            self._movers(self._call("to_move", lambda after=after: self._game.to_move(after)))  # type: ignore[misc]

    def _next(self, ply: Ply, moves: Mapping[str, Any]) -> Ply:
        return self._twice(f"step({dict(moves)!r})", lambda: follow(self._game, ply, moves))

    def _rewards(self, before: object, after: object, earned: dict[str, float]) -> None:
        rewards = self._twice("rewards", lambda: self._game.rewards(before, after))
        for seat, reward in (rewards or {}).items():
            earned[seat] = earned.get(seat, 0.0) + reward

    def _end(self, state: object, earned: Mapping[str, float]) -> None:
        spec = self._game.spec
        returns = self._twice("returns", lambda: dict(self._game.returns(state)))
        expected = payoff_fault(spec, returns)
        self._expect("returns", expected, not expected, returns)
        low, high = spec.returns_range
        for seat, value in returns.items():
            if value is None:
                continue
            self._seat = seat
            inside = low - TOLERANCE <= value <= high + TOLERANCE
            self._expect("returns", f"a return in returns_range [{low}, {high}]", inside, value)
            if earned:
                total = earned.get(seat, 0.0)
                self._expect("rewards", f"rewards that sum to the return {value}", abs(total - value) < 1e-6, total)

    def _twice(self, field: str, question: Callable[[], R]) -> R:
        first, second = self._call(field, question), self._call(field, question)
        self._expect(field, "the same answer when asked twice", first == second, f"{first!r}, then {second!r}")
        return first

    def _call(self, field: str, question: Callable[[], R]) -> R:
        try:
            return question()
        except CheckError:
            raise
        except Exception as error:
            raise CheckError(
                f"{self._where(field)}: expected an answer, got {type(error).__name__}: {error}; mend the rules"
            ) from error

    def _expect(self, field: str, expected: str, fits: bool, got: object = "something else") -> None:
        if not fits:
            self._fail(field, expected, got)

    def _fail(self, field: str, expected: str, got: object) -> NoReturn:
        shown = got if isinstance(got, str) else repr(got)
        raise CheckError(f"{self._where(field)}: expected {expected}, got {shown}; mend the rules")

    def _where(self, field: str) -> str:
        seat = f", seat {self._seat!r}" if self._seat else ""
        return f"check_game({self._game.spec.id}): episode {self._episode}, ply {self._ply}{seat}, {field}"
