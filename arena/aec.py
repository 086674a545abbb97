"""A PettingZoo AEC environment for every game.

``env(game)`` accepts a game or its id. The environment is re-used from task to task: ``reset`` costs about as much
as a step. Boxes are encoded only when somebody asks for them (``observe``, ``last()``); players of texts read
``infos`` and drive with ``last(observe=False)``.

``infos[agent]`` always holds

- ``observation``: the typed ``Observation``, information key included, as of the agent's last selection, of ``reset``
  or of the end;
- ``text``: its text (a game's rules are in ``game.rules``, not here);
- ``legal`` and ``reason``: about the agent's latest answer (``True`` and empty before any);
- ``undecided``: whether a verifier left the agent unjudged (PettingZoo then shows a reward of 0.0).

``step`` takes what the action space holds, and also an ``Action``, a ``NotUnderstood`` with its own reason, or a
``str``; an index stands for the declared action, the last index for an answer that was not understood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettingzoo import AECEnv

from arena.foreign.game import ForeignGame
from arena.game import Game, Verifier, games
from arena.referee import Referee
from arena.refereed import Refereed, seat_info
from arena.spaces import Shown
from arena.types import IllegalRule, Status, Verdict

if TYPE_CHECKING:
    from arena.foreign.env import ForeignEnv


def env(
    game: Game[Any] | str,
    *,
    verifier: Verifier | None = None,
    illegal: IllegalRule | None = None,
    render_mode: str | None = None,
) -> GameEnv | ForeignEnv:
    """Returns the PettingZoo ``AECEnv`` of a game; a foreign game gives its own environment, wrapped.

    Args:
        game: the game, or the id under which it is registered.
        verifier: answers the game's calls inside ``step``; without one the environment pauses at a call
            (``env.unwrapped.pending_call``) until ``env.unwrapped.resolve(verdict)``.
        illegal: replaces the game's rule for illegal and missing answers.
        render_mode: ``ansi`` (``render`` returns the text), ``human`` (it writes the text to standard output) or
            ``None``; a foreign environment renders as it was made.

    Raises:
        UnknownNameError: no game is registered under the id.
        ConfigError: ``illegal`` or ``render_mode`` does not fit.
    """
    rules = games.make(game) if isinstance(game, str) else game
    if isinstance(rules, ForeignGame):
        return rules.open(illegal)
    return GameEnv(rules, verifier=verifier, illegal=illegal, render_mode=render_mode)


class GameEnv(Refereed, AECEnv[str, Shown, object]):  # type: ignore[misc]
    """One game as a PettingZoo AEC environment; build it with ``arena.env``."""

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

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts ``options["task"]``, or else a task without params and with the given (or the next) seed.

        Raises:
            ConfigError: the task is of another game.
            GameError: the rules raised.
        """
        seats = self.spec.seats
        referee = self._start(seed, options)
        self.agents = list(seats)
        self.rewards = dict.fromkeys(seats, 0.0)
        self._cumulative_rewards = dict.fromkeys(seats, 0.0)
        self.terminations = dict.fromkeys(seats, False)
        self.truncations = dict.fromkeys(seats, False)
        self._skip_agent_selection = None
        self.agent_selection = seats[0]
        self.infos = {seat: seat_info(nothing) for seat, nothing in self._nothing.items()}
        self._continue(referee, seats)

    def step(self, action: object) -> None:
        """Takes the answer of ``agent_selection`` and moves on to the next decision, call or end.

        Raises:
            PlayError: a call is pending, the environment was not reset, or the action is outside the space.
            GameError: the rules raised or broke their contract.
        """
        referee = self._referee
        if referee is None or referee.pending_call is not None or not self.agents:
            self._refuse_step()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        answer = self._spaces.read(action)
        self._cumulative_rewards[agent] = 0.0
        reason = referee.act(agent, answer)
        info = self.infos[agent]
        if reason != info["reason"]:
            self.infos[agent] = {**info, "legal": not reason, "reason": reason}
        self._continue(referee, ())

    def resolve(self, verdict: Verdict) -> None:
        """Answers the pending call and moves on.

        Raises:
            PlayError: no call is pending.
            GameError: the rules raised or broke their contract.
        """
        referee = self._playing()
        referee.resolve(verdict)
        self._continue(referee, ())

    def observe(self, agent: str) -> Shown:
        """Returns what ``agent`` may know now, as its observation space has it."""
        referee = self._playing()
        seen = self.infos[agent]["observation"] if referee.pending_call is not None else referee.observe(agent)
        return self._spaces.show(seen)

    def _continue(self, referee: Referee[Any], refreshed: tuple[str, ...]) -> None:
        """Shows PettingZoo what the referee has done; refreshes the infos of some seats and of the next to move."""
        if referee.pending_call is not None:
            self._answer_calls(referee)
        self.rewards = referee.collect()
        for agent, reward in self.rewards.items():
            if reward:
                self._cumulative_rewards[agent] += reward
        if referee.pending_call is not None:
            return
        if referee.status is not None:
            ended = self.truncations if referee.status is Status.TRUNCATED else self.terminations
            refreshed = self.spec.seats
            for agent in refreshed:
                ended[agent] = True
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = referee.to_move[0]
            refreshed = refreshed or referee.to_move[:1]
        undecided = referee.undecided
        for agent in refreshed:
            old = self.infos[agent]
            self.infos[agent] = seat_info(referee.observe(agent), old["legal"], old["reason"], agent in undecided)
