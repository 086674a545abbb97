"""The half-sample estimate of NashConv: from below, where the plug-in estimate is from above."""

from __future__ import annotations

import numpy as np
import pytest

from arena.errors import InputError
from arena.game import games
from arena.game_tree import GameTree, game_tree
from arena.sampled_nash_conv import sampled_nash_conv
from arena.seeds import generator
from arena.solutions import nash_conv, tabulate
from arena.types import Task
from roles.kuhn_equilibrium import KuhnEquilibrium
from roles.role import ScriptedPlayer
from roles.scripted import Uniform

KUHN = games.make("kuhn_poker-v0")
TREE = game_tree(KUHN, Task(game=KUHN.spec.id))
REPETITIONS = 50
SIZES = (4, 16, 64, 256)


def policy(player: ScriptedPlayer, tree: GameTree = TREE) -> dict[str, dict[str, dict[str, float]]]:
    return {seat: tabulate(tree, seat, lambda seen: player.strategy(KUHN, seen)) for seat in tree.seats}


def sampled(strategies: dict[str, dict[str, dict[str, float]]], n: int, seed: int) -> dict[str, dict[str, list[str]]]:
    draw = generator("test_sampled_nash_conv", n, seed)
    return {
        seat: {
            key: [str(action) for action in draw.choice(list(p), size=n, p=list(p.values()))] for key, p in by.items()
        }
        for seat, by in strategies.items()
    }


def estimates(player: ScriptedPlayer) -> dict[int, tuple[list[float], list[float]]]:
    strategies = policy(player)
    found = {}
    for n in SIZES:
        tries = [sampled_nash_conv(TREE, sampled(strategies, n, seed)) for seed in range(REPETITIONS)]
        found[n] = [one.plug_in for one in tries], [one.half_sample for one in tries]
    return found


@pytest.mark.parametrize(
    ("player", "truth"),
    [
        (Uniform(), 11 / 12),  # open_spiel 2.0.2, exploitability.nash_conv of UniformRandomPolicy
        (KuhnEquilibrium(alpha=0.2), 0.0),  # Kuhn 1950
    ],
)
def test_the_two_estimates_enclose_the_truth_and_close_in(player: ScriptedPlayer, truth: float) -> None:
    found = estimates(player)
    above = [np.mean(found[n][0]) - truth for n in SIZES]
    below = [np.mean(found[n][1]) - truth for n in SIZES]
    noise = [2.5 * np.std(found[n][1]) / np.sqrt(REPETITIONS) for n in SIZES]
    assert all(high > 0 for high in above)
    assert above == sorted(above, reverse=True)
    assert all(low < margin for low, margin in zip(below, noise, strict=True))
    assert below[0] < below[1] < max(below[2:])
    assert above[-1] < 0.06
    assert abs(below[-1]) < 0.03


def test_a_deterministic_policy_is_known_after_two_samples() -> None:
    player = KuhnEquilibrium(alpha=0.0)
    strategies = policy(player)
    pure = {
        seat: {key: {max(p, key=lambda action: p[action]): 1.0} for key, p in by.items()}
        for seat, by in strategies.items()
    }
    found = sampled_nash_conv(TREE, sampled(pure, 2, 0))
    assert found.plug_in == pytest.approx(nash_conv(TREE, pure).value, abs=1e-12)
    assert found.half_sample == pytest.approx(found.plug_in, abs=1e-12)
    assert found.samples_per_set == (2, 2)


def test_the_halves_are_the_first_and_the_second_half_of_each_list() -> None:
    # Rock-paper-scissors by hand. Halves: first plays rock, then paper; second plays rock in both.
    # Chosen on the first half (rock, rock) both respond paper; on the second half paper against (paper, rock) gains the
    # first seat 1 - 1 = 0 and the second 0 + 1 = 1. Chosen on the second half (paper, rock) the first responds paper,
    # the second scissors; on the first half, a draw, that gains 1 and -1. So the mean is (1 + 0) / 2.
    name = "rock_paper_scissors-v0"
    tree = game_tree(games.make(name), Task(game=name))
    found = sampled_nash_conv(tree, {"first": {"throw": ["rock", "paper"]}, "second": {"throw": ["rock", "rock"]}})
    assert found.half_sample == pytest.approx(0.5)


def test_the_interval_holds_the_estimate_and_narrows() -> None:
    strategies = policy(Uniform())
    few, many = (sampled_nash_conv(TREE, sampled(strategies, n, 1), resamples=40, seed=3) for n in (8, 128))
    assert few.interval is not None
    assert many.interval is not None
    assert many.interval[1] - many.interval[0] < few.interval[1] - few.interval[0]
    assert many.interval[0] <= many.half_sample <= many.interval[1]
    again = sampled_nash_conv(TREE, sampled(strategies, 8, 1), resamples=40, seed=3)
    assert again == few


@pytest.mark.parametrize(
    ("actions", "words"),
    [(["bet"], r"samples\['first'\]\['K'\]: expected at least 2 actions"), (["bet", "fold"], "got 'fold'")],
)
def test_bad_samples_are_refused_by_name(actions: list[str], words: str) -> None:
    samples = sampled(policy(Uniform()), 4, 0)
    samples["first"]["K"] = actions
    with pytest.raises(InputError, match=words):
        sampled_nash_conv(TREE, samples)
