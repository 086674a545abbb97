"""Which figures the page draws, one a game and kind of measurement, and where each stands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from arena.visible import visible
from curricula.report import figures
from curricula.report.figures import Figure, Mark
from curricula.report.run_record import RunRecord
from curricula.report.series import Series, deal_returns, families, nash_conv, number, win_rates
from curricula.report.tables import described
from curricula.report.wording import short

_MOST_MARKS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureSlot:
    """Where a figure stands; ``summary`` says in words what it shows, ``size`` is wide, half or small."""

    id: str
    title: str
    summary: str
    note: str = ""
    size: str = "small"
    log_toggle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """The figures of a run by section; ``drawn`` holds what the page's script draws, by the slot's id.

    Attributes:
        nash_conv: the curves of the games that were solved, by game.
        won: the shares of games won, by game.
        learning: NashConv where a game was solved, else what its opponents say of it.
        opponents: the rest of what opponents say.
        training: metrics of the learner.
        drawn: the figures.
    """

    nash_conv: Mapping[str, list[Series]]
    won: Mapping[str, list[Series]]
    learning: tuple[FigureSlot, ...]
    opponents: tuple[FigureSlot, ...]
    training: tuple[FigureSlot, ...]
    drawn: Mapping[str, Figure]


def panels(run: RunRecord) -> Panels:
    """Returns the figures of a run."""
    evaluated = run.of_kind("evaluated")
    solved, won, paid = nash_conv(evaluated), win_rates(evaluated), deal_returns(evaluated)
    desk = _Desk(marks=_marks(run))
    nash = [desk.nash_conv(game, curves, evaluated) for game, curves in solved.items()]
    shares = {game: desk.won(game, curves) for game, curves in won.items()}
    means = {game: desk.paid(game, curves) for game, curves in paid.items()}
    played = [*shares.items(), *means.items()]
    unsolved = [slot for game, slot in played if game not in solved]
    others = [slot for game, slot in played if game in solved]
    training = [desk.small(title, curves) for title, curves in families(run.of_kind("updated"), run.metrics).items()]
    return Panels(
        nash_conv=solved,
        won=won,
        learning=_sized([*nash, *unsolved]),
        opponents=_sized(others),
        training=tuple(training),
        drawn=desk.drawn,
    )


def _sized(slots: Sequence[FigureSlot]) -> tuple[FigureSlot, ...]:
    """Returns the slots of one section: a figure alone is wide, several share rows."""
    return tuple(replace(slot, size="wide" if len(slots) == 1 else "half") for slot in slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Desk:
    """Draws figures one after another, all with the same marks."""

    marks: Sequence[Mark]
    drawn: dict[str, Figure] = field(default_factory=dict)

    def nash_conv(self, game: str, curves: list[Series], evaluated: Sequence[Mapping[str, Any]]) -> FigureSlot:
        references: dict[str, float] = {}
        for event in evaluated:
            if event.get("game") == game:
                given = (event.get("references") or {}).items()
                references.update(
                    {visible(str(name)): exact for name, value in given if (exact := number(value)) is not None}
                )
        dotted = "Dotted: fixed players. " if references else ""
        return self._slot(
            "nash",
            f"NashConv in {visible(game)}",
            curves,
            lambda safe: figures.nash_conv_figure(safe, references, self.marks),
            f"{dotted}Lower is better.",
            log_toggle=True,
        )

    def won(self, game: str, curves: list[Series]) -> FigureSlot:
        return self._slot(
            "wins",
            f"Share of games won in {visible(game)}",
            curves,
            lambda safe: figures.win_rate_figure(safe, self.marks),
            "Bands: 95 % Wilson intervals.",
        )

    def paid(self, game: str, curves: list[Series]) -> FigureSlot:
        return self._slot(
            "paid",
            f"Mean return in {visible(game)}, over all seats",
            [replace(curve, label=f"against {curve.label}") for curve in curves],
            lambda safe: figures.return_figure(safe, self.marks),
            "Bands: 95 % intervals over deals.",
        )

    def small(self, title: str, curves: list[Series]) -> FigureSlot:
        return self._slot("training", visible(title), curves, lambda safe: figures.family_figure(safe, self.marks))

    def _slot(
        self,
        kind: str,
        title: str,
        curves: list[Series],
        draw: Callable[[list[Series]], Figure],
        note: str = "",
        log_toggle: bool = False,
    ) -> FigureSlot:
        slot = f"{kind}-{len(self.drawn)}"
        self.drawn[slot] = draw([_safe(curve) for curve in curves])
        summary = "; ".join(map(_summary, curves))
        said = f"{note}{_mark_key(self.marks)}" if note else ""
        return FigureSlot(id=slot, title=title, summary=summary, note=said, log_toggle=log_toggle)


def _safe(series: Series) -> Series:
    """Returns the curve with a label that plotly, which reads a little HTML, shows as it is."""
    label = visible(series.label).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return replace(series, label=label[:120])


def _summary(series: Series) -> str:
    return visible(f"{series.label or 'value'} from {short(series.values[0])} to {short(series.values[-1])}")


def _marks(run: RunRecord) -> list[Mark]:
    happened = [*run.of_kind("alarm", "resumed")[:_MOST_MARKS]]
    return [
        Mark(
            round=int(event.get("from_round", event.get("round", 0))),
            kind=str(event["event"]),
            text=described(event)[:160].replace("&", "&amp;").replace("<", "&lt;"),
        )
        for event in happened
    ]


def _mark_key(marks: Sequence[Mark]) -> str:
    kinds = {mark.kind for mark in marks}
    return "".join(f" {symbol} {kind}." for kind, symbol in figures.SYMBOLS.items() if kind in kinds)
