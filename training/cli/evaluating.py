"""``ludus eval``: a run's policies against anchored opponents, their exact NashConv, and what an exploiter finds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from training.cli.extras import require

if TYPE_CHECKING:
    from rich.table import Table

OTHER_ENDS = {
    "won_by_forfeit": "of them won by forfeit",
    "forfeits": "of them lost by forfeit",
    "truncated": "truncated",
    "failed": "failed",
    "unjudged": "unjudged",
}
"""The ends that are no plain win, draw or loss, in words."""


def command(
    run: Annotated[Path, typer.Argument(help="The run's directory.")],
    against: Annotated[
        str,
        typer.Option(help="Opponents: random, optimal, initial, a scripted player, another run; separate by commas."),
    ] = "random,initial",
    games: Annotated[int, typer.Option(min=1, help="Games a seat against each opponent.")] = 1000,
    checkpoint: Annotated[int | None, typer.Option(help="The checkpoint, by rounds done; default: the newest.")] = None,
    exploit: Annotated[
        bool, typer.Option("--exploit", help="Train an exploiter for each seat: a lower bound of NashConv.")
    ] = False,
    exploit_rounds: Annotated[int, typer.Option(min=1, help="Rounds that each exploiter trains.")] = 100,
    trust: Annotated[bool, typer.Option("--trust", help="Run extensions that changed since the run was made.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Win, draw and loss per seat with intervals, and NashConv where exact."""
    require("train", "eval")
    from training.cli.printing import show
    from training.run_evaluation import evaluate_run

    names = [name.strip() for name in against.split(",") if name.strip()]
    document = evaluate_run(run, names, games, checkpoint, trust)
    if exploit:
        from training.exploitation import exploit_run

        document["exploited"] = exploit_run(run, exploit_rounds, games, checkpoint, trust, tell=_tell)
    show(document, as_json, _tables(document))


def _tell(line: str) -> None:
    typer.echo(line, err=True)


def _tables(document: dict[str, Any]) -> list[Table]:
    from training.cli.printing import table

    made = []
    if document["exact"]:
        rows = [_exact_row(one) for one in document["exact"]]
        made.append(table(("game", "NashConv", "illegal mass", "references"), rows))
    for one in document.get("exploited", ()):
        title = f"{one['game']}: NashConv is at least {_signed(one['nash_conv_at_least'])}, by trained exploiters"
        rows = [_exploited_row(seat) for seat in one["seats"]]
        made.append(table(("seat", "deals", "exploiter gains [95 %]", "exact gain"), rows, title, right=("deals",)))
    if document["opponents"]:
        names = ("game", "seat", "against", "games", "won", "drawn", "lost")
        columns = (*names, "won [95 %]", "not lost [95 %]", "return", "other ends")
        rows = [_opponent_row(one) for one in document["opponents"]]
        made.append(table(columns, rows, right=(*names[3:], "return")))
        deals = [_deals_row(one) for one in document["duplicates"]]
        made.append(table(("game", "against", "deals", "return, all seats [95 %]", "variance"), deals))
    return made


def _exact_row(one: Mapping[str, Any]) -> tuple[object, ...]:
    references = ", ".join(f"{name} {value:.4f}" for name, value in one["references"].items())
    return one["game"], f"{one['nash_conv']:.4f}", f"{one['illegal_mass']:.4%}", references


def _exploited_row(one: Mapping[str, Any]) -> tuple[object, ...]:
    return one["seat"], one["deals"], _signed(one["gain"]), "" if one["exact"] is None else f"{one['exact']:+.4f}"


def _opponent_row(one: Mapping[str, Any]) -> tuple[object, ...]:
    counts = (one["games"], one["wins"], one["draws"], one["losses"])
    mean = "" if one["return_mean"] is None else f"{one['return_mean']:+.3f}"
    ends = ", ".join(f"{one[name]} {word}" for name, word in OTHER_ENDS.items() if one[name])
    rates = _interval(one["win_rate"]), _interval(one["not_lost_rate"])
    return one["game"], one["seat"], one["opponent"], *counts, *rates, mean, ends


def _deals_row(one: Mapping[str, Any]) -> tuple[object, ...]:
    """Duplicate play: each deal is played from every seat, so its luck cancels."""
    mean = "" if one["return"] is None else _signed(one["return"])
    share = "" if one["variance_ratio"] is None else f"{one['variance_ratio']:.2f} of unrelated deals"
    return one["game"], one["opponent"], one["deals"], mean, share


def _signed(interval: list[float]) -> str:
    low, mid, high = interval
    return f"{mid:+.3f} [{low:+.3f}, {high:+.3f}]"


def _interval(rate: list[float]) -> str:
    low, mid, high = rate
    return f"{mid:.1%} [{low:.1%}, {high:.1%}]"
