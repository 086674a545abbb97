"""The tables of events and metrics."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from curricula.report.run_record import read_run
from curricula.report.series import Series
from curricula.report.tables import described, event_rows, metric_row, pairs


def test_many_events_are_cut_and_counted(run_dir: Path) -> None:
    alarms = tuple({"event": "alarm", "round": at, "detector": "d"} for at in range(250))
    rows, omitted = event_rows(replace(read_run(run_dir), events=alarms))
    assert (len(rows), omitted, rows[-1].round) == (200, 50, 249)


def test_an_event_is_described_without_its_frame() -> None:
    event = {"v": 1, "event": "alarm", "round": 3, "detector": "kl", "evidence": {"kl": 2.0}, "bad\x1b": "\x00"}
    assert described(event) == 'detector: kl · evidence: {"kl": 2.0} · bad␛: ␀'
    assert pairs(None) == ""


def test_a_metrics_course_fits_its_box() -> None:
    row = metric_row(Series(label="rows", rounds=(0, 1, 2), values=(5.0, None, 9.0)))
    assert (row.first, row.last, row.least, row.greatest) == ("5", "9", "5", "9")
    assert row.points == "0.0,20.0 120.0,0.0"
