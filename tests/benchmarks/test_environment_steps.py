"""The benchmark of environments: every player plays whole games of the right game, and a wrong one is found out."""

import json
import sys
from collections import Counter
from itertools import islice

import pytest

from benchmarks import environment_steps
from benchmarks.environment_peers import LIBRARIES
from benchmarks.environment_steps import Tally, faults, rows

PLAYED = {"tic_tac_toe": 600, "kuhn_poker": 1000, "connect_four": 60, "leduc_poker": 600}
# Uniform play, moves a game: Kuhn poker 9/4 by hand; tic-tac-toe 7.63 and connect four 21.3, as OpenSpiel plays them;
# Leduc poker 4.06, likewise. Beside each, how far the mean of so many games may be off.
LENGTH = {
    "tic_tac_toe": (7.63, 0.25),
    "kuhn_poker": (2.25, 0.07),
    "connect_four": (21.3, 5.0),
    "leduc_poker": (4.06, 0.5),
}
STREAMS = {"tic_tac_toe": 10, "kuhn_poker": 9, "connect_four": 10, "leduc_poker": 6}


def tally(finished):
    games = list(finished)
    ends = Counter((got > 0) - (got < 0) for _, got in games)
    return Tally(moves_per_s=1.0, moves=sum(moves for moves, _ in games), ends=ends)


@pytest.mark.parametrize("game", PLAYED)
def test_every_player_plays_whole_games(game):
    streams = {name: stream for players in LIBRARIES.values() for name, stream in players(game).items()}
    assert len(streams) == STREAMS[game]
    tallies = {name: tally(islice(stream, PLAYED[game])) for name, stream in streams.items()}
    assert faults(game, tallies) == []
    length, off = LENGTH[game]
    assert {name: t.moves / t.games for name, t in tallies.items()} == pytest.approx(
        dict.fromkeys(streams, length), abs=off
    )


def test_a_player_of_another_game_is_named():
    fair = Tally(moves=7600, ends=Counter({1: 585, -1: 288, 0: 127}))
    tallies = {"pure rules": fair, "cheat": Tally(moves=7600, ends=Counter({1: 700, -1: 200, 0: 100}))}
    assert [fault.partition(":")[0] for fault in faults("tic_tac_toe", tallies)] == ["tic_tac_toe, cheat"] * 2
    assert [fault.partition(":")[0] for fault in faults("connect_four", tallies)] == ["connect_four, cheat"]


def test_ratios_are_to_the_wrapped_peers():
    speeds = {"pure rules": 300.0, "TextArena": 100.0, "TextArena, raw": 200.0, "PettingZoo": 50.0}
    lines = rows("tic_tac_toe", {name: Tally(speed, 10, Counter({1: 2})) for name, speed in speeds.items()})
    assert [(line["of_textarena"], line["of_pettingzoo"]) for line in lines] == [(3, 6), (1, 2), (2, 4), (0.5, 1)]
    assert lines[0]["moves_per_game"] == 5
    (alone,) = rows("leduc_poker", {"pure rules": Tally(1.0, 1, Counter({0: 1}))})
    assert (alone["of_textarena"], alone["won_drawn_lost"]) == (None, [0, 1, 0])


def test_a_library_that_is_missing_is_left_out_with_a_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    tallies = environment_steps.measure("kuhn_poker", 0.001)
    assert "OpenSpiel" not in tallies and "TextArena" in tallies
    assert "OpenSpiel is not installed" in capsys.readouterr().out


def test_figures_are_written(monkeypatch, capsys, tmp_path):
    target = tmp_path / "figures.json"
    monkeypatch.setattr(
        sys, "argv", ["environment_steps", "--games", "kuhn_poker", "--seconds", "0.02", "--json", str(target)]
    )
    environment_steps.main()
    figures = json.loads(target.read_text())
    assert {row["player"] for row in figures["rows"]} >= {"arena.env, infos", "PettingZoo, bare Kuhn"}
    assert all(row["moves_per_s"] > 0 and row["games"] >= 20 for row in figures["rows"])
    assert figures["machine"] in capsys.readouterr().out
