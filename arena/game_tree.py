"""A finite game, enumerated once: every chance outcome and every legal action, as flat arrays.

A game that names its own information sets (``Game.information_key``) does so from the state alone, so equal states
are one node however they were reached (tic-tac-toe: 5,478 nodes instead of 549,946 histories). Under the default key,
a seat's own past, nodes are equal when the state and every seat's past are. Seats that move at once become
successive nodes inside the joint step; the later seat's information set holds one node per hidden choice of the
earlier ones.

Assumed: what ``Game`` promises (pure methods, hashable states), and that an episode ends within ``spec.max_turns``
(otherwise play would be truncated where the tree is not). Left out: games with calls to verifiers, and free text.

Shapes: N nodes, E edges, I information sets, A slots (one per information set and action), S seats.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import CapabilityError
from arena.game import Game
from arena.tree_draft import Draft
from arena.tree_order import Edges, Level, SeatOrder, depths, levels, longest_play, seat_order
from arena.types import Observation, Task


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationSet:
    """The decisions that one seat cannot tell apart.

    Attributes:
        seat: who decides.
        key: the information key.
        observation: what the seat is shown; the same text at every node of the set.
        actions: the legal actions, in the game's order.
        first_slot: where its actions begin in vectors over all slots ``[A]``.
        nodes: how many nodes it holds; 1 means that the seat knows the state.
    """

    seat: str
    key: str
    observation: Observation
    actions: tuple[str, ...]
    first_slot: int
    nodes: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GameTree:
    """An enumerated game; node 0 is the root.

    Attributes:
        game: the registered id.
        task: the task that was enumerated.
        seats: in canonical order.
        information_sets: in the order of discovery (breadth first), ``[I]``.
        nodes: how many nodes there are.
        terminals: how many of them end the game.
        returns_NS: the seats' returns at terminal nodes, 0 elsewhere.
        edges: parent, child, slot and chance probability of every edge.
        levels: an order of evaluation in which children come before their parents.
        orders: for each seat an order in which, besides, all of an information set is evaluated at once.
        set_A: the information set of each slot.
    """

    game: str
    task: Task
    seats: tuple[str, ...]
    information_sets: tuple[InformationSet, ...]
    nodes: int
    terminals: int
    returns_NS: NDArray[np.float64]
    edges: Edges
    levels: tuple[Level, ...]
    orders: tuple[SeatOrder, ...]
    set_A: NDArray[np.int64]

    @property
    def slots(self) -> int:
        """How many pairs of information set and action there are."""
        return len(self.set_A)

    @property
    def perfect_information(self) -> bool:
        """Whether every seat knows the whole state at every decision."""
        return all(info.nodes == 1 for info in self.information_sets)

    def sets_of(self, seat: str) -> tuple[InformationSet, ...]:
        """Returns the information sets of one seat, in the order of discovery.

        Raises:
            CapabilityError: the game has no such seat.
        """
        self.seat_index(seat)
        return tuple(info for info in self.information_sets if info.seat == seat)

    def seat_index(self, seat: str) -> int:
        """Returns the position of a seat.

        Raises:
            CapabilityError: the game has no such seat.
        """
        if seat not in self.seats:
            raise CapabilityError(f"{self.game}: expected a seat of the game, got {seat!r}; seats: {self.seats}")
        return self.seats.index(seat)


def game_tree(game: Game[Any], task: Task, *, most_nodes: int = 1_000_000) -> GameTree:
    """Enumerates a finite game.

    Args:
        game: the rules.
        task: what to play; its seed does not matter, chance is enumerated.
        most_nodes: gives up past so many nodes (a Kuhn node takes about 1 KB while the tree grows).

    Raises:
        CapabilityError: the game declares that it cannot be enumerated, calls a verifier, takes free text, repeats
            a state, outlasts ``spec.max_turns`` or outgrows ``most_nodes``.
        GameError: the game broke its contract (chance that does not sum to 1, two observations under one key, ...).
    """
    if not game.spec.capabilities.enumerate:
        raise CapabilityError(
            f"{game.spec.id}: expected the capability 'enumerate', got a game without it; evaluate it by play"
        )
    draft = Draft(game, task, merged=type(game).information_key is not Game.information_key, most_nodes=most_nodes)
    if not draft.grow():
        draft = Draft(game, task, merged=False, most_nodes=most_nodes)
        draft.grow()
    return _finish(draft)


def _finish(draft: Draft) -> GameTree:
    spec = draft.game.spec
    found = tuple(
        InformationSet(
            seat=seat,
            key=key,
            observation=item.observation,
            actions=item.observation.legal_actions or (),
            first_slot=item.first_slot,
            nodes=item.nodes,
        )
        for (seat, key), item in draft.sets.items()
    )
    count = np.array([len(info.actions) for info in found], dtype=np.int64)
    set_A = np.repeat(np.arange(len(found)), count)
    edges = _edges(draft, found, set_A)
    depth_N = depths(edges, np.arange(edges.nodes))
    if depth_N is None:
        raise CapabilityError(f"{spec.id}: expected a game that never repeats a state, got a cycle; count plies in it")
    order = levels(edges, depth_N)
    if (longest := longest_play(edges, order)) > spec.max_turns:
        raise CapabilityError(
            f"{spec.id}: expected every line of play to end within max_turns={spec.max_turns}, got {longest} turns; "
            "raise max_turns, because truncated episodes have other values than the rules"
        )
    returns_NS = np.zeros((edges.nodes, len(spec.seats)))
    for number, values in draft.returns:
        returns_NS[number] = values
    return GameTree(
        game=spec.id,
        task=draft.task,
        seats=spec.seats,
        information_sets=found,
        nodes=edges.nodes,
        terminals=len(draft.returns),
        returns_NS=returns_NS,
        edges=edges,
        levels=order,
        orders=tuple(seat_order(edges, order, set_A, seat) for seat in range(len(spec.seats))),
        set_A=set_A,
    )


def _edges(draft: Draft, found: tuple[InformationSet, ...], set_A: NDArray[np.int64]) -> Edges:
    seats = draft.game.spec.seats
    seat_I = np.array([seats.index(info.seat) for info in found], dtype=np.int64)
    slot_E = np.array(draft.slot, dtype=np.int64)
    seat_E = np.full(len(slot_E), -1, dtype=np.int64)
    decision = slot_E >= 0
    seat_E[decision] = seat_I[set_A[slot_E[decision]]]
    return Edges(
        nodes=len(draft.points),
        parent_E=np.array(draft.parent, dtype=np.int64),
        child_E=np.array(draft.child, dtype=np.int64),
        slot_E=slot_E,
        seat_E=seat_E,
        chance_E=np.array(draft.chance, dtype=np.float64),
    )
