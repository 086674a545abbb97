"""The same seed gives the same bytes; a killed and resumed run ends as the uninterrupted one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from safetensors.torch import load_file

from arena.log import read_episodes
from training.checkpoints import checkpoint_folders, weights_digest
from training.compose import compose_campaign
from training.running import resume, start

from .conftest import SMALL


def _run(folder: Path, *overrides: str) -> Path:
    return start(compose_campaign([*SMALL, f"output_root={folder}", *overrides]))


def _files(run: Path, name: str) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in sorted((run / "rounds").glob(f"*/{name}"))}


def _weights(run: Path) -> str:
    return weights_digest(load_file(checkpoint_folders(run / "checkpoints")[-1] / "player.weights.safetensors"))


@pytest.fixture(scope="module")
def whole(warm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _run(tmp_path_factory.mktemp("whole"))


def test_the_same_seed_gives_the_same_bytes(whole: Path, tmp_path: Path) -> None:
    again = _run(tmp_path)
    for name in ("events.jsonl", "episodes.parquet", "metrics.json"):
        assert len(_files(whole, name)) == 6
        assert _files(again, name) == _files(whole, name)
    assert _weights(again) == _weights(whole)


def test_another_seed_gives_other_episodes(whole: Path, tmp_path: Path) -> None:
    other = _run(tmp_path, "seed=1")
    assert _files(other, "episodes.parquet") != _files(whole, "episodes.parquet")
    assert _weights(other) != _weights(whole)


def test_training_changes_the_weights(whole: Path) -> None:
    snapshot = load_file(whole / "snapshots" / "player" / "000000.safetensors")
    assert weights_digest(snapshot) != _weights(whole)


def test_the_size_of_micro_batches_changes_no_episode_ids_or_tasks(whole: Path, tmp_path: Path) -> None:
    other = _run(tmp_path, "runtime.chunk_episodes=48")
    tasks = [(episode.id, episode.task.id) for episode in read_episodes(whole)]
    assert [(episode.id, episode.task.id) for episode in read_episodes(other)] == tasks


@pytest.mark.parametrize("attempt", range(3))
def test_a_killed_run_resumes_to_the_same_end(whole: Path, tmp_path: Path, attempt: int) -> None:
    command = [sys.executable, "-m", "training.cli", "train", *SMALL, f"output_root={tmp_path}"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    wanted = random.Random(attempt).randint(0, 4)
    while time.monotonic() < deadline and process.poll() is None:
        if list(tmp_path.glob(f"*/*/rounds/{wanted:06d}")):
            break
        time.sleep(0.01)
    time.sleep(random.Random(attempt).random() * 0.2)
    process.send_signal(signal.SIGKILL)
    process.wait()
    (run,) = (path.parent for path in tmp_path.glob("*/*/config.yaml"))
    resume(run)
    for name in ("episodes.parquet", "metrics.json"):
        assert _files(run, name) == _files(whole, name)
    assert _weights(run) == _weights(whole)


def test_resuming_a_finished_run_says_so_and_changes_nothing(
    warm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = _run(tmp_path)
    before = _files(run, "events.jsonl")
    resume(run)
    assert "already complete: 6 of 6 rounds" in capsys.readouterr().out
    assert _files(run, "events.jsonl") == before


def test_an_extended_run_makes_the_rounds_that_were_asked_for(warm: Path, tmp_path: Path) -> None:
    run = _run(tmp_path, "policies.player.optimiser.learning_rate_end=1.0")
    resume(run, rounds=8)
    assert list(_files(run, "events.jsonl")) == [f"{n:06d}" for n in range(8)]


STATEFUL = {
    "past opponents": ("opponents=past", "snapshot_every=1", "estimator=rae"),
    "copied reference": ("policies.player.reference.kind=moving", "policies.player.reference.every=2"),
    "groups": ("estimator=grpo", "games.kuhn.group_size=4", "policies.player.optimiser.minibatches=2"),
    "free text": ("sampling.masked=false", "opponents=scripted", "estimator=rae"),
}
"""Campaigns whose state is more than weights and moments."""


@pytest.mark.parametrize("overrides", STATEFUL.values(), ids=STATEFUL)
def test_a_run_in_two_parts_ends_as_a_run_in_one(warm: Path, tmp_path: Path, overrides: tuple[str, ...]) -> None:
    constant = ("policies.player.optimiser.learning_rate_end=1.0", *overrides)
    whole = _run(tmp_path / "whole", *constant)
    parts = _run(tmp_path / "parts", *constant, "rounds=3")
    resume(parts, rounds=6)
    assert _files(parts, "episodes.parquet") == _files(whole, "episodes.parquet")
    assert _weights(parts) == _weights(whole)
    for snapshot in (whole / "snapshots" / "player").iterdir():
        assert (parts / "snapshots" / "player" / snapshot.name).read_bytes() == snapshot.read_bytes()
