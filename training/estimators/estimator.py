"""The contract of an advantage estimator: all units of a round in, one advantage a unit out.

An estimator is pure: what it remembers (a running baseline) is a state that it is given and returns, so that the
checkpoint can hold it and a resumed run continues with it. Units come in canonical order. Shapes: U units.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from arena.registry import Registry
from training.units import Unit

State = Mapping[str, Any]
"""JSON values only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What an estimator makes of a round.

    Attributes:
        advantages: one a unit, float64 ``[U]``.
        state: what to hand over in the next round; JSON values only.
        diagnostics: rates and counts for the log.
    """

    advantages: NDArray[np.float64]
    state: State
    diagnostics: Mapping[str, float] = field(default_factory=dict)


@runtime_checkable
class AdvantageEstimator(Protocol):
    """Turns returns into advantages.

    Attributes:
        name: the registered name.
        requires: what the learner must annotate first, for example ``values``; empty for all key-type estimators.
        min_group: the least number of episodes a group needs.
        sequential: whether advantages depend on the order of episodes, as those of a running baseline do; the order is
            the canonical one, never that of arrival.
    """

    name: str
    requires: frozenset[str]
    min_group: int
    sequential: bool

    def key(self, unit: Unit) -> Hashable:
        """Returns the name of the group inside which the unit is compared."""
        ...

    def estimate(self, units: Sequence[Unit], state: State) -> Estimate:
        """Returns one advantage a unit; pure, and independent of the order of groups unless ``sequential``."""
        ...


estimators: Registry[AdvantageEstimator] = Registry("estimator", "training.estimators")
"""Every registered estimator, by name (``rae``)."""


def grouped(units: Sequence[Unit], estimator: AdvantageEstimator) -> dict[Hashable, list[int]]:
    """Returns the indices of the units of each group, in order of first appearance."""
    groups: dict[Hashable, list[int]] = {}
    for index, unit in enumerate(units):
        groups.setdefault(estimator.key(unit), []).append(index)
    return groups


def is_flat(returns_G: NDArray[np.float64]) -> bool:
    """Says whether a group's returns are equal up to float residue, so that their differences mean nothing."""
    spread = float(returns_G.max() - returns_G.min())
    return spread <= 1e-9 * max(1.0, float(np.abs(returns_G).max()))
