"""A policy's strategy over rounds against the equilibrium, laid out as a grid of information sets.

Poker-like keys (``K check bet``: the private card, then the public history) give a row per card, a column per
decision and one number per cell, the probability of betting or calling. Any other game gives a row per information
set and a column per action, early decisions first; where only one action is legal nothing is decided and no row stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curricula.report.series import number
from curricula.report.wording import policies

_BOLD = ("bet", "call", "raise")
_RANKS = "23456789TJQKA"
_MOST_ROWS = 24
_MOST_FRAMES = 240
PANEL_WIDTH, PANEL_HEIGHT = 200, 84


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One probability of a strategy, over rounds.

    Attributes:
        key: the information set.
        action: the action whose probability is shown.
        values: the probability at each frame; ``None`` where it was not evaluated.
        low: the least probability in any equilibrium, or ``None`` when it is not known.
        high: the greatest.
    """

    key: str
    action: str
    values: tuple[float | None, ...]
    low: float | None
    high: float | None

    @property
    def last(self) -> float | None:
        """The probability at the last frame."""
        return self.values[-1] if self.values else None

    @property
    def gap(self) -> float | None:
        """The last probability minus the nearest equilibrium probability."""
        if self.last is None or self.low is None or self.high is None:
            return None
        return self.last - min(max(self.last, self.low), self.high)

    @property
    def span(self) -> str:
        """The equilibrium's probabilities in words."""
        if self.low is None or self.high is None:
            return "–"
        return f"{self.low:.2f}" if self.high - self.low < 0.005 else f"{self.low:.2g}–{self.high:.2g}"

    def runs(self) -> list[str]:
        """Returns the curve as unbroken polylines in the coordinates of a small panel."""
        step = PANEL_WIDTH / max(1, len(self.values) - 1)
        runs: list[list[str]] = [[]]
        for index, value in enumerate(self.values):
            if value is None:
                runs.append([])
            else:
                runs[-1].append(f"{index * step:.1f},{(1 - value) * PANEL_HEIGHT:.1f}")
        return [" ".join(run) for run in runs if run]


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyGrid:
    """One policy's strategy in one game.

    Attributes:
        game: the game's name in the campaign.
        policy: whose strategy it is.
        rounds: the rounds of the frames.
        rows: titles of the rows.
        columns: titles of the columns.
        cells: by row, then column; ``None`` where the game has no such decision.
        omitted: information sets that are not shown.
        forced: those of them in which only one action is legal.
        together: whether a row is one information set, so that its curves stand in one panel.
    """

    game: str
    policy: str
    rounds: tuple[int, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell | None, ...], ...]
    omitted: int
    forced: int
    together: bool

    @property
    def left_out(self) -> str:
        """Which information sets are not shown, in words; empty when all are."""
        cut = self.omitted - self.forced
        told = [f"{cut} more information set{'s are' if cut > 1 else ' is'} in the log."] if cut else []
        if self.forced:
            told.append(f"In {self.forced} other{'s' * (self.forced > 1)} only one action is legal.")
        return " ".join(told)

    @property
    def solved(self) -> bool:
        """Whether any cell knows its equilibrium."""
        return any(cell is not None and cell.low is not None for row in self.cells for cell in row)


def strategy_grids(evaluated: Sequence[Mapping[str, Any]]) -> list[StrategyGrid]:
    """Returns a grid for each game and policy whose evaluations carry a strategy."""
    histories: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for event in evaluated:
        if event.get("strategy"):
            histories.setdefault((str(event.get("game", "")), str(event.get("policy", ""))), []).append(event)
    return [_grid(game, policy, _frames(events)) for (game, policy), events in histories.items()]


def _frames(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    latest = {int(event.get("round", 0)): event for event in events}
    frames = [latest[at] for at in sorted(latest)]
    stride = -(-len(frames) // _MOST_FRAMES)
    return [*frames[:-1:stride], frames[-1]]


def _grid(game: str, policy: str, frames: Sequence[Mapping[str, Any]]) -> StrategyGrid:
    strategy: Mapping[str, Mapping[str, Any]] = frames[-1]["strategy"]
    poker = _poker_layout(strategy)
    chosen = {key: actions for key, actions in strategy.items() if poker or len(actions) > 1} or strategy
    rows, columns, places = poker or _plain_layout(chosen)
    forced = len(strategy) - len(chosen)
    shown = rows[:_MOST_ROWS]
    cells = tuple(tuple(_cell(places.get((row, column)), frames) for column in columns) for row in shown)
    return StrategyGrid(
        game=game,
        policy=policies(policy),
        rounds=tuple(int(frame.get("round", 0)) for frame in frames),
        rows=shown,
        columns=tuple(map(_column_title, columns)) if poker else columns,
        cells=cells,
        omitted=len(rows) - len(shown) + forced,
        forced=forced,
        together=poker is None,
    )


Layout = tuple[tuple[str, ...], tuple[str, ...], dict[tuple[str, str], tuple[str, str]]]
"""Rows, columns, and for each place the information key and the action shown there."""


def _poker_layout(strategy: Mapping[str, Mapping[str, Any]]) -> Layout | None:
    places: dict[tuple[str, str], tuple[str, str]] = {}
    for key, actions in strategy.items():
        card, _, history = key.partition(" ")
        bold = next((action for action in _BOLD if action in actions), None)
        if bold is None or len(actions) != 2 or card not in _RANKS or not card:
            return None
        places[card, history] = (key, bold)
    rows = tuple(sorted({card for card, _ in places}, key=_RANKS.index))
    columns = tuple(sorted({history for _, history in places}, key=_history_order))
    return rows, columns, places


def _history_order(history: str) -> tuple[int, list[bool], str]:
    moves = history.split()
    return len(moves), [move != "check" for move in moves], history


def _plain_layout(strategy: Mapping[str, Mapping[str, Any]]) -> Layout:
    columns = tuple(dict.fromkeys(action for actions in strategy.values() for action in actions))
    places = {(key, action): (key, action) for key, actions in strategy.items() for action in actions}
    return tuple(sorted(strategy, key=_depth)), columns, places


def _depth(key: str) -> tuple[int, list[tuple[int, str]]]:
    """Returns by what rows are sorted: early decisions first, cards by rank, the rest by name."""
    words = key.split()
    return len(words), [(_RANKS.find(word) if len(word) == 1 else -1, word) for word in words]


def _column_title(history: str) -> str:
    return f"after {', '.join(history.split())}" if history else "to open"


def _cell(place: tuple[str, str] | None, frames: Sequence[Mapping[str, Any]]) -> Cell | None:
    if place is None:
        return None
    key, action = place
    values = tuple(number((frame["strategy"].get(key) or {}).get(action)) for frame in frames)
    ends = ((frames[-1].get("equilibrium") or {}).get(key) or {}).get(action) or (None, None)
    return Cell(key=key, action=action, values=values, low=number(ends[0]), high=number(ends[1]))
