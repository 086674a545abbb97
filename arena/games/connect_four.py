"""Connect four: discs dropped into columns, four in a row win (L. V. Allis, A Knowledge-Based Approach, 1988).

The first player wins on the standard board of 6 rows and 7 columns, which has 4,531,985,219,092 positions (Edelkamp and
Kissmann 2008). That is past any tree, and whether a game can be enumerated is said once for all its tasks, so the
spec says that it cannot; small boards are solved by search in the tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.game import Game, games
from arena.params import whole_number
from arena.types import Capabilities, GameSpec, Observation, Payoff, Task

_SEATS = ("x", "o")
_COLUMNS = tuple(str(column) for column in range(1, 8))
_DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells in reading order from the top, each ``x``, ``o`` or ``.``; the size; who has connected, if any."""

    cells: str
    columns: int = 7
    connect: int = 4
    winner: str = ""


@games.register("connect_four-v0")
class ConnectFour(Game[Grid]):
    """Connect four; ``rows`` (3 to 6), ``columns`` (3 to 7) and ``connect`` (3 to the longer side) shape the task.

    The defaults are 6, 7 and 4.
    """

    spec = GameSpec(
        name="connect_four",
        version=0,
        seats=_SEATS,
        payoff=Payoff.ZERO_SUM,
        max_turns=42,
        returns_range=(-1.0, 1.0),
        actions=_COLUMNS,
        capabilities=Capabilities(enumerate=False),
        params={"rows": 6, "columns": 7, "connect": 4},
        summary="discs dropped into columns; four in a row win",
    )
    rules = (
        "Connect four. x moves first, then the players take turns dropping a disc into a column that is not full; it "
        "falls to the lowest free cell. Enough own discs in an unbroken row, column or diagonal win. A full board "
        "without such a line is a draw."
    )

    def reset(self, task: Task) -> Grid:
        """Returns the empty board.

        Raises:
            ConfigError: ``rows``, ``columns`` or ``connect`` is out of range.
        """
        rows = whole_number(self.spec, task, "rows", 3, 6)
        columns = whole_number(self.spec, task, "columns", 3, 7)
        connect = whole_number(self.spec, task, "connect", 3, max(rows, columns))
        return Grid("." * (rows * columns), columns, connect)

    def to_move(self, state: Grid) -> tuple[str, ...]:
        """Returns the seats in turn until a line or a full board."""
        free = state.cells.count(".")
        if not free or state.winner:
            return ()
        return (_SEATS[(len(state.cells) - free) % 2],)

    def step(self, state: Grid, moves: Mapping[str, Any]) -> Grid:
        """Returns the board with one more disc, in the lowest free cell of its column."""
        ((seat, column),) = moves.items()
        place = max(
            cell for cell in range(int(column) - 1, len(state.cells), state.columns) if state.cells[cell] == "."
        )
        cells = state.cells[:place] + seat + state.cells[place + 1 :]
        won = seat if _longest(cells, state.columns, place) >= state.connect else ""
        return Grid(cells, state.columns, state.connect, won)

    def observe(self, state: Grid, seat: str) -> Observation:
        """Returns the seat's own disc, what wins, the board under the numbers of its columns, and the free columns."""
        legal = open_columns(state) if seat in self.to_move(state) else ()
        head = " ".join(_COLUMNS[: state.columns])
        text = f"You are {seat}. {state.connect} in a row win.\n{head}\n{_drawn(state, ' ')}"
        if legal:
            text += f"\nYou may choose column {' '.join(legal)}."
        return Observation(seat=seat, text=text, legal_actions=legal)

    def returns(self, state: Grid) -> Mapping[str, float]:
        """Returns 1 to the winner and -1 to the loser, 0 for a draw."""
        won = state.winner
        return {seat: 0.0 if not won else (1.0 if seat == won else -1.0) for seat in _SEATS}

    def information_key(self, state: Grid, seat: str) -> str:
        """Returns what wins and the board, its lines from the top parted by ``/``."""
        return f"{state.connect} in {_drawn(state, '')}".replace("\n", "/")

    def state_text(self, state: Grid) -> str:
        """Returns the board, one line a row."""
        return _drawn(state, "")


def open_columns(grid: Grid) -> tuple[str, ...]:
    """Returns the names of the columns that are not full."""
    return tuple(name for name, top in zip(_COLUMNS, grid.cells[: grid.columns], strict=False) if top == ".")


def _drawn(grid: Grid, gap: str) -> str:
    return "\n".join(gap.join(grid.cells[at : at + grid.columns]) for at in range(0, len(grid.cells), grid.columns))


def _longest(cells: str, columns: int, place: int) -> int:
    """Returns how long the longest unbroken line of one mark through a cell is."""
    lines = ((1 + _run(cells, columns, place, d, e) + _run(cells, columns, place, -d, -e)) for d, e in _DIRECTIONS)
    return max(lines)


def _run(cells: str, columns: int, place: int, down: int, right: int) -> int:
    """Returns how many cells beyond ``place`` bear its mark without a break, in one direction."""
    row, column = divmod(place, columns)
    length = 0
    while True:
        row, column = row + down, column + right
        if not (0 <= row < len(cells) // columns and 0 <= column < columns):
            return length
        if cells[row * columns + column] != cells[place]:
            return length
        length += 1
