"""Plotly figures as plain dictionaries: no plotly object is built, only its JavaScript is shipped.

Colours are written as ``var(--name)`` or ``var(--name|0.2)``; the page resolves them against its theme, so that one
figure serves light, dark and print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curricula.report.series import Series, thinned

Figure = dict[str, Any]
SYMBOLS = {"alarm": "▲", "resumed": "↻"}
"""How events are marked on the curves."""

_DASHES = ("solid", "dash", "dot", "dashdot")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An event that is drawn on the curves.

    Attributes:
        round: where.
        kind: ``alarm`` or ``resumed``.
        text: what happened, in words.
    """

    round: int
    kind: str
    text: str


def colour(index: int, opacity: float = 1.0) -> str:
    """Returns the token of the ``index``-th colour of the page's palette."""
    return f"var(--s{index % 8 + 1}|{opacity})"


def nash_conv_figure(curves: Sequence[Series], references: Mapping[str, float], marks: Sequence[Mark]) -> Figure:
    """Returns the NashConv curves with labelled horizontal reference lines and marked events."""
    last = max((curve.rounds[-1] for curve in curves), default=0)
    data = [_line(thinned(curve), index, width=2.5) for index, curve in enumerate(curves)]
    data += [_reference(name, value, last) for name, value in sorted(references.items(), key=lambda item: item[1])]
    for trace, curve in zip(data, curves, strict=False):
        trace["name"] = f"NashConv of {curve.label}" if curve.label else "NashConv"
    figure = _figure(data, "NashConv", marks)
    figure["layout"]["yaxis"]["rangemode"] = "tozero"
    longest = max((len(trace["text"][1]) for trace in data if "text" in trace), default=0)
    figure["layout"]["margin"]["r"] = 20 + 7 * longest
    return figure


def win_rate_figure(curves: Sequence[Series], marks: Sequence[Mark]) -> Figure:
    """Returns win-rate curves with their interval bands: a colour per opponent, a dash per seat."""
    opponents: list[str] = []
    seats: list[str] = []
    data: list[dict[str, Any]] = []
    for curve in map(thinned, curves):
        opponent, _, seat = curve.label.rpartition(", as ")
        opponents += [opponent] if opponent not in opponents else []
        seats += [seat] if seat not in seats else []
        index = opponents.index(opponent)
        if curve.low:
            data.append(_band(curve, index))
        data.append(_line(curve, index, dash=_DASHES[seats.index(seat) % len(_DASHES)]))
    figure = _figure(data, "share of games won", marks)
    figure["layout"]["yaxis"].update(range=[-0.02, 1.02], tickformat=".0%")
    return figure


def return_figure(curves: Sequence[Series], marks: Sequence[Mark]) -> Figure:
    """Returns curves of mean returns with their interval bands and the line of 0."""
    data: list[dict[str, Any]] = []
    for index, curve in enumerate(map(thinned, curves)):
        if curve.low:
            data.append(_band(curve, index))
        data.append({**_line(curve, index), "showlegend": True})
    figure = _figure(data, "mean return", marks)
    figure["layout"]["showlegend"] = True
    figure["layout"]["yaxis"].update(zeroline=True, zerolinecolor="var(--muted)", zerolinewidth=1)
    return figure


def family_figure(curves: Sequence[Series], marks: Sequence[Mark]) -> Figure:
    """Returns one small panel of related curves, named by what differs between them."""
    names = _short_names([curve.label for curve in curves])
    data = [_line(thinned(curve), index, names[index]) for index, curve in enumerate(curves)]
    figure = _figure(data, "", marks)
    figure["layout"].update(margin={"l": 52, "r": 12, "t": 8, "b": 26}, showlegend=len(curves) > 1)
    figure["layout"]["xaxis"].pop("title")
    figure["layout"]["yaxis"]["tickformat"] = ".3~g"
    return figure


def _line(series: Series, index: int, name: str = "", width: float = 1.8, dash: str = "solid") -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers" if len(series.rounds) == 1 else "lines",
        "name": name or series.label,
        "x": list(series.rounds),
        "y": list(series.values),
        "line": {"color": colour(index), "width": width, "dash": dash},
        "hovertemplate": "%{y:.4~g}<extra>%{fullData.name}</extra>",
    }


def _band(series: Series, index: int) -> dict[str, Any]:
    known = [at for at, end in enumerate(series.low) if end is not None and series.high[at] is not None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [series.rounds[at] for at in known] + [series.rounds[at] for at in reversed(known)],
        "y": [series.low[at] for at in known] + [series.high[at] for at in reversed(known)],
        "fill": "toself",
        "fillcolor": colour(index, 0.14),
        "line": {"width": 0, "color": colour(index, 0.0)},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _reference(name: str, value: float, last: int) -> dict[str, Any]:
    label = f"{name.replace('_', ' ')[:24]} {0 if abs(value) < 1e-9 else value:.4g}"
    return {
        "type": "scatter",
        "mode": "lines+text",
        "x": [0, max(last, 1)],
        "y": [value, value],
        "text": ["", f" {label}"],
        "textposition": "middle right",
        "textfont": {"color": "var(--muted)", "size": 12},
        "cliponaxis": False,
        "line": {"color": "var(--muted)", "width": 1.2, "dash": "dot"},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _figure(data: list[dict[str, Any]], y_title: str, marks: Sequence[Mark]) -> Figure:
    last = max((at for trace in data for at in trace["x"]), default=1) or 1
    axis = {"gridcolor": "var(--line)", "linecolor": "var(--line)", "zerolinecolor": "var(--line)", "automargin": True}
    layout: dict[str, Any] = {
        "xaxis": {
            **axis,
            "title": {"text": "round", "standoff": 6},
            "showgrid": False,
            "zeroline": False,
            "hoverformat": "d",
            "range": [-0.012 * last - 0.05, last + 0.012 * last + 0.05],
            "tickformat": "d",
            **({"dtick": 1} if last < 8 else {}),
        },
        "yaxis": {**axis, "title": {"text": y_title, "standoff": 8}},
        "margin": {"l": 60, "r": 20, "t": 30, "b": 42},
        "hovermode": "x unified",
        "showlegend": sum(bool(trace.get("showlegend", True)) for trace in data) > 1,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "shapes": [_mark_line(mark) for mark in marks],
        "annotations": [_mark_label(mark) for mark in marks],
    }
    return {"data": data, "layout": layout}


def _mark_line(mark: Mark) -> dict[str, Any]:
    tone = _mark_colour(mark)
    return {
        "type": "line",
        "xref": "x",
        "yref": "paper",
        "x0": mark.round,
        "x1": mark.round,
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "line": {"color": tone, "width": 1, "dash": "dash"},
    }


def _mark_label(mark: Mark) -> dict[str, Any]:
    return {
        "x": mark.round,
        "xref": "x",
        "y": 1,
        "yref": "paper",
        "yanchor": "top",
        "text": SYMBOLS[mark.kind],
        "hovertext": mark.text,
        "showarrow": False,
        "font": {"color": _mark_colour(mark), "size": 12},
    }


def _mark_colour(mark: Mark) -> str:
    return "var(--bad)" if mark.kind == "alarm" else "var(--warn)"


def _short_names(labels: Sequence[str]) -> list[str]:
    """Returns the labels without what all of them share (``player · kl`` is just ``player``)."""
    ends = {label.rsplit(" · ", 1)[-1] for label in labels}
    if all(" · " in label for label in labels) and len(ends) == 1:
        return [label.rsplit(" · ", 1)[0] for label in labels]
    first, last = min(labels), max(labels)
    shared = next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    cut = max(first.rfind("/", 0, shared), first.rfind("_", 0, shared)) + 1
    return [label[cut:] or label for label in labels]
