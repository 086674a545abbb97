"""``ludus inspect``: what became of a run's tasks, read from its log alone.

A view is a mapping of JSON values (``curricula.inspector``); ``--json`` prints it, and people get tables of it
(``training.cli.inspect_tables``, ``training.cli.inspect_pages``). A run may be finished, running or killed: whole lines
of the round in progress count, a torn last line does not.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from arena.errors import InputError, unknown_name
from training.cli.extension import load_all
from training.cli.printing import console, show

if TYPE_CHECKING:
    from curricula.inspector.run_tasks import RunTasks

LIMIT = 40
"""Rows of a long table in the terminal."""

SCREEN = 20
"""Blocks of rounds that ``summary`` puts on one screen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One view.

    Attributes:
        summary: what it shows, in a few words.
        argument: whether it takes one: never, if wanted, or always.
        wants: what the argument is.
        filtered: whether it takes ``--where``.
    """

    summary: str
    argument: Literal["never", "optional", "required"] = "never"
    wants: str = ""
    filtered: bool = False


VIEWS: Mapping[str, View] = {
    "summary": View(summary="one screen: proposed, valid, kept, solve rates, cost, held-out rates by round"),
    "tasks": View(
        summary="every task in a row, or all about the task ID",
        argument="optional",
        wants="a task's id",
        filtered=True,
    ),
    "lineage": View(summary="generations, or the family of the task ID", argument="optional", wants="a task's id"),
    "rejections": View(summary="how many proposals were lost where, and why", filtered=True),
    "rewards": View(summary="what proposers were paid by formula and term, and what solvers returned"),
    "rescore": View(
        summary="the pay under another learnability RULE, without training",
        argument="required",
        wants="the name of a learnability rule, for example variance",
        filtered=True,
    ),
    "skills": View(summary="skill x rounds: attempts, solve rate, share", filtered=True),
}
"""Every view by name."""

_VIEW_HELP = "One of: " + "; ".join(f"{name} ({view.summary})" for name, view in VIEWS.items()) + "."


def command(
    run: Annotated[Path, typer.Argument(help="The folder of a run, as ludus runs lists it.", show_default=False)],
    view: Annotated[str, typer.Argument(help=_VIEW_HELP)] = "summary",
    argument: Annotated[
        str, typer.Argument(help="What tasks, lineage or rescore are about: a task's id, a rule.", show_default=False)
    ] = "",
    where: Annotated[
        str, typer.Option(help="Only rows for which all terms hold: status=admitted,round>3,by=proposer@*")
    ] = "",
    limit: Annotated[int, typer.Option(help="The most rows of a table in the terminal; 0 for all.")] = LIMIT,
    extend: Annotated[
        list[Path] | None, typer.Option(help="A Python file or folder of your own to load first.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Show what became of a run's tasks: proposed, tried, paid, kept, dropped, and why."""
    _check(view, argument, where)
    load_all(extend or ())
    from curricula.inspector.run_tasks import read_run_tasks

    with _without_collector():
        found = read_run_tasks(run)
        document = _document(found, run, view, argument, where, as_json)
    if as_json:
        # ASCII: a text that a model wrote may hold lone surrogates, which no stream takes, and what steers a terminal.
        typer.echo(json.dumps(document, indent=2))
        return
    from training.cli.inspect_tables import tables

    show(document, False, _people(found, run, tables(view, document, argument, where, limit)))


def _check(view: str, argument: str, where: str) -> None:
    """Refuses what no view can take, before anything is read."""
    if view not in VIEWS:
        raise unknown_name("ludus inspect", view, VIEWS)
    known = VIEWS[view]
    if known.argument == "required" and not argument:
        raise InputError(f"ludus inspect {view}: expected after it {known.wants}, got nothing; {_hint(view)}")
    if known.argument == "never" and argument:
        raise InputError(f"ludus inspect {view}: expected nothing after it, got {argument!r}; leave it out")
    if where and (not known.filtered or (argument and known.argument == "optional")):
        able = ", ".join(name for name, one in VIEWS.items() if one.filtered)
        raise InputError(
            f"--where: expected a view of many rows ({able}), got {view} {argument}".rstrip() + "; drop it"
        )


def _hint(view: str) -> str:
    from curricula.learnability import rules

    return f"known: {', '.join(rules)}" if view == "rescore" else "see ludus inspect --help"


def _document(run: RunTasks, folder: Path, view: str, argument: str, where: str, as_json: bool) -> dict[str, Any]:
    """Returns the view; people get rounds in blocks that fit their screen, programs each round."""
    from curricula.inspector import episode_facts, families, funnel, overview, rescore, rewards, skill_map, task_page
    from curricula.inspector import task_table as table

    def facts() -> Iterable[episode_facts.EpisodeFacts]:
        return episode_facts.episode_facts(folder, run.rounds)

    most = None if as_json else SCREEN
    columns = None if as_json else max(1, min(8, (console().width - 26) // 22))
    views = {
        "summary": lambda: overview.summary(run, facts(), most),
        "tasks": lambda: task_page.task(run, argument) if argument else table.tasks(run, where),
        "lineage": lambda: families.family(run, argument) if argument else families.generations(run),
        "rejections": lambda: funnel.rejections(run, facts(), where),
        "rewards": lambda: rewards.rewards(run, facts(), most),
        "rescore": lambda: rescore.rescore(run, argument, where),
        "skills": lambda: skill_map.skills(run, columns, where),
    }
    return views[view]()


def _people(run: RunTasks, folder: Path, parts: Iterable[Any]) -> Iterator[Any]:
    """Yields what people read: the run in a line, then the view."""
    from training.cli.inspect_words import text
    from training.cli.runs import state

    open_round = "" if run.in_progress is None else f", round {run.in_progress} in progress"
    name = "/".join(folder.resolve().parts[-2:])
    yield text(f"{name}: {state(folder, run.state == 'finished')}, {len(run.rounds)} rounds{open_round}", "bold")
    if run.unread:
        told = ", ".join(f"{count} x {reason}" for reason, count in run.unread.items())
        yield text(f"events that could not be read and are left out: {told}", "yellow")
    yield from parts


@contextmanager
def _without_collector() -> Iterator[None]:
    """Leaves the cycle collector off: a log makes millions of objects and no cycle, and it would look at each again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
