"""Task-relative advantages: one baseline for each kind of task and each role."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from arena.errors import ConfigError
from training.estimators.centring import centred
from training.estimators.estimator import Estimate, State, estimators
from training.units import Unit


@estimators.register("trrpp")
class TaskRelative:
    """TRR++ (Absolute Zero, arXiv 2505.03335, eq. 8): A = (R - mean) / std inside (task type, role), over the round.

    Between one baseline a question (GRPO) and one for everything (REINFORCE++): proposing a deduction and solving an
    induction pay differently, and each is measured against its like. The task type is the task's parameter ``kind``;
    types of different games are apart. All episodes of the round are pooled, so groups of one suffice.

    Args:
        floor: the least standard deviation to divide by.
    """

    name = "trrpp"
    requires: frozenset[str] = frozenset()
    min_group = 1
    sequential = False

    def __init__(self, floor: float = 1e-3) -> None:
        if not floor > 0:
            raise ConfigError(f"estimator.floor: expected a number above 0, got {floor}; try 1.0e-3")
        self.floor = floor

    def key(self, unit: Unit) -> Hashable:
        """One group for each role in each type of task of each game."""
        return (unit.game, unit.task_type, unit.role)

    def estimate(self, units: Sequence[Unit], state: State) -> Estimate:
        """Returns whitened returns; the statistics are over (episode, seat), not over turns."""
        return centred(self, units, state, self.floor)
