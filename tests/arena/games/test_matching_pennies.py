"""Matching pennies: the payoff matrix, its only equilibrium, and that nobody sees the other's choice."""

from itertools import product
from pathlib import Path

import pytest

from arena.game_tree import game_tree
from arena.games.matching_pennies import MatchingPennies, Pennies
from arena.regret_matching import game_value
from arena.solutions import nash_conv, uniform_strategy
from arena.testing import check_game
from arena.types import Task

GOLDEN = Path(__file__).parents[2] / "golden" / "matching_pennies.txt"
GAME = MatchingPennies()
TREE = game_tree(GAME, Task(game="matching_pennies-v0"))


@pytest.mark.parametrize(("even", "odd"), list(product(("heads", "tails"), repeat=2)))
def test_payoffs(even, odd):
    state = GAME.step(Pennies(), {"odd": odd, "even": even})
    assert state == Pennies((even, odd))
    gain = 1.0 if even == odd else -1.0
    assert GAME.returns(state) == {"even": gain, "odd": -gain}


@pytest.mark.parametrize(("even", "odd"), list(product((0.0, 0.25, 0.5, 1.0), repeat=2)))
def test_nash_conv_of_every_mix(even, odd):
    # By hand: against heads with probability q even gains |2q - 1| at best, and so does odd; the returns cancel. So
    # pure against pure is 2, and 0 only where both are fair.
    mixed = {
        seat: {"choice": {"heads": p, "tails": 1 - p}} for seat, p in zip(GAME.spec.seats, (even, odd), strict=True)
    }
    assert nash_conv(TREE, mixed).value == pytest.approx(abs(2 * even - 1) + abs(2 * odd - 1), abs=1e-12)


def test_the_uniform_mix_is_the_equilibrium_and_the_value_is_0():
    assert nash_conv(TREE, uniform_strategy(TREE)).value == pytest.approx(0.0, abs=1e-12)
    value = game_value(TREE, within=1e-3)
    assert value.low <= 0.0 <= value.high and value.high - value.low <= 1e-3


def test_texts_and_keys():
    after = Pennies(("heads", "tails"))
    assert GAME.observe(Pennies(), "even").text == (
        "You are even. You win if the pennies match. You may show heads or tails."
    )
    assert GAME.observe(after, "odd").text == (
        "You are odd. You win if the pennies differ. You showed tails. The opponent showed heads."
    )
    assert GAME.observe(after, "odd").legal_actions == ()
    assert [GAME.state_text(state) for state in (Pennies(), after)] == [
        "Nobody has shown a penny.",
        "even heads | odd tails",
    ]
    assert [GAME.information_key(state, "odd") for state in (Pennies(), after)] == ["choice", "heads tails"]


def test_it_keeps_the_contract():
    assert check_game(GAME).information_sets == 2
