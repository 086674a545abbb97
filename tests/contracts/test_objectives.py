"""Every registered objective: pure, one loss a token, independent of company, and a policy gradient at ratio 1.

Objectives that accept replaced contexts take weights, so they are given no negative ones.
"""

import pytest
import torch

from training.objectives.objective import Objective, Tokens, objectives

NAMES = list(objectives)


def tokens(name, shift=0.0, part=slice(None)):
    logprobs = torch.tensor([-0.3, -1.2, -2.0, -0.7])
    moved = logprobs + shift * torch.tensor([1.0, -1.0, 0.1, -0.1])
    advantages = torch.tensor([1.0, -1.0, 0.5, 0.0])
    if objectives.make(name).accepts_replaced:
        advantages = advantages.abs()
    return Tokens(
        logprobs=moved[part].clone().requires_grad_(), behaviour_logprobs=logprobs[part], advantages=advantages[part]
    )


@pytest.mark.parametrize("name", NAMES)
def test_objective(name):
    objective = objectives.make(name)
    assert isinstance(objective, Objective)
    assert objective.name == name
    first, again = objective.token_losses(tokens(name, 0.9)), objective.token_losses(tokens(name, 0.9))
    assert torch.equal(first.losses, again.losses) and torch.equal(first.clipped, again.clipped)
    assert first.losses.shape == first.clipped.shape == (4,)
    assert first.clipped.dtype == torch.bool
    assert torch.isfinite(first.losses).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_token_does_not_depend_on_its_company(name):
    whole = objectives.make(name).token_losses(tokens(name, 0.9)).losses
    alone = [objectives.make(name).token_losses(tokens(name, 0.9, slice(i, i + 1))).losses for i in range(4)]
    assert torch.equal(whole, torch.cat(alone))


@pytest.mark.parametrize("name", NAMES)
def test_at_ratio_one_the_gradient_is_minus_the_advantage(name):
    given = tokens(name)
    objectives.make(name).token_losses(given).losses.sum().backward()
    torch.testing.assert_close(given.logprobs.grad, -given.advantages)
