"""The actions of TextArena's small games, named as TextArena's prompts name them, with their legality.

Where the actions of a game are few and known in advance, masks and table-sized models can play it. A family that is
not listed here takes free text, and TextArena alone judges it. Legality is read from the public part of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The actions of one family of games.

    Attributes:
        actions: every action of a variant, in canonical order; reads the environment's settings only.
        legal: the legal ones now; ``None`` when all are.
        most_turns: the most turns of an episode; ``None`` when no number is known.
        board_is_all: whether the latest board (with the prompt) says everything that a seat may know.
    """

    actions: Callable[[Any], tuple[str, ...]]
    legal: Callable[[Any], Container[str] | None] = lambda env: None
    most_turns: Callable[[Any], int | None] = lambda env: None
    board_is_all: Callable[[Any], bool] = lambda env: False


def _cells(count: int) -> tuple[str, ...]:
    return tuple(f"[{cell}]" for cell in range(count))


def _free_cells(env: Any) -> set[str]:  # noqa: ANN401
    cells = [cell for row in env.state.game_state["board"] for cell in row]
    return {f"[{place}]" for place, cell in enumerate(cells) if cell == ""}


def _free_cells_twice(env: Any) -> set[str]:  # noqa: ANN401
    return {f"[{mark} {cell[1:]}" for mark in "XO" for cell in _free_cells(env)}


def _open_columns(env: Any) -> set[str]:  # noqa: ANN401
    return {f"[col {column}]" for column, cell in enumerate(env.state.game_state["board"][0]) if cell == "."}


def _takings(piles: list[int]) -> tuple[str, ...]:
    return tuple(f"[{pile} {count}]" for pile, size in enumerate(piles) for count in range(1, size + 1))


def _moves(env: Any) -> set[str]:  # noqa: ANN401
    towers = env.state.game_state["towers"]
    return {
        f"[{source} {target}]"
        for source, disks in towers.items()
        for target, below in towers.items()
        if source != target and disks and (not below or below[-1] > disks[-1])
    }


def _unguessed(env: Any) -> set[str]:  # noqa: ANN401
    numbers = range(env.min_number, env.max_number + 1)
    return {f"[{number}]" for number in numbers if number not in env.guessed_numbers}


_TIC_TAC_TOE = Vocabulary(
    actions=lambda env: _cells(9), legal=_free_cells, most_turns=lambda env: 9, board_is_all=lambda env: True
)

VOCABULARIES: dict[str, Vocabulary] = {
    "TicTacToe": _TIC_TAC_TOE,
    "ReverseTicTacToe": _TIC_TAC_TOE,
    "WildTicTacToe": Vocabulary(
        actions=lambda env: tuple(f"[{mark} {cell}]" for mark in "XO" for cell in range(9)),
        legal=_free_cells_twice,
        most_turns=lambda env: 9,
        board_is_all=lambda env: True,
    ),
    "ThreePlayerTicTacToe": Vocabulary(
        actions=lambda env: _cells(25),
        legal=_free_cells,
        most_turns=lambda env: 25,
        board_is_all=lambda env: True,
    ),
    "ConnectFour": Vocabulary(
        actions=lambda env: tuple(f"[col {column}]" for column in range(env.num_cols)),
        legal=_open_columns,
        most_turns=lambda env: int(env.num_rows * env.num_cols),
        board_is_all=lambda env: bool(env.is_open),
    ),
    "Nim": Vocabulary(
        actions=lambda env: _takings(env.initial_piles),
        legal=lambda env: _takings(env.state.game_state["piles"]),
        most_turns=lambda env: sum(env.initial_piles),
        board_is_all=lambda env: True,
    ),
    "KuhnPoker": Vocabulary(
        actions=lambda env: ("[check]", "[bet]", "[call]", "[fold]"),
        legal=lambda env: {f"[{move}]" for move in env.state.game_state["current_legal_action_tree"]},
        most_turns=lambda env: 3 * int(env.max_rounds),
    ),
    "IteratedRockPaperScissors": Vocabulary(
        actions=lambda env: ("[rock]", "[paper]", "[scissors]"), most_turns=lambda env: 2 * int(env.num_rounds)
    ),
    "IteratedMatchingPennies": Vocabulary(
        actions=lambda env: ("[heads]", "[tails]"), most_turns=lambda env: 2 * int(env.num_rounds)
    ),
    "PigDice": Vocabulary(actions=lambda env: ("[roll]", "[hold]"), board_is_all=lambda env: True),
    "Blackjack": Vocabulary(actions=lambda env: ("[Hit]", "[Stand]")),
    "Bandit": Vocabulary(
        actions=lambda env: tuple(f"[{button}]" for button in env.buttons),
        most_turns=lambda env: int(env.num_turns) + 1,
    ),
    "Secretary": Vocabulary(actions=lambda env: ("[accept]", "[continue]"), most_turns=lambda env: int(env.N)),
    "GuessTheNumber": Vocabulary(
        actions=lambda env: tuple(f"[{number}]" for number in range(env.min_number, env.max_number + 1)),
        legal=_unguessed,
        most_turns=lambda env: int(env.max_turns) + 1,  # TextArena looks at its limit before it counts
    ),
    "TowerOfHanoi": Vocabulary(
        actions=lambda env: tuple(f"[{source} {target}]" for source in "ABC" for target in "ABC" if source != target),
        legal=_moves,
        most_turns=lambda env: int(env.max_turns) + 1,  # TextArena looks at its limit before it counts
        board_is_all=lambda env: True,
    ),
}
"""TextArena's family (the id without version and variant) -> its actions."""
