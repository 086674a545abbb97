"""The progress of a campaign: a live picture in a terminal, occasional plain lines everywhere else.

The picture shows how far the campaign is, the curve that matters (NashConv with its reference lines, or the win rate),
the readings of the latest round, and a sentence on what the policy does. Drawing is a pure function of ``Picture``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from training.cli.curve import Line, curve
from training.cli.observation_in_words import sentence

PLAIN_EVERY_S = 5.0
"""Seconds between lines where no terminal is."""

CURVE_ROWS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Everything that is shown.

    Attributes:
        title: the campaign's name.
        total_rounds: rounds of the campaign.
        done_rounds: finished rounds.
        warm_start: the share of the warm start that is done, or ``None`` when there is none (any more).
        text: what the warm start does.
        readings: of the latest round, in words.
        curve_name: what the curve shows.
        points: (round, value) of the curve.
        references: horizontal lines of the curve.
        sentence: what the policy does.
        elapsed_s: seconds since the start.
        left_s: seconds to go, or ``None`` when nobody can tell yet.
        others: by game, the latest value of those that have no curve.
    """

    title: str
    total_rounds: int
    done_rounds: int = 0
    warm_start: float | None = None
    text: str = ""
    readings: tuple[str, ...] = ()
    curve_name: str = "NashConv"
    points: tuple[tuple[int, float], ...] = ()
    references: Mapping[str, float] | None = None
    sentence: str = ""
    elapsed_s: float = 0.0
    left_s: float | None = None
    others: Mapping[str, str] = field(default_factory=dict)


class Progress:
    """Shows a campaign's progress; use it as a context manager, so that the terminal is left in order.

    Args:
        total_rounds: rounds of the campaign.
        console: where to show it.
        title: the campaign's name.
        first_round: rounds done before this process started (a resumed run).
        clock: seconds, rising; for tests.
    """

    def __init__(
        self,
        total_rounds: int,
        console: Console,
        title: str = "",
        first_round: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._clock = clock
        self._start = clock()
        self._rounds_start: float | None = None
        self._first_round = first_round
        self._said = float("-inf")
        self._event: Mapping[str, Any] | None = None
        self._evaluated = -1
        self._subject: tuple[Any, Any] | None = None
        self.picture = Picture(title=title, total_rounds=total_rounds, done_rounds=first_round)
        drawable = console.is_terminal and console.encoding.lower().startswith("utf")
        self._live = Live(console=console, refresh_per_second=4, get_renderable=self._draw) if drawable else None

    def __enter__(self) -> Progress:
        """Starts the live picture."""
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leaves the last picture on the screen, whatever ended the campaign."""
        if self._live is not None:
            self._live.stop()

    def warm_start(self, fraction: float, text: str) -> None:
        """Shows the warm start: the share of it that is done, and what it does."""
        first = self.picture.warm_start is None
        self._update(warm_start=min(max(fraction, 0.0), 1.0), text=text)
        self._say(f"warm start {fraction:.0%}  {text}", always=first or fraction >= 1)

    def round(self, n: int, metrics: Mapping[str, float], seconds: Mapping[str, float]) -> None:
        """Shows a committed round.

        Args:
            n: its index, from 0.
            metrics: of this round; those that ``readings`` knows are shown.
            seconds: how long its parts took; ``round_s`` is the whole, ``rollout_s`` the play.
        """
        if self._rounds_start is None:
            self._rounds_start = self._clock() - seconds.get("round_s", 0.0)
        done = n + 1
        mean_s = (self._clock() - self._rounds_start) / max(1, done - self._first_round)
        left = max(0, self.picture.total_rounds - done) * mean_s
        said = tuple(readings(metrics, seconds))
        self._update(warm_start=None, done_rounds=done, readings=said, left_s=left)
        self._say(plain_line(self.picture), always=self._evaluated == done)

    def evaluated(self, n: int, event: Mapping[str, Any]) -> None:
        """Shows an evaluation; the curve is that of the game evaluated first, the others are named with their values.

        Args:
            n: how many rounds were done; comes before that round is told of.
            event: the fields of an ``evaluated`` event; NashConv with ``references`` and ``strategy`` where the game
                was solved, else ``opponents`` with win rates.
        """
        subject = (event.get("game"), event.get("policy"))
        self._subject = self._subject or subject
        name, value = headline(event)
        if subject != self._subject:
            if value is not None:
                self._update(others={**self.picture.others, str(event.get("game")): f"{name} {value:.3f}"})
            return
        if value is not None and name != self.picture.curve_name:
            self.picture = replace(self.picture, curve_name=name, points=())
        points = self.picture.points if value is None else (*self.picture.points, (n, value))
        said = sentence(event, self._event)
        references = event.get("references") or self.picture.references
        self._event = event
        self._evaluated = n
        self._update(points=points, references=references, sentence=said)
        if n == self.picture.done_rounds:  # before training: no round follows that would tell it
            self._say(plain_line(self.picture), always=True)

    def finish(self, text: str = "") -> None:
        """Shows the end; ``text`` is what to say last."""
        self._update(warm_start=None, left_s=0.0)
        if self._live is not None:
            self._live.stop()
        if text:
            self._console.print(text, highlight=False, markup=False)

    def _update(self, **changes: Any) -> None:  # noqa: ANN401  (fields of Picture)
        self.picture = replace(self.picture, elapsed_s=self._clock() - self._start, **changes)

    def _draw(self) -> RenderableType:
        now = replace(self.picture, elapsed_s=self._clock() - self._start)
        return drawn(now, self._console.width)

    def _say(self, line: str, always: bool = False) -> None:
        if self._live is None and (always or self._clock() - self._said >= PLAIN_EVERY_S):
            self._said = self._clock()
            self._console.print(line, highlight=False, markup=False, soft_wrap=True)


def headline(event: Mapping[str, Any]) -> tuple[str, float | None]:
    """Returns the name and value of the curve: NashConv where a game was solved, else the share of games not lost."""
    if event.get("nash_conv") is not None:
        return "NashConv", float(event["nash_conv"])
    played = list(event.get("opponents") or ())
    rates = [one["not_lost_rate"][1] for one in played if one["opponent"] == played[0]["opponent"]]
    return (f"not lost against {played[0]['opponent']}", sum(rates) / len(rates)) if rates else ("", None)


def plain_line(picture: Picture) -> str:
    """Returns the picture in one line of text, and the sentence in a second one after an evaluation."""
    parts = [f"round {picture.done_rounds}/{picture.total_rounds}"]
    if picture.points:
        parts.append(f"{picture.curve_name} {picture.points[-1][1]:.3f}")
    parts += [*picture.readings, f"elapsed {duration(picture.elapsed_s)}"]
    if picture.left_s:
        parts.append(f"left {duration(picture.left_s)}")
    fresh = picture.points and picture.points[-1][0] == picture.done_rounds and picture.sentence
    others = "".join(f"\n  {game}: {value}" for game, value in picture.others.items()) if fresh else ""
    return "  ".join(parts) + (f"\n  {picture.sentence}" if fresh else "") + others


RARE_ENDS = ("forfeit", "truncated", "failed", "undecided")
"""Ends that are shown when they happen."""


def readings(metrics: Mapping[str, float], seconds: Mapping[str, float]) -> list[str]:
    """Returns the readings of a round in words; what was not measured is left out.

    Games are counted over the whole round, update and evaluation included; sampled tokens over the play alone. Rates
    by the clock are shown only: they never enter the log's metrics, which are equal for equal seeds.
    """
    said: list[str] = []
    if "illegal_rate" in metrics:
        said.append(f"illegal {metrics['illegal_rate']:.1%}")
    said += [f"{end} {metrics[f'{end}_rate']:.1%}" for end in RARE_ENDS if metrics.get(f"{end}_rate")]
    entropies = [value for name, value in metrics.items() if name.rpartition("/")[2] == "entropy"]
    if entropies:
        said.append(f"entropy {sum(entropies) / len(entropies):.2f} nats")
    if metrics.get("episodes") and seconds.get("round_s"):
        said.append(f"{metrics['episodes'] / seconds['round_s']:,.0f} games/s")
    if metrics.get("completion_tokens") and seconds.get("rollout_s"):
        said.append(f"{metrics['completion_tokens'] / seconds['rollout_s']:,.0f} tokens/s")
    return said


def duration(seconds: float) -> str:
    """Returns seconds as ``m:ss`` or ``h:mm:ss``."""
    minutes, rest = divmod(round(max(0.0, seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def drawn(picture: Picture, width: int) -> RenderableType:
    """Draws the picture for a terminal of ``width`` columns."""
    parts: list[RenderableType] = [_bar(picture)]
    if picture.warm_start is not None:
        parts.append(Text(f"warm start: {picture.text}", style="dim"))
    elif picture.points:
        parts += [Text(), *_curve(picture, width)]
    if picture.readings:
        parts.append(Text(" · ".join(picture.readings)))
    if picture.sentence:
        parts.append(Text(picture.sentence, style="italic"))
    if picture.others:
        parts.append(Text(" · ".join(f"{game}: {value}" for game, value in picture.others.items())))
    return Group(*parts)


def _bar(picture: Picture) -> Table:
    warming = picture.warm_start is not None
    share = picture.warm_start or 0.0 if warming else picture.done_rounds / max(1, picture.total_rounds)
    what = "warm start" if warming else f"round {picture.done_rounds}/{picture.total_rounds}"
    left = f"  left {duration(picture.left_s)}" if picture.left_s else ""
    row = Table.grid(padding=(0, 1), expand=True)
    row.add_column(no_wrap=True)
    row.add_column(no_wrap=True)
    row.add_column(ratio=1)
    row.add_column(no_wrap=True, justify="right")
    row.add_row(
        Text(picture.title, style="bold"),
        Text(what),
        ProgressBar(total=1.0, completed=share),
        Text(f"{share:.0%}  {duration(picture.elapsed_s)}{left}", style="dim"),
    )
    return row


def _curve(picture: Picture, width: int) -> list[Text]:
    last = picture.points[-1][1]
    best = (min if picture.curve_name == "NashConv" else max)(value for _, value in picture.points)
    title = Text.assemble((f"{picture.curve_name} {last:.3f}", "bold green"), (f"  best {best:.3f}", "dim"))
    cells = max(20, min(72, width - 34))
    lines = curve(picture.points, picture.references or {}, cells, CURVE_ROWS, picture.total_rounds)
    return [title, *(_row(line) for line in lines)]


def _row(line: Line) -> Text:
    row = Text(f"{line.tick:>5} ", style="dim", no_wrap=True, overflow="crop")
    for cell in line.cells:
        row.append(cell, style="dim" if cell == "┈" else "green")
    return row.append(f" {line.label.replace('_', ' ')}", style="yellow")
