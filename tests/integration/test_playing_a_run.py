"""A person sits down against the policy of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import InputError
from arena.game import games
from arena.types import Task
from training.cli.opponents import trained
from training.compose import compose_campaign
from training.models.warm_start import warm_start
from training.running import start

from .conftest import SMALL


@pytest.fixture(scope="module")
def run(warm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("played")
    return start(compose_campaign([*SMALL, "rounds=1", f"output_root={folder}"]))


def play(run: Path, *words: str, typed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "training.cli", "play", *words, "--against", str(run), "--json"],
        input=typed,
        cwd=run.parent,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_trained_policy_takes_the_other_seat_game_after_game(run: Path) -> None:
    words = ("kuhn_poker", "--seat", "second", "--seed", "3")
    several = play(run, *words, "--games", "3", typed="1\n" * 9)
    assert several.returncode == 0, several.stderr
    document = json.loads(several.stdout)
    assert [game["status"] for game in document["games"]] == ["completed"] * 3
    assert all(game["moves"][0]["seat"] == "first" for game in document["games"])
    assert all(game["moves"][0]["action"] in ("check", "bet") for game in document["games"])
    single = json.loads(play(run, *words, typed="1\n" * 9).stdout)
    assert single["moves"] == document["games"][0]["moves"]


def test_a_run_of_another_game_is_refused_before_play(run: Path) -> None:
    said = play(run, "tic_tac_toe", typed="1\n")
    assert said.returncode == 2
    assert "expected a run that plays tic_tac_toe-v0" in said.stderr
    assert "you are" not in said.stderr


def test_other_parameters_than_the_runs_are_refused(warm: Path, tmp_path: Path) -> None:
    words = ["campaign=liars_dice_selfplay", f"model={warm_start([Task(game='kuhn_poker-v0')])}", "rounds=1"]
    small = ["schedule.episodes_per_round=8", "evaluation.games=2", "evaluation.probes={}"]
    run = start(compose_campaign([*words, *small, "games.dice.params.faces=2", f"output_root={tmp_path}"]))
    game = games.make("liars_dice-v0")
    with pytest.raises(InputError, match=r"expected the parameters that .* plays, got \{\}; add --param faces=2"):
        trained(run, game, {}, "first")
    assert callable(trained(run, game, {"faces": 2, "dice": 1}, "first"))
