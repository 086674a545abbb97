"""``ludus list``: what is registered, one line each, with the paper it comes from.

Names and lines come from where the items are defined: a game's ``spec.summary``, the first line of a docstring, the
head of a campaign's YAML. Nothing is listed by hand.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.errors import unknown_name
from arena.registry import Registry
from training.cli.extension import load_all
from training.cli.extras import require
from training.cli.printing import show, table
from training.shipped_configs import configs_folder

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
    "domains": Kind(module="arena.domain", attribute="domains"),
    "curricula": Kind(module="curricula.curriculum", attribute="curricula"),
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
    rows = [(entry.name, entry.summary, entry.source) for entry in entries]
    people = [table((kind, "what it is", "source"), rows)] if rows else [f"no {kind} are registered"]
    show([asdict(entry) for entry in entries], as_json, people)


def registered(kind: str) -> Iterator[Entry]:
    """Yields the registered items of a kind, sorted by name."""
    registry = KINDS[kind].registry(f"ludus list {kind}")
    if registry is None:
        return
    for name in registry:
        factory = registry.factory(name)
        yield Entry(name=name, summary=summary(factory), source=source(factory))


def summary(factory: Callable[..., Any]) -> str:
    """Returns an item's one line: its spec's summary, or the first line of its docstring."""
    line: str = getattr(getattr(factory, "spec", None), "summary", "")
    return line or next(iter((inspect.getdoc(factory) or "").splitlines()), "")


def source(factory: Callable[..., Any]) -> str:
    """Returns where an item comes from: the arXiv id in its docstring or its module's, else a printed source."""
    module = sys.modules.get(factory.__module__)
    texts = [inspect.getdoc(factory) or "", (module.__doc__ or "") if module else ""]
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
