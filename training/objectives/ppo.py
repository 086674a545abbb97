"""PPO's clipped surrogate, token by token."""

from __future__ import annotations

import torch

from arena.errors import ConfigError
from training.objectives.objective import TokenLosses, Tokens, objectives, ratios


@objectives.register("ppo")
class ClippedPolicyGradient:
    """PPO-clip (arXiv 1707.06347, eq. 7): loss = -min(r A, clip(r, 1 - low, 1 + high) A), r = pi / mu.

    Args:
        clip_low: how far a ratio may fall below 1; the paper's epsilon is 0.2.
        clip_high: how far a ratio may rise above 1; DAPO (arXiv 2503.14476) raises it to 0.28.
    """

    name = "ppo"
    accepts_replaced = False

    def __init__(self, clip_low: float = 0.2, clip_high: float = 0.2) -> None:
        for name, value in (("clip_low", clip_low), ("clip_high", clip_high)):
            if not value > 0:
                raise ConfigError(f"objective.{name}: expected a number above 0, got {value}; the paper's is 0.2")
        self.clip_low = clip_low
        self.clip_high = clip_high

    def token_losses(self, tokens: Tokens) -> TokenLosses:
        """Returns the clipped surrogate for each token."""
        ratio_N = ratios(tokens)
        plain_N = ratio_N * tokens.advantages
        limited_N = ratio_N.clamp(1.0 - self.clip_low, 1.0 + self.clip_high) * tokens.advantages
        return TokenLosses(losses=-torch.minimum(plain_N, limited_N), clipped=(limited_N < plain_N).detach())
