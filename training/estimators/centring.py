"""Returns measured against the mean of their group: what group-relative estimators share.

They differ in the group alone (``key``), so the arithmetic and its degenerate cases stand here once. Statistics are
over returns, one for each seat of each episode, never over turns: a long game does not count more than a short one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from training.estimators.estimator import AdvantageEstimator, Estimate, State, grouped, is_flat
from training.units import Unit


def centred(estimator: AdvantageEstimator, units: Sequence[Unit], state: State, floor: float | None) -> Estimate:
    """Returns A = R - mean, or (R - mean) / std, inside the estimator's groups.

    A group of one return, or of returns that are equal up to float residue, has advantage 0; the share of such groups
    is the diagnostic ``flat_group_rate``.

    Args:
        estimator: says which units form a group.
        units: the units of the round.
        state: handed back as it is.
        floor: the least standard deviation (ddof 0) to divide by; ``None``: do not divide.
    """
    advantages_U = np.zeros(len(units))
    groups = grouped(units, estimator)
    flat = 0
    for indices in groups.values():
        returns_G = seat_returns([units[i] for i in indices])
        if len(returns_G) < 2 or is_flat(returns_G):
            flat += 1
            continue
        scale = 1.0 if floor is None else max(float(returns_G.std()), floor)
        own = np.array([units[i].episode_return for i in indices])
        advantages_U[indices] = (own - returns_G.mean()) / scale
    return Estimate(advantages=advantages_U, state=state, diagnostics={"flat_group_rate": flat / max(1, len(groups))})


def seat_returns(units: Sequence[Unit]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Returns the episode return of each (episode, seat) among ``units``, in order of first appearance, ``[G]``."""
    found = {(unit.episode_id, unit.seat): unit.episode_return for unit in units}
    return np.fromiter(found.values(), np.float64)
