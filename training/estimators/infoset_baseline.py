"""A baseline for each information set: what the seat could expect, knowing what it knew."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from training.estimators.estimator import Estimate, State, estimators, grouped, is_flat
from training.units import Unit


@estimators.register("infoset_baseline")
class InformationSetBaseline:
    """A = R - (mean return of the other units at the same information set of this round).

    Leaving the unit itself out keeps the gradient unbiased wherever the set was met twice (the leave-one-out baseline
    of RLOO, arXiv 2402.14740, with the information set as the group). In a card game this removes the luck of the
    deal, which a baseline for the whole seat leaves in. A set that was met once has advantage 0, so over all rounds
    of N episodes a set that an episode meets with probability p gets 1 - (1 - p)^(N - 1) times its gradient. A set
    whose returns are equal up to float residue has advantage 0 too.
    """

    name = "infoset_baseline"
    requires: frozenset[str] = frozenset()
    min_group = 1
    sequential = False

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
            own = returns_U[indices]
            singles += size < 2
            if size < 2 or is_flat(own):
                continue
            advantages_U[indices] = (own - own.mean()) * size / (size - 1)
        return Estimate(advantages=advantages_U, state=state, diagnostics={"single_infosets": float(singles)})
