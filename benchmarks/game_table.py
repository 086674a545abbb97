"""Every registered game and what is verified of it, as a Markdown table; fails when anything does not hold.

Run: ``python -m benchmarks.game_table [NAME ...]``.

Each row is made in this run: the default task is enumerated where that is possible, ``check_game`` runs (PettingZoo's
own suite among its checks), a value known from elsewhere is computed anew by ``arena.solutions``, and the golden
playthrough is played again and compared. Where the default task is too large for the last but one, a smaller task
stands in and is named.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from arena.errors import CapabilityError, CheckError, LudusError
from arena.game import Game, games
from arena.game_tree import GameTree, game_tree
from arena.games.connect_four import ConnectFour
from arena.games.kuhn_poker_three import CARDS
from arena.playthrough import playthrough
from arena.regret_matching import game_value
from arena.solutions import Strategy, best_response, expected_returns, nash_conv, uniform_strategy
from arena.testing import check_game
from arena.types import Capabilities, Task

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"
MOST_NODES = 400_000
EXACT = 1e-9
"""How far a value that is computed exactly may be from the known one."""

COLUMNS = ("game", "seats", "payoff", "nodes", "information sets", "PettingZoo and our checks", "known value", "golden")

Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A value that others have published or that follows by hand.

    Attributes:
        what: whose value it is and how large, in words.
        value: the same as a number.
        source: where it is from.
        measure: returns bounds of the same value from the enumerated game.
        params: of the task that it belongs to.
        game: makes the game that is enumerated, where the registered one declares that it is too large.
    """

    what: str
    value: float
    source: str
    measure: Callable[[GameTree], Bounds]
    params: Mapping[str, Any] = field(default_factory=dict)
    game: Callable[[], Game[Any]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table; ``faults`` says what does not hold."""

    cells: tuple[str, ...]
    faults: tuple[str, ...]


def within(width: float) -> Callable[[GameTree], Bounds]:
    """Returns what bounds the value of a two-seat zero-sum game for its first seat, no further apart than ``width``."""

    def measure(tree: GameTree) -> Bounds:
        found = game_value(tree, within=width)
        if found.high - found.low > width + EXACT:
            raise CheckError(f"{tree.game}: expected bounds within {width}, got {found.low} to {found.high}")
        return found.low, found.high

    return measure


def at(strategies: Callable[[GameTree], Mapping[str, Strategy]]) -> Callable[[GameTree], Bounds]:
    """Returns what the first seat gets at strategies that must be an equilibrium."""

    def measure(tree: GameTree) -> Bounds:
        played = strategies(tree)
        if (gain := nash_conv(tree, played).value) > EXACT:
            raise CheckError(f"{tree.game}: expected an equilibrium, got strategies whose NashConv is {gain}")
        value = expected_returns(tree, played)[tree.seats[0]]
        return value, value

    return measure


def always(action: str) -> Callable[[GameTree], Mapping[str, Strategy]]:
    """Returns strategies that always choose one action."""
    return lambda tree: {seat: {info.key: {action: 1.0} for info in tree.sets_of(seat)} for seat in tree.seats}


def uniform_nash_conv(tree: GameTree) -> Bounds:
    """Returns the NashConv of uniform play."""
    value = nash_conv(tree, uniform_strategy(tree)).value
    return value, value


def best_alone(tree: GameTree) -> Bounds:
    """Returns the most that the only seat can get."""
    value = best_response(tree, {}, tree.seats[0])[0]
    return value, value


def szafron(tree: GameTree) -> Mapping[str, Strategy]:
    """Returns a published equilibrium of three-player Kuhn poker: the chance to bet or call by card and past."""
    pasts = {
        "first": ("", "check check bet", "check bet fold", "check bet call"),
        "second": ("check", "bet", "check check bet fold", "check check bet call"),
        "third": ("check check", "check bet", "bet fold", "bet call"),
    }
    bold = {
        "first": ((0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 1 / 2, 0), (0, 1, 1, 1)),
        "second": ((0, 0, 0, 0), (0, 0, 0, 0), (0, 1 / 4, 1 / 2, 0), (0, 1, 1, 1)),
        "third": ((0, 0, 0, 0), (1 / 2, 0, 0, 0), (0, 0, 1 / 4, 0), (1, 1, 1, 1)),
    }
    return {
        seat: {
            f"{card} {past}".strip(): {"call": p, "fold": 1 - p} if "bet" in past else {"bet": p, "check": 1 - p}
            for card, row in zip(CARDS, rows, strict=True)
            for past, p in zip(pasts[seat], row, strict=True)
        }
        for seat, rows in bold.items()
    }


class _Listed(ConnectFour):
    """Connect four on boards small enough to be enumerated."""

    spec = replace(ConnectFour.spec, capabilities=Capabilities())


KNOWN: dict[str, Known] = {
    "blotto-v0": Known(what="0", value=0.0, source="by symmetry", measure=within(1e-2)),
    "connect_four-v0": Known(
        what="a draw",
        value=0.0,
        source="J. Tromp, John's Connect Four Playground",
        measure=within(0.0),
        params={"rows": 4, "columns": 4},
        game=_Listed,
    ),
    "kuhn_poker-v0": Known(what="-1/18", value=-1 / 18, source="H. W. Kuhn 1950", measure=within(1e-3)),
    "kuhn_poker_three-v0": Known(
        what="-1/48 to the first seat at one of the equilibria",
        value=-1 / 48,
        source="D. Szafron, R. Gibson, N. Sturtevant, AAMAS 2013",
        measure=at(szafron),
    ),
    "leduc_poker-v0": Known(
        what="-0.0856", value=-0.085606424078, source="OpenSpiel, sequence_form_lp_test.cc", measure=within(5e-3)
    ),
    "liars_dice-v0": Known(
        what="1/9",
        value=1 / 9,
        source="sequence-form linear program of OpenSpiel's game",
        measure=within(1e-3),
        params={"faces": 3},
    ),
    "matching_pennies-v0": Known(what="0", value=0.0, source="by symmetry", measure=within(1e-3)),
    "matrix_game-v0": Known(
        what="1/12", value=1 / 12, source="T. S. Ferguson, Game Theory, part II: odd or even", measure=within(1e-3)
    ),
    "negotiation-v0": Known(
        what="NashConv of uniform play 7.534",
        value=7.533950617284,
        source="OpenSpiel's bargaining",
        measure=uniform_nash_conv,
    ),
    "nim-v0": Known(
        what="the second seat wins", value=-1.0, source="C. L. Bouton 1901: the nim sum is 0", measure=within(0.0)
    ),
    "prisoners_dilemma-v0": Known(
        what="5 to each where both defect, an equilibrium",
        value=5.0,
        source="R. D. Luce and H. Raiffa 1957, section 5.5",
        measure=at(always("defect")),
    ),
    "quiz-v0": Known(what="at best 1", value=1.0, source="one option is right", measure=best_alone),
    "rock_paper_scissors-v0": Known(what="0", value=0.0, source="by symmetry", measure=within(1e-3)),
    "stag_hunt-v0": Known(
        what="4 to each where both hunt the stag, an equilibrium",
        value=4.0,
        source="by hand from its table",
        measure=at(always("stag")),
    ),
    "tic_tac_toe-v0": Known(what="a draw", value=0.0, source="well known", measure=within(0.0)),
}
"""What is known of each game. In zero-sum games of two seats it is the value of the default task to the first seat."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns 1 if anything in it does not hold."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.game_table", description="what is verified of the games"
    )
    parser.add_argument("games", nargs="*", help="registered names; all when none is given")
    names = parser.parse_args(arguments).games or games.names()
    faults: list[str] = []
    sys.stdout.write(f"{_line(COLUMNS)}\n{_line(['---'] * len(COLUMNS))}\n")
    for name in names:
        found = row(name)
        faults += found.faults
        sys.stdout.write(f"{_line(found.cells)}\n")
        sys.stdout.flush()
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    return 1 if faults else 0


def row(name: str, known: Known | None = None) -> Row:
    """Returns a game's line, with everything in it verified.

    Args:
        name: the registered name.
        known: what is known of it; from ``KNOWN`` when ``None``.
    """
    game = games.make(name)
    spec, tree = game.spec, _tree(game)
    size = ("-", "-") if tree is None else (f"{tree.nodes:,}", f"{len(tree.information_sets):,}")
    known = known or KNOWN.get(name)
    verified = [_conforms(game), _value(game, tree, known) if known else ("none", ""), _golden(game)]
    payoff = str(spec.payoff).replace("_", "-")
    return Row(
        cells=(f"`{name}`", str(len(spec.seats)), payoff, *size, *(cell for cell, _ in verified)),
        faults=tuple(f"{name}: {fault}" for _, fault in verified if fault),
    )


def _tree(game: Game[Any], task: Task | None = None) -> GameTree | None:
    try:
        return game_tree(game, task or Task(game=game.spec.id), most_nodes=MOST_NODES)
    except CapabilityError:
        return None


def _conforms(game: Game[Any]) -> tuple[str, str]:
    start = time.perf_counter()
    try:
        check_game(game)
    except CheckError as error:
        return "**fails**", str(error)
    return f"pass ({time.perf_counter() - start:.1f} s)", ""


def _value(game: Game[Any], tree: GameTree | None, known: Known) -> tuple[str, str]:
    if known.params or known.game:
        tree = _tree(known.game() if known.game else game, Task(game=game.spec.id, params=known.params))
    shown = f"{known.what}{_of(known.params)} ({known.source})"
    if tree is None:
        return f"{shown} **not verified**", "known value: expected a game that can be enumerated, got one too large"
    try:
        low, high = known.measure(tree)
    except LudusError as error:
        return f"{shown} **fails**", str(error)
    if not low - EXACT <= known.value <= high + EXACT:
        return f"{shown} **fails**", f"known value: expected {known.value}, got {low} to {high}"
    return shown, ""


def _of(params: Mapping[str, Any]) -> str:
    return f" with {', '.join(f'{name} {value}' for name, value in params.items())}" if params else ""


def _golden(game: Game[Any]) -> tuple[str, str]:
    path = GOLDEN / f"{game.spec.name}.txt"
    if not path.exists():
        return "**missing**", f"golden: expected {path.name}, got none; write it with python -m arena.playthrough"
    same = playthrough(game, seed=1) == path.read_text(encoding="utf-8")
    return ("equal", "") if same else ("**differs**", f"golden: expected the playthrough of {path.name}, got another")


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
