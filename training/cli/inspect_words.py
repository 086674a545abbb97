"""How ``ludus inspect`` writes single values: text that a model wrote, rates, rounds, small histograms.

Everything here makes ``rich.text.Text`` or plain words. A ``Text`` is never read as markup, and ``arena.visible`` takes
what would steer a terminal out of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arena.visible import visible
from training.cli.printing import table

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

SHORT = 10
"""How much of an id is shown in tables; ``tasks ID`` takes the beginning of one."""

MOST_LINES, MOST_CHARACTERS = 40, 2000
"""Where a long text is folded: lines, and characters a line."""

_BARS = "▁▂▃▄▅▆▇█"


def text(value: object, style: str = "") -> Text:
    """Returns text of any origin as it may be shown."""
    from rich.text import Text

    return Text(visible(str(value)), style=style)


def cell(value: object, style: str = "") -> Text:
    """Returns text of any origin on one line, cut with dots where the terminal is too narrow."""
    from rich.text import Text

    line = visible(" ⏎ ".join(part.strip() for part in str(value)[:MOST_CHARACTERS].splitlines()))
    return Text(line, style=style, no_wrap=True, overflow="ellipsis")


def folded(value: str, lines: int = MOST_LINES) -> Text:
    """Returns a text of several lines, indented; what is too long is told instead of shown."""
    from rich.text import Text

    every = value.split("\n")
    shown = [
        visible(line[:MOST_CHARACTERS]) + (f" ... {len(line) - MOST_CHARACTERS} more characters" * _long(line))
        for line in every[:lines]
    ]
    if len(every) > lines:
        shown.append(f"... {len(every) - lines} more lines; --json has them")
    return Text("\n".join(f"  {line}" for line in shown))


def heading(words: str) -> Text:
    """Returns the heading of a section."""
    from rich.text import Text

    return Text(f"\n{visible(words)}", style="bold cyan")


def listed(
    columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", right: Iterable[str] = ()
) -> RenderableType:
    """Returns a table with little space between its columns, or a word for none; everything in it is made safe."""
    from rich.markup import escape
    from rich.text import Text

    found = [[one if isinstance(one, Text) else text(one) for one in row] for row in rows]
    if not found:
        return text("  none", "dim")
    # Rich reads the names of columns and titles as markup, other than a Text in a cell.
    names = [escape(visible(column)) for column in columns]
    made = table(names, found, title=escape(visible(title)), right=[escape(visible(column)) for column in right])
    made.padding = (0, 1, 0, 0)
    return made


def short(id: str | None) -> str:
    """Returns the beginning of an id."""
    return (id or "-")[:SHORT]


def number(value: float | None, digits: int = 2) -> str:
    """Returns a number, or a dash for none."""
    return "-" if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """Returns a rate in percent, or a dash for none."""
    return "-" if value is None else f"{value:.1%}"


def rate(told: Mapping[str, Any]) -> str:
    """Returns a solve rate with its interval: ``0.33 0.05-0.72``."""
    if told.get("solve_rate") is None:
        return "-"
    low, high = told["interval"]
    return f"{told['solve_rate']:.2f} {low:.2f}-{high:.2f}"


def solved(told: Mapping[str, Any]) -> str:
    """Returns how many attempts solved a task, with those that nobody could judge: ``1/3+1?``."""
    undecided = told.get("undecided") or 0
    return f"{told['successes']}/{told['attempts']}" + (f"+{undecided}?" if undecided else "")


def at_round(value: int) -> str:
    """Returns the round of a proposal; what was there before the first is from the start."""
    return "start" if value < 0 else str(value)


def span(rounds: Sequence[int]) -> str:
    """Returns a block of rounds: ``4-7``."""
    first, last = rounds
    return str(first) if first == last else f"{first}-{last}"


def spark(counts: Sequence[int]) -> str:
    """Returns a histogram in one character a bin, as high as its share of the highest; an empty bin is a dot."""
    highest = max(counts, default=0)
    return "".join(_BARS[round(count / highest * (len(_BARS) - 1))] if count else "·" for count in counts)


def bar(share: float, width: int = 24) -> str:
    """Returns a bar of a share in [0, 1]."""
    return "█" * round(share * width)


def named(values: Mapping[str, Any], digits: int = 3) -> str:
    """Returns named numbers: ``learnability 0.250``."""
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items())


def thousands(value: float) -> str:
    """Returns a count of tokens: ``850``, ``12.3k``, ``4.5M``."""
    for size, unit in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.1f}{unit}"
    return f"{value:.0f}"


def _long(line: str) -> bool:
    return len(line) > MOST_CHARACTERS
