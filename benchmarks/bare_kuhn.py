"""Kuhn poker written directly against PettingZoo, without wrappers, texts, tasks or checks: how fast AEC can be."""

from __future__ import annotations

import random

import gymnasium
import numpy as np
from pettingzoo import AECEnv

ENDS = {(0, 0), (1, 2), (1, 3), (0, 1, 2), (0, 1, 3)}
SEATS = ["first", "second"]


class BareKuhn(AECEnv[str, np.ndarray, int]):  # type: ignore[misc]
    """Kuhn poker as a plain AEC environment; what is legal travels in ``infos``."""

    def __init__(self) -> None:
        self.possible_agents = SEATS
        self.spaces = {agent: gymnasium.spaces.Discrete(4) for agent in SEATS}

    def action_space(self, agent: str) -> gymnasium.spaces.Space[np.int64]:
        """Returns the four actions: check, bet, fold, call."""
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
