"""The uniform curriculum: every parameter set of one game is as likely as any other, and every task is fresh.

It pays nothing and learns nothing; its state only counts, so that a second call within a round continues the count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.errors import ConfigError
from arena.seeds import task_seed
from arena.types import EpisodeGroup, Settlement, Task
from curricula.curriculum import Credit, curricula


@curricula.register("uniform")
class Uniform:
    """Draws each task's parameters uniformly from a fixed set.

    Args:
        game: the registered id of the game.
        seed: the campaign's seed; with the round and the index it determines each task's seed.
        params: the parameter sets; by default the one empty set.
        base: the parameters that the campaign gives the game; each set overrides them where it says more.

    Raises:
        ConfigError: ``params`` is empty.
    """

    name: str = "uniform"

    def __init__(
        self,
        game: str,
        seed: int = 0,
        params: Sequence[Mapping[str, Any]] = (MappingProxyType({}),),
        base: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        if not params:
            raise ConfigError("uniform.params: expected at least one parameter set, got none; leave it out for {}")
        self._game, self._seed, self._params = game, seed, tuple({**base, **one} for one in params)
        self._round, self._next = -1, 0

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        """Returns ``count`` fresh tasks; further calls in the same round go on with the next index."""
        first = self._next if round_index == self._round else 0
        self._round, self._next = round_index, first + count
        chosen = generator.integers(len(self._params), size=count)
        return [
            Task(
                game=self._game,
                params=MappingProxyType(self._params[which]),
                seed=task_seed(self._seed, round_index, first + index),
                author=self.name,
            )
            for index, which in enumerate(chosen)
        ]

    def settle(self, groups: Sequence[EpisodeGroup]) -> list[Settlement]:
        """Pays nothing."""
        return []

    def observe(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> None:
        """Learns nothing."""

    def state(self) -> dict[str, Any]:
        """Returns the latest round and its next index."""
        return {"round": self._round, "next": self._next}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continues after the task that ``state`` counted last."""
        self._round, self._next = int(state["round"]), int(state["next"])
