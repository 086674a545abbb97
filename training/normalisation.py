"""How much each token weighs in the loss of one optimiser step.

Coefficients are computed for the whole step before the first forward, from counts alone, so the gradient does not
depend on micro-batches, padding, or which rows share a forward. Tokens that were forced, and units whose advantage
is 0, stay in the denominators.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arena.errors import ConfigError
from training.sites import Ints

AGGREGATIONS = ("turn_sum", "turn_mean", "token_mean")


def coefficients(aggregation: str, row_N: Ints, tokens_R: Ints, weights_R: NDArray[np.float64]) -> NDArray[np.float64]:
    """Returns the coefficient of each choice token, ``[N]``.

    Args:
        aggregation: ``turn_sum``: the mean over turns of the sum over tokens (the policy gradient of a turn; Dr. GRPO's
            constant denominator, arXiv 2503.20783); ``turn_mean``: the mean over turns of the mean over tokens (GRPO);
            ``token_mean``: the mean over all tokens (DAPO).
        row_N: the row of each choice token.
        tokens_R: completion tokens of each row, forced ones included.
        weights_R: the weight of each row.
    """
    rows = max(1, len(tokens_R))
    if aggregation == "turn_sum":
        per_row = weights_R / rows
    elif aggregation == "turn_mean":
        per_row = weights_R / (rows * np.maximum(1, tokens_R))
    elif aggregation == "token_mean":
        per_row = weights_R / max(1, int(tokens_R.sum()))
    else:
        raise ConfigError(
            f"aggregation: expected one of {', '.join(AGGREGATIONS)}, got {aggregation!r}; choose one of them"
        )
    result: NDArray[np.float64] = per_row[row_N]
    return result
