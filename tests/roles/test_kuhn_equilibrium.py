"""Kuhn's equilibrium family against the exact solver."""

from __future__ import annotations

import pytest

from arena.errors import CapabilityError, ConfigError
from arena.game import games
from arena.game_tree import game_tree
from arena.solutions import expected_returns, nash_conv, tabulate
from arena.types import Observation, Task
from roles.kuhn_equilibrium import KuhnEquilibrium, aggression, family

KUHN = games.make("kuhn_poker-v0")
TREE = game_tree(KUHN, Task(game=KUHN.spec.id))


@pytest.mark.parametrize("alpha", [0.0, 0.1, 0.2, 1 / 3])
def test_every_member_is_an_equilibrium_worth_minus_one_eighteenth(alpha: float) -> None:
    player = KuhnEquilibrium(alpha)
    strategies = {seat: tabulate(TREE, seat, lambda seen: player.strategy(KUHN, seen)) for seat in TREE.seats}
    assert nash_conv(TREE, strategies).value == pytest.approx(0.0, abs=1e-12)
    # Kuhn (1950): the value of the game to the first player is -1/18.
    assert expected_returns(TREE, strategies)["first"] == pytest.approx(-1 / 18, abs=1e-12)


def test_it_knows_exactly_the_games_information_sets() -> None:
    assert set(aggression(0.2)) == {info.key for info in TREE.information_sets}


def test_the_family_spans_every_member() -> None:
    spans = family()
    assert {key: set(actions) for key, actions in spans.items()} == {
        info.key: set(info.actions) for info in TREE.information_sets
    }
    for alpha in (0.0, 0.1, 1 / 3):
        player = KuhnEquilibrium(alpha)
        for info in TREE.information_sets:
            for action, p in player.strategy(KUHN, info.observation).items():
                low, high = spans[info.key][action]
                assert low - 1e-12 <= p <= high + 1e-12
    assert all(KuhnEquilibrium().ranges(info.observation) == spans[info.key] for info in TREE.information_sets)
    assert spans["K"]["bet"] == (0.0, 1.0)
    assert spans["Q check bet"]["call"] == pytest.approx((1 / 3, 2 / 3))


@pytest.mark.parametrize("alpha", [-0.01, 0.34, float("nan")])
def test_alpha_out_of_range_is_refused(alpha: float) -> None:
    with pytest.raises(ConfigError, match=r"kuhn_equilibrium\.alpha: expected a number in \[0, 1/3\]"):
        KuhnEquilibrium(alpha)


@pytest.mark.parametrize(
    "seen",
    [
        Observation(seat="first", text="", legal_actions=("check", "bet"), information_key="A"),
        Observation(seat="first", text="", legal_actions=("rock", "paper"), information_key="K"),
        Observation(seat="first", text="", legal_actions=("check", "bet", "raise"), information_key="K"),
    ],
)
def test_another_game_is_refused_by_name(seen: Observation) -> None:
    with pytest.raises(CapabilityError, match="expected an information set of Kuhn poker"):
        KuhnEquilibrium().strategy(KUHN, seen)
    with pytest.raises(CapabilityError, match="expected an information set of Kuhn poker"):
        KuhnEquilibrium().ranges(seen)
