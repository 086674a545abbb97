"""The page's content as values: what stands where, before any HTML.

The headline is the median NashConv of the last evaluations, one number a game that was solved, else the latest win
rate. A number that the log does not hold is left out, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from arena.visible import visible
from curricula.report.figures import Figure
from curricula.report.opponents import OpponentTable, opponent_table
from curricula.report.panels import FigureSlot, Panels, panels
from curricula.report.probes import Probe, probes
from curricula.report.run_record import RunRecord
from curricula.report.series import Series, other_metrics
from curricula.report.strategy import StrategyGrid, strategy_grids
from curricula.report.tables import EventRow, MetricRow, event_rows, metric_row, pairs
from curricula.report.transcript import EpisodeView, FoldedText, chosen, episode_view, folded
from curricula.report.wording import count, percent, short

_LAST_EVALUATIONS = 10
_MOST_HEADLINES = 6


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
    opponents: OpponentTable
    opponent_figures: tuple[FigureSlot, ...]
    probes: tuple[Probe, ...]
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

    @property
    def several_games(self) -> bool:
        """Whether the sample episodes are of several games."""
        return len({episode.game for stage in self.episodes for episode in stage.episodes}) > 1


def page_of(run: RunRecord) -> Page:
    """Returns the page of a run."""
    started = (run.of_kind("run_started") or [{}])[-1]
    evaluated = run.of_kind("evaluated")
    drawn = panels(run)
    grids = tuple(strategy_grids(evaluated))
    opponents = opponent_table(evaluated, started)
    asked = tuple(probes(run.of_kind("probed")))
    events, omitted = event_rows(run)
    metrics = tuple(metric_row(series) for series in other_metrics(run.of_kind("updated"), run.metrics))
    there = {
        "strategy": grids,
        "opponents": opponents.rows,
        "probes": asked,
        "training": drawn.training,
        "metrics": metrics,
    }
    return Page(
        title=visible(str(started.get("campaign") or run.name)),
        lede=_lede(run, drawn),
        state=_state(run),
        tiles=tuple(_tiles(run, started, drawn)),
        sections=tuple((anchor, title) for anchor, title in _SECTIONS.items() if there.get(anchor, True)),
        learning_title="How far from an equilibrium" if drawn.nash_conv else "How it plays",
        learning=drawn.learning,
        strategies=grids,
        opponents=opponents,
        opponent_figures=drawn.opponents,
        probes=asked,
        training=drawn.training,
        episodes=_stages(run),
        events=events,
        events_omitted=omitted,
        metrics=metrics,
        config=folded(run.config, head=100_000, fold=100_000),
        versions=pairs(started.get("versions")),
        figures=drawn.drawn,
        strategy_data=tuple(_strategy_data(grid) for grid in grids),
    )


_SECTIONS = {
    "learning": "Learning",
    "strategy": "Strategy",
    "opponents": "Opponents",
    "probes": "Held-out questions",
    "training": "Training",
    "episodes": "Episodes",
    "events": "Events",
    "metrics": "Metrics",
    "config": "Config",
}
"""The page's sections in order; those that a run has nothing for are left out."""


def _state(run: RunRecord) -> State:
    if run.finished:
        return State(kind="finished", text="finished")
    after = f"after round {run.rounds[-1]}" if run.rounds else "before the first round"
    return State(kind="open", text=f"running, or stopped {after}")


def _lede(run: RunRecord, drawn: Panels) -> str:
    if drawn.nash_conv:
        first = next(iter(drawn.nash_conv.values()))[0]
        courses = _courses({game: curves[0] for game, curves in drawn.nash_conv.items()}, short)
        why = "At 0, an equilibrium, nobody gains by playing differently."
        return visible(f"NashConv of {first.label or 'the policy'} {courses}. {why}")
    if drawn.won:
        first = next(iter(drawn.won.values()))[0]
        courses = _courses({game: curves[0] for game, curves in drawn.won.items()}, percent)
        return visible(f"Against {first.label}, the share of games won {courses}.")
    return f"{len(run.rounds)} rounds are in the log; none has been evaluated."


def _courses(curves: Mapping[str, Series], shown: Callable[[float | None], str]) -> str:
    """Returns ``went from 0.9 (round 0) to 0.6 (round 6) in kuhn, from 1.2 to 0.9 in dice``."""
    told: list[str] = []
    for game, series in list(curves.items())[:_MOST_HEADLINES]:
        rounds = [] if told else [f" (round {at})" for at in (series.rounds[0], series.rounds[-1])]
        first, last = rounds or ("", "")
        if series.rounds[0] == series.rounds[-1]:
            course = f"{'' if told else 'was '}{shown(series.values[-1])}{last}"
        else:
            course = (
                f"{'' if told else 'went '}from {shown(series.values[0])}{first} to {shown(series.values[-1])}{last}"
            )
        told.append(f"{course} in {game}")
    return ", ".join(told)


def _tiles(run: RunRecord, started: Mapping[str, Any], drawn: Panels) -> list[Tile]:
    tiles = _headlines(drawn)
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


def _headlines(drawn: Panels) -> list[Tile]:
    """Returns a tile for each game; the first is the greatest, and its note says what the numbers are."""
    tiles: list[Tile] = []
    several = len(drawn.nash_conv or drawn.won) > 1
    for game, curves in list((drawn.nash_conv or drawn.won).items())[:_MOST_HEADLINES]:
        last = [value for value in curves[0].values[-_LAST_EVALUATIONS:] if value is not None]
        if drawn.nash_conv:
            what, value = "NashConv", short(median(last))
            note = f"median of the last {len(last)} evaluations" if len(last) > 1 else "one evaluation"
        else:
            what, value, note = "Games won", percent(last[-1]), curves[0].label
        label = visible(f"{what} in {game}" if several else what)
        tiles.append(Tile(label=label, value=value, note="" if tiles else visible(note), main=not tiles))
    return tiles


def _rounds(run: RunRecord, started: Mapping[str, Any]) -> str:
    done, planned = len(run.rounds), started.get("rounds")
    return f"{count(done)} of {count(planned)}" if isinstance(planned, int) and planned != done else count(done)


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
