"""A foreign PettingZoo environment, written the PettingZoo way, played like one of ours."""

import importlib
import warnings
from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.example_envs import generated_agents_env_v0
from pettingzoo.utils import AgentSelector

from arena import ForeignEnv
from arena.errors import CapabilityError, ConfigError, GameError, PlayError
from arena.foreign.game import spec_of
from arena.types import Action, GameSpec, IllegalRule, NotUnderstood, Outcome, Payoff, Status, Task, Verdict


class Sticks(AECEnv):
    """Take one, two or three sticks in turn; who takes the last one wins. The seed chooses how many there are."""

    metadata: ClassVar = {"name": "sticks_v2", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, render_mode="ansi", mask_in="observation"):
        self.render_mode = render_mode
        self.mask_in = mask_in
        self.possible_agents = ["player_0", "player_1"]
        spaces = gymnasium.spaces
        self.observation_spaces = {
            agent: spaces.Dict(
                {"observation": spaces.Box(0, 99, (1,), np.int64), "action_mask": spaces.Box(0, 1, (3,), np.int8)}
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(3, start=1) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        self.left = (options or {}).get("sticks", int(np.random.default_rng(seed).integers(5, 9)))
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.selector = AgentSelector(self.agents)
        self.agent_selection = self.selector.next()
        self.infos = {agent: self.info() for agent in self.agents}

    def mask(self):
        return np.array([taken <= self.left for taken in (1, 2, 3)], dtype=np.int8)

    def info(self):
        return {"action_mask": self.mask()} if self.mask_in == "info" else {}

    def observe(self, agent):
        seen = {"observation": np.array([self.left])}
        return seen | {"action_mask": self.mask()} if self.mask_in == "observation" else seen

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            return self._was_dead_step(action)
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.left -= int(action)
        if self.left <= 0:
            self.rewards = {other: 1 if other == agent else -1 for other in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.selector.next()
        self.infos = {other: self.info() for other in self.agents}
        self._accumulate_rewards()

    def render(self):
        return f"{self.left} sticks are left."

    def close(self):
        pass


class Matching(ParallelEnv):
    """One simultaneous choice of two; equal choices pay the first agent."""

    metadata: ClassVar = {"name": "matching_v0", "render_modes": []}
    render_mode = None
    possible_agents: ClassVar = ["left", "right"]

    def __init__(self):
        self.spaces = {agent: gymnasium.spaces.Discrete(2) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self.spaces[agent]

    def action_space(self, agent):
        return self.spaces[agent]

    def reset(self, seed=None, options=None):
        self.agents = list(self.possible_agents)
        return dict.fromkeys(self.agents, 0), {agent: {} for agent in self.agents}

    def step(self, actions):
        agents, self.agents = self.agents, []
        pay = 1.0 if actions["left"] == actions["right"] else -1.0
        flags = dict.fromkeys(agents, True)
        return (
            dict.fromkeys(agents, 1),
            {"left": pay, "right": -pay},
            flags,
            dict.fromkeys(agents, False),
            {agent: {} for agent in agents},
        )


SPEC = GameSpec(
    name="sticks",
    version=2,
    seats=("player_0", "player_1"),
    payoff=Payoff.ZERO_SUM,
    max_turns=9,
    returns_range=(-1.0, 1.0),
    actions=("take 1", "take 2", "take 3"),
)


def sticks(inner=None, **knobs):
    return ForeignEnv(inner or Sticks(), **{"spec": SPEC, "rules": "Take the last stick.", **knobs})


def test_it_offers_what_ours_offers():
    env = sticks()
    env.reset(seed=0, options={"task": Task(game="sticks-v2", params={"sticks": 4}, seed=5)})
    info = env.infos["player_0"]
    assert (info["text"], info["legal"], info["reason"], info["undecided"]) == ("4 sticks are left.", True, "", False)
    assert info["observation"].legal_actions == ("take 1", "take 2", "take 3")
    assert len(info["observation"].information_key) == 16
    assert (env.unwrapped.game.rules, env.spec, env.pending_call, env.calls) == ("Take the last stick.", SPEC, None, ())
    start = env.node_id
    env.step(1)
    assert env.agent_selection == "player_1"
    assert env.infos["player_1"]["observation"].legal_actions == ("take 1", "take 2")
    assert env.node_id != start and env.env_step == 1
    env.step("take 2")
    assert env.returns == {"player_0": -1.0, "player_1": 1.0}
    assert env.last(observe=False)[1:3] == (-1.0, True)
    assert (env.status, env.reason) == (Status.COMPLETED, "")
    assert env.infos["player_0"]["text"] == "0 sticks are left."
    env.step(None)
    env.step(None)
    assert env.agents == []
    with pytest.raises(PlayError, match="never pauses"):
        env.resolve(Verdict(outcome=Outcome.CORRECT))


@pytest.mark.parametrize("mask_in", ["observation", "info"])
def test_pettingzoos_suite_on_the_wrapper(mask_in):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(sticks(Sticks(mask_in=mask_in)), num_cycles=50)
        seed_test(lambda: sticks(Sticks(mask_in=mask_in)), num_cycles=50)


def test_a_spec_is_built_from_what_the_environment_says():
    spec = spec_of(Sticks(), lambda index: f"take {index + 1}")
    assert (spec.id, spec.seats, spec.actions) == ("sticks-v2", SPEC.seats, SPEC.actions)
    assert not spec.capabilities.fork and not spec.capabilities.enumerate
    env = ForeignEnv(Sticks())
    env.reset(seed=1)
    assert env.infos["player_0"]["observation"].legal_actions == ("0", "1", "2")
    with pytest.raises(CapabilityError, match=r"sticks-v2\.reset: expected a game with pure rules"):
        env.game.reset(env.task)
    for method, arguments in {"to_move": (0,), "observe": (0, "a"), "step": (0, {}), "returns": (0,)}.items():
        with pytest.raises(CapabilityError, match=f"sticks-v2.{method}"):
            getattr(env.game, method)(*arguments)


def test_a_parallel_environment_joins_through_pettingzoos_converter():
    env = ForeignEnv(
        Matching(), observe_text=lambda inner, agent: f"You are {agent}.", action_name=("heads", "tails").__getitem__
    )
    for second, pay in (("heads", 1.0), ("tails", -1.0)):
        env.reset(seed=0)
        assert env.infos["left"]["text"] == "You are left."
        env.step("heads")
        assert env.infos["right"]["observation"].legal_actions == ("heads", "tails")
        env.step(second)
        assert env.returns == {"left": pay, "right": -pay}


class Elimination(Sticks):
    """Each agent says 1, 2 or 3 once and leaves; the last one to speak wins."""

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        self._clear_rewards()
        last = len(self.agents) == 1
        self.rewards[agent] = 1 if last else -1
        self.terminations[agent] = True
        self.agent_selection = self.selector.next()
        self._deads_step_first()


def test_agents_that_leave_one_by_one():
    env = sticks(Elimination())
    env.reset(seed=0)
    env.step("take 1")
    assert (env.status, env.terminations) == (None, {"player_0": True, "player_1": False})
    env.step(None)
    assert (env.agents, env.agent_selection) == (["player_1"], "player_1")
    env.step("take 2")
    assert (env.status, env.returns) == (Status.COMPLETED, {"player_0": -1.0, "player_1": 1.0})
    with pytest.raises(PlayError, match="expected None for 'player_1', which is dead"):
        env.step("take 1")
    env.step(None)
    assert env.agents == []


def test_agents_and_texts_must_be_known_in_advance():
    with pytest.raises(ConfigError, match="expected a function or an environment with render_mode 'ansi'"):
        ForeignEnv(Sticks(render_mode=None))
    with pytest.raises(ConfigError, match="expected possible_agents, got none"):
        ForeignEnv(generated_agents_env_v0.raw_env(max_cycles=5), observe_text=lambda env, agent: "")


@pytest.mark.parametrize("module", ["rps_v2", "tictactoe_v3", "connect_four_v3"])
def test_pettingzoos_classic_games(module):
    classic = importlib.import_module(f"pettingzoo.classic.{module}")
    env = ForeignEnv(classic.env(), observe_text=lambda inner, agent: str(inner.observe(agent)))
    for seed in range(3):
        env.reset(seed=seed)
        for agent in env.agent_iter():
            over = env.terminations[agent] or env.truncations[agent]
            legal = env.infos[agent]["observation"].legal_actions
            env.step(None if over else legal[seed % len(legal)])
        assert env.status in (Status.COMPLETED, Status.TRUNCATED)
        assert sum(env.returns.values()) == 0


@pytest.mark.parametrize(
    ("rule", "status", "returns"),
    [
        (IllegalRule(), "forfeit:player_0", {"player_0": -1.0, "player_1": 1.0}),
        (IllegalRule(kind="retry", retries=1, penalty=0.5), "", {"player_0": -0.5, "player_1": 0.5}),
        (IllegalRule(kind="penalise", penalty=0.25), "", {"player_0": -0.25, "player_1": 0.25}),
    ],
)
@pytest.mark.parametrize("answer", [3, "take 9", NotUnderstood(reason="unclosed")])
def test_illegal_answers(rule, status, returns, answer):
    env = sticks(illegal=rule)
    env.reset(seed=0)
    before = env.node_id
    env.step(answer)
    assert env.infos["player_0"]["legal"] is False
    assert env.infos["player_0"]["reason"] in ("not_understood", "illegal:take 9", "unclosed")
    assert (env.reason, env.returns) == (status, returns)
    assert env.rewards == returns
    assert env.node_id != before
    assert (env.agent_selection == "player_1") is (rule.kind == "penalise")


def test_a_second_fault_uses_up_the_retries():
    env = sticks(illegal=IllegalRule(kind="retry", retries=1, penalty=0.5))
    env.reset(seed=0)
    env.step(3)
    env.step(3)
    assert env.reason == "forfeit:player_0"
    # Two fines, and the forfeit.
    assert env.returns == {"player_0": -2.0, "player_1": 2.0}
    assert env.rewards == {"player_0": -1.5, "player_1": 1.5}
    env.step(None)
    env.step(None)
    assert env.agents == []


def test_max_turns_truncates():
    env = sticks(
        spec=GameSpec(
            **{
                name: getattr(SPEC, name) for name in ("name", "version", "seats", "payoff", "returns_range", "actions")
            },
            max_turns=2,
        )
    )
    env.reset(seed=0)
    env.step(0)
    env.step(0)
    assert (env.status, env.reason) == (Status.TRUNCATED, "max_turns")
    assert env.truncations == {"player_0": True, "player_1": True}


class Raising(Sticks):
    def step(self, action):
        raise IndexError("no such stick")


class Undead(Sticks):
    def _was_dead_step(self, action):
        return None


class Unmasked(Sticks):
    def mask(self):
        return super().mask() * (self.left > 6)


class Short(Sticks):
    def mask(self):
        return np.ones(2, dtype=np.int8)


class Unpaid(Sticks):
    def step(self, action):
        super().step(action)
        self.rewards = {"player_0": 0}


class Unfair(Sticks):
    def step(self, action):
        super().step(action)
        self.rewards = dict.fromkeys(self.rewards, 1)


class Stranger(Sticks):
    def step(self, action):
        super().step(action)
        self.agent_selection = "player_7"


class Mute(Sticks):
    def render(self):
        return None


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        (Raising(), r"step 0, agent 'player_0', step: expected an answer, got IndexError: no such stick"),
        (Undead(), r"agent 'player_\d', agents: expected 'player_\d' to leave after its last step"),
        (
            Unmasked(),
            r"action_mask: expected at least one legal action for 'player_\d', which is to move, got all zeros",
        ),
        (Short(), r"step 0, agent 'player_0', action_mask: expected shape \(3,\), got \(2,\)"),
        (Unpaid(), r"rewards: expected an answer, got KeyError: 'player_1'"),
        (Unfair(), r"rewards: expected returns that sum to 0"),
        (Stranger(), r"agent_selection: expected one of \['player_0', 'player_1'\], got 'player_7'"),
        (Mute(), r"text: expected a str"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Sticks) else "",
)
def test_broken_environments_are_named(inner, message):
    env = sticks(inner)
    with pytest.raises(GameError, match=message) as caught:
        env.reset(seed=0)
        for _ in range(20):
            dead = env.terminations[env.agent_selection]
            env.step(None if dead else env.infos[env.agent_selection]["observation"].legal_actions[0])
    assert "foreign game sticks-v2, task " in str(caught.value)
    assert env.status is Status.FAILED


def test_what_cannot_be_wrapped_is_refused():
    class Pushing(Sticks):
        def action_space(self, agent):
            return gymnasium.spaces.Box(-1.0, 1.0, (2,))

    class Talking(Sticks):
        def action_space(self, agent):
            return gymnasium.spaces.Text(9)

    with pytest.raises(ConfigError, match="expected Discrete or text action spaces"):
        ForeignEnv(Pushing())
    with pytest.raises(ConfigError, match="expected different names"):
        ForeignEnv(Sticks(), action_name=lambda index: "take")
    with pytest.raises(ConfigError, match="actions are free text"):
        ForeignEnv(Talking())
    with pytest.raises(ConfigError, match=r"reset\.options\.task"):
        sticks().reset(options={"task": Task(game="kuhn_poker-v0")})
    with pytest.raises(PlayError, match="got none; call reset first"):
        sticks().step(0)


def test_text_actions_reach_the_inner_environment_as_they_are():
    heard = []

    class Talking(Sticks):
        def action_space(self, agent):
            return gymnasium.spaces.Text(9)

        def step(self, action):
            heard.append(action)
            super().step(1)

    spec = GameSpec(
        name="talk",
        version=0,
        seats=SPEC.seats,
        payoff=Payoff.ZERO_SUM,
        max_turns=9,
        returns_range=(-1.0, 1.0),
        actions=None,
    )
    env = ForeignEnv(Talking(), spec=spec)
    env.reset(seed=0)
    assert env.infos["player_0"]["observation"].legal_actions is None
    env.step(Action(value="One, please"))
    assert heard == ["One, please"]
