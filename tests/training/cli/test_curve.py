"""Braille curves put dots where the values are."""

import pytest

from training.cli.curve import REFERENCE, curve


def test_a_falling_line_goes_from_the_upper_left_to_the_lower_right():
    lines = curve([(0, 1.0), (10, 0.0)], {}, width=10, height=4, x_end=10)
    filled = [[index for index, cell in enumerate(line.cells) if cell != "⠀"] for line in lines]
    assert filled[0][0] == 0
    assert filled[-1][-1] == 9
    assert all(rows for rows in filled)
    assert [max(rows) for rows in filled] == sorted(max(rows) for rows in filled)


def test_single_dots():
    # Unicode braille: U+2840 is the lower left dot, U+2801 the upper left one.
    (line,) = curve([(0, 0.0)], {}, width=1, height=1, x_end=1)
    assert line.cells == "\u2840"
    (line,) = curve([(0, 1.0)], {"one": 1.05}, width=1, height=1, x_end=1)
    assert line.cells == "\u2801"


def test_reference_lines_are_labelled_and_leave_the_curve_visible():
    lines = curve([(0, 0.9), (10, 0.0)], {"uniform": 0.9, "equilibrium": 0.0, "nash": 0.0}, 20, 6, 10)
    assert "uniform 0.9" in lines[0].label
    assert lines[-1].label == "equilibrium 0, nash 0"
    assert REFERENCE in lines[0].cells
    assert any(cell not in (REFERENCE, "⠀") for cell in lines[0].cells)
    assert REFERENCE not in lines[2].cells


@pytest.mark.parametrize("points", [[], [(0, 0.0)], [(5, 3.0), (50, 100.0)]])
def test_every_row_has_the_asked_width(points):
    lines = curve(points, {}, width=30, height=5, x_end=10)
    assert [len(line.cells) for line in lines] == [30] * 5
