"""Writing: what a segment holds, equal bytes, one writer, commits that are whole or absent, full disks."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.errors import LogError
from arena.log import RunLog, durable, read_episodes, read_events
from arena.seeds import generator
from arena.types import Completion, Episode, Observation, PolicyId, Sampling, SeatPlan, Status, Tag, Task, Turn

FILES = {"events.jsonl", "episodes.parquet", "metrics.json", "timings.jsonl"}


def episode(index: int, size: int = 4) -> Episode:
    rng = generator("test log", index)
    policy = PolicyId(name="player", version=3)
    completion = Completion(
        id=f"c{index}",
        prompt_ids=tuple(rng.integers(0, 1000, size).tolist()),
        token_ids=(7, 2),
        logprobs=(-0.1, -0.25),
        support=((7, 8), (2,)),
        text="<action>bet</action>",
        finish_reason="stop",
        policy=policy,
        sampling=Sampling(),
        version_spans=((0, 3),),
    )
    turn = Turn(
        seat="first",
        env_step=0,
        ordinal=0,
        observation=Observation(seat="first", text="You hold the King.", legal_actions=("check", "bet")),
        completion=completion,
        action="bet",
        reason="",
        legal=True,
        reward=1.0,
        node_id="n",
        anchor_key="K",
    )
    return Episode(
        id=f"e{index}",
        task=Task(game="kuhn_poker-v0", params={}, seed=index),
        group_id=f"g{index}",
        round=0,
        lineup={"first": SeatPlan(policy=policy, role="player", tag=Tag.LIVE)},
        turns=(turn,),
        returns={"first": 1.0},
        status=Status.COMPLETED,
    )


def write_round(log: RunLog, number: int, count: int = 3) -> Path:
    log.open_round(number)
    log.event("proposed", task="t0", text="any \ud83d text")
    log.episodes([episode(index) for index in range(count)])
    log.timing(play_s=0.25)
    log.event("evaluation", nash_conv=0.5, strategy={"K": {"bet": 1.0}})
    log.metrics({"loss": 0.125, "entropy": None})
    return log.commit()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[RunLog]:
    with RunLog(tmp_path / "run") as opened:
        yield opened


def test_a_segment_is_four_files_under_its_round(log: RunLog) -> None:
    segment = write_round(log, 12)
    assert segment == log.directory / "rounds" / "000012"
    assert {path.name for path in segment.iterdir()} == FILES
    assert not (log.directory / "rounds" / "open").exists()
    assert log.committed_rounds() == [12]


def test_every_line_names_schema_kind_and_round(log: RunLog) -> None:
    lines = [json.loads(line) for line in (write_round(log, 3) / "events.jsonl").read_text("ascii").splitlines()]
    assert [list(line)[:3] for line in lines] == [["v", "event", "round"]] * 3
    assert [(line["v"], line["event"], line["round"]) for line in lines] == [
        (1, "proposed", 3),
        (1, "evaluation", 3),
        (1, "committed", 3),
    ]
    assert (lines[-1]["events"], lines[-1]["episodes"]) == (2, 3)


def test_metrics_and_timings_lie_apart(log: RunLog) -> None:
    segment = write_round(log, 0)
    assert json.loads((segment / "metrics.json").read_text("ascii")) == {
        "v": 1,
        "round": 0,
        "metrics": {"loss": 0.125, "entropy": None},
    }
    assert json.loads((segment / "timings.jsonl").read_text("ascii")) == {"v": 1, "round": 0, "play_s": 0.25}


def test_later_metrics_replace_earlier_ones(log: RunLog) -> None:
    log.open_round(0)
    log.metrics({"a": 1, "b": 2})
    log.metrics({"b": 3})
    assert json.loads((log.commit() / "metrics.json").read_text("ascii"))["metrics"] == {"a": 1, "b": 3}


def test_two_writes_of_the_same_give_the_same_bytes(tmp_path: Path) -> None:
    segments = []
    for name in ("one", "two"):
        with RunLog(tmp_path / name) as log:
            segments.append(write_round(log, 5, count=50))
    for name in FILES:
        assert (segments[0] / name).read_bytes() == (segments[1] / name).read_bytes()


def test_another_process_with_another_hash_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    with RunLog(tmp_path / "here") as log:
        here = write_round(log, 5, count=20)
    program = (
        "import importlib.util, sys; from pathlib import Path; from arena.log import RunLog\n"
        "spec = importlib.util.spec_from_file_location('there', sys.argv[1])\n"
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)\n"
        "with RunLog(Path(sys.argv[2])) as log: module.write_round(log, 5, count=20)\n"
    )
    subprocess.run(
        [sys.executable, "-c", program, __file__, str(tmp_path / "there")],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "4242", "TZ": "Asia/Tokyo", "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=Path(__file__).parents[3],
    )
    for name in FILES:
        assert (here / name).read_bytes() == (tmp_path / "there" / "rounds" / "000005" / name).read_bytes()


def test_events_are_visible_while_the_round_is_open(log: RunLog) -> None:
    log.open_round(0)
    log.event("started")
    assert [(event.kind, event.committed) for event in read_events(log.directory)] == [("started", False)]


def test_a_round_without_anything_is_still_readable(log: RunLog) -> None:
    log.open_round(0)
    log.commit()
    assert list(read_events(log.directory)) == []
    assert list(read_episodes(log.directory)) == []


def test_episodes_may_come_in_several_chunks(log: RunLog) -> None:
    log.open_round(0)
    log.episodes([episode(0), episode(1)])
    log.episodes([])
    log.episodes([episode(2)])
    log.commit()
    assert list(read_episodes(log.directory)) == [episode(index) for index in range(3)]


def test_rounds_only_go_forward(log: RunLog) -> None:
    write_round(log, 4)
    with pytest.raises(LogError, match="a round later than 4, got 4"):
        log.open_round(4)
    log.open_round(5)
    with pytest.raises(LogError, match="no open segment before round 6"):
        log.open_round(6)


def test_nothing_is_written_outside_a_round(log: RunLog) -> None:
    for act in (lambda: log.event("x"), lambda: log.episodes([episode(0)]), lambda: log.metrics({}), log.commit):
        with pytest.raises(LogError, match="call open_round first"):
            act()


@pytest.mark.parametrize("fields", [{"v": 1}, {"round": 2}, {"event": "x"}])
def test_reserved_fields_are_refused(log: RunLog, fields: dict[str, Any]) -> None:
    log.open_round(0)
    with pytest.raises(LogError, match="rename"):
        log.event("x", **fields)
    with pytest.raises(LogError, match="rename"):
        log.timing(**fields)
    with pytest.raises(LogError, match="'committed'"):
        log.event("committed")


def test_a_refused_value_leaves_the_log_usable(log: RunLog) -> None:
    log.open_round(0)
    with pytest.raises(LogError, match="expected finite numbers"):
        log.event("evaluation", nash_conv=float("nan"))
    with pytest.raises(LogError, match="write None"):
        log.metrics({"loss": float("inf")})
    with pytest.raises(LogError, match="fit the columns"):
        log.episodes([Episode(**{**{name: getattr(episode(0), name) for name in Episode.__slots__}, "round": "x"})])
    log.event("evaluation", nash_conv=None)
    log.commit()
    assert [event.fields for event in read_events(log.directory)] == [{"nash_conv": None}]


def test_one_writer_only(log: RunLog) -> None:
    with pytest.raises(LogError, match="no other writer"):
        RunLog(log.directory)
    log.close()
    RunLog(log.directory).close()


def test_a_closed_log_takes_nothing(log: RunLog) -> None:
    log.close()
    with pytest.raises(LogError, match="a closed one"):
        log.open_round(0)


def test_a_kill_leaves_an_open_segment_that_resuming_moves_away(tmp_path: Path) -> None:
    program = (
        "import importlib.util, os, signal, sys; from pathlib import Path; from arena.log import RunLog\n"
        "spec = importlib.util.spec_from_file_location('there', sys.argv[1])\n"
        "module = importlib.util.module_from_spec(spec); spec.loader.exec_module(module)\n"
        "log = RunLog(Path(sys.argv[2])); module.write_round(log, 0); log.open_round(1); log.event('half')\n"
        "log.episodes([module.episode(0)]); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run(
        [sys.executable, "-c", program, __file__, str(tmp_path)],
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=Path(__file__).parents[3],
    )
    assert killed.returncode == -9
    with RunLog(tmp_path) as log:  # the lock ended with its process
        assert log.committed_rounds() == [0]
        assert [event.kind for event in read_events(tmp_path)] == ["proposed", "evaluation", "half"]
        with pytest.raises(LogError, match="abandon_after"):
            log.open_round(1)
        assert log.abandon_after(0) == [tmp_path / "abandoned" / "000001" / "open"]
        write_round(log, 1)
    assert len(list(read_episodes(tmp_path))) == 6


def test_later_segments_are_abandoned_and_kept(log: RunLog) -> None:
    for number in range(4):
        write_round(log, number)
    moved = log.abandon_after(1)
    first = log.directory / "abandoned" / "000001"
    assert moved == [first / "000002", first / "000003"]
    assert {path.name for path in (first / "000003").iterdir()} == FILES
    assert log.committed_rounds() == [0, 1]
    write_round(log, 2)
    assert log.abandon_after(-1) == [log.directory / "abandoned" / "000002" / f"{number:06d}" for number in range(3)]
    assert log.abandon_after(-1) == []
    assert log.committed_rounds() == []


def test_the_round_in_progress_is_not_abandoned(log: RunLog) -> None:
    log.open_round(0)
    with pytest.raises(LogError, match="no round in progress"):
        log.abandon_after(-1)


@pytest.mark.parametrize("step", ["sync", "rename_folder"])
def test_an_interrupted_commit_leaves_the_old_state(log: RunLog, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    write_round(log, 0)
    log.open_round(1)
    log.event("lost")

    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(durable, step, fail)
    with pytest.raises(LogError, match=r"Input/output error.*nothing committed is lost"):
        log.commit()
    assert log.committed_rounds() == [0]
    assert len(list(read_episodes(log.directory))) == 3
    with pytest.raises(LogError, match="one that failed to write"):
        log.event("more")


@pytest.fixture
def smallest_file() -> Iterator[int]:
    """Lets no file of this process grow past 64 KiB: a real refusal by the operating system, for any user."""
    limit, most = 64 * 1024, resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most[1]))
    try:
        yield limit
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)


def test_events_past_what_the_disk_takes_fail_with_path_and_size(log: RunLog, smallest_file: int) -> None:
    write_round(log, 0)
    log.open_round(1)
    log.event("small")
    with pytest.raises(LogError, match=r"open/events.jsonl: expected to write 100\d\d\d bytes.*too large.*free space"):
        log.event("large", text="x" * 100_000)
    with pytest.raises(LogError, match="one that failed to write"):
        log.commit()
    log.close()
    assert (log.directory / "rounds" / "open" / "events.jsonl").stat().st_size == smallest_file
    assert [event.kind for event in read_events(log.directory)][-1] == "small"
    with RunLog(log.directory) as again:
        assert [path.name for path in again.abandon_after(0)] == ["open"]
        write_round(again, 1)
        assert again.committed_rounds() == [0, 1]


def test_episodes_past_what_the_disk_takes_fail_with_path_and_size(log: RunLog, smallest_file: int) -> None:
    log.open_round(0)
    with pytest.raises(LogError, match=r"open/episodes.parquet: expected to write \d+ bytes"):
        log.episodes([episode(index, size=2000) for index in range(60)])
        log.commit()
    log.close()
    assert log.committed_rounds() == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")
def test_a_full_device_fails_with_its_reason(log: RunLog) -> None:
    log.open_round(0)
    (log.directory / "rounds" / "open" / "episodes.parquet").symlink_to("/dev/full")
    with pytest.raises(LogError, match=r"episodes.parquet.*No space left on device"):
        log.episodes([episode(0)])
        log.commit()
    assert log.committed_rounds() == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB, where this user may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], check=False, capture_output=True
        ).returncode
    ):
        pytest.skip("needs the right to mount a tmpfs; file-size limits and /dev/full cover the rest")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_loses_nothing_that_was_committed(small_disk: Path) -> None:
    with RunLog(small_disk / "run") as log:
        write_round(log, 0)
        log.open_round(1)
        with pytest.raises(LogError, match=r"No space left on device.*free space"):
            for _ in range(100):
                log.event("filling", text="x" * 10_000)
    with RunLog(small_disk / "run") as log:
        assert len(list(read_episodes(log.directory))) == 3
        (stale,) = log.abandon_after(0)
        shutil.rmtree(stale)
        write_round(log, 1)
        assert log.committed_rounds() == [0, 1]
