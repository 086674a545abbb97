"""Metrics of a round, and the files that are rebuilt from the log."""

import json

import pytest
from training_samples import completion, episode, group, turn

from arena.log import RunLog
from arena.types import Status
from training.metrics import DerivedMetrics, round_metrics


def played(index, first, second, **changes):
    turns = [turn("first", 0, 0.0, completion()), turn("second", 0, 0.0, None, legal=changes.pop("legal", True))]
    return episode(turns, index, returns={"first": first, "second": second}, **changes)


def test_means_and_rates():
    metrics = round_metrics(
        {
            "a": [group(played(0, 1.0, -1.0), played(1, 3.0, -3.0, legal=False))],
            "b": [group(played(2, None, 2.0)), group(played(3, None, None, status=Status.FAILED))],
            "c": [group(played(4, 0.0, 0.0, status=Status.TRUNCATED))],
        }
    )
    assert metrics["a/return_first"] == 2.0
    assert metrics["a/return_second"] == -2.0
    assert "b/return_first" not in metrics
    assert metrics["b/return_second"] == 2.0
    assert metrics["episodes"] == 5.0
    assert metrics["turns"] == 10.0
    assert metrics["prompt_tokens"] == 15.0
    assert metrics["completion_tokens"] == 10.0
    assert metrics["illegal_rate"] == pytest.approx(0.1)
    assert metrics["failed_rate"] == pytest.approx(0.2)
    assert metrics["truncated_rate"] == pytest.approx(0.2)


def test_unjudged_seats_are_counted_and_failures_are_not():
    unjudged = round_metrics({"a": [group(played(0, None, 1.0), played(1, 0.0, 0.0))]})
    assert unjudged["undecided_rate"] == 0.25
    failed = round_metrics({"a": [group(played(0, None, None, status=Status.FAILED), played(1, 0.0, 0.0))]})
    assert failed["undecided_rate"] == 0.0


def test_a_round_without_episodes_has_no_division_by_zero():
    metrics = round_metrics({"a": []})
    assert metrics["episodes"] == 0.0
    assert metrics["illegal_rate"] == 0.0


def committed(run, count):
    log = RunLog(run)
    for index in range(count):
        log.open_round(index)
        log.metrics({"x": float(index), "y": 0.5})
        log.commit()
    return log


def lines(run):
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def test_derived_files_are_rebuilt_from_the_committed_rounds(tmp_path):
    log = committed(tmp_path, 2)
    (tmp_path / "metrics.jsonl").write_text('{"round": 9, "x": "left by a killed run"}\n')
    derived = DerivedMetrics(tmp_path)
    derived.add(2, {"x": 2.0})
    derived.close()
    log.close()
    expected = [{"round": 0, "x": 0.0, "y": 0.5}, {"round": 1, "x": 1.0, "y": 0.5}, {"round": 2, "x": 2.0}]
    assert lines(tmp_path) == expected
    assert any((tmp_path / "tensorboard").iterdir())
    DerivedMetrics(tmp_path).close()
    assert lines(tmp_path) == expected[:2]
    assert len(list((tmp_path / "tensorboard").iterdir())) == 1
