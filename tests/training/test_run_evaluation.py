"""Which weights of a checkpoint an evaluation measures."""

import torch
from kuhn_world import policy
from training_samples import policy_config, row

from training.checkpoints import Checkpoint, weights_digest
from training.learner import Learner
from training.objectives.objective import objectives
from training.run_evaluation import _measured


def saved(average):
    """The checkpoint of a policy that took three steps, with the policy."""
    one = policy()
    config = policy_config(learning_rate=1e-2, evaluate_average=average, reference="ema")
    one.learner = Learner(config, objectives.make("nll"), one.model, rounds=3)
    for step in range(3):
        one.learner.update([row((5, 6, 7), (8, 9))], step)
    tensors = {"player.weights": one.weights(), "player.learner": one.learner.tensors()}
    return Checkpoint(rounds_done=3, tensors=tensors, state={}), one


def test_the_average_is_measured_where_the_run_kept_one():
    checkpoint, one = saved(average=0.5)
    measured = _measured(checkpoint, "player")
    assert weights_digest(measured) == weights_digest(one.learner.averaged_weights())
    assert weights_digest(measured) != one.digest()
    other = policy(seed=1)
    other.restore(measured, 3)  # every weight is there, under its own name
    assert other.digest() == weights_digest(measured)


def test_the_live_weights_are_measured_otherwise():
    checkpoint, one = saved(average=0.0)
    assert weights_digest(_measured(checkpoint, "player")) == one.digest()


def test_a_frozen_policy_is_measured_as_it_is():
    one = policy()
    checkpoint = Checkpoint(rounds_done=0, tensors={"player.weights": one.weights()}, state={})
    measured = _measured(checkpoint, "player")
    assert all(torch.equal(value, one.weights()[name]) for name, value in measured.items())
