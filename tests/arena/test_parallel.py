"""The Parallel environment: PettingZoo's own tests, no-ops, and agreement with the AEC environment."""

import warnings
from types import SimpleNamespace

import pytest
from arena_sample_games import Asker, Count
from pettingzoo.test import parallel_api_test, parallel_seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test

import arena
from arena.errors import ConfigError, PlayError
from arena.types import IllegalRule, Outcome, Status, Verdict

GAMES = ["kuhn_poker-v0", "tic_tac_toe-v0", "rock_paper_scissors-v0", Count()]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_pettingzoos_own_suite(game, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(arena.parallel_env(game), num_cycles=50)
        parallel_seed_test(lambda: arena.parallel_env(game), num_cycles=50)
    assert "Passed Parallel API test" in capsys.readouterr().out


def test_max_cycles():
    def count(max_cycles):
        return Count(max_turns=2 * max_cycles)

    # Unmasked samples may be the last index, so illegal answers must not end the game.
    rule = IllegalRule(kind="penalise")
    module = SimpleNamespace(
        env=lambda max_cycles: arena.env(count(max_cycles), illegal=rule),
        parallel_env=lambda max_cycles: arena.parallel_env(count(max_cycles), illegal=rule),
    )
    max_cycles_test(module)
    env = module.parallel_env(4)
    env.reset(seed=0)
    for _ in range(4):
        assert env.agents
        _, _, terminations, truncations, _ = env.step({"a": 0, "b": 2})
    assert env.agents == []
    assert (set(terminations.values()), set(truncations.values())) == ({False}, {True})


def test_seats_not_to_move_have_a_no_op():
    env = arena.parallel_env("kuhn_poker-v0")
    observations, infos = env.reset(seed=0)
    assert observations["first"]["action_mask"].tolist() == [1, 1, 0, 0, 0]
    assert observations["second"]["action_mask"].tolist() == [0, 0, 0, 0, 1]
    observations, rewards, *_, infos = env.step({"first": 1, "second": 3})
    assert (infos["second"]["legal"], infos["second"]["reason"]) == (True, "")
    assert observations["second"]["action_mask"].tolist() == [0, 0, 1, 1, 0]
    assert rewards == {"first": 0.0, "second": 0.0}
    terminations = env.step({"second": 2})[2]
    assert terminations == {"first": True, "second": True}
    assert env.returns == {"first": 1.0, "second": -1.0}
    assert env.agents == []


def test_both_environments_tell_the_same_game():
    for seed in range(20):
        single, joint = arena.env("kuhn_poker-v0"), arena.parallel_env("kuhn_poker-v0")
        single.reset(seed=seed)
        joint.reset(seed=seed)
        while single.status is None:
            agent = single.agent_selection
            legal = single.infos[agent]["observation"].legal_actions
            action = legal[seed % len(legal)]
            assert joint.unwrapped.node_id == single.node_id
            single.step(action)
            joint.step({agent: action})
        assert (single.returns, single.node_id, single.status) == (joint.returns, joint.node_id, joint.status)


def test_a_missing_answer_is_not_understood():
    env = arena.parallel_env("rock_paper_scissors-v0")
    env.reset(seed=0)
    _, rewards, *_, infos = env.step({"first": "rock"})
    assert infos["second"]["reason"] == "not_understood"
    assert rewards == {"first": 1.0, "second": -1.0}
    assert env.reason == "forfeit:second"


def test_a_simultaneous_seat_that_fails_is_asked_again_alone():
    env = arena.parallel_env("rock_paper_scissors-v0", illegal=IllegalRule(kind="retry", retries=1))
    env.reset(seed=0)
    observations, *_ = env.step({"first": "rock", "second": 3})
    assert observations["first"]["action_mask"].tolist() == [0, 0, 0, 1]
    assert observations["second"]["action_mask"].tolist() == [1, 1, 1, 0]
    env.step({"first": "paper", "second": "scissors"})
    assert env.returns == {"first": 1.0, "second": -1.0}


def test_calls_pause_here_too():
    env = arena.parallel_env(Asker())
    env.reset(seed=0)
    env.step({"solver": "4"})
    assert env.pending_call.request == "4"
    with pytest.raises(PlayError, match="pending 'exact' call"):
        env.step({"solver": "4"})
    _, rewards, terminations, _, infos = env.resolve(Verdict(outcome=Outcome.UNDECIDED))
    assert (rewards, terminations, infos["solver"]["undecided"]) == ({"solver": 0.0}, {"solver": True}, True)
    assert env.status is Status.COMPLETED
    with pytest.raises(PlayError, match="finished"):
        env.step({})


def test_rendering_and_refusals():
    env = arena.parallel_env("tic_tac_toe-v0", render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == "...\n...\n..."
    with pytest.raises(ConfigError, match="render_mode"):
        arena.parallel_env("tic_tac_toe-v0", render_mode="rgb")
