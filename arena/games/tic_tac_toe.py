"""Tic-tac-toe: perfect information, two seats, a draw under best play.

The information key is the board, so that different orders of the same moves meet in one set; this is harmless
because the board is the whole state. Uniform play: x wins 0.585, o 0.288, draw 0.127 (by enumeration).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from arena.game import Game, games
from arena.types import GameSpec, Observation, Payoff, Task

_SEATS = ("x", "o")
_CELLS = tuple(str(cell) for cell in range(1, 10))
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


@dataclass(frozen=True, slots=True)
class Board:
    """Nine cells in reading order, each ``x``, ``o`` or ``.``."""

    cells: str = "........."


@games.register("tic_tac_toe-v0")
class TicTacToe(Game[Board]):
    """Tic-tac-toe on numbered cells."""

    spec = GameSpec(
        name="tic_tac_toe",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=9,
        returns_range=(-1.0, 1.0),
        actions=_CELLS,
        summary="three in a row on a board of nine cells",
    )
    rules = (
        "Tic-tac-toe. The board has nine cells, numbered 1 to 9 in reading order; a free cell shows its number. x "
        "moves first, then the players take turns marking one free cell. Three own marks in a row, column or diagonal "
        "win. A full board without three in a row is a draw."
    )

    def reset(self, task: Task) -> Board:
        """Returns the empty board."""
        return Board()

    def to_move(self, state: Board) -> tuple[str, ...]:
        """Returns the seats in turn until a line or a full board."""
        free = state.cells.count(".")
        if not free or winner(state):
            return ()
        return (_SEATS[(9 - free) % 2],)

    def step(self, state: Board, moves: Mapping[str, Any]) -> Board:
        """Returns the board with one more mark."""
        ((seat, cell),) = moves.items()
        index = int(cell) - 1
        return Board(state.cells[:index] + seat + state.cells[index + 1 :])

    def observe(self, state: Board, seat: str) -> Observation:
        """Returns the board with free cells numbered, and the seat's own mark."""
        return _seen(state, seat)

    def returns(self, state: Board) -> Mapping[str, float]:
        """Returns 1 to the winner and -1 to the loser, 0 for a draw."""
        won = winner(state)
        return {seat: 0.0 if not won else (1.0 if seat == won else -1.0) for seat in _SEATS}

    def information_key(self, state: Board, seat: str) -> str:
        """Returns the board."""
        return state.cells

    def state_text(self, state: Board) -> str:
        """Returns the board in three lines."""
        return "\n".join(state.cells[row : row + 3] for row in (0, 3, 6))


@cache
def _seen(board: Board, seat: str) -> Observation:
    """Returns the observation; there are two of each of 5478 boards, so they are kept."""
    marked = 9 - board.cells.count(".")
    legal = free_cells(board) if seat == _SEATS[marked % 2] and not winner(board) else ()
    text = f"You are {seat}.\n{numbered(board)}"
    if legal:
        text += f"\nYou may mark {' '.join(legal)}."
    return Observation(seat=seat, text=text, legal_actions=legal, information_key=board.cells)


def winner(board: Board) -> str:
    """Returns the seat that has three in a row, or an empty string."""
    cells = board.cells
    return next((cells[a] for a, b, c in _LINES if cells[a] != "." and cells[a] == cells[b] == cells[c]), "")


def free_cells(board: Board) -> tuple[str, ...]:
    """Returns the names of the cells that can be marked."""
    return tuple(cell for cell, mark in zip(_CELLS, board.cells, strict=True) if mark == ".")


def numbered(board: Board) -> str:
    """Returns the board in three lines, each free cell shown by its number."""
    marks = [cell if mark == "." else mark for cell, mark in zip(_CELLS, board.cells, strict=True)]
    return "\n".join(" ".join(marks[row : row + 3]) for row in (0, 3, 6))
