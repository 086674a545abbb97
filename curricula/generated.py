"""Fresh problems from the domain's own generator: the uniform baseline that a proposer has to beat.

Kinds and difficulties are as likely as each other. Problems of the sealed set are drawn again, and counted. Nothing is
paid and nothing is learnt; tasks and attempts are events of a ledger, so that a baseline can be inspected.

Curricula that draw from the generator in another way, or pay by another rule, are this one with ``_draw``, ``settle``
or ``_learn`` of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.domains.domain import Problem
from arena.seeds import task_seed
from arena.types import EpisodeGroup, Settlement, Task
from curricula.curriculum import Credit, curricula
from curricula.problem_source import ProblemSource, domain_in
from curricula.task_log import TaskLog


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
    pay: str = ""
    """What the game must pay; empty: anything."""

    def __init__(
        self,
        game: str,
        seed: int = 0,
        base: Mapping[str, Any] = MappingProxyType({}),
        sealed: frozenset[str] = frozenset(),
        least: int = 1,
        most: int = 5,
    ) -> None:
        domain = domain_in(self.name, base, pay=self.pay)
        self._source = ProblemSource(self.name, domain, sealed, least, most)
        self._game, self._seed, self._base = game, seed, base
        self.log = TaskLog(game, domain)
        self._metrics: dict[str, float] = {}
        self._refused_before = 0

    def propose(self, generator: np.random.Generator, round_index: int, count: int) -> list[Task]:
        """Returns ``count`` fresh problems as tasks; asked again in the same round, further ones with other ids."""
        if self.log.begin_round(round_index):
            self._refused_before = self._source.refused
        first = len(self.log.ledger.records)
        tasks = []
        for index, problem in enumerate([self._draw(generator) for _ in range(count)], first):
            task = Task(
                game=self._game,
                params={**self._base, "kind": problem["kind"], "problem": problem},
                seed=task_seed(self._seed, round_index, index),
                author=self.name,
            )
            self.log.pose(task, problem)
            tasks.append(task)
        return tasks

    def settle(self, groups: Sequence[EpisodeGroup]) -> list[Settlement]:
        """Pays nothing."""
        return []

    def observe(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> None:
        """Records who tried what, and learns from it where the curriculum does."""
        self.log.attempts(groups)
        sealed = float(self._source.refused - self._refused_before)
        self._metrics = {"sealed_refused": sealed, **self.log.metrics(), **self._learn(groups, credits)}

    def drain(self) -> list[tuple[str, dict[str, Any]]]:
        """Returns the events since the last call, for the log."""
        return self.log.drain()

    def metrics(self) -> dict[str, float]:
        """Returns ``sealed_refused``, ``mean_difficulty`` and ``live_rate`` of the round that was observed last."""
        return dict(self._metrics)

    def state(self) -> dict[str, Any]:
        """Returns how many sealed problems were drawn and refused, and the round's ledger."""
        return {"refused": self._source.refused, "log": self.log.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continues both."""
        self._source.refused = int(state["refused"])
        self.log.restore(state["log"])

    def _draw(self, random: np.random.Generator) -> Problem:
        return self._source.draw(random)

    def _learn(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> dict[str, float]:
        """Learns from a round and returns further rates; here nothing."""
        return {}
