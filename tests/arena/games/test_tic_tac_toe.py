"""Tic-tac-toe against known values: 5,478 positions, 255,168 games, uniform play 0.585 / 0.288 / 0.127."""

from functools import cache

import pytest

from arena.games.tic_tac_toe import Board, TicTacToe, free_cells, numbered, winner
from arena.types import Task

GAME = TicTacToe()


@cache
def outcomes(board):
    """Returns (x wins, o wins, draws) under uniform play, and how many games lie below the board."""
    movers = GAME.to_move(board)
    if not movers:
        won = winner(board)
        return (float(won == "x"), float(won == "o"), float(not won)), 1
    below = [outcomes(GAME.step(board, {movers[0]: cell})) for cell in free_cells(board)]
    mean = tuple(sum(chances[i] for chances, _ in below) / len(below) for i in range(3))
    return mean, sum(count for _, count in below)


@cache
def best(board):
    """Returns x's return under best play."""
    movers = GAME.to_move(board)
    if not movers:
        return GAME.returns(board)["x"]
    values = [best(GAME.step(board, {movers[0]: cell})) for cell in free_cells(board)]
    return max(values) if movers[0] == "x" else min(values)


def test_uniform_play_by_enumeration():
    outcomes.cache_clear()
    chances, count = outcomes(GAME.reset(Task(game="tic_tac_toe-v0")))
    # The well-known frequencies of random tic-tac-toe, and the 255,168 possible games.
    assert chances == pytest.approx((0.585, 0.288, 0.127), abs=0.0005)
    assert count == 255_168
    # Reachable positions, the empty board included.
    assert outcomes.cache_info().currsize == 5_478


def test_best_play_is_a_draw():
    assert best(Board()) == 0.0


@pytest.mark.parametrize(
    ("cells", "won"),
    [("xxx.o.o..", "x"), ("x.o.xo..x", "x"), ("o..o..oxx", "o"), ("xoxxoxoxo", ""), (".........", "")],
)
def test_winner(cells, won):
    assert winner(Board(cells)) == won
    if won:
        other = "o" if won == "x" else "x"
        assert GAME.to_move(Board(cells)) == ()
        assert GAME.returns(Board(cells)) == {won: 1.0, other: -1.0}


def test_a_full_board_is_a_draw():
    board = Board("xoxxoxoxo")
    assert GAME.to_move(board) == ()
    assert GAME.returns(board) == {"x": 0.0, "o": 0.0}


def test_texts_and_keys():
    board = Board("x...o....")
    seen = GAME.observe(board, "x")
    assert seen.text == "You are x.\nx 2 3\n4 o 6\n7 8 9\nYou may mark 2 3 4 6 7 8 9."
    assert seen.legal_actions == ("2", "3", "4", "6", "7", "8", "9")
    assert GAME.observe(board, "o").legal_actions == ()
    assert numbered(board) == "x 2 3\n4 o 6\n7 8 9"
    assert GAME.state_text(board) == "x..\n.o.\n..."
    # Two orders of the same marks meet in one information set.
    one = GAME.step(GAME.step(GAME.step(Board(), {"x": "1"}), {"o": "5"}), {"x": "9"})
    two = GAME.step(GAME.step(GAME.step(Board(), {"x": "9"}), {"o": "5"}), {"x": "1"})
    assert GAME.information_key(one, "o") == GAME.information_key(two, "o") == "x...o...x"
