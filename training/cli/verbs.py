"""The verbs of the command line: a table of names, modules and lines of help, so that no module is loaded in vain.

A verb's module defines ``command``, a typer function. It imports at its head only what is quick, and inside the
function whatever else it needs. ``summary`` is the first line of the function's docstring; a test compares the two.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """One word of the command line.

    Attributes:
        module: where ``command`` is.
        summary: what it does, in one line.
        passthrough: whether unknown options go to the verb as they are (Hydra's, for ``train``).
    """

    module: str
    summary: str
    passthrough: bool = False

    def load(self) -> Callable[..., Any]:
        """Imports the verb's module and returns its typer function."""
        command: Callable[..., Any] = importlib.import_module(self.module).command
        return command


VERBS: dict[str, Verb] = {
    "train": Verb(
        module="training.cli.train",
        summary="Run a campaign: campaign=NAME key=value ... (-m, --cfg job, --info as in Hydra).",
        passthrough=True,
    ),
    "resume": Verb(module="training.cli.resume", summary="Continue a run exactly where it stopped, or extend it."),
    "eval": Verb(
        module="training.cli.evaluating",
        summary="Win, draw and loss per seat with intervals, and NashConv where exact.",
    ),
    "explain": Verb(
        module="training.cli.explain",
        summary="Say in words what a campaign will do: campaign=NAME key=value ...",
        passthrough=True,
    ),
    "play": Verb(module="training.cli.play", summary="Take a seat in a game, in the terminal."),
    "list": Verb(module="training.cli.listing", summary="List what is registered, one line each, with its source."),
    "check": Verb(module="training.cli.checking", summary="Run the conformance checks of registered items."),
    "new": Verb(module="training.cli.new", summary="Write a working item of your own, its test and its YAML."),
    "runs": Verb(module="training.cli.runs", summary="List runs with state, size and headline numbers."),
    "inspect": Verb(
        module="training.cli.inspecting",
        summary="Show what became of a run's tasks: proposed, tried, paid, kept, dropped, and why.",
    ),
    "doctor": Verb(module="training.cli.doctor", summary="Say what this machine and this installation offer."),
}
"""Verb -> where it is; listed by ``ludus --help`` in this order."""
