"""The plain policy gradient: minus the advantage, whatever the ratio."""

import torch

from training.objectives.objective import Tokens
from training.objectives.policy_gradient import PolicyGradient


def test_loss_and_gradient():
    logprobs = torch.tensor([-1.0, -2.0, -0.5], requires_grad=True)
    tokens = Tokens(
        logprobs=logprobs, behaviour_logprobs=torch.tensor([-5.0, -2.0, 0.0]), advantages=torch.tensor([2.0, -1.0, 0.0])
    )
    result = PolicyGradient().token_losses(tokens)
    result.losses.sum().backward()
    assert result.losses.tolist() == [2.0, -2.0, 0.0]
    assert logprobs.grad.tolist() == [-2.0, 1.0, 0.0]
    assert result.clipped.tolist() == [False, False, False]
