"""A forward pass for Llama-, Qwen2- and Qwen3-type weights over a preallocated key/value cache.

The same function as the Hugging Face model, arranged for sampling: query, key and value are one matrix product, gate
and up are another, normalisation gains are folded into the matrix that follows, and a rotary embedding is one
complex multiplication in place (rows of the query and key matrices are permuted at load time so that a pair is
adjacent; scores do not change under a common permutation). Each set of weights is a copy: training may go on with
the originals.

Left out: sliding windows, rotary embeddings that depend on the sequence length, partial rotation, mixtures of
experts, low precision. ``Geometry.of`` refuses them by name.

Shapes: R rows, S new tokens, T cached and new tokens, L layers, H query heads, K key/value heads, E head width, D width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 (its customary name)
from torch import Tensor

from arena.errors import EngineError, InputError
from training.models.directory import ARCHITECTURES

_FIXED_ROTATIONS = ("default", "linear", "llama3", "yarn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometry:
    """The shape of a model and its rotary frequencies.

    Attributes:
        width: D.
        layers: L.
        heads: H.
        kv_heads: K.
        head_width: E.
        vocabulary: V.
        eps: of every normalisation.
        tied: the head is the transposed embedding.
        frequencies: rotary frequencies, ``[E/2]``.
        rotation_scale: multiplies cosine and sine.
    """

    width: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    vocabulary: int
    eps: float
    tied: bool
    frequencies: Tensor
    rotation_scale: float

    @classmethod
    def of(cls, config: Any) -> Geometry:  # noqa: ANN401
        """Returns the geometry of a Hugging Face config.

        Raises:
            InputError: the architecture or one of its options is not decoded here.
        """
        _refuse_unknown(config)
        from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

        rotary: Any = LlamaRotaryEmbedding(config=config)
        heads = int(config.num_attention_heads)
        return cls(
            width=int(config.hidden_size),
            layers=int(config.num_hidden_layers),
            heads=heads,
            kv_heads=int(config.num_key_value_heads),
            head_width=int(getattr(config, "head_dim", None) or config.hidden_size // heads),
            vocabulary=int(config.vocab_size),
            eps=float(config.rms_norm_eps),
            tied=bool(config.tie_word_embeddings),
            frequencies=rotary.inv_freq.detach().clone(),
            rotation_scale=float(rotary.attention_scaling),
        )


def _refuse_unknown(config: Any) -> None:  # noqa: ANN401
    kind = config.model_type
    if kind not in ARCHITECTURES:
        raise InputError(
            f"engine.torch: expected one of the architectures {', '.join(ARCHITECTURES)}, got {kind!r}; "
            "choose such a model, or an engine that serves this one"
        )
    rope = dict(config.rope_parameters)
    layer_types = getattr(config, "layer_types", None) or []
    found = {
        "hidden_act": (config.hidden_act, ("silu",)),
        "rope_type": (rope.get("rope_type", "default"), _FIXED_ROTATIONS),
        "partial_rotary_factor": (rope.get("partial_rotary_factor", 1.0), (1.0,)),
        "layer_types": (next((t for t in layer_types if t != "full_attention"), "full_attention"), ("full_attention",)),
    }
    for option, (value, allowed) in found.items():
        if value not in allowed:
            raise InputError(
                f"engine.torch: expected {option} to be {' or '.join(map(str, allowed))}, got {value!r}; "
                "choose another model, or an engine that serves this one"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The weights of one layer, fused; transposed where they follow an addition."""

    qkv: Tensor
    qkv_bias: Tensor | None
    q_gain: Tensor | None
    k_gain: Tensor | None
    out_T: Tensor
    out_bias: Tensor | None
    gate_up: Tensor
    gate_up_bias: Tensor | None
    down_T: Tensor
    down_bias: Tensor | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """One immutable version of a policy."""

    embedding: Tensor
    blocks: tuple[Block, ...]
    gain: Tensor
    head: Tensor


class _Source:
    """Named weights, read once each, so that what is missing, misshapen or left over can be said."""

    def __init__(self, named: Mapping[str, Any], device: str) -> None:
        self._named = named
        self._device = device
        self._read: set[str] = set()

    def get(self, name: str) -> Tensor:
        """Returns a single-precision copy of ``name``."""
        if name not in self._named:
            raise EngineError(
                f"engine.torch.load: expected a weight {name}, got {len(self._named)} weights without it; "
                "pass the model's whole state_dict"
            )
        self._read.add(name)
        return torch.as_tensor(self._named[name]).detach().to(self._device, torch.float32, copy=True)

    def find(self, name: str) -> Tensor | None:
        """Returns a copy of ``name``, or ``None`` when the model has no such weight."""
        return self.get(name) if name in self._named else None

    def check_all_read(self) -> None:
        """Refuses weights that the forward pass would ignore."""
        left = sorted(set(self._named) - self._read - {"lm_head.weight"})
        left = [name for name in left if not name.endswith("rotary_emb.inv_freq")]
        if left:
            raise EngineError(
                f"engine.torch.load: expected only weights of the architecture, got {', '.join(left[:3])} too; "
                "merge adapters first"
            )


def fuse(geometry: Geometry, named: Mapping[str, Any], device: str) -> Weights:
    """Returns the fused copy of a Hugging Face ``state_dict`` (tensors or arrays).

    Raises:
        EngineError: a weight is missing, has a wrong shape, or is unknown.
    """
    source = _Source(named, device)
    embedding = source.get("model.embed_tokens.weight")
    if tuple(embedding.shape) != (geometry.vocabulary, geometry.width):
        raise EngineError(
            f"engine.torch.load: expected embeddings {(geometry.vocabulary, geometry.width)}, got "
            f"{tuple(embedding.shape)}; load weights of the model that the engine was built for"
        )
    try:
        blocks = tuple(_fuse_block(geometry, source, f"model.layers.{i}.") for i in range(geometry.layers))
    except RuntimeError as error:  # torch names the shapes
        raise EngineError(
            f"engine.torch.load: expected weights of the engine's own model, got {error}; load those"
        ) from error
    gain = source.get("model.norm.weight")
    head = embedding if geometry.tied else source.get("lm_head.weight")
    source.check_all_read()
    return Weights(embedding=embedding, blocks=blocks, gain=gain, head=head)


def _fuse_block(geometry: Geometry, source: _Source, prefix: str) -> Block:
    attention, feed = prefix + "self_attn.", prefix + "mlp."
    before, between = source.get(prefix + "input_layernorm.weight"), source.get(
        prefix + "post_attention_layernorm.weight"
    )
    parts = [source.get(f"{attention}{name}_proj.weight") for name in "qkv"]
    biases = [source.find(f"{attention}{name}_proj.bias") for name in "qkv"]
    qkv = torch.cat([_adjacent(parts[0], geometry), _adjacent(parts[1], geometry), parts[2]]) * before
    qkv = qkv.view((geometry.heads + 2 * geometry.kv_heads) * geometry.head_width, geometry.width)
    gate_up_bias = [source.find(f"{feed}{name}_proj.bias") for name in ("gate", "up")]
    q_gain, k_gain = source.find(attention + "q_norm.weight"), source.find(attention + "k_norm.weight")
    return Block(
        qkv=qkv,
        qkv_bias=_fuse_biases(
            [None if b is None else _adjacent(b, geometry) for b in biases[:2]] + biases[2:]
        ),
        q_gain=None if q_gain is None else _adjacent(q_gain, geometry),
        k_gain=None if k_gain is None else _adjacent(k_gain, geometry),
        out_T=source.get(attention + "o_proj.weight").T,
        out_bias=source.find(attention + "o_proj.bias"),
        gate_up=torch.cat([source.get(f"{feed}gate_proj.weight"), source.get(f"{feed}up_proj.weight")]) * between,
        gate_up_bias=_fuse_biases(gate_up_bias),
        down_T=source.get(feed + "down_proj.weight").T,
        down_bias=source.find(feed + "down_proj.bias"),
    )


def _fuse_biases(biases: list[Tensor | None]) -> Tensor | None:
    present = [bias for bias in biases if bias is not None]
    return torch.cat(present) if present else None


def _adjacent(weight: Tensor, geometry: Geometry) -> Tensor:
    """Permutes the leading axis so that the two halves of a rotary pair, E/2 apart, lie side by side."""
    heads = weight.shape[0] // geometry.head_width
    split = weight.view(heads, 2, geometry.head_width // 2, *weight.shape[1:])
    return split.transpose(1, 2).reshape(weight.shape)


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
            pairs = qkv[:, :, : g.heads + g.kv_heads].unflatten(-1, (-1, 2))
            torch.view_as_complex(pairs).mul_(rotations)
            fresh = qkv[:, :, g.heads :].unflatten(2, (2, g.kv_heads))
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
