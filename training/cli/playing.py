"""One game at the terminal, from its deal to its end: who is asked, what is told, how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.errors import CapabilityError, GameError
from arena.game import Game
from arena.seeds import derive
from arena.types import Action, NotUnderstood, Status
from training.cli.opponents import Opponent
from training.cli.public_moves import is_public
from training.cli.results import GameResult

if TYPE_CHECKING:
    from typing import TypeAlias

    from arena.aec import GameEnv
    from arena.foreign.env import ForeignEnv
    from roles.human import Human

    Env: TypeAlias = GameEnv | ForeignEnv


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """What is played, by whom.

    Attributes:
        rules: the game.
        params: of its tasks.
        mine: the person's seat.
        against: who takes the others, as it was asked for.
        seed: deals and opponents follow from it.
        person: the person.
    """

    rules: Game[Any]
    params: Mapping[str, Any]
    mine: str
    against: str
    seed: int
    person: Human


class Table:
    """A game that is being played.

    Args:
        env: the environment, just reset.
        sitting: what is played, by whom.
        opponent: who takes the other seats, or ``None`` when the person does.
        index: which game of the sitting it is; opponents draw from (seed, index, move).
    """

    def __init__(self, env: Env, sitting: Sitting, opponent: Opponent | None, index: int) -> None:
        self._env, self._sitting, self._opponent, self._index = env, sitting, opponent, index
        self._moves: list[dict[str, str]] = []
        self._begin_step()

    def play(self) -> GameResult:
        """Plays the game to its end.

        Raises:
            CapabilityError: the game asks a verifier, which nobody offers here.
            PlayerQuit: the person left.
        """
        env = self._env
        while env.status is None:
            agent = self._next()
            answer = self._answer(agent) if agent else None
            try:
                env.step(answer)
            except GameError as error:
                return GameResult(status=Status.FAILED, reason=str(error), returns=env.returns, moves=self._moves)
            if answer is not None:
                self._tell(agent, answer)
        return GameResult(status=env.status, reason=env.reason, returns=env.returns, moves=self._moves)

    def _next(self) -> str:
        """Returns the seat to ask, or nothing when it is out and has its dead step to take."""
        env = self._env
        if env.pending_call is not None:
            raise CapabilityError(
                f"ludus play: expected a game of seats alone, got {env.spec.id}, which asks a verifier of kind "
                f"{env.pending_call.kind!r}; play it in a campaign"
            )
        agent: str = env.agent_selection
        return "" if env.terminations[agent] or env.truncations[agent] else agent

    def _answer(self, agent: str) -> Action | NotUnderstood:
        game, seen = self._env.game, self._env.infos[agent]["observation"]
        if agent == self._sitting.mine or self._opponent is None:
            answer: Action | NotUnderstood = Action(value=self._sitting.person.ask(game, seen))
        else:
            answer = self._opponent(game, seen, derive("play", self._sitting.seed, self._index, len(self._moves)))
        self._moves.append({"seat": agent, "action": answer.value if isinstance(answer, Action) else ""})
        return answer

    def _tell(self, agent: str, answer: Action | NotUnderstood) -> None:
        """Tells the person what it may know of a step: an illegal answer, or moves that its seat observes."""
        env, person, mine = self._env, self._sitting.person, self._sitting.mine
        legal = env.infos.get(agent, {}).get("legal", True)
        if legal and isinstance(answer, Action):
            self._step[agent] = answer.value
        elif agent != mine:
            person.tell(f"{agent} gave no legal answer.")
        if env.env_step != self._number:
            if self._is_told(agent):
                person.tell(f"{agent} plays {self._step[agent]}.")
            self._begin_step()

    def _is_told(self, mover: str) -> bool:
        """Whether the person is told a move that was made alone; at the end everything is laid open anyway."""
        env = self._env
        if env.status is not None or self._opponent is None or self._movers != (mover,) or mover not in self._step:
            return False
        return is_public(env.game, self._before, mover, self._step[mover], self._sitting.mine)

    def _begin_step(self) -> None:
        """Notes where a step begins: the whole state, which only ``is_public`` reads, and who is to move."""
        from arena.foreign.game import ForeignGame

        env = self._env
        self._step: dict[str, str] = {}
        self._number = env.env_step
        self._before: object = None
        self._movers: tuple[str, ...] = ()
        if not isinstance(env.game, ForeignGame):
            self._before = env.referee.state
            self._movers = env.game.to_move(self._before)
