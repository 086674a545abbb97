"""Figures of experiments: one curve an arm, all seeds thin, their median thick, references dashed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759", "#76b7b2")


def draw(document: Mapping[str, Any], path: Path) -> None:
    """Draws the results of an experiment as SVG."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "ludus"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 4.8))
    for colour, (arm, results) in zip(COLOURS, document["arms"].items(), strict=False):
        curves = [dict(map(tuple, one["curve"])) for one in results["seeds"]]
        if not curves:
            continue
        for curve in curves:
            axes.plot(list(curve), list(curve.values()), color=colour, linewidth=0.6, alpha=0.35)
        rounds = sorted(set.intersection(*(set(curve) for curve in curves)))
        middle = [median(curve[n] for curve in curves) for n in rounds]
        axes.plot(rounds, middle, color=colour, linewidth=2, label=f"{arm} (n = {len(curves)})")
    for name, value in document["references"].items():
        axes.axhline(value, color="#888888", linestyle="--", linewidth=0.9)
        axes.annotate(name, (1.0, value), xycoords=("axes fraction", "data"), xytext=(4, 0), textcoords="offset points")
    axes.set_xlabel("round")
    axes.set_ylabel(document["label"])
    axes.set_title(document["title"], loc="left", fontsize=11)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
