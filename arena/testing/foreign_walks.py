"""One random legal episode of a PettingZoo environment, everything looked at on the way.

Nothing here trusts the environment: each question that raises and each answer that is not as PettingZoo's API or the
environment's own spaces have it becomes a ``CheckError`` with step, agent and field.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import numpy as np
from gymnasium import spaces

from arena.errors import CheckError
from arena.spaces import decode_text, encode_text
from arena.testing.walks import Say
from arena.types import Observation

R = TypeVar("R")
_SHOWN = 300
_FEW = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What an environment shows before one step.

    Attributes:
        agent: who is to move, or to take its last, empty step.
        dead: whether it is to take the empty step.
        seen: what can be compared between two plays: (agent, field, value), in a fixed order.
        mask: which indices are legal, or ``None``.
        text: what the agent is told in words, if anything.
    """

    agent: str
    dead: bool
    seen: tuple[tuple[str, str, Any], ...]
    mask: Any
    text: str


class ForeignWalk:
    """A guarded AEC environment during one episode.

    Args:
        env: the environment.
        where: how the episode is called in messages.
        observe_text: what an agent sees, in words; ``None`` reads ``infos[agent]["text"]``, if it is there.
    """

    def __init__(self, env: Any, where: str, observe_text: Callable[[Any, str], str] | None) -> None:  # noqa: ANN401
        self._env = env
        self._place = where
        self._observe_text = observe_text
        self._step = 0
        self._agent = ""

    def reset(self, seed: int) -> None:
        """Starts the episode."""
        self._ask("reset", lambda: self._env.reset(seed=seed))
        if not self.agents():
            self.fail("agents", "at least one agent after reset", "none")

    def agents(self) -> list[str]:
        """Returns who is still in the game."""
        env = self._env
        agents: list[str] = self._ask("agents", lambda: list(env.agents))
        possible = self._ask("possible_agents", lambda: list(env.possible_agents))
        strangers = [agent for agent in agents if agent not in possible]
        if strangers:
            self.fail("agents", f"agents among possible_agents {possible}", repr(strangers))
        return agents

    def look(self) -> Moment:
        """Looks at every agent that is in the game, and at what the selected one may do."""
        env = self._env
        agents = self.agents()
        agent = self._ask("agent_selection", lambda: env.agent_selection)
        self._agent = str(agent)
        if agent not in agents:
            self.fail("agent_selection", f"one of {agents}", repr(agent))
        seen: list[tuple[str, str, Any]] = [(agent, "agent_selection", agent), (agent, "agents", tuple(agents))]
        for other in (agent, *(one for one in agents if one != agent)):
            seen += self._state_of(other)
        self._agent = agent
        dead = any(value for owner, field, value in seen if owner == agent and field in ("termination", "truncation"))
        text = next((value for owner, field, value in seen if owner == agent and field == "text"), "")
        mask = None if dead else self._mask(agent)
        seen.append((agent, "action_mask", comparable(mask)))
        return Moment(agent=agent, dead=dead, seen=tuple(seen), mask=mask, text=text)

    def choose(self, moment: Moment, random: np.random.Generator, say: Say) -> object:
        """Returns a random legal action, as the agent's action space has it; ``None`` for an empty step."""
        if moment.dead:
            return None
        space = self._ask("action_space", lambda: self._env.action_space(moment.agent))
        if isinstance(space, spaces.Discrete):
            legal = np.arange(space.n) if moment.mask is None else np.flatnonzero(moment.mask)
            return int(space.start) + int(random.choice(legal))
        words = say(Observation(seat=moment.agent, text=moment.text, legal_actions=None))
        word = words[int(random.integers(len(words)))]
        if isinstance(space, spaces.Text):
            return word
        if isinstance(space, spaces.Box) and space.dtype == np.uint8 and len(space.shape) == 1:
            return encode_text(word, space.shape[0])
        self.fail("action_space", "Discrete, Text or a box of bytes", repr(space))

    def step(self, moment: Moment, action: object) -> None:
        """Takes a step and checks that only an agent that has taken its empty step leaves."""
        agent = moment.agent
        self._agent = agent
        before = self.agents()
        shown = decode_text(action) if isinstance(action, np.ndarray) else action
        allowed = "which the mask allows" if moment.mask is not None else "and no mask forbids it"
        call = f"step({shown!r})"
        self._ask(call, lambda: self._env.step(action), "" if moment.dead else f" ({allowed})")
        after = self.agents()
        self._step += 1
        if moment.dead and agent in after:
            self.fail("agents", f"{agent!r} to leave after its last, empty step", f"{after}")
        gone = [one for one in before if one not in after and not (moment.dead and one == agent)]
        if gone:
            self.fail("agents", f"{gone} to stay for a last, empty step", f"{after}")
        if not moment.dead:
            self._not_punished(agent, call, allowed)

    def fail(self, field: str, expected: str, got: str, advice: str = "mend the environment") -> NoReturn:
        """Raises the error of what was found.

        Raises:
            CheckError: always.
        """
        raise CheckError(
            f"{self._place}, step {self._step}, agent {self._agent!r}, {field}: expected {expected}, "
            f"got {cut(got)}; {advice}"
        )

    def _state_of(self, agent: str) -> list[tuple[str, str, Any]]:
        env = self._env
        self._agent = agent
        observation = self._ask("observe", lambda: env.observe(agent))
        space = self._ask("observation_space", lambda: env.observation_space(agent))
        if space is not self._ask("observation_space", lambda: env.observation_space(agent)):
            self.fail("observation_space", "the same object every time", "another one")
        if not self._ask("observation", lambda: space.contains(observation)):
            self.fail("observation", f"an element of {space}", repr(observation))
        info = self._ask("infos", lambda: env.infos[agent])
        if not isinstance(info, dict):
            self.fail("infos", "a dict", repr(info))
        return [
            (agent, "observation", comparable(observation)),
            (agent, "reward", self._number("reward", lambda: env.rewards[agent])),
            (agent, "cumulative reward", self._number("cumulative reward", lambda: env._cumulative_rewards[agent])),
            (agent, "termination", self._flag("termination", lambda: env.terminations[agent])),
            (agent, "truncation", self._flag("truncation", lambda: env.truncations[agent])),
            (agent, "text", self._text(agent, info)),
        ]

    def _number(self, field: str, question: Callable[[], Any]) -> float:
        value = self._ask(field, question)
        is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value):
            self.fail(field, "a finite number", repr(value))
        return float(value)

    def _flag(self, field: str, question: Callable[[], Any]) -> bool:
        value = self._ask(field, question)
        if not isinstance(value, bool | np.bool_):
            self.fail(field, "a bool", repr(value))
        return bool(value)

    def _text(self, agent: str, info: Mapping[str, Any]) -> str:
        tell = self._observe_text
        text = info.get("text", "") if tell is None else self._ask("text", lambda: tell(self._env, agent))
        if not isinstance(text, str):
            self.fail("text", "a str", repr(text))
        return text

    def _mask(self, agent: str) -> Any:  # noqa: ANN401
        """Returns the mask of the agent to move, from its observation or its infos, or ``None``."""
        holders = (self._ask("observe", lambda: self._env.observe(agent)), self._env.infos[agent])
        masks = [held["action_mask"] for held in holders if isinstance(held, Mapping) and "action_mask" in held]
        space = self._ask("action_space", lambda: self._env.action_space(agent))
        if not masks or not isinstance(space, spaces.Discrete):
            return None
        mask, size = masks[0], int(space.n)
        got = f"{mask.dtype} of shape {mask.shape}" if isinstance(mask, np.ndarray) else repr(mask)
        if got != f"int8 of shape ({size},)":
            self.fail("action_mask", f"int8 of shape ({size},)", got)
        if not np.isin(mask, (0, 1)).all():
            self.fail("action_mask", "zeros and ones", repr(mask))
        if not mask.any():
            self.fail("action_mask", "at least one legal action of the agent to move", "all zeros")
        return mask

    def _not_punished(self, agent: str, call: str, allowed: str) -> None:
        """Checks that a legal action was not taken as illegal, as PettingZoo's wrapper or the infos show it."""
        env = self._env
        info = self._ask("infos", lambda: env.infos.get(agent, {}))
        finite = isinstance(env.action_space(agent), spaces.Discrete)
        # PettingZoo's TerminateIllegalWrapper ends the game both ways at once, at the cost of the offender.
        ended = all(env.terminations[one] and env.truncations[one] for one in env.agents)
        punished = ended and env.rewards.get(agent, 0) < 0
        if finite and (punished or info.get("illegal") or info.get("legal") is False):
            self._step -= 1
            self.fail(call, f"the action to be played, {allowed}", "it punished as illegal")

    def _ask(self, field: str, question: Callable[[], R], note: str = "") -> R:
        try:
            return question()
        except Exception as error:
            raise CheckError(
                f"{self._place}, step {self._step}, agent {self._agent!r}, {field}{note}: expected an answer, got "
                f"{type(error).__name__}: {cut(str(error))}; mend the environment"
            ) from error


def comparable(value: Any) -> Any:  # noqa: ANN401 - any element of a space
    """Returns a value that is equal exactly when two elements of a space are; not-a-number equals itself."""
    if isinstance(value, np.ndarray | np.generic):
        return (str(value.dtype), value.shape, repr(value.tolist()) if value.size <= _FEW else value.tobytes())
    if isinstance(value, Mapping):
        return tuple((key, comparable(inner)) for key, inner in sorted(value.items()))
    if isinstance(value, list | tuple):
        return tuple(comparable(inner) for inner in value)
    return repr(value) if isinstance(value, float) else value


def cut(text: str) -> str:
    """Returns a text short enough for a message."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
