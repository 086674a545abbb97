"""PettingZoo's classic games, put in words."""

import importlib

import pytest

import arena
from arena.errors import ConfigError, InputError, UnknownNameError
from arena.game import games
from arena.testing import check_foreign
from arena.types import NotUnderstood, Payoff, Status, Task

NAMES = ["tictactoe-v3", "connect_four-v3", "rps-v2"]


@pytest.mark.parametrize("name", NAMES)
def test_they_conform(name):
    report = check_foreign(f"pettingzoo/{name}", episodes=3)
    assert report.layers == ("inside", "wrapped") and report.finished == 6


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_the_id_and_its_game_is_made_once(name):
    game = games.make(f"pettingzoo/{name}")
    assert game.spec.id == f"pettingzoo/{name}" and game.spec.payoff is Payoff.ZERO_SUM
    assert games.make(f"pettingzoo/{name}") is game
    assert arena.env(game) is not arena.env(game)


def test_cells_are_numbered_as_pettingzoo_does():
    env = arena.env("pettingzoo/tictactoe-v3")
    env.reset(seed=0)
    for cell in "512":
        env.step(cell)
    assert env.infos["player_2"]["text"] == "You are o.\n0 3 6\no 4 7\nx x 8\nYou may mark 0 3 4 6 7 8."
    # The middle row from left to right is 1 4 7, and o needs all three.
    for cell in "467":
        env.step(cell)
    assert env.infos["player_1"]["text"] == "You are x.\n0 3 x\no o o\nx x 8"
    assert (env.status, env.returns) == (Status.COMPLETED, {"player_1": -1.0, "player_2": 1.0})


def test_discs_fall_and_full_columns_are_closed():
    env = arena.env("pettingzoo/connect_four-v3")
    env.reset(seed=0)
    for column in "333333":
        env.step(column)
    text = env.infos["player_0"]["text"]
    assert text.splitlines()[:3] == ["You are x.", "0 1 2 3 4 5 6", ". . . o . . ."]
    assert text.endswith("You may drop a disc in column 0 1 2 4 5 6.")
    env.step("3")
    assert (env.reason, env.returns) == ("forfeit:player_0", {"player_0": -1.0, "player_1": 1.0})


def test_a_choice_is_not_seen_before_both_are_made():
    env = arena.env("pettingzoo/rps-v2")
    env.reset(seed=0)
    env.step("rock")
    assert env.infos["player_1"]["text"] == "This is the first round.\nYou may throw rock, paper or scissors."
    env.step("paper")
    assert env.infos["player_0"]["text"].startswith("In the round before, the other player threw paper.")
    assert env.returns == {"player_0": -1.0, "player_1": 1.0}
    env.step(NotUnderstood(reason="empty"))
    assert env.returns == {"player_0": -15.0, "player_1": 15.0}


def test_params_are_refused():
    with pytest.raises(ConfigError, match=r"task\.params of pettingzoo/rps-v2: expected none, got \['rounds'\]"):
        arena.env("pettingzoo/rps-v2").reset(options={"task": Task(game="pettingzoo/rps-v2", params={"rounds": 3})})


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("leduc_holdem-v4", InputError, "expected the module 'rlcard' for 'pettingzoo/leduc_holdem-v4', got none"),
        ("hanabi-v5", InputError, "expected the module 'shimmy' for 'pettingzoo/hanabi-v5', got none"),
        ("go-v5", InputError, "got 'pettingzoo/go-v5', whose observations are not put in words"),
        ("tictactoe-v2", UnknownNameError, "did you mean tictactoe-v3"),
        ("../os-v1", UnknownNameError, "expected a known name"),
    ],
)
def test_what_is_left_out_is_refused_by_name(name, error, message, monkeypatch):
    find = importlib.import_module

    def without(path, package=None):
        if path.endswith("leduc_holdem_v4"):
            raise ModuleNotFoundError("No module named 'rlcard'", name="rlcard")
        return find(path, package)

    monkeypatch.setattr("arena.adapters.pettingzoo_classic.importlib.import_module", without)
    with pytest.raises(error, match=message):
        games.make(f"pettingzoo/{name}")
