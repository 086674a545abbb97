"""AdaRFT (arXiv 2504.05520): one target difficulty that keeps the mean reward at a set level.

After each round T <- clip(T + eta tanh(alpha (mean reward - beta))), and the next problems are those whose difficulty
is nearest to T; between two levels the lower one is. Kinds are as likely as each other.

Differs from the paper in that problems are made at the nearest difficulty instead of being looked up in a fixed set
with estimated difficulties, and in the scale: the paper's difficulties run from 0 to 100 and its eta is 50, half of
the range; here eta is the share of the range. Seats that a verifier left undecided are in no mean; a round without any
judged seat leaves T where it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.domains.domain import Problem
from arena.errors import ConfigError
from arena.types import EpisodeGroup, Status, Tag
from curricula.curriculum import Credit, curricula
from curricula.generated import Generated


@curricula.register("adarft")
class AdaRFT(Generated):
    """Poses the difficulty nearest to a target that follows the mean reward.

    ``metrics`` has ``target_difficulty`` too, the next round's.

    Args:
        game: the registered id of the game.
        seed: the campaign's seed.
        base: the parameters that the campaign gives the game.
        sealed: signatures that may not be posed.
        least: the least difficulty, where the target starts.
        most: the greatest difficulty.
        eta: the greatest move of the target in a round, as a share of the range of difficulties; the paper's 0.5.
        alpha: how steeply it moves with the reward; the paper's 2.
        beta: the reward that is aimed at; the paper's 0.5.

    Raises:
        ConfigError: a number is out of range, or see ``Generated``.
    """

    name: str = "adarft"
    pay: str = "verdict"

    def __init__(
        self,
        game: str,
        seed: int = 0,
        base: Mapping[str, Any] = MappingProxyType({}),
        sealed: frozenset[str] = frozenset(),
        least: int = 1,
        most: int = 5,
        eta: float = 0.5,
        alpha: float = 2.0,
        beta: float = 0.5,
    ) -> None:
        super().__init__(game, seed, base, sealed, least, most)
        if not (0 < eta <= 1 and 0 < alpha < math.inf and 0 < beta < 1):
            raise ConfigError(
                f"adarft.eta, alpha, beta: expected eta in (0, 1], alpha above 0 and beta in (0, 1), got {eta}, "
                f"{alpha} and {beta}; try 0.5, 2.0 and 0.5"
            )
        self._least, self._most = float(least), float(most)
        self._eta, self._alpha, self._beta = eta * (most - least), alpha, beta
        self.target = float(least)
        """The target difficulty."""

    def state(self) -> dict[str, Any]:
        """Returns the state of ``Generated`` and the target."""
        return {**super().state(), "target": self.target}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces both."""
        super().restore(state)
        self.target = float(state["target"])

    def _draw(self, random: np.random.Generator) -> Problem:
        nearest = min(self._source.difficulties, key=lambda depth: abs(depth - self.target))
        return self._source.draw(random, difficulty=nearest)

    def _learn(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> dict[str, float]:
        rewards = _rewards(groups)
        if rewards:
            move = self._eta * math.tanh(self._alpha * (sum(rewards) / len(rewards) - self._beta))
            self.target = min(max(self.target + move, self._least), self._most)
        return {"target_difficulty": self.target}


def _rewards(groups: Sequence[EpisodeGroup]) -> list[float]:
    """Returns the returns of the seats that are trained, as far as they were judged."""
    return [
        value
        for group in groups
        for episode in group.episodes
        if episode.status is not Status.FAILED
        for seat, value in episode.returns.items()
        if value is not None and episode.lineup[seat].tag is Tag.LIVE
    ]
