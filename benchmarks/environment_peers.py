"""Random play of one game in each library, driven as its users drive it.

A stream plays games for ever, each move uniform over the legal ones, and yields every finished game as (moves, what
the player who moved first got). A library that does not have a game has no streams of it; one that is not installed
raises ``ImportError``.

- ``pure rules``: the methods of our game alone, chance drawn by ``random.Random``;
- ``arena.env, infos``: our AEC environment as rollouts drive it, with typed observations and texts;
- ``arena.env, boxes``: the same through ``agent_iter`` and ``last()``, with encoded boxes and masks;
- ``arena.parallel_env``: our Parallel environment, boxes for every seat at every step;
- ``TextArena``: as ``ta.make`` wraps it, a new environment for each game, because its wrappers keep every text across
  resets; ``TextArena, raw``: one unwrapped environment, used again. Kuhn poker is one hand. What is legal is read
  from the game's own state, which is cheaper than reading it from the text;
- ``PettingZoo``: with the wrappers that ``env()`` adds, through ``agent_iter`` and ``last()``; ``PettingZoo, raw``:
  without them; ``PettingZoo, bare Kuhn``: ``benchmarks.bare_kuhn``, since PettingZoo has no Kuhn poker;
- ``OpenSpiel``: rules in C++, driven from Python; ``OpenSpiel, texts``: also asked for what a player of texts needs
  at each move, the information state and the names of the legal actions.
"""

from __future__ import annotations

import importlib
import os
import random
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np

import arena
from arena.game import Chance, Game, games
from arena.types import NATURE, Task

Stream = Iterator[tuple[int, float]]
"""Finished games, for ever: the moves made, and what the player who moved first got."""

GAMES = ("tic_tac_toe", "kuhn_poker", "connect_four", "leduc_poker")


def ours(game: str) -> dict[str, Stream]:
    """Returns our streams of a game."""
    name = f"{game}-v0"
    return {
        "pure rules": by_rules(games.make(name)),
        "arena.env, infos": through_infos(arena.env(name)),
        "arena.env, boxes": through_last(arena.env(name)),
        "arena.parallel_env": in_parallel(arena.parallel_env(name)),
    }


def textarena(game: str) -> dict[str, Stream]:
    """Returns TextArena's streams of a game.

    Raises:
        ImportError: TextArena is not installed.
    """
    import textarena as ta

    if game not in _TEXTARENA:
        return {}
    inner_id, settings, legal = _TEXTARENA[game]
    raw = ta.make(f"{inner_id}-raw", **settings)
    return {
        "TextArena": through_texts(lambda: ta.make(inner_id, **settings), legal),
        "TextArena, raw": through_texts(lambda: raw, legal),
    }


def pettingzoo(game: str) -> dict[str, Stream]:
    """Returns PettingZoo's streams of a game; its classic games need pygame.

    Raises:
        ImportError: PettingZoo's classic games are not installed.
    """
    if game == "kuhn_poker":
        return {"PettingZoo, bare Kuhn": through_bare_infos()}
    if game not in _PETTINGZOO:
        return {}
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    module = importlib.import_module(_PETTINGZOO[game])
    return {"PettingZoo": through_last(module.env()), "PettingZoo, raw": through_last(module.raw_env())}


def openspiel(game: str) -> dict[str, Stream]:
    """Returns OpenSpiel's streams of a game.

    Raises:
        ImportError: OpenSpiel is not installed.
    """
    import pyspiel

    rules = pyspiel.load_game(game)
    return {"OpenSpiel": through_states(rules, texts=False), "OpenSpiel, texts": through_states(rules, texts=True)}


LIBRARIES: dict[str, Callable[[str], dict[str, Stream]]] = {
    "Ludus": ours,
    "TextArena": textarena,
    "PettingZoo": pettingzoo,
    "OpenSpiel": openspiel,
}


def by_rules(game: Game[Any]) -> Stream:
    """Plays by the pure methods of a game."""
    rng, task, first = random.Random(0), Task(game=game.spec.id), game.spec.seats[0]
    while True:
        state, moves = game.reset(task), 0
        while movers := game.to_move(state):
            if movers == (NATURE,):
                event = game.nature(state)
                assert isinstance(event, Chance)  # none of the games asks a verifier
                outcomes, weights = zip(*event.outcomes, strict=True)
                state = game.step(state, {NATURE: rng.choices(outcomes, weights)[0]})
            else:
                legal = game.observe(state, movers[0]).legal_actions or ()
                state = game.step(state, {movers[0]: rng.choice(legal)})
                moves += 1
        yield moves, game.returns(state)[first] or 0.0


def through_infos(env: Any) -> Stream:  # noqa: ANN401 - PettingZoo's environments are untyped
    """Plays our AEC environment through ``infos``."""
    rng, first = random.Random(0), env.possible_agents[0]
    index = {name: number for number, name in enumerate(env.spec.actions)}
    for seed in count():
        env.reset(seed=seed)
        moves = 0
        while not env.terminations[first]:
            env.step(index[rng.choice(env.infos[env.agent_selection]["observation"].legal_actions)])
            moves += 1
        yield moves, env.rewards[first]


def through_last(env: Any) -> Stream:  # noqa: ANN401
    """Plays any AEC environment whose observations hold an ``action_mask``, as PettingZoo's documentation does."""
    rng, first = random.Random(0), env.possible_agents[0]
    for seed in count():
        env.reset(seed=seed)
        moves, got = 0, 0.0
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            if agent == first:
                got += reward
            if terminated or truncated:
                env.step(None)
            else:
                env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
                moves += 1
        yield moves, got


def in_parallel(env: Any) -> Stream:  # noqa: ANN401
    """Plays our Parallel environment; the games take turns, so every step is one move."""
    rng, first = random.Random(0), env.possible_agents[0]
    for seed in count():
        observations, _ = env.reset(seed=seed)
        moves, got = 0, 0.0
        while env.agents:
            chosen = {
                agent: rng.choice(np.flatnonzero(seen["action_mask"]).tolist()) for agent, seen in observations.items()
            }
            observations, rewards, *_ = env.step(chosen)
            got += rewards[first]
            moves += 1
        yield moves, got


def through_bare_infos() -> Stream:
    """Plays the bare Kuhn poker."""
    from benchmarks.bare_kuhn import BareKuhn

    env, rng = BareKuhn(), random.Random(0)
    for seed in count():
        env.reset(seed=seed)
        moves = 0
        while not env.terminations["first"]:
            env.step(rng.choice(env.infos[env.agent_selection]["legal"]))
            moves += 1
        yield moves, float(env.rewards["first"])


def through_texts(make: Callable[[], Any], legal: Callable[[dict[str, Any]], list[str]]) -> Stream:
    """Plays TextArena: a text is fetched before each move, an answer is sent, and ``close`` says who got what."""
    rng = random.Random(0)
    for seed in count():
        env = make()
        env.reset(num_players=2, seed=seed)
        first = env.state.current_player_id
        moves, done = 0, False
        while not done:
            env.get_observation()
            done, _ = env.step(rng.choice(legal(env.state.game_state)))
            moves += 1
        rewards, _ = env.close()
        yield moves, float(rewards[first])


def through_states(rules: Any, *, texts: bool) -> Stream:  # noqa: ANN401
    """Plays OpenSpiel's states."""
    rng = random.Random(0)
    while True:
        state, moves = rules.new_initial_state(), 0
        while not state.is_terminal():
            legal = state.legal_actions()
            if not state.is_chance_node():  # where it is one, all outcomes are equally likely in these games
                moves += 1
                if texts:
                    state.information_state_string()
                    [state.action_to_string(action) for action in legal]
            state.apply_action(rng.choice(legal))
        yield moves, state.returns()[0]


def _free_cells(state: dict[str, Any]) -> list[str]:
    return [f"[{3 * row + column}]" for row in range(3) for column in range(3) if not state["board"][row][column]]


def _open_columns(state: dict[str, Any]) -> list[str]:
    return [f"[col {column}]" for column, cell in enumerate(state["board"][0]) if cell == "."]


def _kuhn_actions(state: dict[str, Any]) -> list[str]:
    return [f"[{action}]" for action in state["current_legal_action_tree"]]


_TEXTARENA: dict[str, tuple[str, dict[str, int], Callable[[dict[str, Any]], list[str]]]] = {
    "tic_tac_toe": ("TicTacToe-v0", {}, _free_cells),
    "kuhn_poker": ("KuhnPoker-v0", {"max_rounds": 1}, _kuhn_actions),
    "connect_four": ("ConnectFour-v0", {}, _open_columns),
}
_PETTINGZOO = {
    "tic_tac_toe": "pettingzoo.classic.tictactoe.tictactoe",
    "connect_four": "pettingzoo.classic.connect_four.connect_four",
}
