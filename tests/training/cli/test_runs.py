"""Runs are read from their files; pruning removes what is spent and nothing else."""

import json
import subprocess
import sys

import pytest

from training.cli.runs import LOCK, headline, read, spent

HOLD = """
import fcntl, sys, time
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""


def make_run(root, name, rounds=0, summary=None, abandoned=False):
    folder = root / "kuhn_selfplay" / name
    (folder / "rounds" / "open").mkdir(parents=True)
    (folder / "config.yaml").write_text("name: kuhn_selfplay\n")
    for index in range(rounds):
        (folder / "rounds" / f"{index:06d}").mkdir()
        (folder / "rounds" / f"{index:06d}" / "events.jsonl").write_text("x" * 100)
    if summary is not None:
        (folder / "summary.json").write_text(summary if isinstance(summary, str) else json.dumps(summary))
    if abandoned:
        (folder / "abandoned" / "1").mkdir(parents=True)
        (folder / "abandoned" / "1" / "events.jsonl").write_text("old")
    return folder


SUMMARY = {
    "complete": True,
    "metrics": {"kuhn/nash_conv": {"first": 0.9, "last": 0.15, "best": 0.125}, "loss": {"last": 1.0}},
}


@pytest.fixture
def root(tmp_path):
    root = tmp_path / "runs"
    make_run(root, "a-finished", rounds=3, summary=SUMMARY, abandoned=True)
    make_run(root, "b-interrupted", rounds=2)
    make_run(root, "c-empty")
    return root


def test_states_rounds_and_headlines(ludus, root):
    answer = ludus("runs", "--json")
    assert [(run["path"].split("/")[-1], run["state"], run["rounds"]) for run in answer.json] == [
        ("a-finished", "finished", 3),
        ("b-interrupted", "interrupted", 2),
        ("c-empty", "interrupted", 0),
    ]
    assert answer.json[0]["headlines"] == {"kuhn/nash_conv": {"last": 0.15, "best": 0.125}}
    assert answer.json[1]["bytes"] == 200 + len("name: kuhn_selfplay\n")
    assert "kuhn/nash_conv 0.150 (0.125)" in ludus("runs").out


def test_a_run_of_several_games_has_one_headline_a_game(root):
    metrics = {
        "dice/nash_conv": {"last": 0.9, "best": 0.9},
        "kuhn/nash_conv": {"last": 0.25, "best": 0.2},
        "chess/not_lost_rate_vs_uniform": {"last": 0.5, "best": 0.75},
        "kuhn/not_lost_rate_vs_uniform": {"last": 0.6, "best": 0.6},
        "kuhn/return_vs_uniform": {"last": 0.1, "best": 0.0},
        "illegal_rate": {"last": 0.0, "best": 0.0},
    }
    run = read(make_run(root, "g-games", rounds=1, summary={"metrics": metrics}))
    assert (
        headline(run)
        == "dice/nash_conv 0.900, kuhn/nash_conv 0.250 (0.200), chess/not_lost_rate_vs_uniform 0.500 (0.750)"
    )
    assert set(run.headlines) == set(metrics)
    metrics["illegal_rate"]["last"] = 0.125
    bad = read(make_run(root, "h-illegal", rounds=1, summary={"metrics": metrics}))
    assert headline(bad).endswith("illegal_rate 0.125 (0.000)")


def test_held_out_questions_stand_at_the_end(root):
    probe = {"probe": "quiz-v0", "policy": "player", "before": [0.2, 0.25, 0.3], "after": [0.3, 0.375, 0.4]}
    run = read(make_run(root, "i-probed", rounds=1, summary=SUMMARY | {"probes": [probe]}))
    assert headline(run) == "kuhn/nash_conv 0.150 (0.125), player on quiz-v0 25.0% to 37.5%"
    assert run.probes == [probe]


def test_a_run_that_was_stopped_after_a_checkpoint_is_interrupted(root):
    assert read(make_run(root, "f-stopped", rounds=1, summary={"complete": False})).state == "interrupted"


def test_a_run_whose_lock_is_held_is_running(root):
    folder = make_run(root, "d-running")
    (folder / LOCK).write_text("")
    assert read(folder).state == "interrupted"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(folder / LOCK)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        assert read(folder).state == "running"
        assert folder not in spent(root)
    finally:
        holder.kill()
        holder.wait()
    assert read(folder).state == "interrupted"


def test_prune_asks_and_removes_what_is_spent(ludus, root):
    answer = ludus("runs", "--prune", typed="n\n")
    assert "nothing was removed" in answer.err
    assert (root / "kuhn_selfplay" / "c-empty").exists()
    answer = ludus("runs", "--prune", typed="y\n")
    assert answer.code == 0
    left = sorted(path.name for path in (root / "kuhn_selfplay").iterdir())
    assert left == ["a-finished", "b-interrupted"]
    assert not (root / "kuhn_selfplay" / "a-finished" / "abandoned").exists()
    assert (root / "kuhn_selfplay" / "a-finished" / "rounds" / "000002").exists()
    assert "nothing to prune" in ludus("runs", "--prune", "--yes").err


def test_prune_for_a_program_needs_yes(ludus, root):
    answer = ludus("runs", "--prune", "--json")
    assert answer.code == 2
    assert (root / "kuhn_selfplay" / "c-empty").exists()
    assert len(ludus("runs", "--prune", "--yes", "--json").json) == 2


@pytest.mark.parametrize(("text", "note"), [("{torn", "cannot be read"), ("[]", "no mapping")])
def test_a_broken_summary_is_said(root, text, note):
    assert note in read(make_run(root, "e-broken", rounds=1, summary=text)).note


def test_folders_that_are_no_runs_are_left_alone(ludus, root):
    (root / "kuhn_selfplay" / "notes").mkdir()
    assert len(ludus("runs", "--json").json) == 3
    ludus("runs", "--prune", "--yes")
    assert (root / "kuhn_selfplay" / "notes").exists()


def test_no_runs_yet(ludus, tmp_path):
    assert ludus("runs", "--json").json == []
    answer = ludus("runs", "--root", tmp_path / "elsewhere")
    assert answer.code == 2
    assert "elsewhere" in answer.err
