"""What can be said of a foreign PettingZoo environment as a game: a spec and rules in words, but no pure rules.

A foreign game is registered like any other, so a campaign names it, ``arena.env`` opens it, and whatever needs pure
rules (exact solutions, forks, the Parallel API) refuses it by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from gymnasium import spaces

from arena.errors import CapabilityError, ConfigError
from arena.game import Game
from arena.types import Capabilities, GameSpec, IllegalRule, Observation, Payoff, Task

if TYPE_CHECKING:
    from arena.foreign.env import ForeignEnv

_NAME = re.compile(r"(?P<name>.+?)[-_]v(?P<version>\d+)")
MOST_TURNS = 1000
"""After how many turns a foreign episode is truncated unless its spec says otherwise."""


class ForeignGame(Game[Any]):
    """A foreign environment as a game that can be registered and played; every pure method refuses by name.

    Attributes:
        inside: makes a fresh foreign environment, as its author wrote it.
        observe_text: what an agent sees, in words; ``None``: the environment's ``ansi`` rendering.

    Args:
        inner: makes a fresh foreign environment, AEC or Parallel.
        spec: what is known about it; built from its spaces and its name when ``None`` (see ``spec_of``).
        rules: what a player must know, in words.
        observe_text: what an agent sees, in words; ``None`` takes the environment's ``ansi`` rendering.
        action_name: the name of each index of a discrete action space.
        params: which params a task may have; ``None`` hands any to the environment, as options of its ``reset``.

    Raises:
        ConfigError: the environment's agents or action spaces cannot be described.
    """

    def __init__(
        self,
        inner: Callable[[], Any],
        *,
        spec: GameSpec | None = None,
        rules: str = "",
        observe_text: Callable[[Any, str], str] | None = None,
        action_name: Callable[[int], str] = str,
        params: Collection[str] | None = None,
    ) -> None:
        self.inside = inner
        self.observe_text = observe_text
        self._params = params
        self.spec = spec or spec_of(inner(), action_name)
        self.rules = rules

    def open(self, illegal: IllegalRule | None = None) -> ForeignEnv:
        """Returns a fresh environment, wrapped so that it offers what ``arena.env`` offers.

        Args:
            illegal: replaces the spec's rule for illegal and missing answers.
        """
        from arena.foreign.env import ForeignEnv

        return ForeignEnv(
            self.inside(),
            spec=self.spec,
            rules=self.rules,
            observe_text=self.observe_text,
            illegal=illegal,
            params=self._params,
        )

    def reset(self, task: Task) -> NoReturn:
        """Refuses."""
        self._refuse("reset")

    def to_move(self, state: object) -> NoReturn:
        """Refuses."""
        self._refuse("to_move")

    def observe(self, state: object, seat: str) -> Observation:
        """Refuses."""
        self._refuse("observe")

    def step(self, state: object, moves: Mapping[str, Any]) -> NoReturn:
        """Refuses."""
        self._refuse("step")

    def returns(self, state: object) -> Mapping[str, float | None]:
        """Refuses."""
        self._refuse("returns")

    def _refuse(self, method: str) -> NoReturn:
        raise CapabilityError(
            f"{self.spec.id}.{method}: expected a game with pure rules, got a foreign environment; it can be played, "
            "but neither forked nor enumerated"
        )


def spec_of(env: Any, action_name: Callable[[int], str] = str) -> GameSpec:  # noqa: ANN401 - any PettingZoo class
    """Returns a spec built from an environment's name, agents and spaces: general-sum, returns unbounded.

    As an unbounded game has no price for a forfeit, an illegal answer costs 1 and a legal action is drawn in its
    place; where actions are text, and none can be drawn, give a spec instead.

    Args:
        env: a PettingZoo AEC environment.
        action_name: the name of each index of a discrete action space.

    Raises:
        ConfigError: the agents are not known in advance, the action spaces are neither all discrete nor all text, or
            two indices have one name.
    """
    title = str(getattr(env, "metadata", {}).get("name", type(env).__name__))
    match = _NAME.fullmatch(title)
    agents = tuple(getattr(env, "possible_agents", ()) or ())
    if not agents:
        raise ConfigError(f"ForeignEnv of {title}: expected possible_agents, got none; name them in the environment")
    return GameSpec(
        name=match["name"] if match else title,
        version=int(match["version"]) if match else 0,
        seats=agents,
        payoff=Payoff.GENERAL_SUM,
        max_turns=MOST_TURNS,
        returns_range=(float("-inf"), float("inf")),
        actions=_actions([env.action_space(agent) for agent in agents], title, action_name),
        illegal=IllegalRule(kind="penalise", penalty=1.0),
        capabilities=Capabilities(fork=False, enumerate=False, state_text=False),
        summary=f"{title}, a foreign PettingZoo environment",
    )


def _actions(
    action_spaces: list[spaces.Space[Any]], title: str, action_name: Callable[[int], str]
) -> tuple[str, ...] | None:
    if all(_is_text(space) for space in action_spaces):
        return None
    sizes = [int(space.n) for space in action_spaces if isinstance(space, spaces.Discrete)]
    if len(sizes) < len(action_spaces):
        raise ConfigError(
            f"ForeignEnv of {title}: expected Discrete or text action spaces, got {action_spaces}; "
            "wrap the environment so that its actions are one of these"
        )
    names = tuple(action_name(index) for index in range(max(sizes)))
    if len(set(names)) < len(names):
        raise ConfigError(f"ForeignEnv.action_name of {title}: expected different names, got {names}; tell them apart")
    return names


def _is_text(space: spaces.Space[Any]) -> bool:
    if isinstance(space, spaces.Box):
        return space.dtype == np.uint8 and len(space.shape) == 1
    return isinstance(space, spaces.Text)
