"""The contract of a game: keys of information sets, and the defaults of optional methods."""

import subprocess
import sys

import pytest
from arena_sample_games import Coins

import arena
from arena.errors import GameError
from arena.game import default_information_key, seat_observation
from arena.games.kuhn_poker import KuhnPoker, KuhnState


def test_a_named_information_key_is_filled_in():
    seen = seat_observation(KuhnPoker(), KuhnState(("K", "J"), ("check", "bet")), "first", ["ignored"])
    assert seen.information_key == "K check bet"


def test_the_default_key_is_the_seats_own_history():
    game, state = Coins(), ("heads", "tails", "heads")
    seen = seat_observation(game, state, "caller", ["before", "heads"])
    assert seen.information_key == default_information_key(["before", "heads", seen.text])
    assert seen.information_key != seat_observation(game, state, "caller", []).information_key
    # The last toss is hidden: the key does not depend on it.
    assert (
        seen.information_key
        == seat_observation(game, ("heads", "tails", "tails"), "caller", ["before", "heads"]).information_key
    )
    assert default_information_key(["a", "b"]) != default_information_key(["ab"])


def test_defaults_of_optional_methods():
    game = Coins()
    assert game.rewards((), ("heads",)) is None
    assert game.information_key((), "caller") is None
    assert game.state_text(("heads",)) == "('heads',)"
    with pytest.raises(GameError, match=r"kuhn_poker-v0\.nature: .*to_move said nature"):
        super(KuhnPoker, KuhnPoker()).nature(KuhnState())


def test_importing_the_values_and_rules_loads_no_pettingzoo_and_no_torch():
    code = "import sys, arena; print(sorted({'torch', 'pettingzoo', 'gymnasium', 'numpy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_what_the_package_exports_is_there():
    assert all(getattr(arena, name) is not None for name in arena.__all__)
    with pytest.raises(AttributeError, match="no attribute 'envv'"):
        arena.envv  # noqa: B018
