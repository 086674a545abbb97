"""REINFORCE: the return of the episode, with or without the batch mean as a baseline."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from arena.errors import ConfigError
from training.estimators.estimator import Estimate, State, estimators, grouped
from training.units import Unit


@estimators.register("reinforce")
class Reinforce:
    """REINFORCE (Williams 1992): A = R - b with b = 0 or the mean of the round, game by game.

    Args:
        baseline: ``none`` or ``batch``. The batch mean holds the unit's own return, so the gradient is (U - 1)/U
            times the unbiased one.
    """

    name = "reinforce"
    requires: frozenset[str] = frozenset()
    min_group = 1
    sequential = False

    def __init__(self, baseline: str = "batch") -> None:
        if baseline not in {"none", "batch"}:
            raise ConfigError(f"estimator.baseline: expected none or batch, got {baseline!r}; choose one of the two")
        self.baseline = baseline

    def key(self, unit: Unit) -> Hashable:
        """All units of a game stand in one group."""
        return unit.game

    def estimate(self, units: Sequence[Unit], state: State) -> Estimate:
        """Returns R - b for each unit."""
        returns_U = np.array([unit.return_to_go for unit in units], dtype=np.float64)
        if self.baseline == "batch":
            for indices in grouped(units, self).values():
                returns_U[indices] -= returns_U[indices].mean()
        return Estimate(advantages=returns_U, state=state)
