"""Figures as plain data."""

from __future__ import annotations

import json
import re

from curricula.report.figures import Mark, family_figure, nash_conv_figure, return_figure, win_rate_figure
from curricula.report.series import Series

CURVE = Series(label="player", rounds=(0, 5), values=(0.9, None))
MARKS = [Mark(round=3, kind="alarm", text="entropy"), Mark(round=4, kind="resumed", text="from 2")]


def test_references_are_labelled_lines_over_the_whole_width() -> None:
    figure = nash_conv_figure([CURVE], {"uniform": 0.9167, "equilibrium": 1.2e-16}, ())
    lines = [trace for trace in figure["data"] if "text" in trace]
    assert [(line["text"][1].strip(), line["y"], line["x"]) for line in lines] == [
        ("equilibrium 0", [1.2e-16, 1.2e-16], [0, 5]),
        ("uniform 0.9167", [0.9167, 0.9167], [0, 5]),
    ]


def test_alarms_and_resumes_are_marked() -> None:
    layout = nash_conv_figure([CURVE], {}, MARKS)["layout"]
    assert [shape["x0"] for shape in layout["shapes"]] == [3, 4]
    assert [note["text"] for note in layout["annotations"]] == ["▲", "↻"]


def test_bands_follow_the_intervals() -> None:
    curve = Series(label="uniform, as first", rounds=(0, 1), values=(0.5, 0.6), low=(0.4, 0.5), high=(0.6, 0.7))
    band, line = win_rate_figure([curve], ())["data"]
    assert (band["x"], band["y"]) == ([0, 1, 1, 0], [0.4, 0.5, 0.7, 0.6])
    assert line["y"] == [0.5, 0.6]


def test_returns_have_bands_and_the_line_of_zero() -> None:
    curve = Series(label="against uniform", rounds=(0, 1), values=(-0.5, 0.6), low=(-1.0, 0.5), high=(0.0, 0.7))
    figure = return_figure([curve], ())
    band, line = figure["data"]
    assert (band["y"], line["name"]) == ([-1.0, 0.5, 0.7, 0.0], "against uniform")
    assert figure["layout"]["yaxis"]["zeroline"]
    assert figure["layout"]["showlegend"]


def test_an_opponent_keeps_its_colour_and_a_seat_its_dash() -> None:
    labels = [f"{name}, as {seat}" for name in ("a", "b") for seat in ("first", "second")]
    figure = win_rate_figure([Series(label=label, rounds=(0,), values=(0.5,)) for label in labels], ())
    styles = [(trace["line"]["color"], trace["line"]["dash"]) for trace in figure["data"]]
    assert styles[0][0] == styles[1][0] != styles[2][0]
    assert styles[0][1] == styles[2][1] != styles[1][1]


def test_small_panels_name_what_differs() -> None:
    curves = [Series(label=f"kuhn/return_{seat}", rounds=(0,), values=(0.0,)) for seat in ("first", "second")]
    assert [trace["name"] for trace in family_figure(curves, ())["data"]] == ["first", "second"]


def test_figures_are_json_and_colours_are_theme_tokens() -> None:
    text = json.dumps(nash_conv_figure([CURVE], {"uniform": 0.9}, MARKS), allow_nan=False)
    assert set(re.findall(r'"color": "([^"]*)"', text)) <= set(re.findall(r"var\(--[a-z0-9]+(?:\|[0-9.]+)?\)", text))
