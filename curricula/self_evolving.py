"""Self-Evolving Curriculum (arXiv 2505.14970): a bandit over kinds and difficulties, paid by what moves the learner.

An arm is one (kind, difficulty) cell of the domain's generator. Its value moves towards the mean absolute advantage of
its turns in the round, Q <- Q + alpha (r - Q) (TD(0)), and problems are drawn from the Boltzmann distribution of the
values. A cell that is always or never solved has advantages near 0 and fades, and keeps a chance to come back.

Differs from the paper in that problems are fresh and in what an advantage is: that of the campaign's estimator. Turns
that a verifier left undecided have none and are in no mean; an arm that nobody played keeps its value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from arena.domains.domain import Problem
from arena.errors import ConfigError
from arena.types import EpisodeGroup
from curricula.curriculum import Credit, curricula
from curricula.generated import Generated


@curricula.register("self_evolving")
class SelfEvolving(Generated):
    """Draws cells by the softmax of their values.

    ``metrics`` has ``target_difficulty`` too, the mean under the next round's chances, and ``arms``, the effective
    number of arms (e to the entropy of the chances).

    Args:
        game: the registered id of the game.
        seed: the campaign's seed.
        base: the parameters that the campaign gives the game.
        sealed: signatures that may not be posed.
        least: the least difficulty.
        most: the greatest difficulty.
        alpha: the step of the values; the paper's 0.5.
        tau: the temperature of the softmax; the paper tunes it by domain, up to 1.0. Advantages that are smaller than
            those of ``grpo`` want a smaller one.

    Raises:
        ConfigError: ``alpha`` or ``tau`` is out of range, or see ``Generated``.
    """

    name: str = "self_evolving"

    def __init__(
        self,
        game: str,
        seed: int = 0,
        base: Mapping[str, Any] = MappingProxyType({}),
        sealed: frozenset[str] = frozenset(),
        least: int = 1,
        most: int = 5,
        alpha: float = 0.5,
        tau: float = 1.0,
    ) -> None:
        super().__init__(game, seed, base, sealed, least, most)
        if not 0 < alpha <= 1 or not 0 < tau < math.inf:
            raise ConfigError(
                f"self_evolving.alpha, tau: expected alpha in (0, 1] and tau above 0, got {alpha} and {tau}; "
                "try 0.5 and 1.0"
            )
        self._alpha, self._tau = alpha, tau
        self._arms = [(kind, depth) for kind in self._source.domain.kinds for depth in self._source.difficulties]
        self.values = dict.fromkeys(map(_name, self._arms), 0.0)
        """The value of each arm, by ``kind/difficulty``."""

    def chances(self) -> dict[str, float]:
        """Returns the probability of each arm."""
        values_A = np.array(list(self.values.values())) / self._tau
        weights_A = np.exp(values_A - values_A.max())
        return dict(zip(self.values, (weights_A / weights_A.sum()).tolist(), strict=True))

    def state(self) -> dict[str, Any]:
        """Returns the state of ``Generated`` and the values."""
        return {**super().state(), "values": dict(self.values)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces both."""
        super().restore(state)
        # In the order of the arms, which a sorted JSON object does not keep.
        self.values = {name: float(state["values"][name]) for name in map(_name, self._arms)}

    def _draw(self, random: np.random.Generator) -> Problem:
        kind, depth = self._arms[int(random.choice(len(self._arms), p=list(self.chances().values())))]
        return self._source.draw(random, kind, depth)

    def _learn(self, groups: Sequence[EpisodeGroup], credits: Sequence[Credit]) -> dict[str, float]:
        arm_of = {episode.id: self._arm(group) for group in groups for episode in group.episodes}
        moved: dict[str, list[float]] = {}
        for credit in credits:
            if arm_of.get(credit.episode_id) in self.values:
                moved.setdefault(arm_of[credit.episode_id], []).append(abs(credit.advantage))
        for arm, sizes in moved.items():
            self.values[arm] += self._alpha * (sum(sizes) / len(sizes) - self.values[arm])
        chances = self.chances()
        mean = sum(depth * chances[_name((kind, depth))] for kind, depth in self._arms)
        entropy = -sum(p * math.log(p) for p in chances.values() if p > 0)
        return {"target_difficulty": mean, "arms": math.exp(entropy)}

    def _arm(self, group: EpisodeGroup) -> str:
        """Returns the arm of a group; a problem of the generator has the difficulty that was asked for."""
        problem = group.episodes[0].task.params.get("problem") or {}
        return _name((str(problem.get("kind", "")), self._source.domain.difficulty(problem))) if problem else ""


def _name(arm: tuple[str, int]) -> str:
    return f"{arm[0]}/{arm[1]}"
