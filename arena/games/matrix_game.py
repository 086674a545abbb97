"""Matrix games: the payoff table is the task, so that generators and curricula can invent games.

The default is Odd or Even (T. S. Ferguson, Game Theory, part II): both say one or two, an odd sum is paid to row, an
even one to column. It looks fair, and is worth 1/12 to row, who says one with probability 7/12.
``arena.matrix_audit`` tells whether an invented table is a game worth playing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import ConfigError
from arena.game import Game, games
from arena.matrix_audit import MOST_ACTIONS, Table, payoff_table
from arena.params import whole_number
from arena.types import GameSpec, IllegalRule, Observation, Payoff, Task

_SEATS = ("row", "column")
_LETTERS = tuple("abcdefgh"[:MOST_ACTIONS])
_MOST_PAY = 100.0
_MOST_ROUNDS = 10
_MOST_NAME = 20
_DEFAULT = (((-2, 2), (3, -3)), ((3, -3), (-4, 4)))


@dataclass(frozen=True, slots=True)
class Played:
    """The table, what the actions are called in words (or nothing), how many rounds there are, and the rounds so far.

    Attributes:
        table: rows of pairs (row's pay, column's pay).
        names: of row's and of column's actions; empty where the task gives none.
        rounds: how many there are.
        past: the actions of row and column, a pair a round.
    """

    table: Table
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    rounds: int = 1
    past: tuple[tuple[str, str], ...] = ()


@games.register("matrix_game-v0")
class MatrixGame(Game[Played]):
    """A game of one payoff table, perhaps repeated.

    ``payoffs`` (rows of pairs ``[row's pay, column's pay]``, at most 8 by 8), ``row_actions`` and ``column_actions`` (a
    word for each action, shown beside its letter) and ``rounds`` (1 to 10, default 1) shape the task. The pay of all
    rounds is added and cannot leave -100 to 100. An illegal answer costs 1 and plays at random: a forfeit would cost
    100, whatever the table pays.
    """

    spec = GameSpec(
        name="matrix_game",
        version=0,
        seats=_SEATS,
        payoff=Payoff.GENERAL_SUM,
        max_turns=2 * _MOST_ROUNDS,
        returns_range=(-_MOST_PAY, _MOST_PAY),
        actions=_LETTERS,
        illegal=IllegalRule(kind="penalise", penalty=1.0),
        params={"payoffs": _DEFAULT, "row_actions": None, "column_actions": None, "rounds": 1},
        summary="any payoff table of up to 8 by 8 actions",
        text_bytes=6144,
    )
    rules = (
        "Matrix game. Both players choose one of their actions at the same time. Each pair of choices pays you and the "
        "opponent as listed. The pay of all rounds is added; get as much as you can."
    )

    def reset(self, task: Task) -> Played:
        """Returns the state before the first round.

        Raises:
            ConfigError: a parameter is not as the class says; the message names the entry.
        """
        rounds = whole_number(self.spec, task, "rounds", 1, _MOST_ROUNDS)
        table = payoff_table(task.params.get("payoffs", _DEFAULT), "task.params.payoffs", _MOST_PAY / rounds)
        names = _names(task, "row_actions", len(table)), _names(task, "column_actions", len(table[0]))
        return Played(table, names, rounds)

    def to_move(self, state: Played) -> tuple[str, ...]:
        """Returns both seats until the last round is played."""
        return _SEATS if len(state.past) < state.rounds else ()

    def step(self, state: Played, moves: Mapping[str, Any]) -> Played:
        """Returns the state after one more round."""
        return Played(state.table, state.names, state.rounds, (*state.past, (moves["row"], moves["column"])))

    def observe(self, state: Played, seat: str) -> Observation:
        """Returns the table as the seat sees it, the rounds so far, and the seat's actions."""
        own, other = _counts(state) if seat == "row" else _counts(state)[::-1]
        lines = [*_called(state, seat), *_priced(state, seat, own, other), *_history(state, seat)]
        legal = _LETTERS[:own] if self.to_move(state) else ()
        if legal:
            lines.append(f"You may choose {', '.join(legal)}.")
        return Observation(seat=seat, text="\n".join(lines), legal_actions=legal)

    def returns(self, state: Played) -> Mapping[str, float]:
        """Returns the sum of each seat's pay."""
        return _earned(state, 0)

    def rewards(self, before: Played, after: Played) -> Mapping[str, float]:
        """Returns the pay of the round."""
        return _earned(after, len(before.past))

    def information_key(self, state: Played, seat: str) -> str:
        """Returns the table, what its actions are called, and the rounds so far, the own letter first.

        ``-2,2 3,-3 / 3,-3 -4,4 | start of 1``: different tables never share a name.
        """
        table = " / ".join(" ".join(f"{_figure(a)},{_figure(b)}" for a, b in line) for line in state.table)
        past = " ".join(map("".join, _seen(state, seat))) or "start"
        return " | ".join([table, *map(", ".join, filter(None, state.names)), f"{past} of {state.rounds}"])

    def state_text(self, state: Played) -> str:
        """Returns the table with row's pay first, and the rounds so far."""
        rows, columns = _counts(state)
        cells = [[f"{_figure(a)},{_figure(b)}" for a, b in line] for line in state.table]
        width = max(len(cell) for line in cells for cell in line)
        head = "  " + " ".join(name.rjust(width) for name in _LETTERS[:columns])
        body = [f"{name} {' '.join(cell.rjust(width) for cell in cells[i])}" for i, name in enumerate(_LETTERS[:rows])]
        past = " ".join(a + b for a, b in state.past) or "-"
        return "\n".join([head, *body, f"{len(state.past)} of {state.rounds} rounds played: {past}"])


def _counts(state: Played) -> tuple[int, int]:
    return len(state.table), len(state.table[0])


def _seen(state: Played, seat: str) -> list[tuple[str, str]]:
    """Returns the rounds so far, the seat's own action first."""
    return [(row, column) if seat == "row" else (column, row) for row, column in state.past]


def _called(state: Played, seat: str) -> list[str]:
    """Returns what the actions are called, when the task names them."""
    own, other = state.names if seat == "row" else state.names[::-1]
    known = [("Your actions", own), ("The opponent's actions", other)]
    return [
        f"{whose}: {', '.join(map(' '.join, zip(_LETTERS, names, strict=False)))}." for whose, names in known if names
    ]


def _priced(state: Played, seat: str, own: int, other: int) -> list[str]:
    """Returns the table in words, a line for each pair of choices, the seat's own pay first."""
    lines = []
    for mine in range(own):
        for theirs in range(other):
            row, column = state.table[mine][theirs] if seat == "row" else state.table[theirs][mine]
            gain, given = (row, column) if seat == "row" else (column, row)
            pair = f"You {_LETTERS[mine]}, opponent {_LETTERS[theirs]}"
            lines.append(f"{pair}: you get {_figure(gain)}, opponent {_figure(given)}.")
    return lines


def _history(state: Played, seat: str) -> list[str]:
    """Returns the round to be played and the rounds so far."""
    lines = []
    if state.rounds > 1 and len(state.past) < state.rounds:
        lines.append(f"Round {len(state.past) + 1} of {state.rounds}.")
    if state.past:
        mine, theirs = zip(*_seen(state, seat), strict=True)
        lines.append(f"You chose {' '.join(mine)}. The opponent chose {' '.join(theirs)}.")
    return lines


def _earned(state: Played, since: int) -> dict[str, float]:
    """Returns each seat's pay from the round numbered ``since`` on."""
    cells = [state.table[_LETTERS.index(row)][_LETTERS.index(column)] for row, column in state.past[since:]]
    return {"row": sum((row for row, _ in cells), 0.0), "column": sum((column for _, column in cells), 0.0)}


def _figure(pay: float) -> str:
    return f"{pay:.9g}"


def _names(task: Task, name: str, count: int) -> tuple[str, ...]:
    """Returns the words for a seat's actions, or nothing when the task gives none."""
    given = task.params.get(name)
    if given is None:
        return ()
    if not isinstance(given, list | tuple) or len(given) != count:
        raise ConfigError(f"task.params.{name}: expected a list of {count} names, got {given!r}; one for each action")
    for place, word in enumerate(given):
        if not isinstance(word, str) or not 0 < len(word.strip()) <= _MOST_NAME or word in given[:place]:
            raise ConfigError(
                f"task.params.{name}[{place}]: expected a name of 1 to {_MOST_NAME} characters that no other action "
                f"has, got {word!r}; change it"
            )
    return tuple(given)
