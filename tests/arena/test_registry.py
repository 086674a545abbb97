"""Registries: found by name, duplicates refused, misses answered with the nearest names."""

import pytest

from arena.errors import ConfigError, UnknownNameError
from arena.game import games
from arena.games.kuhn_poker import KuhnPoker
from arena.registry import Registry


def test_built_in_games_are_found_without_importing_them():
    assert {"kuhn_poker-v0", "rock_paper_scissors-v0", "tic_tac_toe-v0"} <= set(games.names())
    assert isinstance(games.make("kuhn_poker-v0"), KuhnPoker)
    assert "kuhn_poker-v0" in games
    assert "poker" not in games
    assert list(games) == games.names()


def test_a_miss_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"got 'kuhn_poker-v1'; did you mean kuhn_poker-v0"):
        games.make("kuhn_poker-v1")


def test_a_duplicate_is_refused_and_the_same_factory_is_not():
    registry = Registry("game", "arena.games")
    registry.register("thing-v0")(KuhnPoker)
    registry.register("thing-v0")(KuhnPoker)
    with pytest.raises(ConfigError, match="got 'thing-v0', which arena"):
        registry.register("thing-v0")(lambda: None)


def test_knobs_reach_the_factory():
    registry = Registry("thing", "arena.games")
    registry.register("pair")(lambda left, right: (left, right))
    assert registry.make("pair", left=1, right=2) == (1, 2)
