"""The plain policy gradient: minus the advantage times the log-probability."""

from __future__ import annotations

import torch

from training.objectives.objective import TokenLosses, Tokens, objectives


@objectives.register("policy_gradient")
class PolicyGradient:
    """REINFORCE's surrogate (Williams 1992): loss = -A log pi. No ratio and no clip: for one step a round."""

    name = "policy_gradient"
    accepts_replaced = False

    def token_losses(self, tokens: Tokens) -> TokenLosses:
        """Returns -A log pi for each token."""
        losses = -tokens.advantages * tokens.logprobs
        return TokenLosses(losses=losses, clipped=torch.zeros_like(losses, dtype=torch.bool))
