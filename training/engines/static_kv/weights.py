"""Weights of Llama-, Qwen2- and Qwen3-type models, copied and fused for decoding.

Query, key and value become one matrix, gate and up another; normalisation gains are folded into the matrix that
follows. Rows of the query and key matrices are permuted so that the two members of a rotary pair are adjacent, and
a rotation is one complex multiplication (scores do not change under a common permutation). Every version is a copy:
training may go on with the originals.

Left out: sliding windows, rotary embeddings that depend on the sequence length, partial rotation, mixtures of
experts, low precision. ``Geometry.of`` refuses them by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, overload

import torch
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
        intermediate: width of the feed-forward layer.
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
    intermediate: int
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
            intermediate=int(config.intermediate_size),
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
    """The weights of one layer, fused, and transposed for ``x @ w``."""

    qkv_T: Tensor
    qkv_bias: Tensor | None
    q_gain: Tensor | None
    k_gain: Tensor | None
    out_T: Tensor
    out_bias: Tensor | None
    gate_up_T: Tensor
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
    """Named weights, copied once each, so that what is missing, misshapen or left over can be said."""

    def __init__(self, named: Mapping[str, Any], device: str) -> None:
        self._named = named
        self._device = device
        self._read: set[str] = set()

    def get(self, name: str, *shape: int) -> Tensor:
        """Returns a single-precision copy of ``name``, which must have this shape."""
        if name not in self._named:
            raise EngineError(
                f"engine.torch.load: expected a weight {name}, got {len(self._named)} weights without it; "
                "pass the model's whole state_dict"
            )
        self._read.add(name)
        weight = torch.as_tensor(self._named[name]).detach()
        if tuple(weight.shape) != shape:
            raise EngineError(
                f"engine.torch.load: expected {name} of shape {shape}, got {tuple(weight.shape)}; "
                "load weights of the model that the engine was built for"
            )
        return weight.to(self._device, torch.float32, copy=True)

    def find(self, name: str, *shape: int) -> Tensor | None:
        """Returns a copy of ``name``, or ``None`` when the model has no such weight."""
        return self.get(name, *shape) if name in self._named else None

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
    embedding = source.get("model.embed_tokens.weight", geometry.vocabulary, geometry.width)
    blocks = tuple(_fuse_block(geometry, source, f"model.layers.{i}.") for i in range(geometry.layers))
    gain = source.get("model.norm.weight", geometry.width)
    head = embedding if geometry.tied else source.get("lm_head.weight", geometry.vocabulary, geometry.width)
    source.check_all_read()
    return Weights(embedding=embedding, blocks=blocks, gain=gain, head=head)


def _fuse_block(geometry: Geometry, source: _Source, prefix: str) -> Block:
    g, attention, feed = geometry, prefix + "self_attn.", prefix + "mlp."
    own, shared = g.heads * g.head_width, g.kv_heads * g.head_width
    before = source.get(prefix + "input_layernorm.weight", g.width)
    between = source.get(prefix + "post_attention_layernorm.weight", g.width)
    sizes = {"q": own, "k": shared, "v": shared}
    q, k, v = (source.get(f"{attention}{n}_proj.weight", size, g.width) for n, size in sizes.items())
    q_bias, k_bias, v_bias = (source.find(f"{attention}{n}_proj.bias", size) for n, size in sizes.items())
    gains = [source.find(f"{attention}{name}_norm.weight", g.head_width) for name in "qk"]
    scale = g.head_width**-0.5
    if gains[0] is None:  # scores are scaled by scaling what makes the query
        q, q_bias = q * scale, None if q_bias is None else q_bias * scale
    gate_up = [source.get(f"{feed}{name}_proj.weight", g.intermediate, g.width) for name in ("gate", "up")]
    return Block(
        qkv_T=_transposed(torch.cat([_adjacent(q, g), _adjacent(k, g), v]) * before),
        qkv_bias=_fuse_biases([_adjacent(q_bias, g), _adjacent(k_bias, g), v_bias]),
        q_gain=None if gains[0] is None else _adjacent(gains[0], g) * scale,
        k_gain=_adjacent(gains[1], g),
        out_T=_transposed(source.get(attention + "o_proj.weight", g.width, own)),
        out_bias=source.find(attention + "o_proj.bias", g.width),
        gate_up_T=_transposed(torch.cat(gate_up) * between),
        gate_up_bias=_fuse_biases([source.find(f"{feed}{n}_proj.bias", g.intermediate) for n in ("gate", "up")]),
        down_T=_transposed(source.get(feed + "down_proj.weight", g.width, g.intermediate)),
        down_bias=source.find(feed + "down_proj.bias", g.width),
    )


def _transposed(weight: Tensor) -> Tensor:
    return weight.T.contiguous()


def _fuse_biases(biases: list[Tensor | None]) -> Tensor | None:
    present = [bias for bias in biases if bias is not None]
    return torch.cat(present) if present else None


@overload
def _adjacent(weight: Tensor, geometry: Geometry) -> Tensor: ...
@overload
def _adjacent(weight: None, geometry: Geometry) -> None: ...
@overload
def _adjacent(weight: Tensor | None, geometry: Geometry) -> Tensor | None: ...
def _adjacent(weight: Tensor | None, geometry: Geometry) -> Tensor | None:
    """Permutes the leading axis so that the two halves of a rotary pair, E/2 apart, lie side by side."""
    if weight is None:
        return None
    heads = weight.shape[0] // geometry.head_width
    split = weight.view(heads, 2, geometry.head_width // 2, *weight.shape[1:])
    return split.transpose(1, 2).reshape(weight.shape)
