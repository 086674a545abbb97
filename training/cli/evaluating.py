"""``ludus eval``: a run's policies against anchored opponents, and their exact NashConv."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from training.cli.extras import require

if TYPE_CHECKING:
    from rich.table import Table


def command(
    run: Annotated[Path, typer.Argument(help="The run's directory.")],
    against: Annotated[
        str,
        typer.Option(help="Opponents: random, optimal, initial, a scripted player, another run; separate by commas."),
    ] = "random,initial",
    games: Annotated[int, typer.Option(min=1, help="Games a seat against each opponent.")] = 1000,
    checkpoint: Annotated[int | None, typer.Option(help="The checkpoint, by rounds done; default: the newest.")] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Run extensions that changed since the run was made.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Win, draw and loss per seat with intervals, and NashConv where exact."""
    require("train", "eval")
    from training.cli.printing import show
    from training.run_evaluation import evaluate_run

    document = evaluate_run(
        run, [name.strip() for name in against.split(",") if name.strip()], games, checkpoint, trust
    )
    show(document, as_json, _tables(document))


def _tables(document: dict[str, Any]) -> list[Table]:
    from training.cli.printing import table

    exact = [
        (
            one["game"],
            f"{one['nash_conv']:.4f}",
            f"{one['illegal_mass']:.4%}",
            ", ".join(f"{name} {value:.4f}" for name, value in one["references"].items()),
        )
        for one in document["exact"]
    ]
    rows = [
        (
            one["game"],
            one["seat"],
            one["opponent"],
            one["games"],
            one["wins"],
            one["draws"],
            one["losses"],
            one["forfeits"],
            one["truncated"],
            _interval(one["win_rate"]),
            _interval(one["not_lost_rate"]),
            "" if one["return_mean"] is None else f"{one['return_mean']:+.3f}",
        )
        for one in document["opponents"]
    ]
    made = [table(("game", "NashConv", "illegal mass", "references"), exact)] if exact else []
    names = ("game", "seat", "against", "games", "won", "drawn", "lost", "forfeits", "truncated")
    made.append(table((*names, "won [95 %]", "not lost [95 %]", "return"), rows, right=names[3:]))
    return made


def _interval(rate: list[float]) -> str:
    low, mid, high = rate
    return f"{mid:.1%} [{low:.1%}, {high:.1%}]"
