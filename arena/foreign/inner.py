"""The inside of a foreign environment: every question put to it is guarded, every answer is checked.

Whatever it raises, and whatever is not as PettingZoo's API has it, becomes a ``GameError`` that names the task, the
step, the agent and the field. Two keys of ``infos`` that PettingZoo does not name are read where they are given:
``illegal``, why the environment itself refused an agent's latest answer, and ``end_reason``, why the episode ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import numpy as np
from gymnasium import spaces

from arena.errors import ConfigError, GameError
from arena.spaces import encode_text
from arena.types import GameSpec, Task

R = TypeVar("R")
_SEED_MASK = (1 << 31) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What PettingZoo's attributes say between two steps; ``agent_selection`` is empty when no agent is left."""

    agents: list[str]
    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]


class Inner:
    """A guarded foreign AEC environment.

    Attributes:
        env: the environment itself.
        failure: what went wrong (``raised:IndexError``, ``broke:action_mask``), or an empty string.

    Args:
        env: a PettingZoo AEC environment.
        spec: what is known about it.
        observe_text: what an agent sees, in words; ``None`` takes the rendering.

    Raises:
        ConfigError: there is no source of texts.
    """

    def __init__(self, env: Any, spec: GameSpec, observe_text: Callable[[Any, str], str] | None) -> None:  # noqa: ANN401
        if observe_text is None and getattr(env, "render_mode", None) != "ansi":
            raise ConfigError(
                "ForeignEnv.observe_text: expected a function or an environment with render_mode 'ansi', got neither; "
                "pass observe_text=lambda env, agent: ..."
            )
        self.env = env
        self.failure = ""
        self._spec = spec
        self._observe_text = observe_text
        self._task_id = ""
        self._steps = 0

    def reset(self, task: Task, options: Mapping[str, Any]) -> None:
        """Resets with the low 31 bits of the task's seed."""
        self.failure, self._task_id, self._steps = "", task.id, 0
        self._ask("reset", lambda: self.env.reset(seed=task.seed & _SEED_MASK, options=dict(options) or None))

    def play(self, agent: str, action: str) -> None:
        """Steps with an action, given as the spec names it."""
        self._ask("step", lambda: self.env.step(self._inward(agent, action)))
        self._steps += 1

    def bury(self, agent: str) -> None:
        """Removes a dead agent."""
        self._ask("step", lambda: self.env.step(None))
        if agent in self._ask("agents", lambda: self.env.agents):
            self.broke("agents", f"{agent!r} to leave after its last step", "it is still there")

    def look(self) -> Look:
        """Returns what PettingZoo's attributes say."""
        env = self.env
        agents: list[str] = self._ask("agents", lambda: list(env.agents))
        unknown = [agent for agent in agents if agent not in self._spec.seats]
        if unknown:
            self.broke("agents", f"agents among {self._spec.seats}", repr(unknown))
        selected = self._ask("agent_selection", lambda: env.agent_selection) if agents else ""
        if agents and selected not in agents:
            self.broke("agent_selection", f"one of {agents}", repr(selected))
        return Look(
            agents=agents,
            agent_selection=selected,
            rewards=self._ask("rewards", lambda: {agent: float(env.rewards[agent]) for agent in agents}),
            terminations=self._ask("terminations", lambda: {a: bool(env.terminations[a]) for a in agents}),
            truncations=self._ask("truncations", lambda: {a: bool(env.truncations[a]) for a in agents}),
        )

    def text(self, agent: str) -> str:
        """Returns what an agent sees, in words."""
        observe_text = self._observe_text
        if observe_text is None:
            text = self._ask("render", self.env.render)
        else:
            text = self._ask("observe_text", lambda: observe_text(self.env, agent))
        if not isinstance(text, str):
            self.broke("text", "a str", repr(text))
        return text

    def legal(self, agent: str) -> tuple[str, ...] | None:
        """Returns the legal actions of the agent to move: by its mask in observation or info, or all of them."""
        if self._spec.actions is None:
            return None
        size = int(self.env.action_space(agent).n)
        holder = self._ask("infos", lambda: self.env.infos[agent])
        if "action_mask" not in holder:
            holder = self._ask("observe", lambda: self.env.observe(agent))
        if not isinstance(holder, dict) or "action_mask" not in holder:
            return self._spec.actions[:size]
        mask = np.asarray(holder["action_mask"])
        if mask.shape != (size,):
            self.broke("action_mask", f"shape ({size},)", repr(mask.shape))
        if not mask.any():
            self.broke("action_mask", f"at least one legal action for {agent!r}, which is to move", "all zeros")
        return tuple(name for name, allowed in zip(self._spec.actions, mask, strict=False) if allowed)

    def refusal(self, agent: str) -> str:
        """Returns why the environment itself refused the agent's latest answer, if it says so (``infos``' illegal)."""
        return str(self._ask("infos", lambda: self.env.infos.get(agent, {})).get("illegal", ""))

    def end_reason(self) -> str:
        """Returns why the episode ended, if the environment says so (``end_reason`` in the ``infos`` of an agent)."""
        told = self._ask("infos", lambda: [info.get("end_reason", "") for info in self.env.infos.values()])
        return next((str(reason) for reason in told if reason), "")

    def broke(self, field: str, expected: str, got: str) -> NoReturn:
        """Raises the error of a broken contract.

        Raises:
            GameError: always.
        """
        self.failure = f"broke:{field}"
        raise GameError(f"{self._where()}, {field}: expected {expected}, got {got}; mend {self.env}")

    def _inward(self, agent: str, action: str) -> object:
        """Returns an action as the inner environment's space has it."""
        space = self.env.action_space(agent)
        if self._spec.actions is not None:
            return int(space.start) + self._spec.actions.index(action)
        return encode_text(action, space.shape[0]) if isinstance(space, spaces.Box) else action

    def _ask(self, field: str, question: Callable[[], R]) -> R:
        try:
            return question()
        except Exception as error:
            self.failure = f"raised:{type(error).__name__}"
            raise GameError(
                f"{self._where()}, {field}: expected an answer, got {type(error).__name__}: {error}; mend {self.env}"
            ) from error

    def _where(self) -> str:
        agent = getattr(self.env, "agent_selection", None)
        return f"foreign game {self._spec.id}, task {self._task_id}, step {self._steps}, agent {agent!r}"
