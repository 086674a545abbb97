"""The probe scores every question exactly, and measures its change question by question."""

import numpy as np
import pytest
from kuhn_world import policy

from arena.errors import CapabilityError, UnknownNameError
from arena.game import games
from arena.types import Sampling
from roles.player import Player
from training.players import ModelPlayer
from training.probe import change, probe_game, probed

QUIZ = games.make("quiz-v0")


@pytest.fixture(scope="module")
def event():
    one = policy()
    player = ModelPlayer(
        role=Player(), policy=one.id, engine=one.engine, renderer=one.renderer, sampling=Sampling(), masked=True
    )
    return probed(QUIZ, player), player


def test_a_random_model_guesses(event):
    found, _ = event
    assert (found["probe"], found["policy"], found["version"], found["questions"]) == ("quiz-v0", "player", 0, 200)
    low, mid, high = found["accuracy"]
    assert low < 0.25 < high or abs(mid - 0.25) < 0.06
    assert mid == pytest.approx(np.mean(found["p_right"]))
    assert len(found["families"]) == 10
    assert np.mean(list(found["families"].values())) == pytest.approx(mid, abs=1e-6)
    assert 0 <= found["greedy"][0] <= found["greedy"][1] <= found["greedy"][2] <= 1


def test_the_probability_of_the_right_answer_is_the_one_that_is_sampled(event):
    found, player = event
    index = int(np.argmax(found["p_right"]))
    task = QUIZ.tasks()[index]
    observation = QUIZ.observe(QUIZ.reset(task), "solver")
    requests = [player.request(QUIZ, observation, (), f"q{n}", n) for n in range(1500)]
    actions = [player.read(said, observation).value for said in player.engine.generate(requests)]
    right = [QUIZ.returns(QUIZ.step(QUIZ.reset(task), {"solver": action}))["solver"] for action in actions]
    assert np.mean(right) == pytest.approx(found["p_right"][index], abs=0.05)


def test_the_change_is_paired():
    rng = np.random.default_rng(0)
    before = rng.random(200)
    low, mid, high = change(before, before + 0.01)
    assert (low, mid, high) == pytest.approx((0.01, 0.01, 0.01))
    low, mid, high = change(before, rng.random(200))
    assert low < 0 < high


def test_what_is_no_probe_is_refused():
    assert probe_game("quiz", "here").spec.id == "quiz-v0"
    with pytest.raises(
        CapabilityError, match="here: expected a game of one seat with tasks of its own, got kuhn_poker-v0"
    ):
        probe_game("kuhn_poker", "here")
    with pytest.raises(UnknownNameError, match="did you mean quiz-v0"):
        probe_game("quizz", "here")
