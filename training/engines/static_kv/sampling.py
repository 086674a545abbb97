"""Sampling rows of logits by their requests' own uniforms (the tensor side of ``training.engines.draws``).

Shapes: R rows, V vocabulary, B requests; several requests may share a row.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from arena.types import Sampling
from training.engines.draws import truncates

_BLOCK = 512
"""Double precision is spent on blocks of this many tokens and inside one of them, not on a whole large vocabulary."""


def law_rows(logits_RV: Tensor, sampling: Sampling) -> Tensor:
    """Returns the log-probabilities ``[R, V]`` really sampled from; -inf where cut off."""
    if sampling.temperature not in (0, 1):
        logits_RV = logits_RV / sampling.temperature
    if truncates(sampling):
        logits_RV = _truncated(logits_RV, sampling)
    return torch.log_softmax(logits_RV, dim=-1)


def draw_rows(logprobs_RV: Tensor, rows_B: Tensor | None, uniforms_B: Tensor) -> Tensor:
    """Returns one token a request by the inverse distribution function, ``[B]``.

    Args:
        logprobs_RV: one distribution a row.
        rows_B: the row of each request; ``None`` when request b has row b.
        uniforms_B: in [0, 1), double precision.
    """
    p_RV = logprobs_RV.exp()
    vocabulary = p_RV.shape[1]
    if vocabulary <= _BLOCK:
        return _inverse(p_RV, rows_B, uniforms_B)[0]
    blocks = -(-vocabulary // _BLOCK)
    p_RNK = F.pad(p_RV, (0, blocks * _BLOCK - vocabulary)).view(-1, blocks, _BLOCK)
    block_B, rest_B = _inverse(p_RNK.sum(-1, dtype=torch.float64), rows_B, uniforms_B)
    rows_B = torch.arange(len(block_B), device=block_B.device) if rows_B is None else rows_B
    inside_B, _ = _inverse(p_RNK[rows_B, block_B], None, rest_B, scaled=True)
    return block_B * _BLOCK + inside_B


def _inverse(p_RN: Tensor, rows_B: Tensor | None, at_B: Tensor, *, scaled: bool = False) -> tuple[Tensor, Tensor]:
    """Returns where the distribution function passes, and how far inside that entry; never an entry of 0."""
    cdf_BN = torch.cumsum(p_RN, dim=-1, dtype=torch.float64)
    if rows_B is not None:
        cdf_BN = cdf_BN[rows_B]
    total_B = cdf_BN[:, -1]
    point_B = torch.minimum(at_B if scaled else at_B * total_B, torch.nextafter(total_B, torch.zeros_like(total_B)))
    index_B = torch.searchsorted(cdf_BN, point_B[:, None], right=True)[:, 0]
    index_B = index_B.clamp_(max=cdf_BN.shape[1] - 1)  # only a row of NaN gets here; its log-probability is NaN too
    if scaled:
        return index_B, point_B
    below_B = cdf_BN.gather(1, (index_B - 1).clamp_(min=0)[:, None])[:, 0]
    return index_B, torch.where(index_B > 0, point_B - below_B, point_B)


def _truncated(logits_RV: Tensor, sampling: Sampling) -> Tensor:
    if sampling.temperature == 0:
        best_R1 = logits_RV.argmax(-1, keepdim=True)
        return torch.full_like(logits_RV, -torch.inf).scatter_(1, best_R1, 0.0)
    if 0 < sampling.top_k < logits_RV.shape[1]:
        least_R1 = logits_RV.topk(sampling.top_k, dim=-1).values[:, -1:]
        logits_RV = logits_RV.masked_fill(logits_RV < least_R1, -torch.inf)
    if sampling.top_p < 1:
        p_RV, order_RV = torch.softmax(logits_RV, dim=-1, dtype=torch.float64).sort(
            dim=-1, descending=True, stable=True
        )
        cut_RV = p_RV.cumsum(-1) - p_RV >= sampling.top_p
        logits_RV = logits_RV.masked_fill(cut_RV.scatter(1, order_RV, cut_RV), -torch.inf)
    return logits_RV
