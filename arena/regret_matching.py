"""The value of a zero-sum game with hidden information, within bounds that are proved on the way.

CFR+ (Tammelin, arXiv 1407.5042): regrets are floored at zero, the seats update in turn, and the average strategy
weighs iteration t by t. Each seat's best response to the other's average bounds the value from one side, so the
answer says how far it can be wrong. Games of perfect information need none of this: backward induction is exact.

Assumed: two seats, zero sum, perfect recall in every information set. Left out: sampling variants; whoever needs
them has a game too large to enumerate.

Shapes: N nodes, E edges, A slots, I information sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.errors import CapabilityError, InputError
from arena.game_tree import GameTree
from arena.solutions import (
    best_response,
    edge_probabilities,
    minimax,
    named_strategies,
    reach_probabilities,
    recalling_levels,
    require_zero_sum,
    slot_gains,
)
from arena.tree_order import NO_SLOT, SEVERAL_SLOTS

Floats = NDArray[np.float64]

CHECK_EVERY = 25
"""Iterations between two looks at the bounds (a look costs about as much as one iteration)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameValue:
    """What the first seat of a two-seat zero-sum game can expect when both play well.

    Attributes:
        value: the middle of the bounds.
        low: what the first seat's strategy guarantees.
        high: what the second seat's strategy concedes at most.
        method: ``minimax`` (exact: low = high) or ``cfr+``.
        iterations: how many CFR+ took; 0 for minimax.
        strategies: of both seats, as good as the bounds say.
    """

    value: float
    low: float
    high: float
    method: str
    iterations: int
    strategies: Mapping[str, Mapping[str, Mapping[str, float]]]


def game_value(tree: GameTree, *, within: float = 1e-3, most_iterations: int = 20_000) -> GameValue:
    """Returns the value of a two-seat zero-sum game for its first seat.

    Args:
        tree: the enumerated game.
        within: CFR+ stops when its bounds are no further apart.
        most_iterations: CFR+ stops here in any case; look at ``low`` and ``high``.

    Raises:
        CapabilityError: the game has other than two seats, is not zero-sum, or lacks perfect recall.
    """
    require_zero_sum(tree)
    if tree.perfect_information:
        value, strategies = minimax(tree)
        return GameValue(value=value, low=value, high=value, method="minimax", iterations=0, strategies=strategies)
    return approximate_equilibrium(tree, within=within, most_iterations=most_iterations)


def approximate_equilibrium(tree: GameTree, *, within: float = 1e-3, most_iterations: int = 20_000) -> GameValue:
    """Runs CFR+ until its average strategies bound the value within ``within``, or for ``most_iterations``.

    Raises:
        CapabilityError: the game has other than two seats, is not zero-sum, or lacks perfect recall.
        InputError: ``most_iterations`` is below 1.
    """
    if most_iterations < 1:
        raise InputError(
            f"most_iterations: expected at least 1, got {most_iterations}; CFR+ needs about 1,000 for Kuhn"
        )
    require_zero_sum(tree)
    _require_recall(tree)
    first, second = tree.seats
    regret_A, total_A = np.zeros(tree.slots), np.zeros(tree.slots)
    for iteration in range(1, most_iterations + 1):
        for seat in range(2):
            _update(tree, seat, iteration, regret_A, total_A)
        if iteration % CHECK_EVERY == 0 or iteration == most_iterations:
            strategies = named_strategies(tree, _normalised(tree, total_A))
            low = -best_response(tree, strategies, second)[0]
            high = best_response(tree, strategies, first)[0]
            if high - low <= within:
                break
    return GameValue(
        value=(low + high) / 2,
        low=low,
        high=high,
        method="cfr+",
        iterations=iteration,
        strategies=strategies,
    )


def _update(tree: GameTree, seat: int, iteration: int, regret_A: Floats, total_A: Floats) -> None:
    """Adds one iteration of one seat to the regrets and to the weighted sum of strategies, in place."""
    edges, levels = tree.edges, recalling_levels(tree, tree.seats[seat])
    p_A = _normalised(tree, regret_A)
    other = tree.seats[1 - seat]
    p_E = edge_probabilities(tree, {other: p_A})
    weight_N = reach_probabilities(tree, levels, p_E)
    own = edges.seat_E == seat
    p_E[own] = p_A[edges.slot_E[own]]
    value_N = tree.returns_NS[:, seat].copy()
    for level in levels:
        value_N[level.nodes] = np.add.reduceat(p_E[level.edges] * value_N[edges.child_E[level.edges]], level.starts)
    gain_A = slot_gains(tree, np.flatnonzero(own), weight_N, value_N)
    mean_I = np.bincount(tree.set_A, weights=p_A * gain_A)
    mine_A = np.zeros(tree.slots, dtype=bool)
    mine_A[edges.slot_E[own]] = True
    regret_A[mine_A] = np.maximum(regret_A + gain_A - mean_I[tree.set_A], 0.0)[mine_A]
    total_A[mine_A] += iteration * (_own_reach(tree, seat, p_A)[tree.set_A] * p_A)[mine_A]


def _own_reach(tree: GameTree, seat: int, p_A: Floats) -> Floats:
    """Returns the probability ``[I]`` with which the seat's own earlier choices lead to each information set."""
    reach_I = np.ones(len(tree.information_sets))
    previous_I = tree.orders[seat].previous_I
    for level in reversed(recalling_levels(tree, tree.seats[seat])):
        sets = tree.set_A[level.slots[level.set_starts]]
        led = sets[previous_I[sets] != NO_SLOT]
        reach_I[led] = reach_I[tree.set_A[previous_I[led]]] * p_A[previous_I[led]]
    return reach_I


def _normalised(tree: GameTree, weight_A: Floats) -> Floats:
    """Returns weights as probabilities per information set, uniform where all are zero."""
    total_A = np.bincount(tree.set_A, weights=weight_A)[tree.set_A]
    size_A = np.bincount(tree.set_A)[tree.set_A]
    return np.where(total_A > 0, weight_A / np.where(total_A > 0, total_A, 1.0), 1.0 / size_A)


def _require_recall(tree: GameTree) -> None:
    for place, seat in enumerate(tree.seats):
        recalling_levels(tree, seat)
        forgotten = np.flatnonzero(tree.orders[place].previous_I == SEVERAL_SLOTS)
        if len(forgotten):
            key = tree.information_sets[int(forgotten[0])].key
            raise CapabilityError(
                f"{tree.game}: expected perfect recall of {seat!r} for CFR+, got the information set {key!r}, which is "
                "reached by different own actions; name information sets with perfect recall"
            )
