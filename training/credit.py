"""Credit assignment of a round: units to estimators, advantages to rows and credits.

Seats whose estimator config is equal share one estimator, so that a key which spans seats or games sees all of its
units. States are kept by that config and travel in the checkpoint.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from arena.errors import RunError
from curricula.curriculum import Credit
from training.estimators.estimator import AdvantageEstimator, State
from training.rows import Row, rows_of
from training.units import Unit


class CreditAssignment:
    """The estimators of a campaign.

    Args:
        estimators: by seat, as (game id, seat); equal configs are given the same object.
        names: the estimators' configs, in the same keys.
    """

    def __init__(
        self,
        estimators: Mapping[tuple[str, str], AdvantageEstimator],
        names: Mapping[tuple[str, str], Mapping[str, Any]],
    ) -> None:
        self._config_of = {place: json.dumps(dict(part), sort_keys=True) for place, part in names.items()}
        self._estimators = {self._config_of[place]: estimator for place, estimator in estimators.items()}
        self._states: dict[str, State] = {config: {} for config in self._estimators}
        self._statistics: dict[str, dict[str, dict[str, float]]] = {}

    def assign(self, units: Sequence[Unit]) -> tuple[dict[str, list[Row]], list[Credit]]:
        """Returns rows by policy and credits by turn, for the units of one round in canonical order.

        Raises:
            RunError: an estimator returned an advantage that is not finite.
        """
        advantages_U = np.zeros(len(units))
        for config, estimator in self._estimators.items():
            indices = [i for i, unit in enumerate(units) if self._config_of[unit.game, unit.seat] == config]
            estimate = estimator.estimate([units[i] for i in indices], self._states[config])
            if not np.isfinite(estimate.advantages).all():
                raise RunError(
                    f"estimator {estimator.name}: expected finite advantages, got others; look at the round's returns"
                )
            advantages_U[indices] = estimate.advantages
            self._states[config] = estimate.state
        policies = list(dict.fromkeys(unit.policy.name for unit in units))
        self._statistics = {name: _statistics(units, advantages_U, name) for name in policies}
        rows = {name: _rows(units, advantages_U, name) for name in policies}
        credits = [
            Credit(episode_id=unit.episode_id, seat=unit.seat, ordinal=unit.ordinal, advantage=float(advantage))
            for unit, advantage in zip(units, advantages_U, strict=True)
        ]
        return rows, credits

    def statistics(self, policy: str) -> dict[str, dict[str, float]]:
        """Returns mean, standard deviation and greatest absolute advantage by game and seat, of the latest round."""
        return self._statistics.get(policy, {})

    def state(self) -> dict[str, Any]:
        """Returns every estimator's state, as JSON values."""
        return {config: dict(state) for config, state in self._states.items()}

    def restore(self, state: Mapping[str, State]) -> None:
        """Takes up the states that ``state`` returned."""
        self._states = dict(state)


def _rows(units: Sequence[Unit], advantages_U: np.ndarray[Any, np.dtype[np.float64]], policy: str) -> list[Row]:
    indices = [i for i, unit in enumerate(units) if unit.policy.name == policy]
    return rows_of([units[i] for i in indices], advantages_U[indices])


def _statistics(
    units: Sequence[Unit], advantages_U: np.ndarray[Any, np.dtype[np.float64]], policy: str
) -> dict[str, dict[str, float]]:
    places: dict[str, list[int]] = {}
    for index, unit in enumerate(units):
        if unit.policy.name == policy:
            places.setdefault(f"{unit.game}/{unit.seat}", []).append(index)
    return {
        place: {
            "mean": float(advantages_U[indices].mean()),
            "std": float(advantages_U[indices].std()),
            "max": float(np.abs(advantages_U[indices]).max()),
        }
        for place, indices in places.items()
    }
