"""Exact solutions of enumerated games: expected returns, best responses, NashConv, minimax and the value.

A strategy of one seat maps information keys to probabilities of actions; strategies map seats to those. Every
function is one or two sweeps over the levels of a ``GameTree``. Ties go to the first action in the game's order.

A best response assumes that its seat remembers what it knew and did (see ``arena.tree_order``); a tree where it does
not is refused by name. The value of a game with hidden information comes from CFR+ with the bounds that its best
responses prove, because an exact linear program would need a solver that this package does not depend on.

Shapes: N nodes, E edges, A slots (one per information set and action).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.errors import CapabilityError, InputError
from arena.game_tree import GameTree, InformationSet
from arena.tree_order import Level
from arena.types import Observation

Strategy = Mapping[str, Mapping[str, float]]
"""One seat: information key -> action -> probability."""

Floats = NDArray[np.float64]

TOLERANCE = 1e-6
"""How far the probabilities of one information set may be from summing to 1."""

TIE = 1e-12
"""Actions whose values differ by no more are equally good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NashConv:
    """How far strategies are from an equilibrium.

    Attributes:
        value: the sum of the gains; 0 exactly at a Nash equilibrium.
        gains: what each seat could gain by best responding to the others.
        returns: what each seat expects when all keep their strategies.
    """

    value: float
    gains: Mapping[str, float]
    returns: Mapping[str, float]


def expected_returns(tree: GameTree, strategies: Mapping[str, Strategy]) -> dict[str, float]:
    """Returns what each seat expects when all follow their strategies.

    Raises:
        InputError: a seat, an information key or probability mass is missing.
    """
    p_E = edge_probabilities(tree, {seat: slot_probabilities(tree, strategies, seat) for seat in tree.seats})
    values_NS = tree.returns_NS.copy()
    for level in tree.levels:
        flow = p_E[level.edges, None] * values_NS[tree.edges.child_E[level.edges]]
        values_NS[level.nodes] = np.add.reduceat(flow, level.starts, axis=0)
    return {seat: float(value) for seat, value in zip(tree.seats, values_NS[0], strict=True)}


def best_response(tree: GameTree, strategies: Mapping[str, Strategy], seat: str) -> tuple[float, dict[str, str]]:
    """Returns the most that ``seat`` can expect against the others' strategies, and how.

    Args:
        tree: the enumerated game.
        strategies: of the other seats; ``seat``'s own is not read.
        seat: who responds.

    Returns:
        The value, and an action for every information key of the seat (the first legal one where the others never
        let it come).

    Raises:
        CapabilityError: the seat has forgotten something that matters to a best response.
        InputError: a strategy is incomplete.
    """
    others = {other: slot_probabilities(tree, strategies, other) for other in tree.seats if other != seat}
    return _respond(tree, others, seat)


def _respond(tree: GameTree, others: Mapping[str, Floats], seat: str) -> tuple[float, dict[str, str]]:
    order = recalling_levels(tree, seat)
    edges = tree.edges
    p_E = edge_probabilities(tree, others)
    weight_N = reach_probabilities(tree, order, p_E)
    value_N = tree.returns_NS[:, tree.seat_index(seat)].copy()
    chosen_A = np.zeros(tree.slots)
    for level in order:
        if len(level.slots):
            own = level.own_edges
            gain_A = slot_gains(tree, own, weight_N, value_N)
            chosen_A[_first_best(gain_A, level)] = 1.0
            p_E[own] = chosen_A[edges.slot_E[own]]
        value_N[level.nodes] = np.add.reduceat(p_E[level.edges] * value_N[edges.child_E[level.edges]], level.starts)
    actions = {info.key: info.actions[int(chosen_A[_span(info)].argmax())] for info in tree.sets_of(seat)}
    return float(value_N[0]), actions


def nash_conv(tree: GameTree, strategies: Mapping[str, Strategy]) -> NashConv:
    """Returns NashConv: the sum over seats of what a best response would gain (Lanctot et al., arXiv 1711.00832).

    Raises:
        CapabilityError: a seat has forgotten something that matters to a best response.
        InputError: a strategy is incomplete.
    """
    returns = expected_returns(tree, strategies)
    gains = {seat: best_response(tree, strategies, seat)[0] - returns[seat] for seat in tree.seats}
    return NashConv(value=sum(gains.values()), gains=gains, returns=returns)


def minimax(tree: GameTree) -> tuple[float, dict[str, dict[str, dict[str, float]]]]:
    """Solves a two-seat zero-sum game of perfect information by backward induction.

    Returns:
        The first seat's value, and for each seat the strategy that mixes all optimal actions uniformly.

    Raises:
        CapabilityError: the game is not of that kind.
    """
    require_zero_sum(tree)
    if not tree.perfect_information:
        hidden = next(info for info in tree.information_sets if info.nodes > 1)
        raise CapabilityError(
            f"{tree.game}: expected perfect information for minimax, got {hidden.nodes} states under "
            f"{hidden.key!r} of {hidden.seat!r}; use approximate_equilibrium"
        )
    edges = tree.edges
    sign_E = np.where(edges.seat_E == 1, -1.0, 1.0)
    p_E, value_N = edges.chance_E.copy(), tree.returns_NS[:, 0].copy()
    for level in tree.levels:
        picked = level.edges
        value = value_N[edges.child_E[picked]]
        counts = np.diff(level.starts, append=len(picked))
        best = np.repeat(np.maximum.reduceat(sign_E[picked] * value, level.starts), counts)
        optimal = (sign_E[picked] * value >= best - TIE).astype(float)
        share = optimal / np.repeat(np.add.reduceat(optimal, level.starts), counts)
        p_E[picked] = np.where(edges.slot_E[picked] >= 0, share, p_E[picked])
        value_N[level.nodes] = np.add.reduceat(p_E[picked] * value, level.starts)
    p_A = np.zeros(tree.slots)
    decided = edges.slot_E >= 0
    p_A[edges.slot_E[decided]] = p_E[decided]
    return float(value_N[0]), named_strategies(tree, p_A)


def uniform_strategy(tree: GameTree) -> dict[str, dict[str, dict[str, float]]]:
    """Returns the strategies that choose among all legal actions alike."""
    size_I = np.array([len(info.actions) for info in tree.information_sets])
    return named_strategies(tree, 1.0 / size_I[tree.set_A])


def tabulate(
    tree: GameTree, seat: str, play: Callable[[Observation], Mapping[str, float]]
) -> dict[str, dict[str, float]]:
    """Returns the strategy of a player that is given as a function of the observation.

    Args:
        tree: the enumerated game.
        seat: where the player sits.
        play: returns the probability of each legal action at an observation.
    """
    return {info.key: dict(play(info.observation)) for info in tree.sets_of(seat)}


def named_strategies(tree: GameTree, p_A: Floats) -> dict[str, dict[str, dict[str, float]]]:
    """Returns strategies by seat, key and action from probabilities by slot."""
    found: dict[str, dict[str, dict[str, float]]] = {seat: {} for seat in tree.seats}
    for info in tree.information_sets:
        found[info.seat][info.key] = dict(zip(info.actions, p_A[_span(info)].tolist(), strict=True))
    return found


def slot_probabilities(tree: GameTree, strategies: Mapping[str, Strategy], seat: str) -> Floats:
    """Returns the probability of each slot ``[A]``, 1 at the slots of other seats.

    Raises:
        InputError: the seat or one of its keys is missing, or probabilities are negative, of unknown actions, or do
            not sum to 1.
    """
    if seat not in strategies:
        raise InputError(f"strategies: expected seat {seat!r} of {tree.game}, got {sorted(strategies)}; add it")
    strategy, p_A = strategies[seat], np.ones(tree.slots)
    for info in tree.sets_of(seat):
        if info.key not in strategy:
            raise InputError(
                f"strategies[{seat!r}]: expected the information key {info.key!r} of {tree.game}, got a strategy "
                f"of {len(strategy)} keys without it; give every key of tree.sets_of({seat!r})"
            )
        p_A[_span(info)] = _checked(strategy[info.key], info)
    return p_A


def edge_probabilities(tree: GameTree, by_seat: Mapping[str, Floats]) -> Floats:
    """Returns the probability of each edge ``[E]``; 1 at decisions of seats that are not in ``by_seat``."""
    p_E = tree.edges.chance_E.copy()
    for seat, p_A in by_seat.items():
        own = tree.edges.seat_E == tree.seat_index(seat)
        p_E[own] = p_A[tree.edges.slot_E[own]]
    return p_E


def reach_probabilities(tree: GameTree, order: tuple[Level, ...], p_E: Floats) -> Floats:
    """Returns the probability of reaching each node ``[N]`` (a sum over the paths to a merged node)."""
    reach_N = np.zeros(tree.nodes)
    reach_N[0] = 1.0
    for level in reversed(order):
        parent, child = tree.edges.parent_E[level.edges], tree.edges.child_E[level.edges]
        np.add.at(reach_N, child, reach_N[parent] * p_E[level.edges])
    return reach_N


def slot_gains(tree: GameTree, own: NDArray[np.int64], weight_N: Floats, value_N: Floats) -> Floats:
    """Returns for each slot ``[A]`` the value behind it: the weighted sum over the edges ``own`` that belong to it."""
    gain_A = np.zeros(tree.slots)
    np.add.at(gain_A, tree.edges.slot_E[own], weight_N[tree.edges.parent_E[own]] * value_N[tree.edges.child_E[own]])
    return gain_A


def recalling_levels(tree: GameTree, seat: str) -> tuple[Level, ...]:
    """Returns the levels in which ``seat`` decides, deepest first.

    Raises:
        CapabilityError: the seat has forgotten something that matters to a best response.
    """
    order = tree.orders[tree.seat_index(seat)]
    if order.levels is None or order.forgetful_set >= 0:
        key = tree.information_sets[order.forgetful_set].key if order.forgetful_set >= 0 else "one that repeats"
        raise CapabilityError(
            f"{tree.game}: expected perfect recall of {seat!r} for a best response, got the information set {key!r}, "
            "which is reached by different own actions; name information sets with perfect recall"
        )
    return order.levels


def require_zero_sum(tree: GameTree) -> None:
    """Refuses a game that is not zero-sum or has other than two seats.

    Raises:
        CapabilityError: it is not.
    """
    if len(tree.seats) != 2 or np.abs(tree.returns_NS.sum(axis=1)).max() > TIE:
        raise CapabilityError(
            f"{tree.game}: expected a zero-sum game of two seats, got seats {tree.seats} whose returns do not cancel; "
            "use nash_conv, which takes any game"
        )


def _checked(given: Mapping[str, float], info: InformationSet) -> list[float]:
    p = [float(given.get(action, 0.0)) for action in info.actions]
    if not (abs(sum(p) - 1.0) <= TOLERANCE and min(p) >= 0.0 and given.keys() <= set(info.actions)):
        raise InputError(
            f"strategies[{info.seat!r}][{info.key!r}]: expected probabilities of {info.actions} that sum to 1, "
            f"got {dict(given)!r}; normalise over the legal actions"
        )
    return p


def _span(info: InformationSet) -> slice:
    return slice(info.first_slot, info.first_slot + len(info.actions))


def _first_best(gain_A: Floats, level: Level) -> NDArray[np.int64]:
    """Returns for each information set of the level the first slot of greatest gain."""
    gain = gain_A[level.slots]
    counts = np.diff(level.set_starts, append=len(gain))
    best = np.repeat(np.maximum.reduceat(gain, level.set_starts), counts)
    rank = np.where(gain == best, np.arange(len(gain)), len(gain))
    return level.slots[np.minimum.reduceat(rank, level.set_starts)]
