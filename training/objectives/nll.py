"""Weighted maximum likelihood: imitation of chosen completions."""

from __future__ import annotations

import torch

from arena.errors import RunError
from training.objectives.objective import TokenLosses, Tokens, objectives


@objectives.register("nll")
class WeightedLikelihood:
    """Negative log-likelihood: loss = -A log pi, A >= 0 a weight (STaR, arXiv 2203.14465, all weights 1).

    The tokens are a data set and not the policy's own draws: no ratio, no clip, and a row may come from an earlier
    round or have another prompt than the one it was sampled from. Its advantage is a weight, so a negative one is
    refused: pushing a likelihood down has no bound. ``token_mean`` is the aggregation that fits: each kept token
    counts alike, however long its completion.
    """

    name = "nll"
    accepts_replaced = True

    def token_losses(self, tokens: Tokens) -> TokenLosses:
        """Returns -A log pi for each token.

        Raises:
            RunError: a weight is negative.
        """
        if bool((tokens.advantages < 0).any()):
            raise RunError(
                f"objective nll: expected weights of at least 0, got {float(tokens.advantages.min()):g}; choose "
                "estimator=own_successes, or an objective for signed advantages"
            )
        losses = -tokens.advantages * tokens.logprobs
        return TokenLosses(losses=losses, clipped=torch.zeros_like(losses, dtype=torch.bool))
