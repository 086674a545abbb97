"""Every registered game keeps the contract of games."""

import pytest

from arena.game import games
from arena.testing import check_game


@pytest.mark.parametrize("name", games.names())
def test_registered_game_passes_its_check(name):
    report = check_game(games.make(name))
    assert report.game == name
    assert report.states > 0 and report.information_sets > 0
