"""Colonel Blotto against OpenSpiel's: the same allocations, the same pay in every cell, the same NashConv."""

from math import comb
from pathlib import Path

import pyspiel
import pytest
from open_spiel.python.algorithms import exploitability
from open_spiel.python.policy import UniformRandomPolicy

from arena.errors import ConfigError
from arena.game_tree import game_tree
from arena.games.blotto import Battle, Blotto, allocations
from arena.regret_matching import game_value
from arena.solutions import nash_conv, uniform_strategy
from arena.testing import check_game
from arena.types import Task

GOLDEN = Path(__file__).parents[2] / "golden" / "blotto.txt"
GAME = Blotto()


def task(**params):
    return Task(game="blotto-v0", params=params)


def theirs(coins, fields):
    return pyspiel.load_game("blotto", {"coins": coins, "fields": fields, "players": 2})


@pytest.mark.parametrize(("coins", "fields"), [(5, 3), (6, 3), (3, 4)])
def test_every_cell_pays_as_in_openspiel(coins, fields):
    start = theirs(coins, fields).new_initial_state()
    names = {
        start.action_to_string(0, action).strip("[]").replace(",", " "): action for action in start.legal_actions(0)
    }
    assert set(names) == set(allocations(coins, fields))
    for first, one in names.items():
        for second, two in names.items():
            other = start.clone()
            other.apply_actions([one, two])
            assert list(GAME.returns(Battle(coins, fields, (first, second))).values()) == other.returns()


@pytest.mark.parametrize(("coins", "fields"), [(5, 3), (3, 4)])
def test_uniform_nash_conv_agrees_with_openspiel(coins, fields):
    tree = game_tree(GAME, task(coins=coins, fields=fields))
    turns = pyspiel.convert_to_turn_based(theirs(coins, fields))
    expected = exploitability.nash_conv(turns, UniformRandomPolicy(turns))
    assert expected > 0.1
    assert nash_conv(tree, uniform_strategy(tree)).value == pytest.approx(expected, abs=1e-9)


def test_the_value_is_0():
    # Symmetric and zero-sum.
    value = game_value(game_tree(GAME, task()), within=0.01)
    assert value.low <= 0.0 <= value.high and value.high - value.low <= 0.01


def test_counts():
    assert all(len(allocations(c, f)) == comb(c + f - 1, f - 1) for c in range(1, 7) for f in (3, 4))
    assert len(GAME.spec.actions) == sum(comb(c + f - 1, f - 1) for c in range(1, 7) for f in (3, 4)) == 292
    tree = game_tree(GAME, task())
    assert (tree.terminals, len(tree.information_sets)) == (21 * 21, 2)


def test_texts_and_keys():
    start = GAME.reset(task(coins=1))
    seen = GAME.observe(start, "first")
    assert seen.text == "1 coin, 3 fields. You may place 0 0 1, 0 1 0, 1 0 0."
    assert seen.legal_actions == ("0 0 1", "0 1 0", "1 0 0")
    assert GAME.observe(GAME.reset(task()), "second").text.startswith("5 coins, 3 fields. You may place 0 0 5, 0 1 4, ")
    after = GAME.step(start, {"second": "1 0 0", "first": "0 1 0"})
    assert GAME.observe(after, "second").text == "You placed 1 0 0. The opponent placed 0 1 0."
    assert [GAME.information_key(state, "first") for state in (start, after)] == ["1 on 3", "1 on 3 | 0 1 0 | 1 0 0"]
    assert GAME.state_text(after) == "first  0 1 0\nsecond 1 0 0"
    assert GAME.returns(after) == {"first": 0.0, "second": 0.0}
    # Two fields by one coin each beat five coins on the third.
    assert GAME.returns(Battle(5, 3, ("0 0 5", "2 2 1"))) == {"first": -1.0, "second": 1.0}


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"coins": 7}, r"task.params.coins: expected a whole number from 1 to 6, got 7"),
        ({"coins": "5"}, r"task.params.coins: .* got '5'"),
        ({"fields": 2}, r"task.params.fields: expected a whole number from 3 to 4, got 2"),
        ({"fields": True}, r"task.params.fields: .* got True"),
    ],
)
def test_bad_params(params, message):
    with pytest.raises(ConfigError, match=message):
        GAME.reset(task(**params))


def test_it_keeps_the_contract():
    tasks = [task(), task(coins=1), task(coins=3, fields=4)]
    assert check_game(GAME, tasks=tasks, episodes=3).information_sets == 6
    biggest = GAME.observe(GAME.reset(task(coins=6, fields=4)), "first")
    assert len(biggest.text) < GAME.spec.text_bytes
