"""``ludus explain``: what a campaign will do, in words, from its resolved config."""

from __future__ import annotations

from typing import Annotated

import typer

from training.cli.extras import require


def command(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Say in words what a campaign will do: campaign=NAME key=value ..."""
    require("train", "explain")
    from rich.text import Text

    from training.cli.printing import show
    from training.compose import compose_campaign
    from training.explain import explained

    document = explained(compose_campaign(list(context.args)))
    lines = [
        Text(f"{heading}\n", style="bold cyan") + Text("\n".join(f"  {line}" for line in sentences) + "\n", style="")
        for heading, sentences in document.items()
    ]
    show(document, as_json, lines)
