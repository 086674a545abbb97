"""Strategies laid out as grids."""

from __future__ import annotations

from typing import Any

import pytest

from curricula.report.strategy import Cell, strategy_grids


def evaluated(at: int, strategy: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"round": at, "game": "g", "policy": "p", "strategy": strategy, **fields}


KUHN = {
    "K check bet": {"fold": 0.1, "call": 0.9},
    "Q": {"check": 0.7, "bet": 0.3},
    "J bet": {"fold": 1.0, "call": 0.0},
    "K": {"check": 0.4, "bet": 0.6},
    "J check": {"check": 0.5, "bet": 0.5},
}


def test_poker_keys_make_rows_of_cards_and_columns_of_decisions() -> None:
    (grid,) = strategy_grids([evaluated(0, KUHN)])
    assert grid.rows == ("J", "Q", "K")
    assert grid.columns == ("to open", "after check", "after bet", "after check, bet")
    king = grid.cells[2]
    assert [cell and (cell.action, cell.last) for cell in king] == [("bet", 0.6), None, None, ("call", 0.9)]


def test_the_gap_is_to_the_nearest_equilibrium() -> None:
    equilibrium = {"Q": {"bet": [0.1, 0.2]}, "K": {"bet": [0.0, 1.0]}}
    (grid,) = strategy_grids([evaluated(0, KUHN, equilibrium=equilibrium)])
    queen, king = grid.cells[1][0], grid.cells[2][0]
    assert queen is not None
    assert king is not None
    assert queen.gap == pytest.approx(0.1)
    assert king.gap == 0
    assert (queen.span, king.span) == ("0.1–0.2", "0–1")
    assert grid.solved


def test_other_games_get_a_row_per_information_set_and_a_column_per_action() -> None:
    (grid,) = strategy_grids([evaluated(0, {"start": {"rock": 0.2, "paper": 0.3, "scissors": 0.5}})])
    assert (grid.rows, grid.columns) == (("start",), ("rock", "paper", "scissors"))
    assert [cell and cell.last for cell in grid.cells[0]] == [0.2, 0.3, 0.5]
    assert not grid.solved


def test_many_information_sets_are_counted_not_hidden() -> None:
    (grid,) = strategy_grids([evaluated(0, {f"s{at:03d}": {"a": 1.0} for at in range(100)})])
    assert len(grid.rows) + grid.omitted == 100


def test_cards_stand_by_rank() -> None:
    strategy = {key: {"check": 0.4, "raise": 0.6} for key in ("K", "Q", "J", "Q check", "J raise")}
    strategy["Q raise"] = {"fold": 0.2, "call": 0.3, "raise": 0.5}
    (grid,) = strategy_grids([evaluated(0, strategy)])
    assert grid.rows == ("J", "Q", "K", "J raise", "Q check", "Q raise")
    assert grid.together


def test_what_is_cut_is_counted_in_words() -> None:
    (grid,) = strategy_grids([evaluated(0, {f"s{at}": {"a": 0.5, "b": 0.5} for at in range(30)})])
    assert grid.left_out == "6 more information sets are in the log."


def test_forced_moves_have_no_row_and_early_decisions_come_first() -> None:
    both, forced = {"a": 0.5, "b": 0.5}, {"b": 1.0}
    (grid,) = strategy_grids([evaluated(0, {"s a": both, "s a b": forced, "s": both})])
    assert grid.rows == ("s", "s a")
    assert (grid.omitted, grid.forced, grid.together) == (1, 1, True)
    assert grid.left_out == "In 1 other only one action is legal."


def test_frames_are_thinned_and_end_with_the_last_round() -> None:
    (grid,) = strategy_grids([evaluated(at, {"s": {"a": at / 1000}}) for at in range(1001)])
    assert len(grid.rounds) <= 241
    assert grid.rounds[-1] == 1000
    cell = grid.cells[0][0]
    assert cell is not None
    assert cell.values[-1] == 1.0


def test_a_missing_value_breaks_the_line() -> None:
    cell = Cell(key="s", action="a", values=(0.0, None, 1.0, 0.5), low=None, high=None)
    assert cell.runs() == ["0.0,84.0", "133.3,0.0 200.0,42.0"]
    assert (cell.gap, cell.span) == (None, "–")


def test_evaluations_without_a_strategy_have_no_grid() -> None:
    assert strategy_grids([{"round": 0, "game": "g", "policy": "p", "strategy": None}]) == []
