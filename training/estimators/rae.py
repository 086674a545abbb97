"""Role-conditioned advantage estimation: a running mean of the return for each seat of each game."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from arena.errors import ConfigError
from training.estimators.estimator import Estimate, State, estimators
from training.units import Unit


@estimators.register("rae")
class RoleConditionedAdvantage:
    """RAE (SPIRAL, arXiv 2506.24119): A = R - b, then b <- decay b + (1 - decay) R, once per episode and seat.

    The baseline is subtracted before it is updated, starts at 0, and is keyed by (game, seat): the seat is what the
    paper calls the role. All turns of a seat share its episode return (gamma = 1).

    Args:
        decay: the weight of the past; the paper's is 0.95.
    """

    name = "rae"
    requires: frozenset[str] = frozenset()
    min_group = 1
    sequential = True

    def __init__(self, decay: float = 0.95) -> None:
        if not 0.0 <= decay <= 1.0:
            raise ConfigError(f"estimator.decay: expected a number in [0, 1], got {decay}; the paper's is 0.95")
        self.decay = decay

    def key(self, unit: Unit) -> Hashable:
        """One group for each seat of each game."""
        return f"{unit.game}/{unit.seat}"

    def estimate(self, units: Sequence[Unit], state: State) -> Estimate:
        """Returns R - b for each unit, b as it stood before the unit's episode."""
        baselines = dict(state)
        advantages_U = np.zeros(len(units))
        current: dict[str, tuple[str, float]] = {}
        for index, unit in enumerate(units):
            key = str(self.key(unit))
            episode, before = current.get(key, ("", 0.0))
            if episode != unit.episode_id:
                before = baselines.get(key, 0.0)
                baselines[key] = self.decay * before + (1.0 - self.decay) * unit.episode_return
                current[key] = (unit.episode_id, before)
            advantages_U[index] = unit.episode_return - before
        return Estimate(advantages=advantages_U, state=baselines)
