"""Two levels of comparison: solvers of one proposed problem among themselves, proposers across the group."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from arena.errors import ConfigError
from training.estimators.centring import centred
from training.estimators.estimator import Estimate, State, estimators
from training.units import Unit


@estimators.register("hierarchical")
class Hierarchical:
    """A = R - mean where the group follows from the role: the episode if several seats share it, else the task group.

    For games in which one seat proposes a problem and several solve it: what a solver earns says something only
    against the others at the same problem, what a proposer earns only against other proposals from the same source. A
    solver is never compared with one whose problem was easier. With one role for the seats of two opponents (a board
    game) it would compare the opponents: choose ``grpo`` there.

    Args:
        normalise: divide by the standard deviation, as GRPO does.
        floor: the least standard deviation to divide by.
    """

    name = "hierarchical"
    requires: frozenset[str] = frozenset()
    min_group = 1
    sequential = False

    def __init__(self, normalise: bool = False, floor: float = 1e-3) -> None:
        if not floor > 0:
            raise ConfigError(f"estimator.floor: expected a number above 0, got {floor}; try 1.0e-3")
        self.normalise = normalise
        self.floor = floor

    def key(self, unit: Unit) -> Hashable:
        """One group for each shared role of an episode, one for each other role of a task group."""
        if unit.role_seats > 1:
            return ("episode", unit.episode_id, unit.role)
        return ("source", unit.group_id, unit.role)

    def estimate(self, units: Sequence[Unit], state: State) -> Estimate:
        """Returns centred returns; the statistics are over (episode, seat), not over turns."""
        return centred(self, units, state, self.floor if self.normalise else None)
