"""The table of games says what holds, and fails when something does not."""

from dataclasses import replace

import pytest

from arena.game import games
from arena.solutions import uniform_strategy
from benchmarks import game_table
from benchmarks.game_table import KNOWN, at, main, row, szafron

KUHN = "kuhn_poker-v0"


def test_a_row_whose_parts_all_hold():
    found = row(KUHN)
    assert found.faults == ()
    assert found.cells[:5] == (f"`{KUHN}`", "2", "zero-sum", "55", "12")  # OpenSpiel's kuhn_poker has 12 as well
    assert found.cells[5].startswith("pass (")
    assert found.cells[6:] == ("-1/18 (H. W. Kuhn 1950)", "equal")


@pytest.mark.parametrize(
    ("known", "fault"),
    [
        (replace(KNOWN[KUHN], value=-1 / 16), "known value: expected -0.0625, got"),
        (
            replace(KNOWN[KUHN], measure=at(uniform_strategy)),
            "expected an equilibrium, got strategies whose NashConv is",
        ),
        (replace(KNOWN[KUHN], measure=at(szafron)), "strategies['first']: expected the information key"),
    ],
)
def test_a_value_that_does_not_hold_is_a_fault(known, fault):
    found = row(KUHN, known)
    assert "**fails**" in found.cells[6]
    (said,) = found.faults
    assert fault in said


def test_a_game_too_large_to_verify_is_a_fault(monkeypatch):
    monkeypatch.setattr(game_table, "MOST_NODES", 20)
    found = row(KUHN)
    assert found.cells[3:5] == ("-", "-")
    assert "**not verified**" in found.cells[6]
    assert len(found.faults) == 1


def test_the_golden_playthrough_is_compared(monkeypatch, tmp_path):
    monkeypatch.setattr(game_table, "GOLDEN", tmp_path)
    assert row(KUHN).cells[7] == "**missing**"
    (tmp_path / "kuhn_poker.txt").write_text("another game\n")
    found = row(KUHN)
    assert found.cells[7] == "**differs**"
    assert found.faults == (f"{KUHN}: golden: expected the playthrough of kuhn_poker.txt, got another",)


def test_the_exit_code_and_the_table(monkeypatch, tmp_path, capsys):
    assert main(["stag_hunt-v0", "quiz-v0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.count("|") for line in lines] == [9] * 4
    monkeypatch.setattr(game_table, "GOLDEN", tmp_path)
    assert main(["stag_hunt-v0"]) == 1
    assert "golden: expected stag_hunt.txt" in capsys.readouterr().err


def test_only_registered_games_are_known():
    assert set(KNOWN) <= set(games.names())
