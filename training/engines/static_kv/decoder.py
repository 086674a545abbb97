"""A forward pass over a preallocated key/value cache, arranged for sampling.

The same function as the Hugging Face model, on fused weights (``weights.py``). All rows of a cache write at the same
place, so shorter prompts are padded on the left and the padding is masked; rows can be copied and dropped, which is
how equal requests share one row until their samples differ.

Shapes: R rows, S new tokens, T cached and new tokens, L layers, H query heads, K key/value heads, E head width,
D width.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from training.engines.static_kv.weights import Geometry, Weights


class Cache:
    """Keys and values of R rows for up to T tokens, allocated once.

    Attributes:
        kv: ``[L, R, 2, K, T, E]``.
        blocked: what a row must not attend to (its padding), as an additive mask ``[R, 1, 1, T]``, or ``None``.
        filled: tokens written so far; all rows write at the same place, so shorter prompts are padded on the left.
    """

    def __init__(self, geometry: Geometry, rows: int, tokens: int, device: str) -> None:
        shape = (geometry.layers, rows, 2, geometry.kv_heads, tokens, geometry.head_width)
        self.kv = torch.empty(shape, device=device)
        self.blocked: Tensor | None = None
        self.filled = 0

    def copy_rows(self, sources: Tensor, targets: Tensor) -> None:
        """Overwrites rows ``targets`` with rows ``sources``; no row may be both."""
        filled = self.kv[:, :, :, :, : self.filled]
        filled[:, targets] = filled[:, sources]
        if self.blocked is not None:
            self.blocked[targets] = self.blocked[sources]

    def expanded(self, sources: Tensor, tokens: int) -> Cache:
        """Returns a cache with room for ``tokens`` more, whose rows are copies of rows ``sources``."""
        copy = object.__new__(Cache)
        layers, _, _, heads, _, width = self.kv.shape
        copy.kv = self.kv.new_empty((layers, len(sources), 2, heads, self.filled + tokens, width))
        copy.kv[:, :, :, :, : self.filled] = self.kv[:, sources, :, :, : self.filled]
        copy.blocked = None
        if self.blocked is not None:
            copy.blocked = torch.zeros((len(sources), 1, 1, self.filled + tokens), device=self.kv.device)
            copy.blocked[..., : self.filled] = self.blocked[sources, ..., : self.filled]
        copy.filled = self.filled
        return copy


class Decoder:
    """Runs any loaded version of one architecture.

    Args:
        geometry: the architecture.
        device: where the weights lie.
    """

    def __init__(self, geometry: Geometry, device: str = "cpu") -> None:
        self.geometry = geometry
        self.device = device
        self._rotations = torch.empty((0, geometry.head_width // 2), dtype=torch.complex64, device=device)

    def cache(self, rows: int, tokens: int) -> Cache:
        """Returns an empty cache of ``rows`` rows with room for ``tokens`` tokens each."""
        return Cache(self.geometry, rows, tokens, self.device)

    def rotations(self, positions_RS: Tensor, most: int) -> Tensor:
        """Returns the rotary factors ``[R, S, 1, E/2]`` (complex) at positions below ``most``."""
        if most > len(self._rotations):
            size = max(256, 1 << (most - 1).bit_length())
            angles = torch.arange(size).float()[:, None] * self.geometry.frequencies[None, :].cpu().float()
            table = torch.complex(angles.cos(), angles.sin()) * self.geometry.rotation_scale
            self._rotations = table.to(self.device)
        return self._rotations[positions_RS].unsqueeze(2)

    def extend(
        self,
        weights: Weights,
        cache: Cache,
        tokens_RS: Tensor,
        rotations: Tensor,
        mask: Tensor | None,
        *,
        causal: bool = False,
    ) -> Tensor:
        """Reads S more tokens a row into the cache and returns their last hidden states ``[R, S, D]``, normalised.

        Args:
            weights: which version reads.
            cache: its first R rows are extended.
            tokens_RS: token ids.
            rotations: of the new tokens' positions.
            mask: additive, ``[R, 1, 1 or S, T]``; ``None`` when every cached token may be seen.
            causal: new tokens see only earlier new ones; only for an empty cache and without a mask.
        """
        g = self.geometry
        rows, new = tokens_RS.shape
        past, until = cache.filled, cache.filled + new
        layers = cache.kv[:, :rows, :, :, :until].unbind(0)
        x = F.embedding(tokens_RS, weights.embedding).view(rows * new, g.width)
        heads = g.heads + 2 * g.kv_heads
        for block, kv in zip(weights.blocks, layers, strict=True):
            h = F.rms_norm(x, (g.width,), eps=g.eps)
            qkv = F.linear(h, block.qkv, block.qkv_bias).view(rows, new, heads, g.head_width)
            if block.q_gain is not None and block.k_gain is not None:
                self._normalise(qkv, block.q_gain, block.k_gain)
            pairs = qkv[:, :, : g.heads + g.kv_heads].view(rows, new, -1, g.head_width // 2, 2)
            torch.view_as_complex(pairs).mul_(rotations)
            fresh = qkv[:, :, g.heads :].view(rows, new, 2, g.kv_heads, g.head_width)
            kv[:, :, :, past:until].copy_(fresh.permute(0, 2, 3, 1, 4))
            seen = self._attend(qkv[:, :, : g.heads], kv, mask, causal=causal)
            x = torch.addmm(x, seen.reshape(rows * new, -1), block.out_T)
            if block.out_bias is not None:
                x += block.out_bias
            gate_up = F.linear(F.rms_norm(x, (g.width,), eps=g.eps), block.gate_up, block.gate_up_bias)
            gate, up = gate_up.chunk(2, dim=-1)
            x = torch.addmm(x, F.silu(gate).mul_(up), block.down_T)
            if block.down_bias is not None:
                x += block.down_bias
        cache.filled = until
        return F.rms_norm(x, (g.width,), weights.gain, g.eps).view(rows, new, g.width)

    def logits(self, weights: Weights, hidden_ND: Tensor) -> Tensor:
        """Returns the logits ``[N, V]`` of normalised hidden states."""
        return F.linear(hidden_ND, weights.head)

    def _normalise(self, qkv: Tensor, q_gain: Tensor, k_gain: Tensor) -> None:
        g = self.geometry
        for start, stop, gain in ((0, g.heads, q_gain), (g.heads, g.heads + g.kv_heads, k_gain)):
            part = qkv[:, :, start:stop]
            part.copy_(F.rms_norm(part, (g.head_width,), gain, g.eps))

    def _attend(self, q_RSHE: Tensor, kv: Tensor, mask: Tensor | None, *, causal: bool) -> Tensor:
        """Returns what each new token gathers, ``[R, S, H, E]``."""
        g = self.geometry
        rows, new = q_RSHE.shape[:2]
        keys, values = kv.unbind(1)
        if new == 1:  # query heads that share a key head stand where queries of one head would
            q = q_RSHE.view(rows, g.kv_heads, g.heads // g.kv_heads, g.head_width)
            return F.scaled_dot_product_attention(q, keys, values, attn_mask=mask).view(rows, 1, g.heads, -1)
        out = F.scaled_dot_product_attention(
            q_RSHE.transpose(1, 2),
            keys,
            values,
            attn_mask=mask,
            is_causal=causal,
            enable_gqa=g.heads != g.kv_heads,
        )
        return out.transpose(1, 2)
