"""Transcripts of the uniform player: complete, distinct, and without a trace of who won."""

import pytest

from arena.errors import CapabilityError, UnknownNameError
from arena.game import Game, games
from arena.types import GameSpec, Payoff, Task
from roles.role import roles
from training.models.transcripts import sights

PLAYER = roles.make("player")


def test_kuhn_poker_is_seen_whole():
    seen = sights([Task(game="kuhn_poker-v0")], PLAYER, plays=300, seed=0)
    assert len(seen) == 12  # its information sets
    assert {len(sight.answers) for sight in seen} == {2}
    assert all(answer.startswith("<action>") for sight in seen for answer in sight.answers)


def test_simultaneous_games_are_played_too():
    seen = sights([Task(game="rock_paper_scissors-v0")], PLAYER, plays=3, seed=0)
    assert {len(sight.answers) for sight in seen} == {3}


def test_equal_seeds_give_equal_transcripts():
    first = sights([Task(game="tic_tac_toe-v0")], PLAYER, plays=5, seed=1)
    assert first == sights([Task(game="tic_tac_toe-v0")], PLAYER, plays=5, seed=1)
    assert first != sights([Task(game="tic_tac_toe-v0")], PLAYER, plays=5, seed=2)


def test_an_unknown_game_is_refused():
    with pytest.raises(UnknownNameError, match="kuhn_poker-v0"):
        sights([Task(game="kuhn_pokr-v0")], PLAYER, plays=1, seed=0)


class Essay(Game):
    spec = GameSpec(
        name="essay",
        version=0,
        seats=("writer",),
        payoff=Payoff.GENERAL_SUM,
        max_turns=1,
        returns_range=(0.0, 1.0),
        actions=None,
    )

    def reset(self, task):
        return 0

    def to_move(self, state):
        return ()

    def observe(self, state, seat):
        raise AssertionError

    def step(self, state, moves):
        return 1

    def returns(self, state):
        return {"writer": 0.0}


def test_free_text_is_refused(monkeypatch):
    games.names()
    monkeypatch.setitem(games._factories, "essay-v0", Essay)
    with pytest.raises(CapabilityError, match="free text"):
        sights([Task(game="essay-v0")], PLAYER, plays=1, seed=0)
