"""One TextArena game as a PettingZoo AEC environment (L. Guertler et al., TextArena, arXiv 2504.11442; package 0.7.4).

What TextArena leaves to its users is decided here:

- Every ``reset`` makes a fresh inner environment (some ten microseconds for most games). TextArena's own environments
  and observation wrappers keep things across resets (KuhnPoker its shuffled deck, the wrappers every text ever shown),
  so a second episode of one object would neither honour its seed nor forget the first.
- TextArena draws from Python's global ``random``, rarely from numpy's. Here each environment has its own stream, put in
  place around the calls that may draw and taken out again, so that episodes side by side disturb neither each other
  nor anybody else. Not for threads: another thread that draws during a call draws from the game's stream.
- A seat's text is made of the typed messages that TextArena sent it: what of the opening prompt is not in the rules,
  then events, then the latest board only. Boards show the whole position, so older ones are dropped and the text grows
  by short event lines only, up to the end of the game. Which events are shown follows TextArena's own choice for
  training (the observation wrapper of ``NAME-train``); games whose board says everything show no events at all.
- Complaints about an invalid move are shown to the seat that is asked again, and not later.

``infos[agent]`` holds ``action_mask`` (finite games), ``illegal`` (why TextArena refused the latest answer, or empty)
and ``end_reason`` (``forfeit:SEAT`` when the game ended by an invalid move).
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from arena.foreign.textarena_actions import Vocabulary
from arena.spaces import decode_text, encode_text

TEXT_BYTES = 1 << 13
"""The length of the boxes in which texts and free answers travel."""

_INVALID = "attempted an invalid move"
_LOST = -1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Which of TextArena's messages a seat is shown besides prompt and board: those of the kinds named ``True``."""

    events: bool = True
    answers: bool = False


@dataclass(slots=True)
class _Heard:
    """What one seat was told and is shown; ``boards`` and ``complaints`` are those of the steps beside them."""

    prompt: list[str] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    boards: list[str] = field(default_factory=list)
    boards_step: int = -1
    complaints: list[str] = field(default_factory=list)
    complaints_step: int = -1


class Stream:
    """A stream of Python's global randomness of its own, in place only inside ``drawing``; on request numpy's too."""

    def __init__(self, seed: int, with_numpy: bool = True) -> None:
        self._python: Any = random.Random(seed).getstate()
        self._numpy: Any = np.random.RandomState(seed).get_state() if with_numpy else None

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """Puts the stream in place of the global ones, and back, whatever happens inside."""
        before = random.getstate()
        before_numpy = np.random.get_state() if self._numpy else None
        random.setstate(self._python)
        if self._numpy:
            np.random.set_state(self._numpy)
        try:
            yield
        finally:
            self._python = random.getstate()
            random.setstate(before)
            if before_numpy is not None:
                self._numpy = np.random.get_state()
                np.random.set_state(before_numpy)


class TextArenaEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """A TextArena game; ``arena.env("textarena/TicTacToe-v0")`` wraps it.

    Args:
        inner_id: TextArena's id, for example ``Nim-v0-medium``.
        seats: how many players.
        vocabulary: the actions of a finite game, or ``None`` for free text.
        show: which messages are shown.
        rules: lines of the opening prompt that need not be repeated in texts.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "name": "textarena", "is_parallelizable": False}
    render_mode = "ansi"

    def __init__(
        self,
        inner_id: str,
        seats: int,
        *,
        vocabulary: Vocabulary | None = None,
        show: Show = Show(),
        rules: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self._id = inner_id
        self._vocabulary = vocabulary
        self._show = show
        self._rules = rules
        self.possible_agents = [f"player_{index}" for index in range(seats)]
        self.agents: list[str] = []
        sample = unwrapped(make(inner_id))
        self._draws_by = randomness(type(sample).__module__)
        self._actions: tuple[str, ...] = () if vocabulary is None else vocabulary.actions(sample)
        box = spaces.Box(low=0, high=255, shape=(TEXT_BYTES,), dtype=np.uint8)
        action: spaces.Space[Any] = spaces.Discrete(len(self._actions)) if self._actions else box
        self.observation_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(self.possible_agents, box)
        self.action_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(self.possible_agents, action)

    @property
    def actions(self) -> tuple[str, ...] | None:
        """Every action of a finite game, in the order of the action space, or ``None`` for free text."""
        return self._actions or None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the text box."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the indices of a finite game's actions, or the text box."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode that depends on the seed alone (``None`` is 0); options are not read."""
        seed = seed or 0
        agents = self.possible_agents
        self._stream = Stream(seed, "numpy" in self._draws_by)
        with self._stream.drawing():
            self._env = make(self._id)
            self._env.reset(num_players=len(agents), seed=seed)
        self._base = unwrapped(self._env)
        self._heard = {agent: _Heard() for agent in agents}
        self._step = 0
        self._end = ""
        self.agents = list(agents)
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"illegal": "", "end_reason": ""} for agent in agents}
        self._hear(over=False)

    def step(self, action: object) -> None:
        """Plays an action, given as an index or a text box, for ``agent_selection``."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._step += 1
        said = self._actions[int(action)] if self._actions else decode_text(action)  # type: ignore[call-overload,arg-type]
        with self._stream.drawing() if self._draws_by else nullcontext():
            over, _ = self._env.step(action=said)
        if over:
            self._finish(agent)
        self._hear(over)
        self.infos[agent]["illegal"] = self._complaint(agent)
        self._accumulate_rewards()

    def observe(self, agent: str) -> NDArray[np.uint8]:
        """Returns the agent's text in its box."""
        return encode_text(self.text(agent), TEXT_BYTES)

    def text(self, agent: str) -> str:
        """Returns what an agent may know, in words; see the head of this module."""
        heard = self._heard[agent]
        complaints = heard.complaints if heard.complaints_step == self._step else []
        return "\n".join(part for part in (*heard.prompt, *heard.events, *complaints, *heard.boards, self._end) if part)

    def render(self) -> str:
        """Returns everything that was said to anybody."""
        return "\n".join(message.strip() for _, message in self._base.state.logs)

    def close(self) -> None:
        """Does nothing: the environment holds no resources."""

    def _hear(self, over: bool) -> None:
        """Takes in the new messages of every seat, and who is to move."""
        state = self._base.state
        mover = int(state.current_player_id)
        for index, agent in enumerate(self.possible_agents):
            if index == mover and not over:
                _, messages = self._base.get_observation()  # a few games compose a part of it here
            else:
                messages, state.observations[index] = state.observations[index], []
            for message in messages:
                self._take_in(self._heard[agent], message)
        self.agent_selection = self.possible_agents[mover]
        if self._vocabulary is not None and not over:
            legal = self._vocabulary.legal(self._base)
            mask = np.array([legal is None or name in legal for name in self._actions], dtype=np.int8)
            self.infos[self.agent_selection]["action_mask"] = mask

    def _take_in(self, heard: _Heard, message: tuple[Any, ...]) -> None:
        """Files one message of TextArena (sender, text, kind), or drops it if its kind is not shown."""
        # Some games pass the three in another order; each is of a type of its own.
        sender = next(part for part in message if isinstance(part, int))
        text = next(part for part in message if isinstance(part, str))
        kind = next(part for part in message if isinstance(part, Enum))
        speaker = f"Player {sender}"
        said = (text if sender < 0 or text.startswith(speaker) else f"{speaker}: {text}").strip()
        if kind.name == "PROMPT":
            heard.prompt += [line for line in lines(text) if line not in self._rules]
        elif kind.name == "GAME_BOARD":
            heard.boards = [*heard.boards, said] if heard.boards_step == self._step else [said]
            heard.boards_step = self._step
        elif kind.name == "GAME_ADMIN" and _INVALID in said:
            heard.complaints, heard.complaints_step = [said], self._step
        elif self._show.answers if kind.name == "PLAYER_ACTION" else self._show.events:
            heard.events.append(said)

    def _complaint(self, agent: str) -> str:
        """Returns why TextArena refused the answer just given, or an empty string."""
        if self.infos[agent]["end_reason"] == f"forfeit:{agent}":
            return "invalid move"
        heard = self._heard[agent]
        return heard.complaints[0] if heard.complaints_step == self._step else ""

    def _finish(self, agent: str) -> None:
        rewards, game_info = self._env.close()
        for index, other in enumerate(self.possible_agents):
            # In four games the state is told reward and reason in the wrong order: a reason stands for the reward.
            told = rewards[index]
            self.rewards[other] = _LOST if isinstance(told, str) else float(told)
        mover = self.possible_agents.index(agent)
        if game_info[mover].get("invalid_move"):
            for info in self.infos.values():
                info["end_reason"] = f"forfeit:{agent}"
        reason = game_info[mover].get("reason")
        self._end = f"The game is over. {reason}" if isinstance(reason, str) else "The game is over."
        self.terminations = dict.fromkeys(self.possible_agents, True)


def make(inner_id: str) -> Any:  # noqa: ANN401 - TextArena is an optional library
    """Returns a TextArena environment with its default wrappers (``make`` wraps; wrapping again would raise)."""
    import textarena

    return textarena.make(inner_id)


@cache
def randomness(module: str) -> frozenset[str]:
    """Returns which sources of randomness (``random``, ``numpy``) the package of a game's module refers to."""
    package = module.rpartition(".")[0]
    sources = {"random": random, "numpy": np}
    referred = [vars(known) for name, known in list(sys.modules.items()) if f"{name}.".startswith(f"{package}.")]
    return frozenset(name for name, source in sources.items() if any(source in _modules(names) for names in referred))


def _modules(names: dict[str, Any]) -> list[ModuleType]:
    return [value for value in names.values() if isinstance(value, ModuleType)]


def unwrapped(env: Any) -> Any:  # noqa: ANN401
    """Returns the environment inside all of TextArena's wrappers."""
    import textarena

    while isinstance(env, textarena.Wrapper):
        env = env.env
    return env


def lines(text: str) -> list[str]:
    """Returns the lines of a prompt that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]
