"""Stag hunt: the payoff matrix and its three equilibria."""

from pathlib import Path

import pytest

from arena.errors import CapabilityError
from arena.game_tree import game_tree
from arena.games.stag_hunt import Hunt, StagHunt
from arena.solutions import expected_returns, nash_conv, require_zero_sum
from arena.testing import check_game
from arena.types import Task

GOLDEN = Path(__file__).parents[2] / "golden" / "stag_hunt.txt"
GAME = StagHunt()
TREE = game_tree(GAME, Task(game="stag_hunt-v0"))


def hunting(first, second):
    """Returns strategies from the seats' probabilities of the stag."""
    return {
        seat: {"hunt": {"stag": p, "hare": 1 - p}} for seat, p in zip(GAME.spec.seats, (first, second), strict=True)
    }


@pytest.mark.parametrize(
    ("first", "second", "pay"),
    [("stag", "stag", (4, 4)), ("stag", "hare", (0, 3)), ("hare", "stag", (3, 0)), ("hare", "hare", (3, 3))],
)
def test_payoffs(first, second, pay):
    state = GAME.step(Hunt(), {"second": second, "first": first})
    assert tuple(GAME.returns(state).values()) == pay


@pytest.mark.parametrize(
    ("first", "second", "pay"),
    [(1.0, 1.0, 4.0), (0.0, 0.0, 3.0), (0.75, 0.75, 3.0)],  # the mixed one: 4 p = 3
)
def test_three_equilibria(first, second, pay):
    strategies = hunting(first, second)
    assert nash_conv(TREE, strategies).value == pytest.approx(0.0, abs=1e-12)
    assert expected_returns(TREE, strategies) == pytest.approx({"first": pay, "second": pay})


def test_no_other_symmetric_equilibrium():
    near = {p / 100 for p in range(101)}
    assert {p for p in near if nash_conv(TREE, hunting(p, p)).value < 1e-9} == {0.0, 0.75, 1.0}


def test_missing_each_other_costs_the_stag_hunter_3_and_the_other_1():
    assert nash_conv(TREE, hunting(1.0, 0.0)).gains == {"first": 3.0, "second": 1.0}


def test_it_is_not_zero_sum():
    with pytest.raises(CapabilityError, match="do not cancel"):
        require_zero_sum(TREE)


def test_texts_and_keys():
    after = Hunt(("stag", "hare"))
    assert GAME.observe(Hunt(), "first").text == "You may hunt stag or hare."
    assert GAME.observe(after, "second").text == "You hunted the hare. The opponent hunted the stag."
    assert [GAME.state_text(state) for state in (Hunt(), after)] == ["Nobody has chosen.", "first stag | second hare"]
    assert [GAME.information_key(state, "first") for state in (Hunt(), after)] == ["hunt", "stag hare"]


def test_it_keeps_the_contract():
    assert check_game(GAME).information_sets == 2
