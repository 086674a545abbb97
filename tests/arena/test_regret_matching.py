"""The value of games with hidden information, and the bounds that come with it."""

from __future__ import annotations

import pytest

from arena.errors import CapabilityError, InputError
from arena.game import games
from arena.game_tree import GameTree, game_tree
from arena.regret_matching import approximate_equilibrium, game_value
from arena.solutions import nash_conv
from arena.types import Task


def tree_of(name: str) -> GameTree:
    return game_tree(games.make(name), Task(game=name))


def test_kuhn_is_worth_minus_one_eighteenth_to_the_first_seat() -> None:
    found = game_value(tree_of("kuhn_poker-v0"), within=1e-4)
    assert found.method == "cfr+"
    assert found.low <= -1 / 18 <= found.high  # Kuhn 1950
    assert found.high - found.low <= 1e-4
    assert found.value == pytest.approx(-1 / 18, abs=5e-5)


def test_the_bounds_are_the_nash_conv_of_the_strategies() -> None:
    tree = tree_of("kuhn_poker-v0")
    found = approximate_equilibrium(tree, within=0.0, most_iterations=60)
    assert found.iterations == 60
    assert nash_conv(tree, found.strategies).value == pytest.approx(found.high - found.low, abs=1e-12)
    assert 0 < found.high - found.low < 0.05


def test_simultaneous_moves() -> None:
    found = game_value(tree_of("rock_paper_scissors-v0"), within=1e-6)
    assert found.value == pytest.approx(0, abs=1e-6)


def test_perfect_information_is_exact() -> None:
    found = game_value(tree_of("tic_tac_toe-v0"))
    assert (found.value, found.low, found.high, found.method, found.iterations) == (0, 0, 0, "minimax", 0)


def test_forgetting_seats_are_refused() -> None:
    # Tic-tac-toe's boards forget the order of moves: harmless for best responses, not for average strategies.
    with pytest.raises(CapabilityError, match="perfect recall of 'x' for CFR"):
        approximate_equilibrium(tree_of("tic_tac_toe-v0"))


def test_no_iterations_are_refused() -> None:
    with pytest.raises(InputError, match="most_iterations: expected at least 1, got 0"):
        game_value(tree_of("kuhn_poker-v0"), most_iterations=0)
