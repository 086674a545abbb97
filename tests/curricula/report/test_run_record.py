"""What is read of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.errors import InputError, LogError
from curricula.report.run_record import _sample, read_run


def test_a_finished_run(run_dir: Path) -> None:
    run = read_run(run_dir)
    assert run.rounds == tuple(range(12))
    assert run.finished
    assert not run.in_progress
    assert sorted(run.samples) == [0, 6, 11]
    assert run.totals.episodes == 12 * 24
    assert run.totals.completion_tokens > 0
    assert not run.of_kind("task_proposed")  # there may be millions, and the page draws none


def test_a_killed_run_with_a_torn_line(tmp_path: Path, write: Callable[..., Path]) -> None:
    directory = write(tmp_path / "run", rounds=3, finished=False)
    with (directory / "rounds" / "open" / "events.jsonl").open("a") as file:
        file.write('{"v":1,"event":"alarm","rou')
    run = read_run(directory)
    assert run.in_progress
    assert not run.finished
    assert run.of_kind("alarm")[-1]["detector"] == "open_round"


def test_a_run_without_a_committed_round(tmp_path: Path, write: Callable[..., Path]) -> None:
    run = read_run(write(tmp_path / "run", rounds=0, finished=False))
    assert (run.rounds, run.samples, run.totals.episodes) == ((), {}, 0)


def test_a_round_that_holds_its_games_one_after_another_is_sampled_of_all() -> None:
    plain = SimpleNamespace(task=SimpleNamespace(game="a"))
    long = [plain] * 900 + [SimpleNamespace(task=SimpleNamespace(game="b"))] * 900
    read = iter(long)
    kept = Counter(episode.task.game for episode in _sample(read, games=2))
    assert kept == {"a": 400, "b": 400}
    assert sum(1 for _ in read) == 500  # it stops when it has enough


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a run directory"):
        read_run(tmp_path)


def test_a_damaged_round_is_named(tmp_path: Path, write: Callable[..., Path]) -> None:
    directory = write(tmp_path / "run", rounds=2)
    (directory / "rounds" / "000001" / "episodes.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(LogError, match=r"000001/episodes\.parquet: expected the episodes of a committed round"):
        read_run(directory)
