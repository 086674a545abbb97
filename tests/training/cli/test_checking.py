"""Registered items are checked, failures are shown, and a user's own item can be among them."""

import pytest

from training.cli.checking import CHECKS, knobs_needed, made, registries, run

BROKEN = '''
from arena import Game, GameSpec, Observation, Payoff
from arena.game import games

@games.register("{name}-v0")
class Broken(Game):
    """A zero-sum game whose returns are not."""

    spec = GameSpec(name="{name}", version=0, seats=("a", "b"), payoff=Payoff.ZERO_SUM, max_turns=1,
                    returns_range=(0.0, 1.0), actions=("x",))

    def reset(self, task): return 0
    def to_move(self, state): return () if state else ("a",)
    def observe(self, state, seat): return Observation(seat=seat, text=str(state), legal_actions=("x",))
    def step(self, state, moves): return 1
    def returns(self, state): return {{"a": 1.0, "b": 1.0}}
'''


def test_every_kind_has_a_check():
    assert set(CHECKS) == set(registries())


def test_items_that_hold(ludus):
    answer = ludus("check", "rock_paper_scissors-v0", "player", "uniform", "--json")
    assert answer.code == 0, answer.out
    assert [(one["kind"], one["name"], one["result"]) for one in answer.json] == [
        ("game", "rock_paper_scissors-v0", "ok"),
        ("role", "player", "ok"),
        ("player", "uniform", "ok"),
        ("curriculum", "uniform", "ok"),
    ]


def test_an_item_that_fails_is_shown(ludus, tmp_path):
    (tmp_path / "broken.py").write_text(BROKEN.format(name="broken_game"))
    answer = ludus("check", "broken_game-v0", "--extend", tmp_path / "broken.py")
    assert answer.code == 1
    assert "game broken_game-v0 failed:" in answer.out
    assert "1 failed" in answer.out


def test_an_unknown_name_is_refused(ludus):
    answer = ludus("check", "kuhn_poker")
    assert answer.code == 2
    assert "kuhn_poker-v0" in answer.err


def test_what_needs_knobs_is_left_out():
    result = run("player", "always")
    assert (result.result, result.message) == ("left out", "it cannot be built without preference")


@pytest.mark.parametrize(("offered", "needed"), [((), ["game"]), (("game",), [])])
def test_needed_knobs(offered, needed):
    def factory(game, seed=0, *args, **more):
        return game, seed

    assert knobs_needed(factory, offered) == needed
    assert made(factory, {"game": "g", "seed": 3, "other": 1}) == ("g", 3)
