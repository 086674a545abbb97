"""Task parameters: a name that no game reads is refused wherever a task begins."""

import pytest

import arena
from arena.errors import ConfigError, GameError, UnknownNameError
from arena.game import games
from arena.game_tree import game_tree
from arena.params import check_known, whole_number
from arena.types import Task

GAME = games.make("liars_dice-v0")
TYPO = Task(game="liars_dice-v0", params={"face": 3})


def test_unknown_names_are_refused_with_the_nearest_known():
    with pytest.raises(UnknownNameError, match="expected a known name, got 'face'; did you mean faces"):
        check_known(GAME.spec, TYPO.params)
    check_known(GAME.spec, {"faces": 3, "dice": 1})


def test_play_and_solutions_refuse_them_too():
    with pytest.raises(UnknownNameError, match="got 'face'"):
        game_tree(GAME, TYPO)
    with pytest.raises(GameError, match="got 'face'"):
        arena.env(GAME).reset(options={"task": TYPO})


@pytest.mark.parametrize("value", [1, 7, 3.0, "3", True, None])
def test_whole_numbers_stay_in_their_range(value):
    task = Task(game=GAME.spec.id, params={"faces": value})
    with pytest.raises(ConfigError, match=r"task\.params\.faces: expected a whole number from 2 to 6, got .*for 6"):
        whole_number(GAME.spec, task, "faces", 2, 6)


def test_the_default_is_the_declared_one():
    assert whole_number(GAME.spec, Task(game=GAME.spec.id), "faces", 2, 6) == 6
    assert whole_number(GAME.spec, Task(game=GAME.spec.id, params={"faces": 4}), "faces", 2, 6) == 4


@pytest.mark.parametrize("name", games.names())
def test_declared_defaults_are_what_a_task_without_params_plays(name):
    game = games.make(name)
    said = {key: value for key, value in game.spec.params.items() if value is not None}
    assert game.reset(Task(game=name, params=said)) == game.reset(Task(game=name))
