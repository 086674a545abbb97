"""Random play of Kuhn poker, in moves of seats per second of one core: our environments beside others.

Run: ``python -m benchmarks.environment_steps [--games 5000]``. All players are measured in the same run, in turns, on
CPU time, and the best of three counts. Each move is uniform over the legal actions; games begin with a fresh deal.

- ``pure rules``: the game's methods alone, the deal drawn by ``random.Random``;
- ``bare PettingZoo``: the same rules written directly as an AEC environment, without wrappers, texts or checks;
- ``arena.env, infos``: our AEC environment as rollouts drive it, with typed observations and texts;
- ``arena.env, boxes``: the same through ``last()``, with encoded boxes and masks;
- ``arena.parallel_env``: our Parallel environment, boxes for every seat at every step;
- ``OpenSpiel``: ``pyspiel``'s kuhn_poker (C++ rules), when it can be imported.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import time
from collections.abc import Callable

import gymnasium
import numpy as np
from pettingzoo import AECEnv

import arena
from arena.games.kuhn_poker import KuhnPoker
from arena.types import NATURE, Task

ACTIONS = KuhnPoker.spec.actions or ()
INDEX = {name: index for index, name in enumerate(ACTIONS)}
ENDS = {(0, 0), (1, 2), (1, 3), (0, 1, 2), (0, 1, 3)}
SEATS = ["first", "second"]


class BareKuhn(AECEnv[str, np.ndarray, int]):  # type: ignore[misc]
    """Kuhn poker as a plain AEC environment; masks travel in ``infos``."""

    def __init__(self) -> None:
        self.possible_agents = SEATS
        self.spaces = {agent: gymnasium.spaces.Discrete(4) for agent in SEATS}

    def action_space(self, agent: str) -> gymnasium.spaces.Space[np.int64]:
        """Returns the four actions."""
        return self.spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, object] | None = None) -> None:
        """Deals."""
        self.cards = random.Random(seed).sample((0, 1, 2), 2)
        self.history: tuple[int, ...] = ()
        self.agents = SEATS[:]
        self.rewards = dict.fromkeys(SEATS, 0)
        self._cumulative_rewards = dict.fromkeys(SEATS, 0)
        self.terminations = dict.fromkeys(SEATS, False)
        self.truncations = dict.fromkeys(SEATS, False)
        self.agent_selection = "first"
        self.infos = {"first": {"legal": (0, 1)}, "second": {"legal": (0, 1)}}

    def step(self, action: int) -> None:
        """Plays one action."""
        self._cumulative_rewards[self.agent_selection] = 0
        self.history = history = (*self.history, action)
        if history in ENDS:
            if action == 2:
                gain = 1 if len(history) == 2 else -1
            else:
                gain = (2 if action == 3 else 1) * (1 if self.cards[0] > self.cards[1] else -1)
            self.rewards = {"first": gain, "second": -gain}
            self.terminations = dict.fromkeys(SEATS, True)
            self._accumulate_rewards()
        else:
            self._clear_rewards()
        self.agent_selection = SEATS[len(history) % 2]
        self.infos[self.agent_selection] = {"legal": (2, 3) if action == 1 else (0, 1)}


def pure_rules(games: int) -> int:
    """Plays by the pure methods; returns the number of moves."""
    game, rng, moves = KuhnPoker(), random.Random(0), 0
    task = Task(game=game.spec.id)
    for _ in range(games):
        state = game.reset(task)
        movers = game.to_move(state)
        while movers:
            if movers == (NATURE,):
                state = game.step(state, {NATURE: rng.choice(game.nature(state).outcomes)[0]})
            else:
                legal = game.observe(state, movers[0]).legal_actions
                state = game.step(state, {movers[0]: rng.choice(legal or ())})
                moves += 1
            movers = game.to_move(state)
        game.returns(state)
    return moves


def bare_pettingzoo(games: int) -> int:
    """Plays the inline environment; returns the number of moves."""
    env, rng, moves = BareKuhn(), random.Random(0), 0
    for seed in range(games):
        env.reset(seed=seed)
        while not env.terminations["first"]:
            env.step(rng.choice(env.infos[env.agent_selection]["legal"]))
            moves += 1
    return moves


def through_infos(games: int) -> int:
    """Plays our AEC environment through ``infos``; returns the number of moves."""
    env, rng, moves = arena.env("kuhn_poker-v0"), random.Random(0), 0
    for seed in range(games):
        env.reset(seed=seed)
        while not env.terminations["first"]:
            env.step(INDEX[rng.choice(env.infos[env.agent_selection]["observation"].legal_actions)])
            moves += 1
    return moves


def through_boxes(games: int) -> int:
    """Plays our AEC environment through ``last()``; returns the number of moves."""
    env, rng, moves = arena.env("kuhn_poker-v0"), random.Random(0), 0
    for seed in range(games):
        env.reset(seed=seed)
        while not env.terminations["first"]:
            observation, *_ = env.last()
            env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            moves += 1
    return moves


def in_parallel(games: int) -> int:
    """Plays our Parallel environment; returns the number of moves of seats that were to move."""
    env, rng, moves = arena.parallel_env("kuhn_poker-v0"), random.Random(0), 0
    for seed in range(games):
        observations, _ = env.reset(seed=seed)
        while env.agents:
            masks = {agent: seen["action_mask"] for agent, seen in observations.items() if isinstance(seen, dict)}
            observations, *_ = env.step({a: rng.choice(np.flatnonzero(mask).tolist()) for a, mask in masks.items()})
            moves += 1
    return moves


def openspiel(games: int) -> int:
    """Plays OpenSpiel's kuhn_poker; returns the number of moves."""
    import pyspiel

    game, rng, moves = pyspiel.load_game("kuhn_poker"), random.Random(0), 0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(rng.choice(state.legal_actions()))
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                moves += 1
        state.returns()
    return moves


def rate(play: Callable[[int], int], games: int) -> float:
    """Returns moves per second of CPU time."""
    began = time.process_time()
    moves = play(games)
    return moves / (time.process_time() - began)


def main() -> None:
    """Measures every player and prints the table."""
    parser = argparse.ArgumentParser(description="steps per second of random Kuhn poker")
    parser.add_argument("--games", type=int, default=5000)
    games = parser.parse_args().games
    players = {
        "pure rules": pure_rules,
        "bare PettingZoo": bare_pettingzoo,
        "arena.env, infos": through_infos,
        "arena.env, boxes": through_boxes,
        "arena.parallel_env": in_parallel,
    }
    try:
        openspiel(1)
        players["OpenSpiel"] = openspiel
    except ImportError:
        print("OpenSpiel is not installed; left out")
    best: dict[str, float] = dict.fromkeys(players, 0.0)
    for _ in range(3):
        for name, play in players.items():
            best[name] = max(best[name], rate(play, games))
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, {games} games, best of 3")
    print(f"{'player':<20} {'steps/s':>10} {'of bare PettingZoo':>20}")
    for name, steps_s in best.items():
        print(f"{name:<20} {steps_s:>10,.0f} {steps_s / best['bare PettingZoo']:>20.2f}")


if __name__ == "__main__":
    main()
