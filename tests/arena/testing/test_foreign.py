"""check_foreign names the first step, agent and field where an environment is not as it should be."""

import random
from typing import ClassVar

import gymnasium
import numpy as np
import pytest
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

import arena
from arena.errors import CheckError
from arena.foreign.game import ForeignGame
from arena.game import games
from arena.testing import ForeignReport, check_foreign
from arena.types import GameSpec, Payoff


class Climb(AECEnv):
    """Two agents climb by one, two or three steps in turn; the seed says how high. Who gets there wins."""

    metadata: ClassVar = {"name": "climb_v0", "render_modes": ["ansi"], "is_parallelizable": False}
    render_mode = "ansi"

    def __init__(self):
        self.possible_agents = ["a", "b"]
        space = gymnasium.spaces
        self.observation_spaces = {
            agent: space.Dict(
                {"observation": space.Box(0, 20, (1,), np.int64), "action_mask": space.Box(0, 1, (3,), np.int8)}
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: space.Discrete(3) for agent in self.possible_agents}

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def action_space(self, agent):
        return self.action_spaces[agent]

    def height(self, seed):
        return int(np.random.default_rng(seed).integers(5, 15))

    def reset(self, seed=None, options=None):
        self.left = self.height(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = "a"
        self.count = 0

    def mask(self, agent):
        return np.array([agent == self.agent_selection and step <= self.left for step in (1, 2, 3)], dtype=np.int8)

    def observe(self, agent):
        return {"observation": np.array([self.left]), "action_mask": self.mask(agent)}

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        self._cumulative_rewards[agent] = 0
        self._clear_rewards()
        self.count += 1
        self.left -= int(action) + 1
        if self.left < 0:
            raise ValueError("too high")
        if self.left == 0:
            self.pay(agent)
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = "b" if agent == "a" else "a"
        self._accumulate_rewards()

    def pay(self, winner):
        self.rewards = {agent: 1 if agent == winner else -1 for agent in self.agents}

    def render(self):
        return f"{self.left} left"


class IgnoresItsSeed(Climb):
    def height(self, seed):
        return int(np.random.default_rng().integers(5, 15))


class DrawsGlobally(Climb):
    """Seeds the global generator, which it shares with everybody, and draws from it while it plays."""

    def reset(self, seed=None, options=None):
        random.seed(seed)
        super().reset(seed, options)

    def step(self, action):
        if not self.terminations[self.agent_selection] and self.left > 6:
            self.left -= random.randrange(2)
        super().step(action)


class Remembers(Climb):
    """Its second episode starts higher than its first."""

    played = 0

    def height(self, seed):
        self.played += 1
        return super().height(seed) + self.played - 1


class PaysByMood(Climb):
    """Pays what an unseeded generator says."""

    def pay(self, winner):
        self.rewards = {agent: float(np.random.default_rng().random()) for agent in self.agents}


class KeepsTheDead(Climb):
    def _was_dead_step(self, action):
        self.agent_selection = "b" if self.agent_selection == "a" else "a"


class DropsTheLiving(Climb):
    def step(self, action):
        super().step(action)
        if self.count == 2:
            self.agents.remove("b")


class ForbidsAll(Climb):
    def mask(self, agent):
        return super().mask(agent) * (self.count < 2)


class AllowsTooMuch(Climb):
    def mask(self, agent):
        return np.full(3, agent == self.agent_selection, dtype=np.int8)


class NamesNothingLegal(Climb):
    """Has no mask, so that every index counts as legal."""

    def observation_space(self, agent):
        return self.observation_spaces[agent]["observation"]

    def observe(self, agent):
        return np.array([self.left])


class RefusesLegal(Climb):
    def step(self, action):
        mover = self.agent_selection
        super().step(action)
        if self.count == 2:
            self.infos[mover]["illegal"] = "I do not like it"


class LongMask(Climb):
    def mask(self, agent):
        return np.ones(4 if self.count == 1 else 3, dtype=np.int8)

    def observation_space(self, agent):
        space = self.observation_spaces[agent]
        space["action_mask"].contains = lambda mask: True
        return space


class WideMask(Climb):
    def mask(self, agent):
        return super().mask(agent).astype(np.int64)

    def observation_space(self, agent):
        space = self.observation_spaces[agent]
        space["action_mask"].contains = lambda mask: True
        return space


class SeesTooFar(Climb):
    def observe(self, agent):
        seen = super().observe(agent)
        return seen | {"observation": seen["observation"] + (21 if agent == "b" and self.count == 1 else 0)}


class RaisesInReset(Climb):
    def reset(self, seed=None, options=None):
        raise OSError("no stairs")


class RaisesInStep(Climb):
    def step(self, action):
        if self.count == 2 and not self.terminations["a"]:
            raise IndexError("a step is missing")
        super().step(action)


class RaisesInObserve(Climb):
    def observe(self, agent):
        if agent == "b" and self.count == 1:
            raise IndexError("fog")
        return super().observe(agent)


class PaysWords(Climb):
    def step(self, action):
        super().step(action)
        if self.count == 1:
            self.rewards["a"] = "much"
            self._cumulative_rewards["a"] = 0


class PaysNothingKnown(Climb):
    def pay(self, winner):
        super().pay(winner)
        self.rewards[winner] = float("nan")


class Numbers(Climb):
    def step(self, action):
        super().step(action)
        self.infos["b"]["text"] = 7


class Stranger(Climb):
    def step(self, action):
        super().step(action)
        self.agent_selection = "c"


class HalfTrue(Climb):
    def step(self, action):
        super().step(action)
        self.truncations["b"] = None


class NewSpaces(Climb):
    def observation_space(self, agent):
        return gymnasium.spaces.Dict(self.observation_spaces[agent].spaces)


PLACE = r"check_foreign\(climb_v0\), inside: episode \d, "


@pytest.mark.parametrize(
    ("env", "message"),
    [
        (IgnoresItsSeed, r"step 0, agent 'a', observation: expected .* as in the first play with seed \d+, got"),
        (DrawsGlobally, r"step \d, agent '[ab]', (observation|action_mask|agents): expected"),
        (Remembers, r"step 0, agent 'a', observation: expected .*got .*keeps something from the episode before"),
        (
            PaysByMood,
            r"step \d+, agent '[ab]', reward: expected 0\.\d+ as in the first play .*, got 0\.\d+; reset must",
        ),
        (KeepsTheDead, r"step \d+, agent '[ab]', agents: expected '[ab]' to leave after its last, empty step, got"),
        (DropsTheLiving, r"step 2, agent 'b', agents: expected \['b'\] to stay for a last, empty step, got \['a'\]"),
        (
            ForbidsAll,
            r"step 2, agent 'a', action_mask: expected at least one legal action of the agent to move, got all zeros",
        ),
        (
            AllowsTooMuch,
            r"step \d+, agent '[ab]', step\([12]\) \(which the mask allows\): .* got ValueError: too high",
        ),
        (
            NamesNothingLegal,
            r"step \d+, agent '[ab]', step\([12]\) \(and no mask forbids it\): .* got ValueError: too high",
        ),
        (
            lambda: TerminateIllegalWrapper(AllowsTooMuch(), illegal_reward=-1),
            r"step \d+, agent '[ab]', step\([12]\) \(which the mask allows\): .* got ValueError: too high",
        ),
        (
            RefusesLegal,
            r"step 1, agent 'b', step\(\d\): expected the action to be played, which the mask allows, got it punished",
        ),
        (LongMask, r"step 1, agent 'b', action_mask: expected int8 of shape \(3,\), got int8 of shape \(4,\)"),
        (WideMask, r"step 0, agent 'a', action_mask: expected int8 of shape \(3,\), got int64 of shape \(3,\)"),
        (SeesTooFar, r"step 1, agent 'b', observation: expected an element of Dict\(.*, got \{'observation'"),
        (RaisesInReset, r"step 0, agent '', reset: expected an answer, got OSError: no stairs"),
        (RaisesInStep, r"step 2, agent 'a', step\(\d\) .*: expected an answer, got IndexError: a step is missing"),
        (RaisesInObserve, r"step 1, agent 'b', observe: expected an answer, got IndexError: fog"),
        (PaysWords, r"step 1, agent 'a', reward: expected a finite number, got 'much'"),
        (PaysNothingKnown, r"step \d+, agent '[ab]', reward: expected a finite number, got nan"),
        (Numbers, r"step 1, agent 'b', text: expected a str, got 7"),
        (Stranger, r"step 1, agent 'c', agent_selection: expected one of \['a', 'b'\], got 'c'"),
        (HalfTrue, r"step 1, agent 'b', truncation: expected a bool, got None"),
        (NewSpaces, r"step 0, agent 'a', observation_space: expected the same object every time, got another one"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_bad_environment_is_named(env, message):
    before = random.getstate(), np.random.get_state()[1].tolist()
    with pytest.raises(CheckError, match=PLACE + message):
        check_foreign(env)
    if env is not DrawsGlobally:
        assert (random.getstate(), np.random.get_state()[1].tolist()) == before


def test_a_good_environment_passes():
    report = check_foreign(Climb, episodes=4)
    assert report == ForeignReport(game="climb_v0", layers=("inside",), episodes=4, steps=report.steps, finished=4)
    assert report.steps >= 4 * (2 + 2)  # at least two moves to the top, and two empty steps


def test_what_pettingzoos_wrapper_punishes_was_legal():
    class Punishes(Climb):
        """Forbids what it allows."""

        def step(self, action):
            self.lenient = False
            super().step(action)

        def observe(self, agent):
            seen = super().observe(agent)
            return seen if getattr(self, "lenient", True) else seen | {"action_mask": np.zeros(3, dtype=np.int8)}

    class Wrapper(TerminateIllegalWrapper):
        """Shows a mask that allows everything."""

        def observe(self, agent):
            return super().observe(agent) | {"action_mask": np.ones(3, dtype=np.int8)}

    with pytest.raises(
        CheckError, match=r"step 1, agent 'b', step\(\d\): expected the action to be played, .* punished"
    ):
        check_foreign(lambda: Wrapper(Punishes(), illegal_reward=-1))


SPEC = GameSpec(
    name="climb",
    version=0,
    seats=("a", "b"),
    payoff=Payoff.ZERO_SUM,
    max_turns=20,
    returns_range=(-1.0, 1.0),
    actions=("1", "2", "3"),
)


def test_a_foreign_game_is_checked_inside_and_wrapped():
    report = check_foreign(ForeignGame(Climb, spec=SPEC), episodes=2)
    assert (report.game, report.layers, report.episodes) == ("climb-v0", ("inside", "wrapped"), 4)

    class Mute(Climb):
        def render(self):
            return None

    with pytest.raises(
        CheckError, match=r"wrapped: episode 0, step 0, agent '', reset: .*text: expected a str, got None"
    ):
        check_foreign(ForeignGame(Mute, spec=SPEC))
    with pytest.raises(CheckError, match=r"inside: episode 0, step 0, agent 'a', text: expected a str, got None"):
        check_foreign(ForeignGame(Climb, spec=SPEC, observe_text=lambda env, agent: None))


def test_returns_must_fit_the_spec():
    class Generous(Climb):
        def pay(self, winner):
            self.rewards = {agent: 3 if agent == winner else -3 for agent in self.agents}

    with pytest.raises(CheckError, match=r"returns: expected a return of '[ab]' in returns_range \[-1.0, 1.0\], got"):
        check_foreign(ForeignGame(Generous, spec=SPEC))


def test_pettingzoos_suite_is_part_of_it(monkeypatch):
    monkeypatch.setattr("arena.foreign.env.ForeignEnv.close", lambda self: 1 / 0)
    with pytest.raises(CheckError, match=r"wrapped: PettingZoo (api|seed)_test: expected it to pass, got ZeroDivision"):
        check_foreign(ForeignGame(Climb, spec=SPEC), episodes=1)


def test_a_parallel_environment_is_checked_through_pettingzoos_converter():
    class Pair(ParallelEnv):
        metadata: ClassVar = {"name": "pair_v0", "render_modes": []}
        render_mode = None
        possible_agents: ClassVar = ["a", "b"]
        space = gymnasium.spaces.Discrete(2)

        def observation_space(self, agent):
            return self.space

        def action_space(self, agent):
            return self.space

        def reset(self, seed=None, options=None):
            self.agents = list(self.possible_agents)
            return dict.fromkeys(self.agents, 0), {agent: {} for agent in self.agents}

        def step(self, actions):
            agents, self.agents = self.agents, []
            over, not_over = dict.fromkeys(agents, True), dict.fromkeys(agents, False)
            return dict.fromkeys(agents, 1), dict.fromkeys(agents, 0.5), over, not_over, {agent: {} for agent in agents}

    report = check_foreign(Pair, episodes=2)
    assert (report.game, report.finished, report.steps) == ("pair_v0", 2, 8)


def test_free_text_is_said_and_unknown_spaces_are_refused():
    heard = []

    class Talking(Climb):
        def action_space(self, agent):
            return text

        def step(self, action):
            heard.append(action)
            super().step(None if action is None else 0)

    text = gymnasium.spaces.Text(9)
    check_foreign(Talking, episodes=1, say=lambda seen: ("up",))
    assert set(heard) == {"up", None}
    text = gymnasium.spaces.MultiDiscrete([2, 2])
    with pytest.raises(CheckError, match="step 0, agent 'a', action_space: expected Discrete, Text or a box of bytes"):
        check_foreign(Talking)


def test_an_episode_that_is_left_early_is_no_fault():
    assert check_foreign(Climb, episodes=2, most_steps=2).finished == 0


@pytest.mark.parametrize("name", ["kuhn_poker-v0", "tic_tac_toe-v0", "rock_paper_scissors-v0", "leduc_poker-v0"])
def test_our_own_environments_pass(name):
    assert check_foreign(name, episodes=3).finished == 3
    assert check_foreign(lambda: arena.env(name), episodes=1).layers == ("wrapped",)
    assert check_foreign(games.make(name), episodes=1).game == name
