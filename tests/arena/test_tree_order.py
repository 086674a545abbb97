"""The orders in which a tree is evaluated, and what a seat has forgotten."""

from __future__ import annotations

import numpy as np

from arena.game import games
from arena.game_tree import game_tree
from arena.tree_order import NO_SLOT, SEVERAL_SLOTS, Edges, depths, spans
from arena.types import Task


def edges(*pairs: tuple[int, int]) -> Edges:
    ordered = sorted(pairs)
    count = len(ordered)
    return Edges(
        nodes=1 + max(max(pair) for pair in pairs),
        parent_E=np.array([parent for parent, _ in ordered]),
        child_E=np.array([child for _, child in ordered]),
        slot_E=np.full(count, NO_SLOT),
        seat_E=np.full(count, -1),
        chance_E=np.ones(count),
    )


def test_spans_concatenates_ranges() -> None:
    assert spans(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist() == [5, 6, 9, 10, 11]
    assert spans(np.array([], dtype=int), np.array([], dtype=int)).tolist() == []


def test_depth_is_the_longest_way_from_the_root() -> None:
    found = depths(edges((0, 1), (0, 2), (1, 2), (2, 3)), np.arange(4))
    assert found is not None
    assert found.tolist() == [0, 1, 2, 3]


def test_a_cycle_has_no_depths() -> None:
    assert depths(edges((0, 1), (1, 2), (2, 1)), np.arange(3)) is None


def test_a_group_shares_its_depth_and_may_not_precede_itself() -> None:
    tree = edges((0, 1), (0, 2), (1, 3), (2, 4), (4, 5))
    together = depths(tree, np.array([0, 1, 2, 3, 3, 4]))  # nodes 3 and 4 are one information set
    assert together is not None
    assert together.tolist() == [0, 1, 1, 2, 2, 3]
    assert depths(tree, np.array([0, 1, 2, 3, 2, 4])) is None  # nodes 2 and 4 follow each other


def test_kuhn_remembers_its_own_last_action() -> None:
    tree = game_tree(games.make("kuhn_poker-v0"), Task(game="kuhn_poker-v0"))
    previous = tree.orders[0].previous_I
    for index, info in enumerate(tree.information_sets):
        slot = int(previous[index])
        if info.seat == "first" and info.key.endswith("check bet"):
            source = tree.information_sets[int(tree.set_A[slot])]
            assert (source.key, source.actions[slot - source.first_slot]) == (info.key.split()[0], "check")
        else:
            assert slot == NO_SLOT


def test_merged_boards_forget_the_order_of_moves_and_it_does_not_matter() -> None:
    tree = game_tree(games.make("tic_tac_toe-v0"), Task(game="tic_tac_toe-v0"))
    for order in tree.orders:
        assert SEVERAL_SLOTS in order.previous_I.tolist()
        assert order.forgetful_set == -1
        assert order.levels is not None
