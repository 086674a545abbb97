"""``ludus resume``: continue a run exactly where it stopped, or extend it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from training.cli.extras import require


def command(
    run: Annotated[Path, typer.Argument(help="The run's directory, as `ludus train` printed it.")],
    rounds: Annotated[int | None, typer.Option(help="Go on until this many rounds are done.")] = None,
    accept_change: Annotated[
        bool, typer.Option("--accept-change", help="Allow a different number of rounds to change the learning rates.")
    ] = False,
    trust: Annotated[bool, typer.Option("--trust", help="Run extensions that changed since the run was made.")] = False,
) -> None:
    """Continue a run exactly where it stopped, or extend it."""
    require("train", "resume")
    from training.running import resume

    resume(run, rounds, accept_change, trust)
