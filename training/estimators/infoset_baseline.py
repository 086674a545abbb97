"""A baseline for each information set: what the seat could expect, knowing what it knew."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from training.estimators.estimator import Estimate, State, estimators, grouped
from training.units import Unit


@estimators.register("infoset_baseline")
class InformationSetBaseline:
    """A = R - (mean return of the other units at the same information set of this round).

    Leaving the unit itself out keeps the gradient unbiased (the leave-one-out baseline of RLOO, arXiv 2402.14740,
    with the information set as the group). In a card game this removes the luck of the deal, which a baseline for
    the whole seat leaves in. An information set that was met once has advantage 0.
    """

    name = "infoset_baseline"
    requires: frozenset[str] = frozenset()
    min_group = 1

    def key(self, unit: Unit) -> Hashable:
        """One group for each information set of each seat."""
        return (unit.game, unit.seat, unit.anchor_key)

    def estimate(self, units: Sequence[Unit], state: State) -> Estimate:
        """Returns leave-one-out advantages inside each information set."""
        returns_U = np.array([unit.return_to_go for unit in units], dtype=np.float64)
        advantages_U = np.zeros(len(units))
        singles = 0
        for indices in grouped(units, self).values():
            size = len(indices)
            if size < 2:
                singles += 1
                continue
            own = returns_U[indices]
            advantages_U[indices] = (own - own.mean()) * size / (size - 1)
        return Estimate(advantages=advantages_U, state=state, diagnostics={"single_infosets": float(singles)})
