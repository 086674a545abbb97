"""Reading: committed rounds and the open one, torn tails, altered and newer files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from arena.errors import LogError
from arena.log import (
    OpenSegment,
    RunLog,
    committed_rounds,
    open_segment,
    read_episodes,
    read_events,
    read_metrics,
    read_timings,
    schema,
)
from arena.types import CallRecord, Episode, PolicyId, SeatPlan, Status, Tag, Task


def episode(number: int, index: int) -> Episode:
    return Episode(
        id=f"r{number}-e{index}",
        task=Task(game="kuhn_poker-v0", params={"stack": 3}, seed=index),
        group_id=f"r{number}-g{index // 2}",
        round=number,
        lineup={"first": SeatPlan(policy=PolicyId(name="player", version=number), role="player", tag=Tag.LIVE)},
        turns=(),
        returns={"first": float(index), "second": None},
        status=Status.TRUNCATED,
        reason="max_turns \ud83d",
        calls=(CallRecord(ply=1, kind="python", request="{}", answer="ok"),),
    )


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two committed rounds and an open one."""
    with RunLog(tmp_path) as log:
        for number in (2, 10):
            log.open_round(number)
            log.event("proposed", task=f"t{number}")
            log.event("evaluation", nash_conv=number / 8)
            log.episodes([episode(number, index) for index in range(2)])
            log.metrics({"loss": number})
            log.timing(play_s=1.5)
            log.commit()
        log.open_round(11)
        log.event("proposed", task="t11")
        log.event("evaluation", nash_conv=0.25)
    return tmp_path


def open_events(run: Path) -> Path:
    return run / "rounds" / "open" / "events.jsonl"


def test_events_come_in_order_and_say_whether_they_are_committed(run: Path) -> None:
    events = list(read_events(run))
    assert [(event.round, event.kind, event.committed) for event in events] == [
        (2, "proposed", True),
        (2, "evaluation", True),
        (10, "proposed", True),
        (10, "evaluation", True),
        (11, "proposed", False),
        (11, "evaluation", False),
    ]
    assert events[0].fields == {"task": "t2"}


def test_kinds_can_be_chosen(run: Path) -> None:
    assert [event.fields["nash_conv"] for event in read_events(run, kinds={"evaluation"})] == [0.25, 1.25, 0.25]
    assert list(read_events(run, kinds=())) == []


def test_episodes_metrics_and_timings_of_committed_rounds(run: Path) -> None:
    assert list(read_episodes(run)) == [episode(number, index) for number in (2, 10) for index in range(2)]
    assert [found.id for found in read_episodes(run, rounds=[10])] == ["r10-e0", "r10-e1"]
    assert read_metrics(run) == {2: {"loss": 2}, 10: {"loss": 10}}
    assert list(read_timings(run, rounds=[2])) == [{"round": 2, "play_s": 1.5}]


def test_rounds_that_are_not_committed_are_refused(run: Path) -> None:
    for read in (lambda: list(read_episodes(run, rounds=[2, 11])), lambda: read_metrics(run, rounds=[11])):
        with pytest.raises(LogError, match=r"got \[11\], which are not; committed: \[2, 10\]"):
            read()


def test_a_run_without_a_log_reads_as_empty(tmp_path: Path) -> None:
    assert committed_rounds(tmp_path / "none") == []
    assert list(read_events(tmp_path)) == []
    assert list(read_episodes(tmp_path)) == []
    assert open_segment(tmp_path) is None


@pytest.mark.parametrize("cut", range(1, 40, 3))
def test_a_torn_tail_yields_what_is_whole(run: Path, cut: int) -> None:
    path = open_events(run)
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    assert [event.fields for event in read_events(run) if not event.committed] == [{"task": "t11"}]
    last = len(whole.splitlines(keepends=True)[-1])
    assert open_segment(run) == OpenSegment(round=11, events=1, torn_bytes=last - cut)


def test_a_tail_of_zeros_is_torn(run: Path) -> None:
    path = open_events(run)
    path.write_bytes(path.read_bytes() + b"\x00" * 100)
    assert open_segment(run) == OpenSegment(round=11, events=2, torn_bytes=100)
    assert len(list(read_events(run))) == 6


def test_an_empty_open_segment_is_no_error(run: Path) -> None:
    open_events(run).write_bytes(b"")
    assert open_segment(run) == OpenSegment(round=None, events=0, torn_bytes=0)
    assert len(list(read_events(run))) == 4


def test_a_broken_line_in_the_middle_is_an_error_even_in_the_open_segment(run: Path) -> None:
    path = open_events(run)
    path.write_bytes(b"{broken\n" + path.read_bytes())
    with pytest.raises(LogError, match=r"events.jsonl:1: expected JSON"):
        list(read_events(run))


def drop_last_line(data: bytes) -> bytes:
    return b"".join(data.splitlines(keepends=True)[:-1])


def drop_first_line(data: bytes) -> bytes:
    return b"".join(data.splitlines(keepends=True)[1:])


DAMAGE: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "no events": ("events.jsonl", lambda data: b""),
    "torn events": ("events.jsonl", lambda data: data[:-5]),
    "no closing line": ("events.jsonl", drop_last_line),
    "a lost line": ("events.jsonl", drop_first_line),
    "another round": ("events.jsonl", lambda data: data.replace(b'"round":2', b'"round":3')),
    "no object": ("events.jsonl", lambda data: b"[]\n" + data),
    "no version": ("events.jsonl", lambda data: data.replace(b'"v":1', b'"w":1')),
    "no episodes": ("episodes.parquet", lambda data: b""),
    "torn episodes": ("episodes.parquet", lambda data: data[:-20]),
    "no metrics": ("metrics.json", lambda data: b""),
    "metrics of another kind": ("metrics.json", lambda data: b'{"v":1,"metrics":3}'),
}


def read_all(run: Path) -> None:
    list(read_events(run))
    list(read_episodes(run))
    read_metrics(run)
    list(read_timings(run))


@pytest.mark.parametrize("case", DAMAGE)
def test_damage_to_a_committed_segment_is_noticed(run: Path, case: str) -> None:
    name, damage = DAMAGE[case]
    path = run / "rounds" / "000002" / name
    read_all(run)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(LogError, match=name.replace(".", r"\.")):
        read_all(run)


@pytest.mark.parametrize("name", ["events.jsonl", "episodes.parquet", "metrics.json", "timings.jsonl"])
def test_a_missing_file_of_a_committed_segment_is_noticed(run: Path, name: str) -> None:
    (run / "rounds" / "000002" / name).unlink()
    with pytest.raises(LogError, match=name.replace(".", r"\.")):
        read_all(run)


@pytest.mark.parametrize("name", ["events.jsonl", "metrics.json", "timings.jsonl"])
def test_a_newer_schema_is_refused(run: Path, name: str) -> None:
    path = run / "rounds" / "000002" / name
    path.write_bytes(path.read_bytes().replace(b'"v":1', b'"v":2'))
    with pytest.raises(LogError, match="expected schema version 1 or older, got 2; read it with the version"):
        read_all(run)


def test_a_newer_schema_of_episodes_is_refused(run: Path) -> None:
    path = run / "rounds" / "000002" / "episodes.parquet"
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({schema.VERSION_KEY: b"2"}), path)
    with pytest.raises(LogError, match="expected schema version 1 or older, got 2"):
        list(read_episodes(run))


@pytest.mark.parametrize("columns", [["id"], ["id", "round"]])
def test_a_foreign_parquet_file_is_refused(run: Path, columns: list[str]) -> None:
    path = run / "rounds" / "000002" / "episodes.parquet"
    table = pq.read_table(path).select(columns)
    pq.write_table(table, path)
    with pytest.raises(LogError, match="expected the columns of an episode log"):
        list(read_episodes(run))
    pq.write_table(table.replace_schema_metadata(None), path)
    with pytest.raises(LogError, match="no episode log of Ludus"):
        list(read_episodes(run))


def test_a_round_committed_between_two_looks_is_neither_missed_nor_read_twice(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from arena.log import reader

    look, looks = reader.committed_rounds, []

    def commit_after_the_first_look(folder: Path) -> list[int]:
        found = look(folder)
        looks.append(found)
        if len(looks) == 1:
            lines = open_events(run).read_text("ascii")
            closing = json.dumps({"v": 1, "event": "committed", "round": 11, "events": 2, "episodes": 0})
            open_events(run).write_text(lines + closing + "\n", "ascii")
            (run / "rounds" / "open").rename(run / "rounds" / "000011")
        return found

    monkeypatch.setattr(reader, "committed_rounds", commit_after_the_first_look)
    events = list(read_events(run))
    assert [(event.round, event.committed) for event in events] == [(n, True) for n in (2, 2, 10, 10, 11, 11)]


def test_other_tools_query_episodes_by_column(run: Path) -> None:
    rows = duckdb.sql(
        f"""select id, returns['first'], lineup['first'].policy.version, task.params, reason
            from '{run}/rounds/*/episodes.parquet' where returns['first'] > 0 order by round"""
    ).fetchall()
    assert [row[:4] for row in rows] == [("r2-e1", 1.0, 2, '{"stack":3}'), ("r10-e1", 1.0, 10, '{"stack":3}')]
