"""One task and one family of ``ludus inspect``, drawn for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from training.cli.inspect_words import (
    at_round,
    bar,
    cell,
    folded,
    heading,
    listed,
    named,
    number,
    rate,
    short,
    solved,
    text,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text
    from rich.tree import Tree

MOST_NODES = 200
"""Where a tree is cut."""

Document = Mapping[str, Any]


def task_page(document: Document, limit: int) -> Iterator[RenderableType]:
    """Yields everything about one task."""
    yield heading(f"task {document['id']}")
    yield from _origin(document)
    yield heading("statement")
    yield folded(document["statement"])
    yield heading("attempts")
    yield _attempts(document, limit)
    yield heading("solve rate by policy version")
    yield _posteriors(document)
    yield heading("scores")
    yield listed(
        ("round", "formula", "pay", "terms", "p", "95 %"),
        [
            (
                one["round"],
                cell(one["formula"]),
                number(one["pay"], 3),
                named(one["terms"]),
                number(one["p_mean"]),
                "{:.2f}-{:.2f}".format(*one["interval"]),
            )
            for one in document["scores"]
        ],
        right=("pay", "p"),
    )
    yield heading("decisions and pools")
    yield from _course(document)


def _origin(document: Document) -> Iterator[Text]:
    by = document["by"] or "nobody that the log names"
    episode = f", episode {document['episode']}" if document["episode"] else ""
    when = at_round(document["round"])
    yield text(f"  proposed by {by}{episode}, {'at the start' if when == 'start' else f'round {when}'}")
    yield text(f"  {document['kind'] or 'no kind'}, skills: {' '.join(document['skills']) or 'none named'}")
    checks = ", ".join(f"{name} {value}" for name, value in document["checks"].items())
    yield text(f"  checked: {checks or '-'}; signature {document['signature'] or '-'}")
    for name in ("parents", "children"):
        yield text(f"  {name}: {' '.join(document[name][:8]) or 'none'}" + _more(document[name], 8))
    pool = f" in pool {document['pool']}" if document["pool"] else ""
    yield text(f"  {document['status']}{pool}: {document['reason'] or '-'}", "bold")


def _more(ids: list[str], shown: int) -> str:
    return f" and {len(ids) - shown} more" if len(ids) > shown else ""


def _attempts(document: Document, limit: int) -> RenderableType:
    rows = document["attempts_made"][-limit:] if limit else document["attempts_made"]
    return listed(
        ("round", "seat", "policy", "outcome", "verified", "verifier", "episode"),
        [
            (
                one["round"],
                cell(one["seat"]),
                cell(one["policy"]),
                cell(one["outcome"], {"correct": "green", "undecided": "yellow"}.get(one["outcome"], "")),
                "-" if one["share"] is None else f"{one['share']:.0%}",
                cell(one["verifier"]),
                cell(one["episode"]),
            )
            for one in rows
        ],
        title="" if len(rows) == len(document["attempts_made"]) else f"the newest {len(rows)}",
        right=("verified",),
    )


def _posteriors(document: Document) -> RenderableType:
    return listed(
        ("policy", "round", "solved", "own rate, 95 %", "so far", "so far, 95 %", ""),
        [
            (
                cell(one["policy"]),
                one["round"],
                solved(one),
                rate(one),
                solved(one["so_far"]),
                rate(one["so_far"]),
                bar(one["so_far"]["solve_rate"] or 0.0, 20),
            )
            for one in document["posteriors"]
        ],
        right=("round", "solved", "so far"),
    )


def _course(document: Document) -> Iterator[Text]:
    """Yields what was decided and where the task moved, by round."""
    decided = [(one["round"], one["what"], one["reason"]) for one in document["decisions"]]
    moved = [
        (one["round"], f"{one['from'] or 'no pool'} -> {one['to'] or 'no pool'}", one["reason"])
        for one in document["moves"]
    ]
    for round, what, reason in sorted([*decided, *moved], key=lambda one: one[0]):
        yield text(f"  round {round}: {what}" + (f" ({reason})" if reason else ""))


def family_page(document: Document) -> Iterator[RenderableType]:
    """Yields the ancestors and the descendants of a task as trees, and what its branch taught."""
    yield heading(f"task {document['id']}")
    yield text(f"  {document['ancestors']} ancestors, {document['descendants']} descendants")
    taught = document["taught"]
    told = (
        "no task of the branch was tried by two versions of a policy, so the log cannot say"
        if taught is None
        else f"the solve rate moved by {taught:+.3f} from the oldest to the newest version, on average over its tasks"
    )
    yield text(f"  what the branch taught: {told}")
    yield heading("made from")
    yield _tree(document, document["parents"])
    yield heading("led to")
    yield _tree(document, document["children"])


def _tree(document: Document, edges: Mapping[str, list[str]]) -> Tree:
    """Returns a tree from the task on; a task that comes again is named without its own branch."""
    from rich.tree import Tree

    root = document["id"]
    drawn = Tree(_node(document, root), guide_style="dim")
    open_nodes, seen = [(drawn, root)], {root}
    while open_nodes:
        branch, id = open_nodes.pop(0)
        for one in edges.get(id, ()):
            if len(seen) >= MOST_NODES:
                branch.add(text("...", "dim"))
                break
            again = one in seen
            label = _node(document, one)
            below = branch.add(label.append(" (see above)", style="dim") if again and edges.get(one) else label)
            if not again:
                seen.add(one)
                open_nodes.append((below, one))
    return drawn


def _node(document: Document, id: str) -> Text:
    row = document["tasks"].get(id)
    label = text(short(id), "bold" if id == document["id"] else "cyan")
    if row is None:
        return label.append(" not of this log", style="dim")
    depth = "" if row["difficulty"] is None else f" difficulty {row['difficulty']}"
    tried = "" if row["solve_rate"] is None else f"  solved {solved(row)}"
    paid = "" if row["score"] is None else f"  pay {row['score']:.2f}"
    return label.append_text(text(f" {row['by']} {row['kind']}{depth}{tried}{paid}  {row['status']}"))
