"""The shipped campaigns learn what they say they learn. Minutes each: ``make test-slow``."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest

from arena.log import read_metrics
from training.compose import compose_campaign
from training.running import start

pytestmark = pytest.mark.slow


def _curve(folder: Path, metric: str, *overrides: str) -> list[float]:
    run = start(compose_campaign([*overrides, "seed=11", f"output_root={folder}"]))
    assert json.loads((run / "summary.json").read_text())["complete"]
    return [metrics[metric] for metrics in read_metrics(run).values() if metric in metrics]


def test_kuhn_selfplay_comes_near_an_equilibrium(tmp_path: Path) -> None:
    curve = _curve(tmp_path, "kuhn/nash_conv", "campaign=kuhn_selfplay")
    assert median(curve[-10:]) <= 0.15


def test_rps_selfplay_stays_near_the_equilibrium_and_plain_self_play_does_not(tmp_path: Path) -> None:
    kept = _curve(tmp_path, "rps/nash_conv", "campaign=rps_selfplay")
    plain = ("policies.player.reference.kind=none", "policies.player.optimiser.learning_rate_end=1")
    left = _curve(tmp_path, "rps/nash_conv", "campaign=rps_selfplay", *plain)
    assert median(kept[-10:]) <= 0.25
    assert median(left[-10:]) >= 1.0


def test_tictactoe_selfplay_seldom_loses_to_a_random_player(tmp_path: Path) -> None:
    metric = "tictactoe/not_lost_rate_vs_uniform"
    curve = _curve(tmp_path, metric, "campaign=tictactoe_selfplay", "rounds=250")
    assert median(curve[-5:]) >= 0.85
