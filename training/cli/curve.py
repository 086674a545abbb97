"""A small curve in braille dots with labelled reference lines, for a terminal.

Each character holds 2 x 4 dots. A reference line is drawn in the cells that the curve leaves free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_BRAILLE = 0x2800
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""Bit of the dot at (column, row from the top) of a cell."""

REFERENCE = "┈"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of characters: the tick at its left, its cells, and the name of a reference line at its right."""

    tick: str
    cells: str
    label: str


def curve(
    points: Sequence[tuple[float, float]],
    references: Mapping[str, float],
    width: int,
    height: int,
    x_end: float,
) -> list[Line]:
    """Draws a curve from 0 to ``x_end`` with its reference lines.

    Args:
        points: (x, y) with x rising from 0; y at or above 0.
        references: name -> y of a horizontal line.
        width: cells a row.
        height: rows.
        x_end: the x at the right edge.
    """
    top = max([y for _, y in points] + list(references.values()) + [1e-9]) * 1.05
    rows = _cells(_dots(points, width * 2, height * 4, x_end, top), width, height)
    labels = _labels(references, height, top)
    lines = []
    for row, cells in enumerate(rows):
        filled = "".join(REFERENCE if row in labels and cell == chr(_BRAILLE) else cell for cell in cells)
        lines.append(Line(tick=_tick(row, height, top), cells=filled, label=labels.get(row, "")))
    return lines


def _dots(
    points: Sequence[tuple[float, float]], columns: int, rows: int, x_end: float, top: float
) -> set[tuple[int, int]]:
    """Returns the (column, row from the top) of every dot, consecutive points joined."""
    dots: set[tuple[int, int]] = set()
    before: tuple[int, int] | None = None
    for x, y in points:
        here = (_scaled(x / max(x_end, 1e-9), columns), rows - 1 - _scaled(y / top, rows))
        dots |= _segment(before or here, here)
        before = here
    return dots


def _segment(start: tuple[int, int], end: tuple[int, int]) -> set[tuple[int, int]]:
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]), 1)
    return {
        (round(start[0] + (end[0] - start[0]) * i / steps), round(start[1] + (end[1] - start[1]) * i / steps))
        for i in range(steps + 1)
    }


def _scaled(share: float, size: int) -> int:
    return min(size - 1, max(0, int(share * size)))


def _cells(dots: set[tuple[int, int]], width: int, height: int) -> list[str]:
    bits = [[0] * width for _ in range(height)]
    for column, row in dots:
        bits[row // 4][column // 2] |= _DOTS[column % 2][row % 4]
    return ["".join(chr(_BRAILLE + cell) for cell in row) for row in bits]


def _labels(references: Mapping[str, float], height: int, top: float) -> dict[int, str]:
    labels: dict[int, str] = {}
    for name, value in sorted(references.items(), key=lambda item: (-item[1], item[0])):
        row = (height * 4 - 1 - _scaled(value / top, height * 4)) // 4
        text = f"{name} {value:.3g}"
        labels[row] = f"{labels[row]}, {text}" if row in labels else text
    return labels


def _tick(row: int, height: int, top: float) -> str:
    if row == 0:
        return f"{top:.2f}"
    return "0" if row == height - 1 else ""
