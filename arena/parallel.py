"""A PettingZoo Parallel environment for every game, sequential ones included.

Every seat answers every step; the answer of a seat that is not to move is a no-op, whatever it is. So that masked
policies need no special case, the mask of such a seat allows exactly the last index (for a seat that is to move it
means *not understood*, and is never allowed). ``infos`` and attributes are those of ``arena.aec``; every step
refreshes the infos of every seat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import ParallelEnv

from arena.game import Game, Verifier
from arena.refereed import Refereed, seat_info
from arena.spaces import NOT_UNDERSTOOD, Shown
from arena.types import IllegalRule, Status, Verdict

StepResult = tuple[dict[str, Shown], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]


def parallel_env(
    game: Game[Any] | str,
    *,
    verifier: Verifier | None = None,
    illegal: IllegalRule | None = None,
    render_mode: str | None = None,
) -> ParallelGameEnv:
    """Returns the PettingZoo ``ParallelEnv`` of a game; the arguments are those of ``arena.env``.

    Raises:
        UnknownNameError: no game is registered under the id.
        ConfigError: ``illegal`` or ``render_mode`` does not fit.
    """
    return ParallelGameEnv(game, verifier=verifier, illegal=illegal, render_mode=render_mode)


class ParallelGameEnv(Refereed, ParallelEnv[str, Shown, object]):  # type: ignore[misc]
    """One game as a PettingZoo Parallel environment; build it with ``arena.parallel_env``."""

    def __init__(
        self,
        game: Game[Any] | str,
        *,
        verifier: Verifier | None = None,
        illegal: IllegalRule | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(game, verifier=verifier, illegal=illegal, render_mode=render_mode)
        self.agents: list[str] = []
        self._infos: dict[str, dict[str, Any]] = {}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Shown], dict[str, dict[str, Any]]]:
        """Starts a task, chosen as by the AEC environment; returns observations and infos of every seat.

        Raises:
            ConfigError: the task is of another game.
            GameError: the rules raised.
        """
        self._start(seed, options)
        self.agents = list(self.spec.seats)
        self._infos = {seat: seat_info(nothing) for seat, nothing in self._nothing.items()}
        observations, *_, infos = self._continue()
        return observations, infos

    def step(self, actions: Mapping[str, object]) -> StepResult:
        """Takes one answer of every seat to move; a missing one counts as not understood, others are no-ops.

        Returns:
            Observations, rewards, terminations, truncations and infos, each by seat.

        Raises:
            PlayError: a call is pending, the episode is over, or an action is outside the space.
            GameError: the rules raised or broke their contract.
        """
        referee = self._referee
        if referee is None or referee.pending_call is not None or not self.agents:
            self._refuse_step()
        answers = {seat: self._spaces.read(actions.get(seat, NOT_UNDERSTOOD)) for seat in referee.to_move}
        for seat, answer in answers.items():
            reason = referee.act(seat, answer)
            self._infos[seat] = {**self._infos[seat], "legal": not reason, "reason": reason}
        return self._continue()

    def resolve(self, verdict: Verdict) -> StepResult:
        """Answers the pending call and moves on; returns what ``step`` would have returned.

        Raises:
            PlayError: no call is pending.
            GameError: the rules raised or broke their contract.
        """
        self._playing().resolve(verdict)
        return self._continue()

    def _continue(self) -> StepResult:
        referee = self._playing()
        self._answer_calls(referee)
        seats = self.spec.seats
        if referee.pending_call is None:
            for seat in seats:
                old = self._infos[seat]
                unjudged = seat in referee.undecided
                self._infos[seat] = seat_info(referee.observe(seat), old["legal"], old["reason"], unjudged)
        idle = set(seats) - set(referee.to_move)
        observations = {seat: self._spaces.show(self._infos[seat]["observation"], seat in idle) for seat in seats}
        truncated = referee.status is Status.TRUNCATED
        if referee.done:
            self.agents = []
        terminations = dict.fromkeys(seats, referee.done and not truncated)
        return observations, referee.collect(), terminations, dict.fromkeys(seats, truncated), dict(self._infos)
