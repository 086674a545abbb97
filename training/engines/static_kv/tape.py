"""What a batch has sampled so far, request by request.

Shapes: B requests, C token positions, L live requests, R rows, V vocabulary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from arena.errors import EngineError
from arena.types import Sampling
from training.engines.draws import truncates, uniforms
from training.engines.static_kv.sampling import draw_rows

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One sampled completion."""

    tokens: Tokens
    logprobs: tuple[float, ...]
    support: tuple[Tokens, ...] | None


class Tape:
    """The tokens sampled so far, request by request."""

    def __init__(self, requests: int, sampling: Sampling, seeds: Sequence[int], device: str) -> None:
        self._uniforms_BC = uniforms(seeds, sampling.max_tokens)
        self._tokens_BC = np.zeros((requests, sampling.max_tokens), dtype=np.int64)
        self._logprobs_BC = np.zeros((requests, sampling.max_tokens), dtype=np.float32)
        self._lengths_B = np.zeros(requests, dtype=np.int64)
        self._support: list[list[Tokens]] | None = [[] for _ in range(requests)] if truncates(sampling) else None
        self._device = device

    def draw(
        self, logprobs_RV: Tensor, live: NDArray[np.int64], row_L: NDArray[np.int64], step: int
    ) -> NDArray[np.int64]:
        """Samples and records the next token of each live request, ``[L]``."""
        own = len(row_L) == len(logprobs_RV) and bool((row_L == np.arange(len(row_L))).all())
        rows = None if own else torch.from_numpy(row_L).to(self._device)
        points = torch.from_numpy(self._uniforms_BC[live, step]).to(self._device)
        drawn = draw_rows(logprobs_RV, rows, points)
        picked = (logprobs_RV if rows is None else logprobs_RV[rows]).gather(1, drawn[:, None])[:, 0]
        token_L, logprob_L = drawn.cpu().numpy(), picked.cpu().numpy()
        if not np.isfinite(logprob_L).all():
            raise NotFiniteError(int(live[int(np.flatnonzero(~np.isfinite(logprob_L))[0])]))
        self._tokens_BC[live, step] = token_L
        self._logprobs_BC[live, step] = logprob_L
        self._lengths_B[live] = step + 1
        if self._support is not None:
            kept_R = [tuple(torch.nonzero(row > -torch.inf)[:, 0].tolist()) for row in logprobs_RV]
            for request, row in zip(live.tolist(), row_L.tolist(), strict=True):
                self._support[request].append(kept_R[row])
        return token_L

    def drawn(self) -> list[Drawn]:
        """Returns every request's completion."""
        tokens, logprobs = self._tokens_BC.tolist(), self._logprobs_BC.tolist()
        return [
            Drawn(
                tokens=tuple(tokens[b][:length]),
                logprobs=tuple(logprobs[b][:length]),
                support=None if self._support is None else tuple(self._support[b]),
            )
            for b, length in enumerate(self._lengths_B.tolist())
        ]


class NotFiniteError(EngineError):
    """Logits are NaN or infinite; carries the index of the first request that met them."""

    def __init__(self, index: int) -> None:
        super().__init__(f"request {index}")
        self.index = index
