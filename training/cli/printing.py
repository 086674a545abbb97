"""What verbs print: tables for people, or one JSON document for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

PIPE_WIDTH = 200
"""Columns where no terminal tells its width: wide enough that no table row breaks."""


def console(stderr: bool = False) -> Console:
    """Returns the console of people's output; as wide as the terminal, or wide enough for a file."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(file=stream, width=None if stream.isatty() else PIPE_WIDTH, highlight=False)


def show(document: Any, as_json: bool, people: Iterable[RenderableType]) -> None:  # noqa: ANN401  (any JSON value)
    """Prints the document as JSON, or what people read instead."""
    if as_json:
        typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
        return
    out = console()
    for part in people:
        out.print(part)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", right: Iterable[str] = ()
) -> Table:
    """Returns a plain table; ``right`` names the columns of numbers. Cells are text, never markup."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    made = Table(title=title or None, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    numbers = set(right)
    for index, column in enumerate(columns):
        made.add_column(
            column,
            justify="right" if column in numbers else "left",
            no_wrap=index == 0,
            style="cyan" if index == 0 else "",
        )
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(str(cell)) for cell in row))
    return made
