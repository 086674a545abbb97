"""The page's content as values: what stands where, before any HTML.

The headline is the median NashConv of the last evaluations where a game was solved, else the latest win rate. A
number that the log does not hold is left out, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from arena.visible import visible
from curricula.report import figures
from curricula.report.figures import Figure, Mark
from curricula.report.run_record import RunRecord
from curricula.report.series import Series, families, nash_conv, number, other_metrics, win_rates
from curricula.report.strategy import StrategyGrid, strategy_grids
from curricula.report.tables import (
    EventRow,
    MetricRow,
    OpponentRow,
    described,
    event_rows,
    metric_row,
    opponent_rows,
    pairs,
)
from curricula.report.transcript import EpisodeView, FoldedText, chosen, episode_view, folded
from curricula.report.wording import count, percent, short

_MOST_MARKS = 40
_LAST_EVALUATIONS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Whether the run ended, in a word for the style and a few for people."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One number of the header."""

    label: str
    value: str
    note: str = ""
    main: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureSlot:
    """Where a figure stands; ``summary`` says in words what it shows."""

    id: str
    title: str
    summary: str
    note: str = ""
    wide: bool = False
    log_toggle: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Sample episodes of one round."""

    title: str
    round: int
    episodes: tuple[EpisodeView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything that the template shows; ``figures`` and ``strategy_data`` are read by the page's script."""

    title: str
    lede: str
    state: State
    tiles: tuple[Tile, ...]
    sections: tuple[tuple[str, str], ...]
    learning_title: str
    learning: tuple[FigureSlot, ...]
    strategies: tuple[StrategyGrid, ...]
    opponents: tuple[OpponentRow, ...]
    opponent_figures: tuple[FigureSlot, ...]
    training: tuple[FigureSlot, ...]
    episodes: tuple[Stage, ...]
    events: tuple[EventRow, ...]
    events_omitted: int
    metrics: tuple[MetricRow, ...]
    config: FoldedText
    versions: str
    figures: Mapping[str, Figure]
    strategy_data: tuple[Mapping[str, Any], ...]

    @property
    def any_solved(self) -> bool:
        """Whether any strategy is compared with an equilibrium."""
        return any(grid.solved for grid in self.strategies)


def page_of(run: RunRecord) -> Page:
    """Returns the page of a run."""
    started = (run.of_kind("run_started") or [{}])[-1]
    evaluated = run.of_kind("evaluated")
    solved, won = nash_conv(evaluated), win_rates(evaluated)
    marks = _marks(run)
    drawn: dict[str, Figure] = {}
    nash_slots = tuple(_nash_slot(game, curves, evaluated, marks, drawn) for game, curves in solved.items())
    win_slots = tuple(_win_slot(game, curves, marks, drawn) for game, curves in won.items())
    training = _training_slots(run, marks, drawn)
    grids = tuple(strategy_grids(evaluated))
    opponents = tuple(opponent_rows(evaluated))
    events, omitted = event_rows(run)
    metrics = tuple(metric_row(series) for series in other_metrics(run.of_kind("updated"), run.metrics))
    return Page(
        title=visible(str(started.get("campaign") or run.name)),
        lede=_lede(run, solved, won),
        state=_state(run),
        tiles=tuple(_tiles(run, started, solved, won)),
        sections=_sections(bool(grids), bool(opponents), bool(training), bool(metrics)),
        learning_title="How far from an equilibrium" if nash_slots else "How often it wins",
        learning=nash_slots or win_slots,
        strategies=grids,
        opponents=opponents,
        opponent_figures=win_slots if nash_slots else (),
        training=training,
        episodes=_stages(run),
        events=events,
        events_omitted=omitted,
        metrics=metrics,
        config=folded(run.config, head=100_000, fold=100_000),
        versions=pairs(started.get("versions")),
        figures=drawn,
        strategy_data=tuple(_strategy_data(grid) for grid in grids),
    )


def _sections(strategy: bool, opponents: bool, training: bool, metrics: bool) -> tuple[tuple[str, str], ...]:
    there = (
        ("learning", "Learning", True),
        ("strategy", "Strategy", strategy),
        ("opponents", "Opponents", opponents),
        ("training", "Training", training),
        ("episodes", "Episodes", True),
        ("events", "Events", True),
        ("metrics", "Metrics", metrics),
        ("config", "Config", True),
    )
    return tuple((anchor, title) for anchor, title, shown in there if shown)


def _state(run: RunRecord) -> State:
    if run.finished:
        return State(kind="finished", text="finished")
    after = f"after round {run.rounds[-1]}" if run.rounds else "before the first round"
    return State(kind="open", text=f"running, or stopped {after}")


def _lede(run: RunRecord, solved: Mapping[str, list[Series]], won: Mapping[str, list[Series]]) -> str:
    for game, curves in solved.items():
        what = f"NashConv of {curves[0].label or 'the policy'} in {game}"
        why = "At 0, an equilibrium, nobody gains by playing differently."
        return visible(f"{what} {_course(curves[0], short)}. {why}")
    for game, curves in won.items():
        return visible(f"The share of games won in {game} against {curves[0].label} {_course(curves[0], percent)}.")
    return f"{len(run.rounds)} rounds are in the log; none has been evaluated."


def _course(series: Series, shown: Callable[[float | None], str]) -> str:
    first, last = series.rounds[0], series.rounds[-1]
    if first == last:
        return f"was {shown(series.values[-1])} in round {last}"
    return f"went from {shown(series.values[0])} (round {first}) to {shown(series.values[-1])} (round {last})"


def _tiles(
    run: RunRecord, started: Mapping[str, Any], solved: Mapping[str, list[Series]], won: Mapping[str, list[Series]]
) -> list[Tile]:
    tiles = _headline(solved, won)
    tiles.append(Tile(label="Rounds", value=_rounds(run, started)))
    totals = run.totals
    tiles.append(Tile(label="Episodes", value=count(totals.episodes)))
    read = f"{count(totals.prompt_tokens)} read"
    tiles.append(Tile(label="Tokens sampled", value=count(totals.completion_tokens), note=read))
    if started.get("seed") is not None:
        tiles.append(Tile(label="Seed", value=visible(str(started["seed"]))))
    games = started.get("games")
    if isinstance(games, Mapping):
        names = [str(one.get("game", name)) if isinstance(one, Mapping) else str(name) for name, one in games.items()]
        tiles.append(Tile(label="Game" if len(names) == 1 else "Games", value=visible(", ".join(names))))
    return tiles


def _headline(solved: Mapping[str, list[Series]], won: Mapping[str, list[Series]]) -> list[Tile]:
    for curves in solved.values():
        last = [value for value in curves[0].values[-_LAST_EVALUATIONS:] if value is not None]
        note = f"median of the last {len(last)} evaluations" if len(last) > 1 else "one evaluation"
        return [Tile(label="NashConv", value=short(median(last)), note=note, main=True)]
    for curves in won.values():
        return [Tile(label="Games won", value=percent(curves[0].values[-1]), note=curves[0].label, main=True)]
    return []


def _rounds(run: RunRecord, started: Mapping[str, Any]) -> str:
    done, planned = len(run.rounds), started.get("rounds")
    return f"{count(done)} of {count(planned)}" if isinstance(planned, int) and planned != done else count(done)


def _nash_slot(
    game: str,
    curves: list[Series],
    evaluated: Sequence[Mapping[str, Any]],
    marks: Sequence[Mark],
    drawn: dict[str, Figure],
) -> FigureSlot:
    references: dict[str, float] = {}
    for event in evaluated:
        if event.get("game") == game:
            given = (event.get("references") or {}).items()
            references.update(
                {visible(str(name)): exact for name, value in given if (exact := number(value)) is not None}
            )
    slot = f"nash-{len(drawn)}"
    drawn[slot] = figures.nash_conv_figure([_safe(curve) for curve in curves], references, marks)
    return FigureSlot(
        id=slot,
        title=f"NashConv in {visible(game)}",
        summary="; ".join(map(_summary, curves)),
        note=f"Dotted: fixed players. Lower is better.{_mark_key(marks)}",
        wide=True,
        log_toggle=True,
    )


def _win_slot(game: str, curves: list[Series], marks: Sequence[Mark], drawn: dict[str, Figure]) -> FigureSlot:
    slot = f"wins-{len(drawn)}"
    drawn[slot] = figures.win_rate_figure([_safe(curve) for curve in curves], marks)
    return FigureSlot(
        id=slot,
        title=f"Share of games won in {visible(game)}",
        summary="; ".join(map(_summary, curves)),
        note=f"Bands: 95 % Wilson intervals.{_mark_key(marks)}",
        wide=True,
    )


def _training_slots(run: RunRecord, marks: Sequence[Mark], drawn: dict[str, Figure]) -> tuple[FigureSlot, ...]:
    slots = []
    for title, curves in families(run.of_kind("updated"), run.metrics).items():
        slot = f"training-{len(drawn)}"
        drawn[slot] = figures.family_figure([_safe(curve) for curve in curves], marks)
        slots.append(FigureSlot(id=slot, title=title, summary="; ".join(map(_summary, curves))))
    return tuple(slots)


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


def _stages(run: RunRecord) -> tuple[Stage, ...]:
    at = sorted(at for at, episodes in run.samples.items() if episodes)
    titles = {1: ["Latest"], 2: ["Early", "Late"]}.get(len(at), ["Early", "Middle", "Late"])
    return tuple(
        Stage(title=title, round=one, episodes=tuple(episode_view(episode) for episode in chosen(run.samples[one])))
        for title, one in zip(titles, at, strict=False)
    )


def _strategy_data(grid: StrategyGrid) -> dict[str, Any]:
    cells = {
        f"{row}-{column}": {
            "values": [None if value is None else round(value, 4) for value in cell.values],
            "low": cell.low,
            "high": cell.high,
        }
        for row, line in enumerate(grid.cells)
        for column, cell in enumerate(line)
        if cell is not None
    }
    return {"rounds": grid.rounds, "cells": cells}
