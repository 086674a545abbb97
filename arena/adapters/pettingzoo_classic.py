"""PettingZoo's classic board games as foreign games, put in words: ``pettingzoo/connect_four-v3``.

Texts come from the agent's own observation and mask alone, so nothing can leak. Actions keep PettingZoo's indices: cell
``5`` of ``tictactoe-v3`` is index 5. PettingZoo pays 1, 0 or -1 (in rock, paper, scissors in every round).

Left out, refused by name: games whose observation planes are not put in words here (``chess-v6`` with 4,672 actions,
``go-v5``, whose planes change sides with every move: ``openspiel/chess-v0`` and ``openspiel/go(board_size=9)-v0`` have
texts of their own), and those that need libraries which no extra of Ludus brings (``leduc_holdem-v4``,
``texas_holdem-v4``: rlcard; ``hanabi-v5``: shimmy).
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.errors import InputError, UnknownNameError, unknown_name
from arena.foreign.game import ForeignGame
from arena.game import games
from arena.types import Capabilities, GameSpec, Payoff

_NAME = re.compile(r"(?P<name>[a-z_]+)-v(?P<version>\d+)")
_MARKS = "xo"
_THROWS = ("rock", "paper", "scissors")
_RPS_ROUNDS = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Classic:
    """How one of PettingZoo's classic games is put in words.

    Attributes:
        summary: one line for people.
        rules: what a player must know.
        actions: the name of each index.
        describe: a text from the number of the agent and its own observation.
        invite: how the legal actions are offered; ``{}`` stands for their names.
        max_turns: the most turns of an episode.
        most: the greatest return of a seat; the least is its opposite.
        settings: what the environment is made with.
    """

    summary: str
    rules: str
    actions: tuple[str, ...]
    describe: Callable[[int, NDArray[Any]], str]
    invite: str
    max_turns: int
    most: float = 1.0
    settings: Mapping[str, Any]


@games.family("pettingzoo")
def load(name: str) -> ForeignGame:
    """PettingZoo's classic games: pettingzoo/tictactoe-v3, connect_four-v3, rps-v2 (needs the extra games).

    Raises:
        InputError: the game is unknown, is not put in words here, or needs a module that is not installed.
    """
    return _load(name)


@cache
def _load(name: str) -> ForeignGame:
    match = _NAME.fullmatch(name)
    module = _module(name) if match else None
    if match is None or module is None:
        raise _unknown(name)
    classic = CLASSICS.get(name)
    if classic is None:
        raise InputError(
            f"game: expected one of {', '.join(sorted(CLASSICS))}, got 'pettingzoo/{name}', whose observations are not "
            "put in words; wrap it with arena.foreign.game.ForeignGame and an observe_text of your own"
        )
    settings = dict(classic.settings)
    return ForeignGame(
        lambda: module.env(**settings),
        spec=_spec(match["name"], int(match["version"]), classic, module.env(**settings)),
        rules=classic.rules,
        observe_text=lambda env, agent: _text(classic, env, agent),
        params=(),
    )


def _module(name: str) -> Any:  # noqa: ANN401 - a module of PettingZoo
    """Returns PettingZoo's module of a game, or ``None`` when there is none of that name."""
    path = f"pettingzoo.classic.{name.replace('-', '_')}"
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # pygame would greet on standard output.
    try:
        module = importlib.import_module(path)
        if name not in CLASSICS:
            module.env()  # Some import their library only here.
    except ImportError as error:
        missing = _missing(error)
        if missing == path:
            return None
        raise InputError(
            f"game: expected the module {missing!r} for 'pettingzoo/{name}', got none; install it (pygame comes with "
            "pip install 'ludus-arena[games]')"
        ) from error
    return module


def _missing(error: BaseException) -> str:
    """Returns the name of the module that an import has failed for, at the root of an error."""
    cause = error.__cause__ or error.__context__
    name = getattr(error, "name", None)
    return _missing(cause) if cause is not None and not name else str(name or error)


def _unknown(name: str) -> UnknownNameError:
    return unknown_name("game: pettingzoo/NAME, NAME", name, CLASSICS)


def _spec(name: str, version: int, classic: Classic, env: Any) -> GameSpec:  # noqa: ANN401
    return GameSpec(
        name=f"pettingzoo/{name}",
        version=version,
        seats=tuple(env.possible_agents),
        payoff=Payoff.ZERO_SUM,
        max_turns=classic.max_turns,
        returns_range=(-classic.most, classic.most),
        actions=classic.actions,
        capabilities=Capabilities(fork=False, enumerate=False, state_text=False),
        summary=f"{classic.summary} (PettingZoo)",
        text_bytes=2048,
    )


def _text(classic: Classic, env: Any, agent: str) -> str:  # noqa: ANN401
    seen = env.observe(agent)
    planes, mask = (seen["observation"], seen["action_mask"]) if isinstance(seen, Mapping) else (seen, None)
    said = classic.describe(env.possible_agents.index(agent), planes)
    idle = agent != env.agent_selection or env.terminations[agent] or env.truncations[agent]
    legal = [name for index, name in enumerate(classic.actions) if mask is None or mask[index]]
    return said if idle else f"{said}\n{classic.invite.format(_listed(legal))}"


def _listed(names: Sequence[str]) -> str:
    """Returns short names side by side, words as an enumeration."""
    if all(len(name) <= 2 for name in names):
        return " ".join(names)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"


def _marked(place: int, planes: NDArray[Any], free: NDArray[Any]) -> NDArray[Any]:
    """Returns the board of an agent: its marks, the opponent's, and what stands in free cells."""
    own, other = _MARKS[place], _MARKS[1 - place]
    return np.where(planes[..., 0] == 1, own, np.where(planes[..., 1] == 1, other, free))


def _rows(board: NDArray[Any]) -> str:
    return "\n".join(" ".join(row) for row in board)


def _tictactoe(place: int, seen: NDArray[Any]) -> str:
    # PettingZoo counts the cells down the columns, so its first axis is the column.
    board = _marked(place, seen, np.arange(9).astype("U1").reshape(3, 3)).T
    return f"You are {_MARKS[place]}.\n{_rows(board)}"


def _connect_four(place: int, seen: NDArray[Any]) -> str:
    return f"You are {_MARKS[place]}.\n0 1 2 3 4 5 6\n{_rows(_marked(place, seen, np.full((6, 7), '.')))}"


def _rps(place: int, seen: NDArray[Any]) -> str:
    if int(seen) == len(_THROWS):
        return "This is the first round."
    return f"In the round before, the other player threw {_THROWS[int(seen)]}."


CLASSICS: dict[str, Classic] = {
    "tictactoe-v3": Classic(
        summary="three in a row on nine cells",
        rules=(
            "Tic-tac-toe. The board has nine cells, numbered 0 to 8 down the columns; a free cell shows its number. x "
            "moves first, then the players take turns marking one free cell. Three own marks in a row, column or "
            "diagonal win. A full board without three in a row is a draw."
        ),
        actions=tuple("012345678"),
        describe=_tictactoe,
        invite="You may mark {}.",
        max_turns=9,
        settings={},
    ),
    "connect_four-v3": Classic(
        summary="four in a line on a standing grid of seven columns",
        rules=(
            "Connect four. The grid has seven columns, numbered 0 to 6, and six rows. x moves first, then the players "
            "take turns dropping a disc into a column, where it falls to the lowest free place. Four own discs in a "
            "row, column or diagonal win. A full grid without four in a line is a draw."
        ),
        actions=tuple("0123456"),
        describe=_connect_four,
        invite="You may drop a disc in column {}.",
        max_turns=42,
        settings={},
    ),
    "rps-v2": Classic(
        summary=f"rock, paper, scissors, {_RPS_ROUNDS} rounds",
        rules=(
            f"Rock, paper, scissors, {_RPS_ROUNDS} rounds. In each both players choose at once, unseen. Rock beats "
            "scissors, scissors beat paper, paper beats rock: the winner of a round gets 1, the loser loses 1; equal "
            "choices pay nothing."
        ),
        actions=_THROWS,
        describe=_rps,
        invite="You may throw {}.",
        max_turns=2 * _RPS_ROUNDS,
        most=float(_RPS_ROUNDS),
        settings={"max_cycles": _RPS_ROUNDS, "screen_height": 14},  # It makes a surface of that height at each reset.
    ),
}
"""Name with version -> how the game is put in words."""
