"""In which order the nodes of a game tree can be evaluated, and whether a seat remembers what it knew.

Exact solutions are sweeps over levels: every child lies on a deeper level than its parents, so one pass from the
deepest level up gives values and one pass down gives reach probabilities. A best response needs more: all nodes of
an information set must be decided at once, after everything that follows any of them. Contracting each information
set of the seat to one point gives such levels exactly when none of its sets can precede itself.

A best response by levels is exact under perfect recall. Information sets of a single node are exempt, because there
is nothing to forget about where one stands: so merged boards, which forget the order of the moves, are fine.

Shapes: N nodes, E edges (those of one parent lie together), A slots, I information sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

NO_SLOT = -1
"""The seat has not acted yet."""

SEVERAL_SLOTS = -2
"""The seat may have acted differently before: it has forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edges:
    """The edges of a game tree, sorted by parent.

    Attributes:
        nodes: how many nodes there are.
        parent_E: the node an edge leaves.
        child_E: the node it enters.
        slot_E: the pair of information set and action, -1 at chance.
        seat_E: the position of the seat that decides, -1 at chance.
        chance_E: the probability of a chance outcome, 1 at decisions.
    """

    nodes: int
    parent_E: Ints
    child_E: Ints
    slot_E: Ints
    seat_E: Ints
    chance_E: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Level:
    """Nodes that can be evaluated together.

    Attributes:
        nodes: the non-terminal nodes of the level.
        edges: their edges, those of one node together.
        starts: where each node's edges begin in ``edges``.
        own_edges: those of ``edges`` at which the order's seat decides (empty in an order of no seat).
        slots: the slots of the seat's information sets on this level, those of one set together.
        set_starts: where each set's slots begin in ``slots``.
    """

    nodes: Ints
    edges: Ints
    starts: Ints
    own_edges: Ints
    slots: Ints
    set_starts: Ints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeatOrder:
    """How to compute a best response of one seat.

    Attributes:
        levels: deepest first; ``None`` when the seat's information sets have no order.
        previous_I: for each information set of the seat the slot it chose last before it, ``NO_SLOT`` or
            ``SEVERAL_SLOTS``; ``NO_SLOT`` for the sets of other seats.
        forgetful_set: an information set at which the seat has forgotten something that matters, or -1.
    """

    levels: tuple[Level, ...] | None
    previous_I: Ints
    forgetful_set: int


def spans(starts: Ints, counts: Ints) -> Ints:
    """Returns the concatenation of the ranges ``[start, start + count)``."""
    ends = np.cumsum(counts)
    offsets: Ints = np.repeat(starts - (ends - counts), counts)
    return np.arange(len(offsets)) + offsets


def depths(edges: Edges, group_N: Ints) -> Ints | None:
    """Returns each node's depth ``[N]``: nodes of one group share it, children lie deeper than their parents.

    Args:
        edges: the tree.
        group_N: the group of each node; ``arange(N)`` for none.

    Returns:
        The depths, or ``None`` when a group can precede itself.
    """
    groups = int(group_N.max()) + 1
    leaving, entering = group_N[edges.parent_E], group_N[edges.child_E]
    entering = entering[np.argsort(leaving, kind="stable")]
    count = np.bincount(leaving, minlength=groups)
    start = np.cumsum(count) - count
    waiting = np.bincount(entering, minlength=groups)
    depth, frontier, seen, level = np.zeros(groups, dtype=np.int64), np.flatnonzero(waiting == 0), 0, 0
    while len(frontier):
        depth[frontier] = level
        seen, level = seen + len(frontier), level + 1
        targets = entering[spans(start[frontier], count[frontier])]
        np.subtract.at(waiting, targets, 1)
        frontier = np.unique(targets[waiting[targets] == 0])
    return depth[group_N] if seen == groups else None


def levels(edges: Edges, depth_N: Ints, seat: int = -2, set_A: Ints | None = None) -> tuple[Level, ...]:
    """Returns the levels, deepest first.

    Args:
        edges: the tree.
        depth_N: from ``depths``.
        seat: whose decisions are picked out; none by default.
        set_A: the information set of each slot, needed with ``seat``.
    """
    count_N = np.bincount(edges.parent_E, minlength=edges.nodes)
    start_N = np.cumsum(count_N) - count_N
    inner = np.flatnonzero(count_N)
    inner = inner[np.argsort(depth_N[inner], kind="stable")]
    bounds = np.flatnonzero(np.diff(depth_N[inner])) + 1
    found = []
    for nodes in reversed(np.split(inner, bounds)):
        picked = spans(start_N[nodes], count_N[nodes])
        own = picked[edges.seat_E[picked] == seat]
        slots = np.unique(edges.slot_E[own])
        first = np.zeros(0, dtype=np.int64) if set_A is None else _run_starts(set_A[slots])
        starts = np.cumsum(count_N[nodes]) - count_N[nodes]
        found.append(Level(nodes=nodes, edges=picked, starts=starts, own_edges=own, slots=slots, set_starts=first))
    return tuple(found) if len(inner) else ()


def longest_play(edges: Edges, order: tuple[Level, ...]) -> int:
    """Returns the greatest number of decisions on any line of play."""
    longest_N = np.zeros(edges.nodes, dtype=np.int64)
    for level in reversed(order):
        parent, child = edges.parent_E[level.edges], edges.child_E[level.edges]
        np.maximum.at(longest_N, child, longest_N[parent] + (edges.seat_E[level.edges] >= 0))
    return int(longest_N.max())


def seat_order(edges: Edges, order: tuple[Level, ...], set_A: Ints, seat: int) -> SeatOrder:
    """Returns the order in which ``seat`` decides, and whether it remembers enough for a best response."""
    least_N, most_N = _last_slots(edges, order, seat)
    own = edges.seat_E == seat
    node, info = edges.parent_E[own], set_A[edges.slot_E[own]]
    sets = int(set_A.max()) + 1 if len(set_A) else 0
    least_I, most_I = np.full(sets, len(set_A)), np.full(sets, NO_SLOT)
    np.minimum.at(least_I, info, least_N[node])
    np.maximum.at(most_I, info, most_N[node])
    mine_I = np.bincount(info, minlength=sets) > 0
    mixed_I = mine_I & (least_I != most_I)
    size_I = np.bincount(info[_run_starts(node)], minlength=sets)
    forgetful = np.flatnonzero(mixed_I & (size_I > 1))
    group_N = np.arange(edges.nodes)
    group_N[node] = edges.nodes + info
    depth_N = depths(edges, np.unique(group_N, return_inverse=True)[1])
    return SeatOrder(
        levels=None if depth_N is None else levels(edges, depth_N, seat, set_A),
        previous_I=np.where(mixed_I, SEVERAL_SLOTS, np.where(mine_I, most_I, NO_SLOT)),
        forgetful_set=int(forgetful[0]) if len(forgetful) else -1,
    )


def _last_slots(edges: Edges, order: tuple[Level, ...], seat: int) -> tuple[Ints, Ints]:
    """Returns the least and the greatest slot that ``seat`` may have chosen last before each node."""
    least_N, most_N = np.full(edges.nodes, np.iinfo(np.int64).max), np.full(edges.nodes, NO_SLOT)
    least_N[0] = NO_SLOT
    for level in reversed(order):
        own = edges.seat_E[level.edges] == seat
        parent, child, slot = (column[level.edges] for column in (edges.parent_E, edges.child_E, edges.slot_E))
        np.minimum.at(least_N, child, np.where(own, slot, least_N[parent]))
        np.maximum.at(most_N, child, np.where(own, slot, most_N[parent]))
    return least_N, most_N


def _run_starts(values: Ints) -> Ints:
    """Returns where each run of equal values begins."""
    return np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])) if len(values) else values
