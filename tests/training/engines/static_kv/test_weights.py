"""Weights are copied, checked and refused by name."""

import numpy as np
import pytest
import torch
from tiny_models import tiny_model
from transformers import GPT2Config, LlamaConfig, Qwen2Config

from arena.errors import EngineError, InputError
from training.engines.static_kv.weights import Geometry, fuse


def state(**changes):
    model = tiny_model("llama tied")
    return Geometry.of(model.config), dict(model.state_dict()) | changes


def test_a_copy_does_not_follow_the_original():
    geometry, named = state()
    fused = fuse(geometry, named, "cpu")
    before = fused.embedding.clone()
    named["model.embed_tokens.weight"].zero_()
    assert torch.equal(fused.embedding, before)
    assert before.abs().sum() > 0


def test_arrays_are_accepted():
    geometry, named = state()
    arrays = {name: weight.numpy() for name, weight in named.items()}
    assert torch.equal(fuse(geometry, arrays, "cpu").blocks[1].qkv_T, fuse(geometry, named, "cpu").blocks[1].qkv_T)


def test_a_missing_weight_is_named():
    geometry, named = state()
    del named["model.layers.1.mlp.up_proj.weight"]
    with pytest.raises(EngineError, match=r"layers\.1\.mlp\.up_proj"):
        fuse(geometry, named, "cpu")


def test_a_misshapen_weight_is_named():
    geometry, named = state(**{"model.layers.0.self_attn.o_proj.weight": np.zeros((32, 31))})
    with pytest.raises(EngineError, match=r"o_proj.*\(32, 32\), got \(32, 31\)"):
        fuse(geometry, named, "cpu")


def test_weights_that_would_be_ignored_are_refused():
    geometry, named = state(**{"model.layers.0.self_attn.q_proj.lora_A.weight": torch.zeros(2, 2)})
    with pytest.raises(EngineError, match="lora_A"):
        fuse(geometry, named, "cpu")


def test_another_architecture_is_refused_by_name():
    with pytest.raises(InputError, match="gpt2"):
        Geometry.of(GPT2Config())


@pytest.mark.parametrize(
    ("config", "option"),
    [
        (LlamaConfig(hidden_act="gelu"), "hidden_act"),
        (LlamaConfig(rope_parameters={"rope_type": "dynamic", "factor": 2.0, "rope_theta": 1e4}), "rope_type"),
        (Qwen2Config(use_sliding_window=True, sliding_window=8, max_window_layers=0), "layer_types"),
    ],
)
def test_an_option_that_is_not_decoded_is_refused_by_name(config, option):
    with pytest.raises(InputError, match=option):
        Geometry.of(config)
