"""Expert iteration: learn from one's own verified successes, and most from those that are rare."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from arena.errors import ConfigError
from training.estimators.centring import seat_returns
from training.estimators.estimator import Estimate, State, estimators, grouped
from training.units import Unit


@estimators.register("own_successes")
class OwnSuccesses:
    """A weight of max(1 - p, floor) for each success and 0 for the rest, p the success rate at the same problem.

    Expert iteration (arXiv 1705.08439) and STaR (arXiv 2203.14465): a verified success is imitated, a failure is left
    out. Both weigh successes alike; here those at problems that are always solved already, which teach little, weigh
    the floor. Meant for the objective ``nll``, which leaves rows of weight 0 out of numerator and denominator; under
    other objectives they stay in the denominator.

    The same problem is one episode for a role with several seats (a proposer's solvers), else one task.

    Args:
        threshold: the least return of an episode that counts as a success.
        floor: the least weight of a success; 1 weighs all alike, as the papers do.
    """

    name = "own_successes"
    requires: frozenset[str] = frozenset()
    min_group = 1
    sequential = False

    def __init__(self, threshold: float = 1.0, floor: float = 0.1) -> None:
        if not 0.0 <= floor <= 1.0:
            raise ConfigError(f"estimator.floor: expected a number in [0, 1], got {floor}; try 0.1")
        self.threshold = threshold
        self.floor = floor

    def key(self, unit: Unit) -> Hashable:
        """One group for each role at each problem."""
        if unit.role_seats > 1:
            return ("episode", unit.episode_id, unit.role)
        return ("task", unit.game, unit.task_id, unit.role)

    def estimate(self, units: Sequence[Unit], state: State) -> Estimate:
        """Returns weights, at least 0; success rates are over (episode, seat), not over turns."""
        weights_U = np.zeros(len(units))
        for indices in grouped(units, self).values():
            own = [units[i] for i in indices]
            p_success = float(np.mean(seat_returns(own) >= self.threshold))
            succeeded = np.array([unit.episode_return >= self.threshold for unit in own])
            weights_U[indices] = succeeded * max(1.0 - p_success, self.floor)
        trained = float(np.mean(weights_U > 0)) if len(units) else 0.0
        return Estimate(advantages=weights_U, state=state, diagnostics={"kept_rate": trained})
