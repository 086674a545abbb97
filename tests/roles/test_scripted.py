"""Scripted players and the sampling of their actions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from arena.errors import CapabilityError
from arena.game import games
from arena.game_tree import game_tree
from arena.seeds import generator
from arena.solutions import nash_conv, tabulate
from arena.types import Observation, Task
from roles.role import scripted_players
from roles.scripted import OPTIMAL, Always, act, optimal_player

KUHN = games.make("kuhn_poker-v0")
OPEN = Observation(seat="first", text="", legal_actions=("check", "bet"), information_key="K")
FACING = Observation(seat="second", text="", legal_actions=("fold", "call"), information_key="K bet")


def exploitability(name: str) -> float:
    player = scripted_players.make(name)
    tree = game_tree(KUHN, Task(game=KUHN.spec.id))
    strategies = {seat: tabulate(tree, seat, lambda seen: player.strategy(KUHN, seen)) for seat in tree.seats}
    return nash_conv(tree, strategies).value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("uniform", 11 / 12),  # 0.9167, as open_spiel 2.0.2 computes it (exploitability.nash_conv, UniformRandomPolicy)
        ("always_bet", 2 / 3),  # by hand: each seat gains 1/3 by folding the jack instead of betting and calling
    ],
)
def test_reference_players_have_the_known_nash_conv(name: str, expected: float) -> None:
    assert exploitability(name) == pytest.approx(expected, abs=1e-9)


def test_always_bet_bets_and_calls_always_check_checks_and_folds() -> None:
    bold, timid = scripted_players.make("always_bet"), scripted_players.make("always_check")
    assert bold.strategy(KUHN, OPEN) == {"check": 0.0, "bet": 1.0}
    assert bold.strategy(KUHN, FACING) == {"fold": 0.0, "call": 1.0}
    assert timid.strategy(KUHN, OPEN) == {"check": 1.0, "bet": 0.0}
    assert timid.strategy(KUHN, FACING) == {"fold": 1.0, "call": 0.0}


def test_a_player_of_another_game_refuses_by_name() -> None:
    elsewhere = Observation(seat="a", text="", legal_actions=("rock", "paper"))
    with pytest.raises(CapabilityError, match="always: expected one of bet, call to be legal"):
        Always(("bet", "call")).strategy(KUHN, elsewhere)


@pytest.mark.parametrize("legal", [None, ()])
def test_nothing_to_choose_from_is_refused(legal: tuple[str, ...] | None) -> None:
    with pytest.raises(CapabilityError, match="uniform: expected an observation with legal actions"):
        scripted_players.make("uniform").strategy(KUHN, Observation(seat="a", text="", legal_actions=legal))


class Mixed:
    """Lists its actions in another order than the game does."""

    name = "mixed"

    def strategy(self, game: object, observation: Observation) -> dict[str, float]:
        return {"bet": 0.75, "check": 0.25}


def test_act_samples_the_strategy() -> None:
    draw = generator("test", 1)
    counts = Counter(act(Mixed(), KUHN, OPEN, draw) for _ in range(4000))
    assert counts["bet"] / 4000 == pytest.approx(0.75, abs=0.03)  # 4 standard errors


def test_act_is_a_function_of_the_seed_and_lays_actions_out_in_the_games_order() -> None:
    first = [act(Mixed(), KUHN, OPEN, generator("test", seed)) for seed in range(50)]
    assert first == [act(Mixed(), KUHN, OPEN, generator("test", seed)) for seed in range(50)]
    points = [generator("test", seed).random() for seed in range(50)]
    assert first == ["check" if point < 0.25 else "bet" for point in points]


def test_act_never_plays_an_action_of_probability_zero() -> None:
    class Edge(np.random.Generator):
        def random(self, *_: object) -> float:  # type: ignore[override]
            return np.nextafter(1.0, 0.0)

    edge = Edge(np.random.PCG64(0))
    assert act(scripted_players.make("always_check"), KUHN, OPEN, edge) == "check"


@pytest.mark.parametrize(
    ("game", "params"), [(game, {}) for game in OPTIMAL] + [("leduc_poker-v0", {}), ("liars_dice-v0", {"faces": 2})]
)
def test_the_optimal_player_of_a_game_cannot_be_exploited(game: str, params: dict[str, int]) -> None:
    rules, factory = games.make(game), scripted_players.factory(optimal_player(game))
    player = factory(params=params) if params else factory()
    tree = game_tree(rules, Task(game=game, params=params))
    strategies = {seat: tabulate(tree, seat, lambda seen: player.strategy(rules, seen)) for seat in tree.seats}
    span = rules.spec.returns_range[1] - rules.spec.returns_range[0]
    assert nash_conv(tree, strategies).value <= 2e-4 * span


def test_games_without_a_named_player_are_solved() -> None:
    assert optimal_player("nobody_knows_it-v0") == "equilibrium"
