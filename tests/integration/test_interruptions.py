"""Ctrl-C, a full disk, broken games and torn checkpoints: clear words, and nothing committed is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import CheckpointError
from arena.game import games
from arena.games.kuhn_poker import KuhnPoker
from arena.log import committed_rounds, read_episodes
from arena.types import Status, Task
from training.checkpoints import checkpoint_folders
from training.compose import compose_campaign
from training.models.warm_start import warm_start
from training.running import resume, start

from .conftest import SMALL, run_of

Ludus = Callable[..., subprocess.CompletedProcess[str]]


def _started(tmp_path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "training.cli", "train", *SMALL, "rounds=4000", f"output_root={tmp_path}"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list(tmp_path.glob("*/*/rounds/000001")):
        time.sleep(0.02)
    return process


def test_ctrl_c_once_finishes_the_round_and_writes_a_checkpoint(warm: Path, tmp_path: Path) -> None:
    process = _started(tmp_path)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.monotonic() - started < 15
    assert "ludus resume" in out
    (run,) = (path.parent for path in tmp_path.glob("*/*/config.yaml"))
    newest = int(checkpoint_folders(run / "checkpoints")[-1].name)
    assert newest == committed_rounds(run)[-1] + 1
    assert (run / "report.html").is_file()


def test_ctrl_c_twice_exits_at_once_and_keeps_what_was_committed(warm: Path, tmp_path: Path) -> None:
    process = _started(tmp_path)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    (run,) = (path.parent for path in tmp_path.glob("*/*/config.yaml"))
    assert len(list(read_episodes(run))) == 48 * len(committed_rounds(run))


def test_two_campaigns_in_one_second_have_two_directories(warm: Path, tmp_path: Path) -> None:
    config = compose_campaign([*SMALL, "rounds=1", f"output_root={tmp_path}"])
    assert start(config) != start(config)
    assert len(list(tmp_path.glob("*/*/summary.json"))) == 2


def test_a_second_writer_is_refused(warm: Path, tmp_path: Path) -> None:
    process = _started(tmp_path)
    try:
        (run,) = (path.parent for path in tmp_path.glob("*/*/config.yaml"))
        said = subprocess.run(
            [sys.executable, "-m", "training.cli", "resume", str(run)],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert said.returncode == 1
        assert "writ" in said.stderr
    finally:
        process.kill()
        process.communicate()


def test_a_torn_checkpoint_is_ignored_and_an_altered_one_is_named(warm: Path, tmp_path: Path) -> None:
    run = start(compose_campaign([*SMALL, f"output_root={tmp_path}"]))
    newest = checkpoint_folders(run / "checkpoints")[-1]
    weights = newest / "player.weights.safetensors"
    altered = bytearray(weights.read_bytes())
    altered[-1] ^= 1
    weights.write_bytes(bytes(altered))
    with pytest.raises(CheckpointError, match=r"player\.weights\.safetensors.*altered"):
        resume(run)
    (newest / "manifest.json").unlink()
    resume(run)
    assert committed_rounds(run) == list(range(6))


def test_a_full_disk_ends_the_run_with_words_and_keeps_what_was_committed(
    warm: Path, tmp_path: Path, ludus: Ludus
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        limit = 2_000_000
        said = subprocess.run(
            ["bash", "-c", f"ulimit -f {limit // 1024}; exec {sys.executable} -m training.cli train {' '.join(SMALL)}"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert said.returncode != 0
        return
    try:
        said = ludus("train", *SMALL, "rounds=4000", f"output_root={disk}")
        assert said.returncode == 1
        assert "No space left" in said.stderr
        assert str(disk) in said.stderr
        (run,) = (path.parent for path in disk.glob("*/*/config.yaml"))
        assert len(list(read_episodes(run))) == 48 * len(committed_rounds(run))
    finally:
        subprocess.run(["umount", str(disk)], check=True)


class _Breaks(KuhnPoker):
    """Kuhn poker whose rules raise when a king is called."""

    spec = KuhnPoker.spec

    def step(self, state, moves):  # type: ignore[no-untyped-def]
        if state.cards and state.cards[0] == "K" and "call" in moves.values():
            raise RuntimeError("the king is dead")
        return super().step(state, moves)


def test_a_game_that_raises_fails_its_own_episode_only(
    warm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = warm_start([Task(game="kuhn_poker-v0")])
    monkeypatch.setitem(games._factories, "kuhn_poker-v0", _Breaks)
    overrides = ("rounds=2", "evaluation.nash_conv=false", f"model={model}", f"output_root={tmp_path}")
    run = start(compose_campaign([*SMALL, *overrides]))
    episodes = list(read_episodes(run))
    failed = [episode for episode in episodes if episode.status is Status.FAILED]
    assert failed
    assert len(failed) < len(episodes)
    assert all("king is dead" in episode.reason for episode in failed)
    assert all(episode.returns == {"first": None, "second": None} for episode in failed)


def test_a_short_run_prints_its_directory_last(warm: Path, tmp_path: Path, ludus: Ludus) -> None:
    said = ludus("train", *SMALL, "rounds=2")
    assert said.returncode == 0, said.stderr
    run = run_of(said, tmp_path)
    assert (run / "summary.json").is_file()
    assert (run / "report.html").is_file()
    assert not (tmp_path / ".hydra").exists()
    assert not (tmp_path / "outputs").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("campaign=kuhn_selfpaly",), "did you mean kuhn_selfplay"),
        (("campaign=kuhn_selfplay", "roundz=3"), "did you mean rounds"),
        (("campaign=kuhn_selfplay", "+roundz=3"), "did you mean rounds"),
        (("campaign=kuhn_selfplay", "rounds=-4"), "rounds: expected a number of at least 1, got -4"),
        (("campaign=kuhn_selfplay", "rounds=many"), "rounds"),
        (("campaign=kuhn_selfplay", "estimator=grpo"), "group_size"),
        (("campaign=kuhn_selfplay", "model=/nowhere"), "model"),
    ],
)
def test_wrong_input_exits_with_2_and_makes_nothing(
    tmp_path: Path, ludus: Ludus, words: tuple[str, ...], message: str
) -> None:
    said = ludus("train", *words)
    assert said.returncode == 2, said.stdout + said.stderr
    assert message in said.stderr
    assert not list(tmp_path.iterdir())


def test_a_sweep_makes_a_run_for_every_job_and_says_so(warm: Path, tmp_path: Path, ludus: Ludus) -> None:
    said = ludus("train", *SMALL, "rounds=1,2", "-m")
    assert said.returncode == 0, said.stderr
    runs = [path.parent for path in tmp_path.glob("runs/kuhn_selfplay/*/summary.json")]
    assert sorted(len(committed_rounds(run)) for run in runs) == [1, 2]
    assert all(str(run.name) in said.stdout for run in runs)
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


def test_a_failed_job_of_a_sweep_stops_no_other(warm: Path, tmp_path: Path, ludus: Ludus) -> None:
    locked = tmp_path / "a_file"
    locked.write_text("not a folder")
    said = ludus("train", *SMALL, "rounds=1", f"output_root={locked},{tmp_path / 'fine'}", "-m")
    assert said.returncode == 1, said.stdout + said.stderr
    assert len(list(tmp_path.glob("fine/kuhn_selfplay/*/summary.json"))) == 1
    assert "output_root" in said.stderr
