"""The contract of an objective: log-probabilities and advantages in, one loss a token out.

Objectives are pure functions of tensors. Which tokens count, how much each weighs and how the sum is normalised is
the learner's business (``training.normalisation``), so that no objective depends on micro-batches. Shapes: N tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch

from arena.registry import Registry

MAX_LOG_RATIO = 20.0
"""Log-ratios are clamped to +-20 before exponentiation, so that no ratio overflows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What an objective may look at, each ``[N]``.

    Attributes:
        logprobs: under the current weights; the only one with a gradient.
        behaviour_logprobs: under the policy that sampled, as it sampled (masked and renormalised alike); 0 for tokens
            that nobody sampled, which only an objective that ``accepts_replaced`` is given.
        advantages: the advantage of each token's unit.
    """

    logprobs: torch.Tensor
    behaviour_logprobs: torch.Tensor
    advantages: torch.Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLosses:
    """One loss a token, and which tokens were clipped (no gradient through the ratio), each ``[N]``."""

    losses: torch.Tensor
    clipped: torch.Tensor


@runtime_checkable
class Objective(Protocol):
    """Turns advantages into a loss.

    Attributes:
        name: the registered name.
        accepts_replaced: whether rows without behaviour log-probabilities may be trained. Its advantages are weights,
            at least 0: rows of weight 0 are left out before anything is counted.
    """

    name: str
    accepts_replaced: bool

    def token_losses(self, tokens: Tokens) -> TokenLosses:
        """Returns one loss a token, to be minimised."""
        ...


objectives: Registry[Objective] = Registry("objective", "training.objectives")
"""Every registered objective, by name (``ppo``)."""


def ratios(tokens: Tokens) -> torch.Tensor:
    """Returns pi / mu for each token, ``[N]``."""
    return (tokens.logprobs - tokens.behaviour_logprobs).clamp(-MAX_LOG_RATIO, MAX_LOG_RATIO).exp()
