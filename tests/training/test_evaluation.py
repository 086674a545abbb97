"""Evaluation: scored strategies are those that are sampled, and NashConv is theirs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kuhn_world import kuhn_entry

from arena.solutions import nash_conv
from arena.types import Sampling
from roles.kuhn_equilibrium import KuhnEquilibrium
from roles.scripted import Uniform, always_bet
from training.engines.engine import Request
from training.evaluation import ExactEvaluation, answer_probabilities, live_players

SAMPLES = 1500


@pytest.fixture(scope="module")
def entry():
    return kuhn_entry()


@pytest.fixture(scope="module")
def solver(entry):
    return ExactEvaluation(entry)


def test_scripted_players_have_their_known_nash_conv(solver):
    # 11/12 and 2/3: enumeration of Kuhn poker; 0: H. W. Kuhn (1950)
    for player, value in ((Uniform(), 11 / 12), (always_bet(), 2 / 3), (KuhnEquilibrium(0.2), 0.0)):
        exact = solver.evaluate({"first": player, "second": player})
        assert exact.nash_conv == pytest.approx(value, abs=1e-12)
        assert exact.illegal_mass == 0.0
    assert exact.returns["first"] == pytest.approx(-1 / 18)
    references = solver.references(["always_bet", "kuhn_equilibrium", "minimax"])
    assert references["uniform"] == pytest.approx(11 / 12)
    assert references["always_bet"] == pytest.approx(2 / 3)
    assert references["kuhn_equilibrium"] == pytest.approx(0.0, abs=1e-12)


def test_the_scored_strategy_is_the_one_that_masked_sampling_plays(entry, solver):
    exact = solver.evaluate(live_players(entry))
    assert 0.9 < exact.illegal_mass <= 1.0  # a random model hardly ever says a legal answer unasked
    frequencies = {}
    for seat, player in live_players(entry).items():
        frequencies[seat] = {}
        for info in solver.tree.sets_of(seat):
            asked = player.request(entry.game, info.observation, (), "x", 0)
            requests = [
                Request(
                    id=str(i),
                    policy=asked.policy,
                    prompt_ids=asked.prompt_ids,
                    seed=i,
                    sampling=Sampling(),
                    answers=asked.answers,
                )
                for i in range(SAMPLES)
            ]
            actions = [player.read(c, info.observation).value for c in player.engine.generate(requests)]
            frequencies[seat][info.key] = {a: actions.count(a) / SAMPLES for a in info.actions}
    gaps = []
    for seat, strategy in exact.strategies.items():
        for key, actions in strategy.items():
            assert sum(actions.values()) == pytest.approx(1.0, abs=1e-6)
            for action, p_action in actions.items():
                sigma = np.sqrt(p_action * (1 - p_action) / SAMPLES)
                assert abs(frequencies[seat][key][action] - p_action) <= 4.5 * sigma + 1e-4
                gaps.append(abs(p_action - 0.5))
    assert max(gaps) > 0.1
    assert nash_conv(solver.tree, frequencies).value == pytest.approx(exact.nash_conv, abs=0.1)
    assert abs(exact.nash_conv - 11 / 12) > 0.02


def test_a_raw_policy_is_renormalised_once(entry):
    raw = kuhn_entry(entry.policies, masked=False)
    exact = ExactEvaluation(raw).evaluate(live_players(raw))
    for strategy in exact.strategies.values():
        for actions in strategy.values():
            assert sum(actions.values()) == pytest.approx(1.0, abs=1e-9)
    assert 0.9 < exact.illegal_mass <= 1.0


def test_answers_that_share_a_beginning_are_renormalised_token_by_token():
    answers = [(1, 2, 0), (1, 3, 0), (4, 0)]
    steps = [[0.5, 0.1, 1.0], [0.5, 0.3, 0.5], [0.1, 0.9]]
    masked, raw = answer_probabilities(answers, [np.log(np.float32(p)) for p in steps])
    np.testing.assert_allclose(np.exp(raw), [0.05, 0.075, 0.09], rtol=1e-6)
    # first token: 0.5 and 0.1 remain; second: 0.1 and 0.3
    np.testing.assert_allclose(masked, [5 / 6 / 4, 5 / 6 * 3 / 4, 1 / 6], rtol=1e-6)


@given(st.lists(st.lists(st.floats(-12, -0.01), min_size=3, max_size=3), min_size=4, max_size=4))
def test_masked_probabilities_sum_to_one(values):
    answers = [(1, 2, 0), (1, 3, 0), (4, 2, 0), (4, 5, 0)]
    logprobs = np.array(values, dtype=np.float32)
    logprobs[1, 0], logprobs[3, 0] = logprobs[0, 0], logprobs[2, 0]  # shared prefixes are scored alike
    masked, raw = answer_probabilities(answers, list(logprobs))
    assert masked.sum() == pytest.approx(1.0, abs=1e-9)
    assert (masked > 0).all()
    np.testing.assert_allclose(raw, logprobs.astype(np.float64).sum(1), rtol=1e-9)


def test_the_equilibrium_family_of_each_set(solver):
    ranges = solver.equilibrium(["uniform", "kuhn_equilibrium"])
    assert set(ranges) == {info.key for info in solver.tree.information_sets}
    assert ranges["J"]["bet"] == pytest.approx((0.0, 1 / 3))
    assert ranges["K check bet"]["call"] == pytest.approx((1.0, 1.0))
    assert solver.equilibrium(["uniform"]) is None


def test_answers_that_are_next_to_impossible_still_make_a_strategy():
    values = np.array([[-900.0, -1.0], [-900.0, -2.0]], dtype=np.float32)
    masked, raw = answer_probabilities([(1, 2), (1, 3)], list(values))
    expected = np.exp([-1.0, -2.0]) / np.exp([-1.0, -2.0]).sum()
    np.testing.assert_allclose(masked, expected, rtol=1e-6)
    np.testing.assert_allclose(np.exp(raw - np.logaddexp.reduce(raw)), expected, rtol=1e-6)
