"""The page's content before any HTML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from curricula.report.page import page_of
from curricula.report.run_record import RunRecord, read_run


def without(run: RunRecord, *fields: str) -> RunRecord:
    events = [{key: value for key, value in event.items() if key not in fields} for event in run.events]
    return replace(run, events=tuple(events))


def test_the_headline_is_the_median_of_the_last_ten_evaluations(run_dir: Path) -> None:
    run = read_run(run_dir)
    values = [event["nash_conv"] for event in run.of_kind("evaluated")][-10:]
    tile = page_of(run).tiles[0]
    assert (tile.label, tile.value) == ("NashConv", f"{median(values):.3f}")
    assert tile.note == "median of the last 10 evaluations"


def test_without_nash_conv_the_win_rate_leads(run_dir: Path) -> None:
    page = page_of(without(read_run(run_dir), "nash_conv"))
    assert page.tiles[0].label == "Games won"
    assert page.learning_title == "How it plays"
    assert [slot.id for slot in page.learning] == ["wins-0", "paid-1"]
    assert page.opponent_figures == ()


def test_several_games_have_a_tile_and_a_clause_each(run_dir: Path) -> None:
    run = read_run(run_dir)
    more = [{**event, "game": "dice", "nash_conv": 2.0} for event in run.of_kind("evaluated")]
    page = page_of(replace(run, events=(*run.events, *more)))
    assert [(tile.label, tile.main) for tile in page.tiles[:3]] == [
        ("NashConv in kuhn", True),
        ("NashConv in dice", False),
        ("Rounds", False),
    ]
    assert page.tiles[1].value == "2"
    assert page.lede.startswith("NashConv of player went from ")
    assert " (round 11) in kuhn, from 2 to 2 in dice. At 0" in page.lede


def test_sections_without_anything_in_them_are_left_out(run_dir: Path) -> None:
    run = read_run(run_dir)
    assert ("probes", "Held-out questions") in page_of(run).sections
    quiet = replace(run, events=tuple(event for event in run.events if event["event"] != "probed"))
    assert "probes" not in dict(page_of(quiet).sections)


def test_a_run_without_evaluations_says_so(run_dir: Path) -> None:
    run = read_run(run_dir)
    page = page_of(replace(run, events=tuple(event for event in run.events if event["event"] != "evaluated")))
    assert page.lede == "12 rounds are in the log; none has been evaluated."
    assert page.learning == ()
    assert page.strategies == ()


def test_every_state_of_a_run(run_dir: Path, tmp_path: Path, write: Callable[..., Path]) -> None:
    assert page_of(read_run(run_dir)).state.text == "finished"
    assert page_of(read_run(write(tmp_path / "a", rounds=2, finished=False))).state.text == (
        "running, or stopped after round 1"
    )
    assert page_of(read_run(write(tmp_path / "b", rounds=0, finished=False))).state.text == (
        "running, or stopped before the first round"
    )


def test_only_the_latest_result_of_each_opponent_is_listed(run_dir: Path) -> None:
    rows = page_of(read_run(run_dir)).opponents.rows
    assert [(row.opponent, row.seat) for row in rows] == [
        ("uniform", "first"),
        ("uniform", "second"),
        ("always_bet", "first"),
        ("always_bet", "second"),
    ]
    assert {row.policy for row in rows} == {"player@11"}


def test_alarms_and_resumes_stand_in_the_table_and_on_the_curves(run_dir: Path) -> None:
    page = page_of(read_run(run_dir))
    assert [row.kind for row in page.events] == ["run started", "alarm", "resumed", "snapshot added", "run finished"]
    assert len(page.figures["nash-0"]["layout"]["shapes"]) == 2


def test_every_metric_is_drawn_or_listed(run_dir: Path) -> None:
    page = page_of(read_run(run_dir))
    listed = {row.name for row in page.metrics}
    assert listed == {"kuhn/turns_mean", "distinct_prompts", "undecided_rate", "rows"}
    assert {"Illegal or missing actions", "Returns by seat", "Entropy"} <= {slot.title for slot in page.training}


def test_odd_events_do_not_break_the_page(run_dir: Path) -> None:
    run = read_run(run_dir)
    odd = (
        {"event": "evaluated", "round": 0},
        {"event": "evaluated", "round": 1, "nash_conv": float("nan"), "strategy": {}, "opponents": [{}]},
        {"event": "evaluated", "round": 1, "duplicates": [{}], "opponents": [{"win_rate": "?"}]},
        {"event": "probed", "round": 0},
        {"event": "probed", "round": 2, "p_right": "?", "families": ["?"], "accuracy": [None]},
        {"event": "updated", "round": 1},
        {"event": "run_started", "round": 0, "games": "?", "versions": None},
        {"event": "alarm", "round": 2},
    )
    page = page_of(replace(run, events=odd, metrics=({"round": 0, "x": None},), samples={}))
    assert page.opponents.rows[0].rate == "–"
    assert page.probes[0].measures[0].after == "–"
    assert page.title == run.name
