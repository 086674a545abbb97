"""A picture in a terminal, occasional lines everywhere else."""

import io

import pytest
from rich.console import Console

from training.cli.progress import Progress, duration, headline, readings

SOLVED = {
    "game": "kuhn",
    "policy": "player",
    "nash_conv": 0.25,
    "references": {"uniform": 0.917, "always_bet": 0.667},
    "strategy": {"K": {"check": 0.2, "bet": 0.8}},
}
METRICS = {"illegal_rate": 0.013, "player/entropy": 0.5, "episodes": 512.0, "completion_tokens": 4000.0}
SECONDS = {"round_s": 2.0, "rollout_s": 1.0}


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def play(console, clock, rounds=20):
    with Progress(rounds, console, title="kuhn_selfplay", clock=clock) as progress:
        for step in range(1, 5):
            progress.warm_start(step / 4, "teaching the format")
        for n in range(rounds):
            clock.now += 2.0
            if (n + 1) % 10 == 0:
                progress.evaluated(n + 1, SOLVED)
            progress.round(n, METRICS, SECONDS)
        progress.finish("run: runs/x")
    return progress


def test_without_a_terminal_there_are_few_plain_lines():
    out = io.StringIO()
    play(Console(file=out, width=200), Clock())
    lines = out.getvalue().splitlines()
    assert "\x1b" not in out.getvalue()
    assert lines[0].startswith("warm start 25%")
    rounds = [line for line in lines if line.startswith("round ")]
    # 20 rounds of 2 s, one line in 5 s at most, and one at each of the two evaluations
    assert 2 <= len(rounds) <= 10
    assert "round 10/20  NashConv 0.250  illegal 1.3%  entropy 0.50 nats  256 games/s  4,000 tokens/s" in out.getvalue()
    assert "left 0:20" in out.getvalue()
    assert out.getvalue().count("opening with a King it bets 80% of the time") == 2
    assert lines[-1] == "run: runs/x"


def test_a_terminal_gets_the_picture():
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=True, color_system=None, _environ={"TERM": "xterm"})
    progress = play(console, Clock())
    assert progress.picture.points == ((10, 0.25), (20, 0.25))
    last = out.getvalue()[out.getvalue().rindex("kuhn_selfplay") :]
    for words in ("round 20/20", "100%", "NashConv 0.250", "always bet 0.667", "illegal 1.3%", "with a King"):
        assert words in last


def test_an_evaluation_before_training_is_told_at_once():
    out = io.StringIO()
    Progress(20, Console(file=out, width=200), clock=Clock()).evaluated(0, SOLVED)
    assert out.getvalue().startswith("round 0/20  NashConv 0.250")
    assert "with a King" in out.getvalue()


def test_a_resumed_run_counts_its_own_rounds_for_the_time_left():
    clock = Clock()
    progress = Progress(100, Console(file=io.StringIO()), first_round=90, clock=clock)
    clock.now = 3.0
    progress.round(90, METRICS, {"round_s": 3.0})
    assert progress.picture.left_s == pytest.approx(27.0)


def test_the_curve_stays_with_the_game_that_was_evaluated_first():
    progress = Progress(10, Console(file=io.StringIO()))
    progress.evaluated(1, SOLVED)
    progress.evaluated(1, {**SOLVED, "game": "other", "nash_conv": 9.0})
    assert progress.picture.points == ((1, 0.25),)


def test_a_game_that_cannot_be_solved_shows_what_is_not_lost():
    played = [
        {"opponent": "uniform", "seat": "x", "win_rate": [0, 0.5, 1], "not_lost_rate": [0, 0.9, 1]},
        {"opponent": "uniform", "seat": "o", "win_rate": [0, 0.3, 1], "not_lost_rate": [0, 0.7, 1]},
        {"opponent": "minimax", "seat": "x", "win_rate": [0, 0.0, 1], "not_lost_rate": [0, 0.1, 1]},
    ]
    name, value = headline({"nash_conv": None, "opponents": played})
    assert (name, value) == ("not lost against uniform", pytest.approx(0.8))
    assert headline({}) == ("", None)


def test_what_was_not_measured_is_left_out():
    assert readings({}, {}) == []
    assert readings({"a/entropy": 1.0, "b/entropy": 2.0, "loss": 3.0}, {}) == ["entropy 1.50 nats"]


@pytest.mark.parametrize(("seconds", "text"), [(0, "0:00"), (59.6, "1:00"), (3725, "1:02:05"), (-1, "0:00")])
def test_durations(seconds, text):
    assert duration(seconds) == text
