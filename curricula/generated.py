"""Fresh problems from the domain's own generator: the uniform baseline that a proposer has to beat.

Kinds and difficulties are as likely as each other. Problems of the sealed set are drawn again, and counted. Nothing is
paid and nothing is learnt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.domains.domain import Problem, domains
from arena.errors import ConfigError
from arena.seeds import task_seed
from arena.types import EpisodeGroup, Settlement, Task
from curricula.curriculum import Credit, curricula


@curricula.register("generated")
class Generated:
    """Draws kind and difficulty uniformly, then a problem.

    Args:
        game: the registered id of the game.
        seed: the campaign's seed.
        base: the parameters that the campaign gives the game; ``domain`` says whose problems.
        sealed: signatures that may not be posed.
        least: the least difficulty.
        most: the greatest difficulty.

    Raises:
        ConfigError: the game has no domain, or the difficulties are out of range.
    """

    name: str = "generated"

    def __init__(
        self,
        game: str,
        seed: int = 0,
        base: Mapping[str, Any] = MappingProxyType({}),
        sealed: frozenset[str] = frozenset(),
        least: int = 1,
        most: int = 5,
    ) -> None:
        if "domain" not in base:
            raise ConfigError("generated: expected a game over a domain, got none; set params.domain")
        self._domain = domains.make(base["domain"])
        if not 1 <= least <= most <= self._domain.most_difficulty:
            raise ConfigError(
                f"generated.least, most: expected 1 <= least <= most <= {self._domain.most_difficulty}, got {least} "
                f"and {most}; change them"
            )
        self._game, self._seed, self._base, self._sealed = game, seed, base, sealed
        self._difficulties = range(least, most + 1)
        self._refused = 0

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        """Returns ``count`` fresh problems as tasks."""
        return [
            Task(
                game=self._game,
                params={**self._base, "kind": problem["kind"], "problem": problem},
                seed=task_seed(self._seed, round_index, index),
                author=self.name,
            )
            for index, problem in enumerate([self._draw(generator) for _ in range(count)])
        ]

    def settle(self, groups: Sequence[EpisodeGroup]) -> list[Settlement]:
        """Pays nothing."""
        return []

    def observe(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> None:
        """Learns nothing."""

    def state(self) -> dict[str, Any]:
        """Returns how many sealed problems were drawn and refused."""
        return {"refused": self._refused}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continues the count."""
        self._refused = int(state["refused"])

    def _draw(self, random: np.random.Generator) -> Problem:
        while True:
            kind = self._domain.kinds[int(random.integers(len(self._domain.kinds)))]
            difficulty = self._difficulties[int(random.integers(len(self._difficulties)))]
            problem = self._domain.generate(random, kind, difficulty)
            if self._domain.signature(problem) not in self._sealed:
                return problem
            self._refused += 1
