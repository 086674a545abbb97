"""Weighted likelihood: by hand, whatever sampled the tokens, and no negative weights."""

import pytest
import torch

from arena.errors import RunError
from training.objectives.nll import WeightedLikelihood
from training.objectives.objective import Tokens


def tokens(advantages, behaviour=(0.0, 0.0)):
    logprobs = torch.tensor([-0.5, -2.0], requires_grad=True)
    return Tokens(logprobs=logprobs, behaviour_logprobs=torch.tensor(behaviour), advantages=torch.tensor(advantages))


def test_loss_and_gradient_by_hand():
    given = tokens([0.75, 0.25], (-9.0, -0.1))
    found = WeightedLikelihood().token_losses(given)
    assert found.losses.tolist() == [0.375, 0.5]
    assert not found.clipped.any()
    found.losses.sum().backward()
    assert given.logprobs.grad.tolist() == [-0.75, -0.25]


def test_negative_weights_are_refused():
    with pytest.raises(
        RunError, match=r"nll: expected weights of at least 0, got -0.5; choose estimator=own_successes"
    ):
        WeightedLikelihood().token_losses(tokens([1.0, -0.5]))
