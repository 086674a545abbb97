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

_MANY = 64
"""Queries from which on a gather beats the fused attention kernel for single tokens."""


class Cache:
    """Keys and values of R rows for up to T tokens.

    Keys lie transposed, so that the scores of one query are a weighted sum of contiguous rows, as its output is.

    Args:
        geometry: the architecture.
        rows: R.
        tokens: T.
        memory: at least ``Cache.size(...)`` numbers; their values do not matter.

    Attributes:
        keys: ``[L, R, K, E, T]``.
        values: ``[L, R, K, T, E]``.
        blocked: what a row must not attend to (its padding), as an additive mask ``[R, 1, 1, T]``, or ``None``.
        filled: tokens written so far; all rows write at the same place, so shorter prompts are padded on the left.
    """

    def __init__(self, geometry: Geometry, rows: int, tokens: int, memory: Tensor) -> None:
        lead, half = (geometry.layers, rows, geometry.kv_heads), self.size(geometry, rows, tokens) // 2
        self.keys = memory[:half].view(*lead, geometry.head_width, tokens)
        self.values = memory[half : 2 * half].view(*lead, tokens, geometry.head_width)
        self.blocked: Tensor | None = None
        self.filled = 0

    @staticmethod
    def size(geometry: Geometry, rows: int, tokens: int) -> int:
        """Returns how many numbers a cache holds."""
        return 2 * geometry.layers * rows * geometry.kv_heads * geometry.head_width * tokens

    @property
    def room(self) -> int:
        """T, the most tokens of a row."""
        return self.keys.shape[-1]

    def copy_rows(self, sources: Tensor, targets: Tensor) -> None:
        """Overwrites rows ``targets`` with rows ``sources``; no row may be both."""
        keys, values = self.keys[..., : self.filled], self.values[..., : self.filled, :]
        keys[:, targets] = keys[:, sources]
        values[:, targets] = values[:, sources]
        if self.blocked is not None:
            self.blocked[targets] = self.blocked[sources]

    def expanded(self, geometry: Geometry, sources: Tensor, tokens: int) -> Cache:
        """Returns a cache with room for ``tokens`` more, whose rows are copies of rows ``sources``."""
        rows, room = len(sources), self.filled + tokens
        copy = Cache(geometry, rows, room, self.keys.new_empty(self.size(geometry, rows, room)))
        copy.keys[..., : self.filled] = self.keys[:, sources, ..., : self.filled]
        copy.values[..., : self.filled, :] = self.values[:, sources, :, : self.filled]
        if self.blocked is not None:
            copy.blocked = torch.zeros((rows, 1, 1, room), device=self.keys.device)
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
        self._memory = torch.empty(0, device=device)
        self._rotations = torch.empty((0, geometry.head_width // 2), dtype=torch.complex64, device=device)

    def cache(self, rows: int, tokens: int) -> Cache:
        """Returns an empty cache of ``rows`` rows with room for ``tokens`` tokens each.

        It lies in memory that is kept, since fresh memory costs a tenth of the time that is spent with it; it is
        valid until the next call.
        """
        size = Cache.size(self.geometry, rows, tokens)
        if self._memory.numel() < size:
            self._memory = torch.empty(size, device=self.device)
        return Cache(self.geometry, rows, tokens, self._memory)

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
        past, cache.filled = cache.filled, cache.filled + new
        gather = _Gather(g, cache, rows) if new == 1 and rows * g.heads >= _MANY else None
        x = F.embedding(tokens_RS, weights.embedding).view(rows * new, g.width)
        for layer, block in enumerate(weights.blocks):
            h = F.rms_norm(x, (g.width,), eps=g.eps)
            qkv = _product(h, block.qkv_T, block.qkv_bias).view(rows, new, g.heads + 2 * g.kv_heads, g.head_width)
            if block.q_gain is not None and block.k_gain is not None:
                self._normalise(qkv, block.q_gain, block.k_gain)
            turning = qkv[:, :, : g.heads + g.kv_heads]
            torch.view_as_complex(turning.view(rows, new, -1, g.head_width // 2, 2)).mul_(rotations)
            q, k, v = qkv.split((g.heads, g.kv_heads, g.kv_heads), dim=2)
            cache.keys[layer, :rows, ..., past : cache.filled] = k.permute(0, 2, 3, 1)
            cache.values[layer, :rows, :, past : cache.filled] = v.transpose(1, 2)
            if gather is not None:
                seen = gather.attend(q, cache, layer, mask)
            else:
                if past:
                    k = cache.keys[layer, :rows, ..., : cache.filled].permute(0, 3, 1, 2)
                    v = cache.values[layer, :rows, :, : cache.filled].transpose(1, 2)
                seen = self._attend(q, k, v, mask, causal=causal)
            x = torch.addmm(x, seen, block.out_T)
            if block.out_bias is not None:
                x += block.out_bias
            gate_up = _product(F.rms_norm(x, (g.width,), eps=g.eps), block.gate_up_T, block.gate_up_bias)
            gate, up = gate_up.chunk(2, dim=-1)
            x = torch.addmm(x, F.silu(gate).mul_(up), block.down_T)
            if block.down_bias is not None:
                x += block.down_bias
        return F.rms_norm(x, (g.width,), weights.gain, g.eps).view(rows, new, g.width)

    def logits(self, weights: Weights, hidden_ND: Tensor) -> Tensor:
        """Returns the logits ``[N, V]`` of normalised hidden states."""
        return F.linear(hidden_ND, weights.head)

    def _normalise(self, qkv: Tensor, q_gain: Tensor, k_gain: Tensor) -> None:
        g = self.geometry
        for start, stop, gain in ((0, g.heads, q_gain), (g.heads, g.heads + g.kv_heads, k_gain)):
            part = qkv[:, :, start:stop]
            part.copy_(F.rms_norm(part, (g.head_width,), gain, g.eps))

    def _attend(self, q_RSHE: Tensor, k_RTKE: Tensor, v_RTKE: Tensor, mask: Tensor | None, *, causal: bool) -> Tensor:
        """Returns what each new token gathers, ``[R * S, H * E]``."""
        g = self.geometry
        rows, new = q_RSHE.shape[:2]
        out = F.scaled_dot_product_attention(
            q_RSHE.transpose(1, 2),
            k_RTKE.transpose(1, 2).contiguous(),
            v_RTKE.transpose(1, 2),
            attn_mask=mask,
            is_causal=causal,
            scale=1.0,
            enable_gqa=g.heads != g.kv_heads,
        )
        return out.transpose(1, 2).reshape(rows * new, g.heads * g.head_width)


def _product(x: Tensor, weight_T: Tensor, bias: Tensor | None) -> Tensor:
    return torch.mm(x, weight_T) if bias is None else torch.addmm(bias, x, weight_T)


class _Gather:
    """Attention of one new token a row, as two weighted sums of cache rows.

    For a single query, the fused attention kernel of the CPU spends its time waiting for memory; the kernel of
    ``embedding_bag`` prefetches, and is nearly twice as fast at 128 rows.
    """

    def __init__(self, geometry: Geometry, cache: Cache, rows: int) -> None:
        g, device = geometry, cache.keys.device
        heads = torch.arange(rows * g.kv_heads, dtype=torch.int32, device=device)
        heads = heads.repeat_interleave(g.heads // g.kv_heads)[:, None]
        of_keys = heads * g.head_width + torch.arange(g.head_width, dtype=torch.int32, device=device)
        of_values = heads * cache.room + torch.arange(cache.filled, dtype=torch.int32, device=device)
        self._keys, self._key_bags = _bags(of_keys)
        self._values, self._value_bags = _bags(of_values)
        self._geometry = g
        self._rows = rows

    def attend(self, q_R1HE: Tensor, cache: Cache, layer: int, mask: Tensor | None) -> Tensor:
        """Returns what each new token gathers, ``[R, H * E]``."""
        g, rows = self._geometry, self._rows
        keys, values = cache.keys[layer].view(-1, cache.room), cache.values[layer].view(-1, g.head_width)
        scores = _weighted_sums(keys, self._keys, self._key_bags, q_R1HE)[:, : cache.filled]
        if mask is not None:
            scores = (scores.view(rows, g.heads, 1, -1) + mask).view(rows * g.heads, -1)
        out = _weighted_sums(values, self._values, self._value_bags, torch.softmax(scores, dim=-1))
        return out.view(rows, g.heads * g.head_width)


def _bags(index_BN: Tensor) -> tuple[Tensor, Tensor]:
    """Returns the flat index of equal bags and where each begins."""
    bags, size = index_BN.shape
    return index_BN.view(-1), torch.arange(0, bags * size, size, dtype=torch.int32, device=index_BN.device)


def _weighted_sums(table: Tensor, index: Tensor, begins: Tensor, weights: Tensor) -> Tensor:
    """Returns one weighted sum of rows of ``table`` a bag (mode 0 of ``embedding_bag``)."""
    return torch.embedding_bag(table, index, begins, False, 0, False, weights.reshape(-1))[0]
