"""Every registered role and scripted player passes its check."""

from __future__ import annotations

from typing import Any

import pytest

from arena.game import games
from roles.role import roles, scripted_players
from roles.testing import check_role

PLAYED_ON: dict[str, tuple[list[str], dict[str, Any]]] = {
    "uniform": (["kuhn_poker-v0", "tic_tac_toe-v0", "rock_paper_scissors-v0"], {}),
    "always": (["kuhn_poker-v0"], {"preference": ("call", "bet")}),
    "always_bet": (["kuhn_poker-v0"], {}),
    "always_check": (["kuhn_poker-v0"], {}),
    "kuhn_equilibrium": (["kuhn_poker-v0"], {"alpha": 0.1}),
    "minimax": (["tic_tac_toe-v0"], {}),
    "equilibrium": (["leduc_poker-v0", "rock_paper_scissors-v0", "tic_tac_toe-v0"], {}),
}
"""Scripted player -> the games it is made for, and its knobs."""


@pytest.mark.parametrize("name", [name for name in roles if roles.factory(name).__module__.startswith("roles.")])
@pytest.mark.parametrize("game", games.names())
def test_role_on_every_game(name: str, game: str) -> None:
    check_role(roles.make(name), games.make(game))


def test_every_scripted_player_is_listed_here() -> None:
    assert set(PLAYED_ON) == set(scripted_players)


@pytest.mark.parametrize(("name", "game"), [(name, game) for name, (on, _) in PLAYED_ON.items() for game in on])
def test_scripted_player(name: str, game: str) -> None:
    check_role(scripted_players.make(name, **PLAYED_ON[name][1]), games.make(game))
