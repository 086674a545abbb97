"""The named actions and their legality are what TextArena itself accepts and refuses."""

import sys

import numpy as np
import pytest

from arena.foreign.textarena_actions import VOCABULARIES
from arena.foreign.textarena_env import TextArenaEnv

PLAYERS = {"ThreePlayerTicTacToe": 3} | dict.fromkeys(
    ("Blackjack", "Bandit", "Secretary", "GuessTheNumber", "TowerOfHanoi"), 1
)
# TextArena 0.7.4's source of this game is no Python 3.11.
FAMILIES = [name for name in VOCABULARIES if name != "ReverseTicTacToe" or sys.version_info >= (3, 12)]


def opened(family):
    return TextArenaEnv(f"{family}-v0", PLAYERS.get(family, 2), vocabulary=VOCABULARIES[family])


def replayed(family, seed, actions):
    env = opened(family)
    env.reset(seed=seed)
    for action in actions:
        env.step(action)
    return env


@pytest.mark.parametrize("family", FAMILIES)
def test_masks_agree_with_textarenas_judge(family):
    random = np.random.default_rng(0)
    env, actions = replayed(family, 5, ()), []
    while not env.terminations[env.agent_selection] and len(actions) < 12:
        mover = env.agent_selection
        mask = env.infos[mover]["action_mask"]
        assert mask.shape == (len(env.actions),) and mask.any()
        for action, legal in enumerate(mask):
            tried = replayed(family, 5, actions)
            tried.step(action)
            assert (tried.infos[mover]["illegal"] == "") is bool(legal), (env.actions[action], tried.text(mover))
        actions.append(int(random.choice(np.flatnonzero(mask))))
        env.step(actions[-1])
    assert len(actions) >= 2


@pytest.mark.parametrize("family", FAMILIES)
def test_no_episode_has_more_turns_than_told(family):
    most = VOCABULARIES[family].most_turns
    for seed in range(10):
        random = np.random.default_rng(seed)
        env, turns = opened(family), 0
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            env.step(int(random.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
            turns += 1
        told = most(env._base)
        assert told is None or turns <= told
