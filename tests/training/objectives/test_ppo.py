"""PPO-clip: values and gradients inside and outside of the clip, for advantages of both signs."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError
from training.objectives.objective import MAX_LOG_RATIO, Tokens
from training.objectives.policy_gradient import PolicyGradient
from training.objectives.ppo import ClippedPolicyGradient

PPO = ClippedPolicyGradient(0.2, 0.3)


def evaluated(objective, ratio, advantage):
    """The loss, its gradient by log pi, and whether the token was clipped."""
    logprob = torch.tensor([math.log(ratio) - 1.0], dtype=torch.float64, requires_grad=True)
    one = torch.ones(1, dtype=torch.float64)
    result = objective.token_losses(Tokens(logprobs=logprob, behaviour_logprobs=-one, advantages=advantage * one))
    (slope,) = torch.autograd.grad(result.losses.sum(), logprob)
    return result.losses.item(), slope.item(), result.clipped.item()


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss", "slope", "clipped"),
    [
        (1.0, 2.0, -2.0, -2.0, False),
        (1.1, 2.0, -2.2, -2.2, False),
        (1.5, 2.0, -2.6, 0.0, True),  # risen enough: 1.3 * 2
        (0.5, 2.0, -1.0, -1.0, False),  # fell although it did well: full gradient
        (0.5, -2.0, 1.6, 0.0, True),  # fallen enough: 0.8 * 2
        (1.5, -2.0, 3.0, 3.0, False),  # rose although it did badly: full gradient
        (1.5, 0.0, 0.0, 0.0, False),
    ],
)
def test_known_values(ratio, advantage, loss, slope, clipped):
    found = evaluated(PPO, ratio, advantage)
    assert found[:2] == pytest.approx((loss, slope), abs=1e-9)
    assert found[2] is clipped


@given(st.floats(0.05, 3.0), st.floats(-3, 3))
def test_the_gradient_agrees_with_finite_differences(ratio, advantage):
    if min(abs(ratio - 0.8), abs(ratio - 1.3)) < 1e-3:
        return  # the kinks of the clip
    loss, slope, _ = evaluated(PPO, ratio, advantage)
    step = 1e-6
    up, down = (evaluated(PPO, ratio * math.exp(sign * step), advantage)[0] for sign in (1, -1))
    assert slope == pytest.approx((up - down) / (2 * step), abs=1e-6)
    assert loss == pytest.approx(-min(ratio * advantage, min(max(ratio, 0.8), 1.3) * advantage), abs=1e-9)


@given(st.floats(-5, 5))
def test_at_ratio_one_it_is_the_plain_policy_gradient(advantage):
    assert evaluated(PPO, 1.0, advantage)[1] == pytest.approx(evaluated(PolicyGradient(), 1.0, advantage)[1], abs=1e-12)


@pytest.mark.parametrize("gap", [1000.0, -1000.0])
def test_no_ratio_overflows(gap):
    tokens = Tokens(
        logprobs=torch.tensor([gap], requires_grad=True),
        behaviour_logprobs=torch.zeros(1),
        advantages=torch.tensor([-1.0]),
    )
    loss = PPO.token_losses(tokens).losses.item()
    assert math.isfinite(loss)
    assert loss == pytest.approx(math.exp(MAX_LOG_RATIO) if gap > 0 else 0.8, rel=1e-5)


@pytest.mark.parametrize("knobs", [{"clip_low": 0.0}, {"clip_high": -0.1}, {"clip_low": float("nan")}])
def test_a_clip_that_clips_nothing_or_everything_is_refused(knobs):
    with pytest.raises(ConfigError, match=f"objective.{next(iter(knobs))}: expected a number above 0"):
        ClippedPolicyGradient(**knobs)
