"""What both PettingZoo environments share: a game, its spaces, and the referee of the present task.

The attributes of ``env.unwrapped`` that go beyond PettingZoo live here, and so do the choice of a task in ``reset``
and the rendering.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, NoReturn

from gymnasium.spaces import Space

from arena.errors import CapabilityError, ConfigError, PlayError
from arena.foreign.game import ForeignGame
from arena.game import Call, Game, Verifier, games
from arena.legality import check_rule
from arena.referee import Referee
from arena.seeds import derive
from arena.spaces import Spaces
from arena.types import CallRecord, IllegalRule, Observation, Status, Task

RENDER_MODES = ("ansi", "human")


class Refereed:
    """A game, its spaces, and the referee of the present task.

    Attributes:
        game: the rules.
        spec: ``game.spec``.
        render_mode: ``ansi``, ``human`` or ``None``.
        metadata: what PettingZoo asks for.
        possible_agents: the seats.

    Args:
        game: the game, or the id under which it is registered.
        verifier: answers the game's calls, or ``None`` to pause at them.
        illegal: replaces the game's rule for illegal and missing answers.
        render_mode: ``ansi``, ``human`` or ``None``.

    Raises:
        UnknownNameError: no game is registered under the id.
        ConfigError: ``illegal`` or ``render_mode`` does not fit.
        CapabilityError: the game is a foreign environment.
    """

    def __init__(
        self,
        game: Game[Any] | str,
        *,
        verifier: Verifier | None,
        illegal: IllegalRule | None,
        render_mode: str | None,
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ConfigError(f"render_mode: expected ansi, human or None, got {render_mode!r}; choose one")
        self.game: Game[Any] = games.make(game) if isinstance(game, str) else game
        self.spec = self.game.spec
        if isinstance(self.game, ForeignGame):
            raise CapabilityError(
                f"{type(self).__name__}: expected a game with pure rules, got the foreign {self.spec.id}; "
                "open it with arena.env"
            )
        self.render_mode = render_mode
        self.metadata: dict[str, Any] = {
            "name": self.spec.id,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": True,
        }
        self.possible_agents = list(self.spec.seats)
        self._verifier = verifier
        self._illegal = check_rule(illegal or self.spec.illegal, self.spec)
        self._spaces = Spaces(self.spec)
        self._referee: Referee[Any] | None = None
        self._last_seed: int | None = None
        self._nothing = {seat: Observation(seat=seat, text="", legal_actions=()) for seat in self.spec.seats}

    @property
    def referee(self) -> Referee[Any]:
        """Who plays the present task; holds the whole state, which no seat may see."""
        return self._playing()

    @property
    def task(self) -> Task:
        """What is played."""
        return self._playing().task

    @property
    def status(self) -> Status | None:
        """How the task ended, or ``None`` while it runs."""
        return self._playing().status

    @property
    def reason(self) -> str:
        """Why the task ended when it did not simply complete."""
        return self._playing().reason

    @property
    def returns(self) -> dict[str, float | None]:
        """What each seat has earned so far; ``None`` for a seat that a verifier left unjudged."""
        return self._playing().returns

    @property
    def calls(self) -> tuple[CallRecord, ...]:
        """The calls answered so far."""
        return self._playing().calls

    @property
    def pending_call(self) -> Call | None:
        """The call that waits for ``resolve``, or ``None``."""
        return self._playing().pending_call

    @property
    def node_id(self) -> str:
        """The name of the joint history."""
        return self._playing().node_id

    @property
    def env_step(self) -> int:
        """How many joint moves of seats were made."""
        return self._playing().env_step

    def observation_space(self, agent: str) -> Space[Any]:
        """Returns the agent's observation space, always the same object."""
        return self._spaces.observation[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Returns the agent's action space, always the same object."""
        return self._spaces.action[agent]

    def render(self) -> str | None:
        """Returns the whole state in words (``ansi``) or writes it to standard output (``human``).

        Raises:
            PlayError: the environment was opened without a render mode.
        """
        if self.render_mode is None:
            raise PlayError(f"render of {self.spec.id}: expected a render_mode, got None; pass render_mode='ansi'")
        text = self.game.state_text(self._playing().state)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def close(self) -> None:
        """Does nothing: the environment holds no resources."""

    def _start(self, seed: int | None, options: Mapping[str, Any] | None) -> Referee[Any]:
        """Seats a referee for the task that ``reset(seed, options)`` asks for.

        ``options["task"]`` is taken as it is. Otherwise the task has no params and the given seed; without a seed
        the first task has seed 0 and each later one a seed derived from the one before, so that repeated ``reset()``
        deals anew and yet the same sequence every time.
        """
        task = options.get("task") if options else None
        if task is None:
            if seed is None:
                seed = 0 if self._last_seed is None else derive("reset", self._last_seed)
            task = Task(game=self.spec.id, seed=seed)
        elif not isinstance(task, Task) or task.game != self.spec.id:
            raise ConfigError(f"reset.options.task: expected a Task of {self.spec.id}, got {task!r}; pass one of it")
        self._last_seed = task.seed
        self._referee = None  # Should the rules raise in the first state, nothing of the task before remains.
        self._referee = Referee(self.game, task, self._illegal)
        return self._referee

    def _playing(self) -> Referee[Any]:
        if self._referee is None:
            raise PlayError(f"environment of {self.spec.id}: expected reset() before anything else, got none; call it")
        return self._referee

    def _refuse_step(self) -> NoReturn:
        referee = self._playing()
        if referee.pending_call is not None:
            raise PlayError(
                f"step of {self.spec.id}: expected the verdict of a pending {referee.pending_call.kind!r} call, got an "
                "action; call env.unwrapped.resolve(verdict) first or open the environment with a verifier"
            )
        raise PlayError(f"step of {self.spec.id}: expected a running episode, got a finished one; call reset first")

    def _answer_calls(self, referee: Referee[Any]) -> None:
        """Answers pending calls, a batch of one at a time, if there is a verifier."""
        while self._verifier is not None and referee.pending_call is not None:
            (verdict,) = self._verifier.check([referee.pending_call])
            referee.resolve(verdict)


def seat_info(seen: Observation, legal: bool = True, reason: str = "", undecided: bool = False) -> dict[str, Any]:
    """Returns the infos of one seat."""
    return {"observation": seen, "text": seen.text, "legal": legal, "reason": reason, "undecided": undecided}
