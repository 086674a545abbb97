"""ludus-tiny: the smallest Llama that can play, made from nothing in seconds.

An ordinary Hugging Face causal language model of the Llama architecture with its own tokenizer
(``training.models.tokenizer``). It reads the same prompts as any other model and answers ``<action>...</action>``.
``training.models.warm_start`` teaches it that format and no strategy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from arena.seeds import generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The size of ludus-tiny.

    Attributes:
        width: of the residual stream.
        layers: transformer blocks.
        heads: attention heads, each ``width / heads`` wide.
        intermediate: width of the gated feed-forward layer.
        vocabulary: the most tokens of the tokenizer.
        context: the most tokens of a prompt with its answer.
    """

    width: int = 64
    layers: int = 2
    heads: int = 4
    intermediate: int = 176
    vocabulary: int = 1024
    context: int = 1024


LUDUS_TINY = Shape()
"""The shape that ``ludus-tiny`` names."""


def build_model(shape: Shape, vocabulary: int, end_id: int, pad_id: int, seed: int) -> Any:  # noqa: ANN401
    """Returns a fresh single-precision model; equal arguments give equal bytes, and no global random state moves.

    Args:
        shape: its size.
        vocabulary: the tokens that the tokenizer really has.
        end_id: the end token.
        pad_id: the padding token.
        seed: the root of the initial weights.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    factory: Any = LlamaForCausalLM
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=shape.width,
        intermediate_size=shape.intermediate,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        head_dim=shape.width // shape.heads,
        max_position_embeddings=shape.context,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=end_id,
        pad_token_id=pad_id,
        dtype="float32",
    )
    with torch.random.fork_rng(devices=[]):
        model = factory(config)
    random = generator("ludus-tiny", seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.ndim == 1:
                weight.fill_(1.0)
                continue
            scale = 0.1 if "embed" in name else 1.0 / math.sqrt(weight.shape[1])
            if name.endswith(("o_proj.weight", "down_proj.weight")):
                scale /= math.sqrt(2 * shape.layers)
            weight.copy_(torch.from_numpy(random.normal(0.0, scale, tuple(weight.shape)).astype("float32")))
    return model
