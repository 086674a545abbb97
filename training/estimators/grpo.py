"""Group-relative advantages: the same task several times, each attempt measured against the others."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from training.estimators.centring import centred
from training.estimators.estimator import Estimate, State, estimators
from training.units import Unit


@estimators.register("grpo")
class GroupRelative:
    """GRPO (arXiv 2402.03300): A = (R - mean) / std inside (task group, seat).

    A group whose returns are all equal, up to float residue, has advantage 0. The standard deviation has ddof 0 and
    a floor, so that a tiny spread is not blown up.

    Args:
        normalise: divide by the standard deviation; off is Dr. GRPO (arXiv 2503.20783).
        floor: the least standard deviation to divide by.
    """

    name = "grpo"
    requires: frozenset[str] = frozenset()
    min_group = 2
    sequential = False

    def __init__(self, normalise: bool = True, floor: float = 1e-3) -> None:
        self.normalise = normalise
        self.floor = floor

    def key(self, unit: Unit) -> Hashable:
        """One group for each seat of each task group."""
        return (unit.group_id, unit.seat)

    def estimate(self, units: Sequence[Unit], state: State) -> Estimate:
        """Returns group-relative advantages; the statistics are over episodes, not over turns."""
        return centred(self, units, state, self.floor if self.normalise else None)
