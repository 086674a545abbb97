"""``ludus list``: what is registered, one line each, with the paper it comes from.

Names and lines come from where the items are defined: a game's ``spec``, the first line of a docstring, the head of a
campaign's YAML. Nothing is listed by hand. Games and domains of other libraries are made when they are named, so their
families stand below the others; in JSON they are entries named ``openspiel/...``, without seats.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.errors import LudusError, unknown_name
from arena.registry import Registry
from arena.types import GameSpec
from training.cli.extension import load_all
from training.cli.extras import require
from training.cli.printing import console, show, table
from training.shipped_configs import configs_folder

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

PAYOFFS = {"zero_sum": "zero-sum", "common": "common", "general_sum": "general"}
"""How the seats' returns relate, in a word."""

WIDE = 150
"""Columns from which on games come with their source."""

_ARXIV = re.compile(r"arXiv[:\s]*(\d{4}\.\d{4,5})", re.IGNORECASE)
_PRINTED = re.compile(r"Source: *(.+?\b(?:19|20)\d\d)\b", re.DOTALL)
_AUTHOR_YEAR = re.compile(r"\(([A-Z]\w+(?: and [A-Z]\w+| et al\.)? (?:19|20)\d\d)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a listing."""

    name: str
    summary: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEntry(Entry):
    """A game's line: what its spec says.

    Attributes:
        seats: their names.
        payoff: ``zero_sum``, ``common`` or ``general_sum``.
        params: what tasks may set, with the defaults.
        enumerable: whether its rules allow exact solutions, as far as its size does.
    """

    seats: tuple[str, ...]
    payoff: str
    params: Mapping[str, Any]
    enumerable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of item: where its registry is, and the extra without which it cannot be read."""

    module: str
    attribute: str
    extra: str = ""

    def registry(self, where: str) -> Registry[Any] | None:
        """Returns the registry, or ``None`` when this installation has no item of the kind."""
        if self.extra:
            require(self.extra, where)
        if importlib.util.find_spec(self.module) is None:
            return None
        registry: Registry[Any] | None = getattr(importlib.import_module(self.module), self.attribute, None)
        return registry


KINDS: dict[str, Kind] = {
    "games": Kind(module="arena.game", attribute="games"),
    "roles": Kind(module="roles.role", attribute="roles"),
    "players": Kind(module="roles.role", attribute="scripted_players"),
    "domains": Kind(module="arena.domains.domain", attribute="domains"),
    "curricula": Kind(module="curricula.curriculum", attribute="curricula"),
    "rules": Kind(module="curricula.learnability", attribute="rules"),
    "estimators": Kind(module="training.estimators.estimator", attribute="estimators"),
    "objectives": Kind(module="training.objectives.objective", attribute="objectives", extra="train"),
    "opponents": Kind(module="training.opponents.matchmaking", attribute="matchmakers"),
    "samplers": Kind(module="training.samplers.sampler", attribute="samplers", extra="train"),
    "schedules": Kind(module="training.schedules.schedule", attribute="schedules"),
    "engines": Kind(module="training.engines.engine", attribute="engines"),
}
"""Plural -> its registry. Campaigns are YAML files and stand apart."""


def command(
    kind: Annotated[str, typer.Argument(help=f"One of: {', '.join([*KINDS, 'campaigns'])}.", show_default=False)],
    extend: Annotated[
        list[Path] | None, typer.Option(help="A Python file or folder of your own to load first.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """List what is registered, one line each, with its source."""
    if kind not in KINDS and kind != "campaigns":
        raise unknown_name("ludus list", kind, [*KINDS, "campaigns"])
    load_all(extend or ())
    entries = list(campaigns(configs_folder() / "campaign") if kind == "campaigns" else registered(kind))
    show([asdict(entry) for entry in entries], as_json, _tables(kind, entries))


def registered(kind: str) -> Iterator[Entry]:
    """Yields the registered items of a kind, sorted by name."""
    registry = KINDS[kind].registry(f"ludus list {kind}")
    if registry is None:
        return
    for name in registry:
        factory = registry.factory(name)
        entry = Entry(name=name, summary=summary(factory), source=source(factory))
        yield _game(factory, entry) if kind == "games" else entry
    for prefix, line in registry.families().items():
        yield Entry(name=f"{prefix}/...", summary=line, source="")


def _game(factory: Callable[..., Any], entry: Entry) -> Entry:
    """Returns a game's entry; one that cannot be built without knobs is listed without its spec."""
    try:
        spec: GameSpec = getattr(factory, "spec", None) or factory().spec
    except (LudusError, TypeError):
        return entry
    return GameEntry(
        name=entry.name,
        summary=entry.summary or spec.summary,
        source=entry.source,
        seats=spec.seats,
        payoff=str(spec.payoff),
        params=dict(spec.params),
        enumerable=spec.capabilities.enumerate and spec.actions is not None,
    )


def _tables(kind: str, entries: Sequence[Entry]) -> list[RenderableType]:
    if not entries:
        return [f"no {kind} are registered"]
    if kind != "games":
        return [table((kind, "what it is", "source"), [(one.name, one.summary, one.source) for one in entries])]
    made = [one for one in entries if isinstance(one, GameEntry)]
    named = [(one.name, one.summary) for one in entries if not isinstance(one, GameEntry)]
    columns: list[str] = ["games", "seats", "tree", "what it is", "params"]
    rows = [_row(one) for one in made]
    if console().width >= WIDE:
        columns.append("source")
        rows = [(*row, one.source) for row, one in zip(rows, made, strict=True)]
    note = "tree: whether the game tree can be enumerated, as far as its size allows"
    return [table(columns, rows), note, *([table(("by name", "what it is"), named)] if named else [])]


def _row(entry: GameEntry) -> tuple[object, ...]:
    params = " ".join(f"{name}={_value(value)}" for name, value in entry.params.items())
    seats = f"{len(entry.seats)} {PAYOFFS[entry.payoff]}"
    return entry.name, seats, "yes" if entry.enumerable else "no", one_line(entry.summary), one_line(params)


def _value(value: object) -> str:
    """Returns a default in few characters: a list by its items, a table as dots."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list) and not any(isinstance(item, tuple | list) for item in value):
        return ",".join(map(str, value))
    if isinstance(value, int | float):
        return f"{value:g}"
    return "-" if value is None else value if isinstance(value, str) else "..."


def summary(factory: Callable[..., Any]) -> str:
    """Returns an item's one line: its spec's summary, or the first line of its docstring."""
    line: str = getattr(getattr(factory, "spec", None), "summary", "")
    return line or next(iter((inspect.getdoc(factory) or "").splitlines()), "")


def one_line(text: str) -> Text:
    """Returns a cell that is cut with dots where the terminal is too narrow for it."""
    from rich.text import Text

    return Text(text, no_wrap=True, overflow="ellipsis")


def source(factory: Callable[..., Any]) -> str:
    """Returns where an item comes from: the arXiv id in its source, its docstring or its module's, else in print."""
    module = sys.modules.get(factory.__module__)
    told = getattr(factory, "source", "")
    texts = [
        told if isinstance(told, str) else "",
        inspect.getdoc(factory) or "",
        (module.__doc__ or "") if module else "",
    ]
    for text in texts:
        if found := _ARXIV.search(text):
            return f"arXiv:{found.group(1)}"
    printed = (found for text in texts for form in (_PRINTED, _AUTHOR_YEAR) if (found := form.search(text)))
    return next((" ".join(found.group(1).split()) for found in printed), "")


def campaigns(folder: Path) -> Iterator[Entry]:
    """Yields the shipped campaigns, read from the comments at the head of their YAML."""
    for path in sorted(folder.glob("*.yaml")):
        head = campaign_head(path.read_text(encoding="utf-8"))
        yield Entry(name=path.stem, summary=head["summary"], source=head["source"])


def campaign_head(text: str) -> Mapping[str, str]:
    """Returns ``{summary, source}`` of a campaign's YAML.

    Its first comment lines read ``# ludus train campaign=NAME``, one line of summary, and ``# Source: ...``.
    """
    comments: list[str] = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        comments.append(line.lstrip("#").strip())
    said = [line for line in comments if line and not line.startswith(("ludus ", "@package"))]
    sources = [line.removeprefix("Source:").strip() for line in said if line.startswith("Source:")]
    summaries = [line for line in said if not line.startswith("Source:")]
    return {"summary": summaries[0] if summaries else "", "source": sources[0].rstrip(".") if sources else ""}
