"""Randomness of sampling: one uniform per request and token, turned into a token by the inverse distribution function.

The uniform at a position depends on the request's seed and the position alone (SplitMix64 as a counter-based
generator; Steele, Lea & Flood 2014), so a sample does not depend on which requests share its batch, nor on the order
in which they arrive. Distribution functions are summed in double precision, tokens in ascending order of id.

Shapes: B requests, C token positions, V entries of a distribution.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arena.types import Sampling

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_SEED_SALT = np.uint64(0xD1B54A32D192ED03)


def uniforms(seeds_B: Sequence[int], positions: int) -> NDArray[np.float64]:
    """Returns uniforms in [0, 1), ``[B, C]``: entry ``[b, c]`` is a function of seed b and position c only."""
    seeds = np.array([seed & 0xFFFFFFFFFFFFFFFF for seed in seeds_B], dtype=np.uint64)
    streams_B1 = _mix(seeds + _SEED_SALT)[:, None]
    counters_C = np.arange(1, positions + 1, dtype=np.uint64) * _GAMMA
    bits: NDArray[np.uint64] = _mix(streams_B1 + counters_C) >> np.uint64(11)
    return bits.astype(np.float64) * 2.0**-53


def law(logits_V: NDArray[np.float64], sampling: Sampling) -> NDArray[np.float64]:
    """Returns the log-probabilities really sampled from: temperature and truncation applied, -inf where cut off.

    Temperature 0 puts everything on the first greatest logit. ``top_k`` keeps ties with the k-th.
    """
    if sampling.temperature == 0:
        logprobs_V = np.full(len(logits_V), -np.inf)
        logprobs_V[int(np.argmax(logits_V))] = 0.0
        return logprobs_V
    logits_V = logits_V / sampling.temperature
    if 0 < sampling.top_k < len(logits_V):
        least = np.partition(logits_V, -sampling.top_k)[-sampling.top_k]
        logits_V = np.where(logits_V < least, -np.inf, logits_V)
    logprobs_V = _normalised(logits_V)
    if sampling.top_p < 1:
        p_V = np.exp(logprobs_V)
        order = np.argsort(-p_V, kind="stable")
        before = np.cumsum(p_V[order]) - p_V[order]
        cut = np.empty(len(p_V), dtype=bool)
        cut[order] = before >= sampling.top_p
        logprobs_V = _normalised(np.where(cut, -np.inf, logprobs_V))
    return logprobs_V


def pick(logprobs_V: NDArray[np.float64], uniform: float) -> int:
    """Returns the entry at which the distribution function passes ``uniform``; never one of probability 0."""
    cdf_V = np.cumsum(np.exp(logprobs_V))
    point = min(uniform * cdf_V[-1], np.nextafter(cdf_V[-1], 0.0))
    return int(np.searchsorted(cdf_V, point, side="right"))


def truncates(sampling: Sampling) -> bool:
    """Returns whether some tokens of positive probability may not be sampled."""
    return sampling.temperature == 0 or sampling.top_k > 0 or sampling.top_p < 1


def _normalised(logits_V: NDArray[np.float64]) -> NDArray[np.float64]:
    shifted = logits_V - logits_V.max()
    out: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum())
    return out


def _mix(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
