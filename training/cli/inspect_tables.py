"""The views of ``ludus inspect`` as tables; ``training.cli.inspect_pages`` draws single tasks and families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from training.cli.inspect_pages import family_page, task_page
from training.cli.inspect_pay import rescore_page, rewards_page
from training.cli.inspect_words import (
    at_round,
    bar,
    cell,
    folded,
    heading,
    listed,
    number,
    percent,
    rate,
    short,
    solved,
    span,
    spark,
    text,
    thousands,
)
from training.cli.printing import console

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

Document = Mapping[str, Any]

WIDE = 130
"""Columns from which on tasks come with their skills."""


def tables(view: str, document: Document, argument: str, where: str, limit: int) -> Iterator[RenderableType]:
    """Returns what people read of a view."""
    if view == "tasks":
        return task_page(document, limit) if argument else _tasks(document, limit)
    if view == "lineage":
        return family_page(document) if argument else _generations(document)
    if view == "rejections":
        return _rejections(document, bool(where), limit)
    if view == "rescore":
        return rescore_page(document, limit)
    plain = {"summary": _summary, "rewards": rewards_page, "skills": _skills}
    return plain[view](document)


def _tasks(document: Document, limit: int) -> Iterator[RenderableType]:
    rows = document["tasks"][-limit:] if limit else document["tasks"]
    wide = console().width >= WIDE
    columns = ["task", "round", "by", "kind", "diff", "solved", "rate, 95 %", "pay", "status"]
    yield listed(
        [*columns, "skills"] if wide else columns,
        [(*_task_row(row), cell(" ".join(row["skills"]), "dim")) if wide else _task_row(row) for row in rows],
        right=("round", "diff", "solved", "pay"),
    )
    if len(rows) < document["shown"]:
        yield text(f"the newest {len(rows)} of {document['shown']}; --limit 0 shows all, --where fewer", "dim")
    yield text(
        f"{document['shown']} of {document['total']} tasks; ludus inspect RUN tasks ID tells all about one", "dim"
    )


def _task_row(row: Document) -> tuple[object, ...]:
    return (
        short(row["id"]),
        at_round(row["round"]),
        cell(row["by"]),
        cell(row["kind"]),
        "-" if row["difficulty"] is None else str(row["difficulty"]),
        solved(row),
        text(rate(row)),
        number(row["score"]),
        _standing(row),
    )


def _standing(row: Document) -> Text:
    """Returns where a task stands and why; its pool where that is not its kind."""
    pool = f" in {row['pool']}" if row["pool"] not in ("", row["kind"]) else ""
    style = {"admitted": "green", "rejected": "red", "retired": "yellow"}.get(row["status"], "")
    return cell(f"{row['status']}{pool}: {row['reason']}" if row["reason"] else f"{row['status']}{pool}", style)


def _generations(document: Document) -> Iterator[RenderableType]:
    yield listed(
        ("generation", "tasks", "difficulty", "solve rate", "pay", "status"),
        [
            (
                one["generation"],
                f"{one['tasks']}" + (f" + {one['unknown']} unknown" if one["unknown"] else ""),
                number(one["difficulty"]),
                number(one["solve_rate"]),
                number(one["score"]),
                ", ".join(f"{count} {status}" for status, count in one["status"].items()),
            )
            for one in document["generations"]
        ],
        right=("tasks", "difficulty", "solve rate", "pay"),
    )
    yield heading("what most tasks were made from")
    yield listed(
        ("task", "by", "kind", "children", "descendants"),
        [
            (
                short(one["id"]),
                cell(one["by"] or "unknown"),
                cell(one["kind"] or "-"),
                one["children"],
                one["descendants"],
            )
            for one in document["widest"]
        ],
        right=("children", "descendants"),
    )
    yield text("ludus inspect RUN lineage ID draws the family of one", "dim")


def _rejections(document: Document, chosen: bool, limit: int) -> Iterator[RenderableType]:
    proposed = document["funnel"]["proposed"]
    before = [proposed, *document["funnel"].values()]
    yield listed(
        ("proposals", "left", "lost", "of all", ""),
        [
            (stage, left, past - left, percent(left / proposed if proposed else None), bar(left / max(proposed, 1)))
            for (stage, left), past in zip(document["funnel"].items(), before, strict=False)
        ],
        right=("left", "lost", "of all"),
    )
    yield listed(
        ("lost at", "reason", "count", "rounds", "newest example"),
        [
            (
                one["lost_at"],
                cell(one["reason"]),
                one["count"],
                span((one["first_round"], one["last_round"])),
                cell(one["excerpts"][0] if one["excerpts"] else "", "dim"),
            )
            for one in document["reasons"]
        ],
        right=("count",),
    )
    if not chosen:
        yield text("--where reason=NAME shows the proposals of one reason in full", "dim")
        return
    rows = document["rejected"][-limit:] if limit else document["rejected"]
    for row in rows:
        yield text(f"\nround {row['round']}  {row['reason']}  {row['episode']}", "bold")
        yield folded(row["excerpt"], 20)
    if len(rows) < len(document["rejected"]):
        yield text(f"the newest {len(rows)} of {len(document['rejected'])}; --limit 0 shows all", "dim")


def _skills(document: Document) -> Iterator[RenderableType]:
    columns = ["skill", "tasks", *(f"rounds {span(block)}" for block in document["blocks"])]
    yield listed(
        columns,
        [
            (cell(row["skill"]), row["tasks"], *(f"{rate(one)} {one['share']:4.0%}" for one in row["cells"]))
            for row in document["skills"]
        ],
        right=("tasks", *columns[2:]),
    )
    yield text("solve rate with its 95 % interval, and the share of all attempts that need the skill", "dim")


def _summary(document: Document) -> Iterator[RenderableType]:
    pools = [f"{name} {size}" for sizes in document["pools"].values() for name, size in sizes.items()]
    yield text(f"{document['tasks']} tasks, {document['seeds']} of them seeds; pools: {', '.join(pools) or 'none'}")
    alarms = [f"{count} x {name}" for one in document["alarms"].values() for name, count in one.items()]
    if alarms:
        yield text(f"alarms: {', '.join(alarms)}", "red")
    roles = list(dict.fromkeys(role for block in document["blocks"] for role in block["tokens"]))
    columns = ["rounds", "proposed", "valid", "repeats", "kept", "solved", "diff"]
    yield listed(
        [*columns, "tokens", "held out"],
        [*_start(document), *(_summary_row(document, block, roles) for block in document["blocks"])],
        right=(*columns[1:5], "diff"),
    )
    yield text("solved: how many tasks were solved never, seldom, now and then, mostly, always", "dim")
    if roles:
        yield text(f"tokens: {' / '.join(roles)}", "dim")
    yield text("held out: solve rate on sealed problems after the last of these rounds, 95 % interval", "dim")


def _start(document: Document) -> list[tuple[object, ...]]:
    told = _heldout(document, (-1, -1))
    return [("start", "", "", "", document["seeds"], "", "", "", told)] if told or document["seeds"] else []


def _summary_row(document: Document, block: Document, roles: Sequence[str]) -> tuple[object, ...]:
    first, last = block["rounds"]
    running = document["in_progress"] is not None and first <= document["in_progress"] <= last
    return (
        span(block["rounds"]) + (" ..." if running else ""),
        block["proposed"],
        percent(block["valid_rate"]),
        percent(block["duplicate_rate"]),
        block["admitted"],
        spark(block["solve_rates"]),
        number(block["difficulty"]),
        " / ".join(thousands(block["tokens"].get(role, 0)) for role in roles) if block["tokens"] else "-",
        _heldout(document, (first, last)),
    )


def _heldout(document: Document, rounds: Sequence[int]) -> Text:
    """Returns the last measurement of each policy and domain in a block; it stands after the rounds that are done."""
    last = {
        (one["policy"], one["domain"]): one
        for one in document["heldout"]
        if rounds[0] <= one["rounds_done"] - 1 <= rounds[1] and one["rate"] is not None
    }
    domains = {domain for _, domain in last}
    told = [
        f"{policy}{f' {domain}' if len(domains) > 1 else ''} {one['rate']:.1%} "
        f"({100 * one['interval'][0]:.0f}-{one['interval'][1]:.0%})"
        for (policy, domain), one in last.items()
    ]
    return text("\n".join(told))
