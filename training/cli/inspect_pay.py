"""The views ``rewards`` and ``rescore`` of ``ludus inspect`` as tables: what was paid, and what would have been."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from training.cli.inspect_words import cell, heading, listed, named, number, short, solved, span, spark, text

if TYPE_CHECKING:
    from rich.console import RenderableType

Document = Mapping[str, Any]


def rewards_page(document: Document) -> Iterator[RenderableType]:
    """Yields what proposers were paid, formula by formula, and what every role returned."""
    lines: dict[tuple[str, str], list[Document]] = {}
    for one in document["pay"]:
        lines.setdefault((one["role"], one["formula"]), []).append(one)
    for (role, formula), found in lines.items():
        yield heading(f"pay of {role or 'nobody named'} by {formula}")
        yield _pay(found)
    rejected = sum(one["count"] for one in document["rejected"])
    yield text(f"pay of admitted proposals; what the {rejected} rejected ones were paid is not in the log", "dim")
    yield heading("returns by role, pay by settlement left out")
    yield listed(
        ("rounds", "role", "returns", "mean", "undecided", "mean of each seat"),
        [
            (
                span(one["rounds"]),
                cell(one["role"]),
                one["count"],
                number(one["mean"], 3),
                one["undecided"],
                cell("  ".join(number(value) for value in one["seats"].values())),
            )
            for one in document["returns"]
        ],
        right=("returns", "mean", "undecided"),
    )


def _pay(found: Sequence[Document]) -> RenderableType:
    """Returns the pay by one formula, a column a term."""
    terms = list(dict.fromkeys(name for one in found for name in one["terms"]))
    low, high = found[0]["range"]
    return listed(
        ("rounds", "paid", "mean", f"{low:g} to {high:g}", *terms),
        [
            (
                span(one["rounds"]),
                one["count"],
                number(one["mean"], 3),
                spark(one["histogram"]),
                *(number(one["terms"].get(name), 3) for name in terms),
            )
            for one in found
        ],
        right=("paid", "mean", *terms),
    )


def rescore_page(document: Document, limit: int) -> Iterator[RenderableType]:
    """Yields the pay under another rule beside the run's own."""
    yield text(f"{document['rule']}-v{document['version']}: {document['source']}")
    yield text(f"the run paid {', '.join(document['formulas']) or 'nothing'}")
    told = "not defined" if document["spearman"] is None else f"{document['spearman']:+.3f}"
    yield text(f"rank correlation (Spearman) {told} over {document['compared']} tasks with both pays", "bold")
    rejected = document["rejected"]
    yield text(f"a rejected proposal would be paid {rejected['pay']:g}; there are {rejected['count']}")
    for name in document["computed"]:
        yield text(f"{name} is computed here, from the texts of each round", "dim")
    for name in document["assumed"]:
        yield text(f"{name} is not in the log; it is assumed to hold", "yellow")
    for reason, count in document["not_scored"].items():
        yield text(f"not scored, {count} tasks: {reason}", "yellow")
    yield listed(
        ("round", "old mean", "new mean", "scored", "not scored"),
        [
            (one["round"], number(one["old"], 3), number(one["new"], 3), one["scored"], one["not_scored"])
            for one in document["rounds"][-limit or None :]
        ],
        right=("old mean", "new mean", "scored", "not scored"),
    )
    rows = {row["id"]: row for row in document["tasks"]}
    for title, ids in (("would be paid most", document["most"]), ("would be paid least", document["least"])):
        yield heading(title)
        yield _paid([rows[id] for id in ids])


def _paid(rows: Sequence[Document]) -> RenderableType:
    return listed(
        ("task", "round", "kind", "solved", "old", "new", "terms"),
        [
            (
                short(row["id"]),
                row["round"],
                cell(row["kind"]),
                solved(row),
                number(row["old"], 3),
                number(row["new"], 3),
                cell(named(row["terms"])),
            )
            for row in rows
        ],
        right=("round", "solved", "old", "new"),
    )
