"""The AEC environment: PettingZoo's own tests, infos, calls, options, actions of every kind."""

import warnings

import numpy as np
import pytest
from arena_sample_games import Asker, Count
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.render_test import render_test

import arena
from arena.errors import ConfigError, GameError, PlayError, UnknownNameError
from arena.game import games
from arena.games.kuhn_poker import KuhnPoker
from arena.spaces import decode_text, encode_text
from arena.types import Action, IllegalRule, NotUnderstood, Observation, Outcome, Payoff, Status, Task, Verdict


class Exact:
    """Knows that 2 + 2 is 4, and counts its batches."""

    def __init__(self):
        self.batches = []

    def check(self, calls):
        self.batches.append(len(calls))
        return [Verdict(outcome=Outcome.CORRECT if call.request == "4" else Outcome.WRONG) for call in calls]


ENVIRONMENTS = [
    pytest.param(lambda **knobs: arena.env("kuhn_poker-v0", **knobs), id="kuhn"),
    pytest.param(lambda **knobs: arena.env("tic_tac_toe-v0", **knobs), id="tic_tac_toe"),
    pytest.param(lambda **knobs: arena.env("rock_paper_scissors-v0", **knobs), id="rock_paper_scissors"),
    pytest.param(lambda **knobs: arena.env(Count(), **knobs), id="count"),
    pytest.param(lambda **knobs: arena.env(Asker(), verifier=Exact(), **knobs), id="asker"),
]


@pytest.mark.parametrize("make", ENVIRONMENTS)
def test_pettingzoos_own_suite(make, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(make(), num_cycles=50)
        seed_test(make, num_cycles=50)
        render_test(make)
    assert "Passed API test" in capsys.readouterr().out


def test_a_game_through_infos():
    env = arena.env("kuhn_poker-v0")
    env.reset(seed=3)
    assert env.unwrapped is env and env.metadata["name"] == "kuhn_poker-v0" and str(env) == "kuhn_poker-v0"
    info = env.infos["first"]
    assert set(info) == {"observation", "text", "legal", "reason", "undecided"}
    assert isinstance(info["observation"], Observation)
    assert info["text"] == info["observation"].text
    assert (info["legal"], info["reason"], info["undecided"]) == (True, "", False)
    env.step(env.spec.actions.index("bet"))
    assert env.agent_selection == "second"
    assert env.infos["second"]["observation"].information_key.endswith(" bet")
    env.step(env.spec.actions.index("fold"))
    assert env.rewards == {"first": 1.0, "second": -1.0}
    assert env.terminations == {"first": True, "second": True}
    assert (env.status, env.reason, env.returns) == (Status.COMPLETED, "", env.rewards)
    assert env.last(observe=False)[1:4] == (1.0, True, False)
    env.step(None)
    env.step(None)
    assert env.agents == []
    with pytest.raises(PlayError, match="got a finished one; call reset first"):
        env.step(0)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (4, "not_understood"),
        (2, "illegal:fold"),
        (Action(value="raise"), "illegal:raise"),
        ("raise", "illegal:raise"),
        (NotUnderstood(reason="unclosed"), "unclosed"),
    ],
)
def test_illegal_answers_of_every_kind(action, reason):
    env = arena.env("kuhn_poker-v0", illegal=IllegalRule(kind="retry", retries=1, penalty=1.0))
    env.reset(seed=0)
    env.step(action)
    info = env.infos["first"]
    assert (info["legal"], info["reason"]) == (False, reason)
    assert env.agent_selection == "first"
    assert env.rewards == {"first": -1.0, "second": 1.0}
    assert info["observation"].legal_actions == ("check", "bet")
    env.step("bet")
    assert (env.infos["first"]["legal"], env.infos["first"]["reason"]) == (True, "")
    assert env.unwrapped.env_step == 1


def test_a_forfeit_ends_the_game_for_all():
    env = arena.env("kuhn_poker-v0")
    env.reset(seed=0)
    env.step("check")
    env.step(NotUnderstood(reason="empty"))
    assert (env.status, env.reason) == (Status.COMPLETED, "forfeit:second")
    assert env.infos["second"]["reason"] == "empty"
    assert env.returns == {"first": 2.0, "second": -2.0}


def test_an_index_outside_the_space_is_refused():
    env = arena.env("kuhn_poker-v0")
    env.reset(seed=0)
    with pytest.raises(PlayError, match="expected an index from 0 to 4, an Action, a NotUnderstood or a str, got 5"):
        env.step(5)
    env.step(0)


def test_the_task_comes_from_options_or_from_the_seed():
    env = arena.env("kuhn_poker-v0")
    with pytest.raises(PlayError, match="expected reset"):
        _ = env.task
    env.reset()
    assert env.task == Task(game="kuhn_poker-v0", seed=0)
    seeds = []
    for _ in range(5):
        env.reset()
        seeds.append(env.task.seed)
    assert len(set(seeds)) == 5
    again = arena.env("kuhn_poker-v0")
    again.reset(seed=0)
    for seed in seeds:
        again.reset()
        assert again.task.seed == seed
    task = Task(game="kuhn_poker-v0", seed=9, author="somebody")
    env.reset(seed=1, options={"task": task})
    assert env.task is task
    for wrong in (Task(game="tic_tac_toe-v0"), "kuhn_poker-v0"):
        with pytest.raises(ConfigError, match=r"reset\.options\.task: expected a Task of kuhn_poker-v0"):
            env.reset(options={"task": wrong})


def test_spaces_hold_the_text_and_the_mask():
    env = arena.env("kuhn_poker-v0")
    env.reset(seed=0)
    observation, *_ = env.last()
    assert env.observation_space("first").contains(observation)
    assert decode_text(observation["observation"]) == env.infos["first"]["text"]
    assert observation["action_mask"].tolist() == [1, 1, 0, 0, 0]
    assert env.observe("second")["action_mask"].tolist() == [0] * 5
    assert env.action_space("first") is env.action_space("first")
    assert env.observation_space("first") is env.observation_space("first")


def test_without_a_verifier_the_environment_pauses():
    env = arena.env(Asker())
    env.reset(seed=0)
    assert env.pending_call is None
    env.step("4")
    assert (env.pending_call.kind, env.pending_call.request) == ("exact", "4")
    assert env.terminations == {"solver": False}
    assert decode_text(env.observe("solver")) == "2 + 2 = ?"
    with pytest.raises(PlayError, match="expected the verdict of a pending 'exact' call"):
        env.step("5")
    env.resolve(Verdict(outcome=Outcome.CORRECT))
    assert (env.terminations, env.returns, env.rewards) == ({"solver": True}, {"solver": 1.0}, {"solver": 1.0})
    assert [call.request for call in env.calls] == ["4"]
    with pytest.raises(PlayError, match="expected a pending call"):
        env.resolve(Verdict(outcome=Outcome.CORRECT))


def test_with_a_verifier_step_answers_in_batches_of_one():
    verifier = Exact()
    env = arena.env(Asker(), verifier=verifier)
    for action, value in ((encode_text("4", 32), 1.0), ("5", 0.0)):
        env.reset(seed=0)
        env.step(action)
        assert env.returns == {"solver": value}
    assert verifier.batches == [1, 1]


def test_undecided_shows_a_reward_of_zero_and_says_so():
    env = arena.env(Asker())
    env.reset(seed=0)
    env.step("4")
    env.resolve(Verdict(outcome=Outcome.UNDECIDED))
    assert env.rewards == {"solver": 0.0}
    assert env.infos["solver"]["undecided"] is True
    assert env.returns == {"solver": None}


def test_truncation():
    env = arena.env(Count(max_turns=4))
    env.reset(seed=0)
    for _ in range(4):
        assert env.truncations == {"a": False, "b": False}
        env.step("one")
    assert env.truncations == {"a": True, "b": True}
    assert env.terminations == {"a": False, "b": False}
    assert env.reason == "max_turns"


def test_an_environment_is_reused_after_any_end():
    env = arena.env("kuhn_poker-v0")
    for seed in range(3):
        env.reset(seed=seed)
        env.step("check")
    env.reset(seed=0)
    assert (env.agents, env.env_step, env.status) == (["first", "second"], 0, None)
    fresh = arena.env("kuhn_poker-v0")
    fresh.reset(seed=0)
    assert fresh.infos == env.infos and fresh.node_id == env.node_id


def test_a_game_error_passes_through_step():
    class Broken(KuhnPoker):
        def returns(self, state):
            raise ZeroDivisionError("pot")

    env = arena.env(Broken())
    env.reset(seed=0)
    env.step("check")
    with pytest.raises(GameError, match="expected returns to return, got ZeroDivisionError: pot"):
        env.step("check")
    assert env.status is Status.FAILED


def test_a_game_that_raises_at_the_start_leaves_nothing_behind():
    class Moody(KuhnPoker):
        calm = True

        def reset(self, task):
            return super().reset(task) if self.calm else 1 / 0

    env = arena.env(Moody())
    env.reset(seed=5)
    env.game.calm = False
    with pytest.raises(GameError, match="ply 0: expected reset to return, got ZeroDivisionError"):
        env.reset(seed=6)
    with pytest.raises(PlayError, match=r"expected reset\(\) before anything else"):
        _ = env.status
    env.game.calm = True
    env.reset(seed=5)
    assert (env.task.seed, env.status) == (5, None)


def test_rendering(capsys):
    env = arena.env("kuhn_poker-v0", render_mode="ansi")
    env.reset(seed=0)
    assert env.render().startswith("first ")
    human = arena.env("kuhn_poker-v0", render_mode="human")
    human.reset(seed=0)
    assert human.render() is None
    assert capsys.readouterr().out == env.render() + "\n"
    silent = arena.env("kuhn_poker-v0")
    silent.reset(seed=0)
    with pytest.raises(PlayError, match="expected a render_mode"):
        silent.render()
    with pytest.raises(ConfigError, match="render_mode: expected ansi, human or None, got 'rgb_array'"):
        arena.env("kuhn_poker-v0", render_mode="rgb_array")


def test_unknown_names_and_rules_are_refused_at_once():
    with pytest.raises(UnknownNameError, match="did you mean kuhn_poker-v0"):
        arena.env("kuhn_poker")
    with pytest.raises(ConfigError, match=r"illegal\.kind"):
        arena.env("kuhn_poker-v0", illegal=IllegalRule(kind="laugh"))


def test_masks_steer_random_play_through_whole_games():
    for name in games:
        if games.make(name).spec.actions is None:
            continue  # free text has no mask
        env = arena.env(name)
        env.reset(seed=1)
        for agent in env.agents:
            env.action_space(agent).seed(1)
        for agent in env.agent_iter():
            observation, _, terminated, truncated, info = env.last()
            assert info["legal"] is True
            over = terminated or truncated
            env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
        assert sum(env.returns.values()) == 0 or env.spec.payoff is not Payoff.ZERO_SUM
        assert np.isfinite(list(env.returns.values())).all()
