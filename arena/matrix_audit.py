"""What a payoff table is worth as a game, before anybody plays it: a check for tables that were generated.

``audit`` finds equilibria, value, fairness, symmetry, dominated actions and whether anything is left to decide. Payoffs
are read to nine decimals and everything after that is exact rational arithmetic, so 0.1 + 0.2 equals 0.3 and a value of
0 is 0. Values and maximin strategies come from the simplex method (G. B. Dantzig, A proof of the equivalence of the
programming problem and the game problem, 1951) with Bland's rule, which cannot cycle.

One round is looked at: the prisoner's dilemma is degenerate here, though repeating it is not. Mixed equilibria of
general-sum tables are left out.

Shapes: a table is a list of rows, a row a list of pairs ``[row's pay, column's pay]``, 1 to 8 by 1 to 8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from arena.errors import ConfigError

MOST_ACTIONS = 8
"""Actions of either seat."""

MOST_PAY = 1e9
"""The largest absolute value of a payoff."""

DECIMALS = 9
"""Payoffs are compared after rounding to so many."""

Table = tuple[tuple[tuple[float, float], ...], ...]
"""Rows of pairs (row's pay, column's pay)."""

Matrix = list[list[Fraction]]
"""One seat's pay, its own actions as rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixAudit:
    """What one round of a payoff table holds; actions are named by their index.

    Attributes:
        actions: how many actions row and column have.
        constant_sum: what the pay of both adds up to in every cell, or ``None`` when that differs.
        symmetric: whether the seats could change places.
        value: what row can guarantee and column concede, or ``None`` unless the sum is constant.
        fair: whether the value gives both the same (0 in a zero-sum table), or ``None`` unless the sum is constant.
        row_strategy: a maximin strategy of row: probabilities, an equilibrium with ``column_strategy`` when the sum is
            constant, else what guarantees row most.
        column_strategy: the same for column.
        pure_equilibria: the cells (row, column) that neither seat would leave alone.
        dominated_rows: the rows that are worse than some mix of others whatever column does.
        dominated_columns: the same for column.
        reason: why there is nothing to decide, or empty.
    """

    actions: tuple[int, int]
    constant_sum: float | None
    symmetric: bool
    value: float | None
    fair: bool | None
    row_strategy: tuple[float, ...]
    column_strategy: tuple[float, ...]
    pure_equilibria: tuple[tuple[int, int], ...]
    dominated_rows: tuple[int, ...]
    dominated_columns: tuple[int, ...]
    reason: str

    @property
    def zero_sum(self) -> bool:
        """Whether one seat gains what the other loses, in every cell."""
        return self.constant_sum == 0

    @property
    def degenerate(self) -> bool:
        """Whether a seat has nothing to decide; ``reason`` says why."""
        return bool(self.reason)


def audit(payoffs: Sequence[Sequence[Sequence[float]]]) -> MatrixAudit:
    """Returns what a payoff table is worth as a game of one round.

    Args:
        payoffs: rows of pairs ``[row's pay, column's pay]``.

    Raises:
        ConfigError: it is no table of 1 to 8 by 1 to 8 pairs of numbers in range; the message names the entry.
    """
    table = payoff_table(payoffs, "payoffs")
    row = [[_exact(cell[0]) for cell in line] for line in table]
    column = [[_exact(line[j][1]) for line in table] for j in range(len(table[0]))]
    sums = {row[i][j] + column[j][i] for i in range(len(row)) for j in range(len(column))}
    total = next(iter(sums)) if len(sums) == 1 else None
    value, row_strategy = maximin(row)
    _, column_strategy = maximin(column)
    dominated = _dominated(row), _dominated(column)
    return MatrixAudit(
        actions=(len(row), len(column)),
        constant_sum=None if total is None else float(total),
        symmetric=row == column,
        value=None if total is None else float(value),
        fair=None if total is None else 2 * value == total,
        row_strategy=tuple(map(float, row_strategy)),
        column_strategy=tuple(map(float, column_strategy)),
        pure_equilibria=_pure_equilibria(row, column),
        dominated_rows=dominated[0],
        dominated_columns=dominated[1],
        reason=_undecided("row", row, dominated[0]) or _undecided("column", column, dominated[1]),
    )


def maximin(pay: Matrix) -> tuple[Fraction, list[Fraction]]:
    """Returns the most that a seat can guarantee and a mix of its rows that does, exactly.

    With all pay made positive, the other seat's least concession 1 / max sum(y) over y >= 0, pay y <= 1 is a linear
    program whose dual is the wanted mix; the simplex method solves both.

    Args:
        pay: the seat's pay ``[own actions][other's actions]``.
    """
    shift = 1 - min(map(min, pay))
    own, other = len(pay), len(pay[0])
    lines = [
        [p + shift for p in line] + [Fraction(i == k) for k in range(own)] + [Fraction(1)] for i, line in enumerate(pay)
    ]
    goal = [Fraction(-1)] * other + [Fraction(0)] * (own + 1)
    basis = list(range(other, other + own))
    while (enter := next((k for k, cost in enumerate(goal[:-1]) if cost < 0), None)) is not None:
        _, _, leave = min((line[-1] / line[enter], basis[i], i) for i, line in enumerate(lines) if line[enter] > 0)
        basis[leave] = enter
        lines[leave] = [entry / lines[leave][enter] for entry in lines[leave]]
        pivot = lines[leave]
        lines = [line if i == leave else _cleared(line, pivot, enter) for i, line in enumerate(lines)]
        goal = _cleared(goal, pivot, enter)
    return 1 / goal[-1] - shift, [weight / goal[-1] for weight in goal[other:-1]]


def payoff_table(payoffs: Any, where: str, most: float = MOST_PAY) -> Table:  # noqa: ANN401 - JSON of a task
    """Returns a payoff table as tuples of floats.

    Args:
        payoffs: rows of pairs ``[row's pay, column's pay]``.
        where: what errors call it.
        most: the largest absolute value of an entry.

    Raises:
        ConfigError: it is no table of 1 to 8 by 1 to 8 pairs of numbers in range; the message names the entry.
    """
    rows = _listed(payoffs, where, 1, MOST_ACTIONS, "rows")
    width = len(_listed(rows[0], f"{where}[0]", 1, MOST_ACTIONS, "pairs"))
    table = []
    for i, row in enumerate(rows):
        cells = []
        for j, pair in enumerate(_listed(row, f"{where}[{i}]", width, width, "pairs")):
            place = f"{where}[{i}][{j}]"
            row_pay, column_pay = _listed(pair, place, 2, 2, "numbers")
            cells.append((_number(row_pay, f"{place}[0]", most), _number(column_pay, f"{place}[1]", most)))
        table.append(tuple(cells))
    return tuple(table)


def _listed(given: Any, where: str, least: int, most: int, what: str) -> Sequence[Any]:  # noqa: ANN401 - JSON of a task
    if isinstance(given, list | tuple) and least <= len(given) <= most:
        return given
    many = str(least) if least == most else f"{least} to {most}"
    raise ConfigError(
        f"{where}: expected a list of {many} {what}, got {given!r}; a table is rows of pairs [row's pay, column's pay]"
    )


def _number(given: Any, where: str, most: float) -> float:  # noqa: ANN401 - JSON of a task
    real = isinstance(given, int | float) and not isinstance(given, bool)
    if real and abs(given) <= most:  # refuses nan too
        return float(given)
    raise ConfigError(f"{where}: expected a number from {-most:g} to {most:g}, got {given!r}; change the entry")


def _exact(pay: float) -> Fraction:
    """Returns a payoff as the decimal that it stands for, to nine places."""
    return round(Fraction(pay), DECIMALS)


def _cleared(line: list[Fraction], pivot: list[Fraction], enter: int) -> list[Fraction]:
    """Returns a line of the tableau without the entering variable."""
    factor = line[enter]
    return [entry - factor * lead for entry, lead in zip(line, pivot, strict=True)] if factor else line


def _dominated(pay: Matrix) -> tuple[int, ...]:
    """Returns the rows that some mix of rows beats whatever the other seat does.

    A mix beats row i everywhere exactly when the game of the differences to row i is worth more than 0.
    """
    return tuple(
        i
        for i, line in enumerate(pay)
        if maximin([[p - q for p, q in zip(other, line, strict=True)] for other in pay])[0] > 0
    )


def _pure_equilibria(row: Matrix, column: Matrix) -> tuple[tuple[int, int], ...]:
    best_row = [max(line[j] for line in row) for j in range(len(column))]
    best_column = [max(line[i] for line in column) for i in range(len(row))]
    cells = ((i, j) for i in range(len(row)) for j in range(len(column)))
    return tuple((i, j) for i, j in cells if row[i][j] == best_row[j] and column[j][i] == best_column[i])


def _undecided(seat: str, pay: Matrix, dominated: tuple[int, ...]) -> str:
    """Returns why a seat has nothing to decide, or an empty string."""
    if len(pay) == 1:
        return f"{seat} has one action"
    if all(line == pay[0] for line in pay):
        return f"{seat} is paid the same whatever it does"
    if len(dominated) == len(pay) - 1:
        (left,) = set(range(len(pay))) - set(dominated)
        return f"{seat} has one action that is not dominated, number {left}"
    return ""
