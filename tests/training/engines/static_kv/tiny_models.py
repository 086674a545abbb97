"""Tiny random models of every architecture that is decoded, for the tests of this folder and of the engine."""

import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

VOCABULARY = 50
SIZES = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": VOCABULARY,
    "head_dim": 8,
    "max_position_embeddings": 128,
}
LLAMA3_ROPE = {
    "rope_type": "llama3",
    "rope_theta": 1e4,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
KINDS = {
    "llama tied": (LlamaConfig, LlamaForCausalLM, {"tie_word_embeddings": True}),
    "llama untied, biased, no grouping": (
        LlamaConfig,
        LlamaForCausalLM,
        {"tie_word_embeddings": False, "attention_bias": True, "mlp_bias": True, "num_key_value_heads": 4},
    ),
    "llama with scaled rotation": (LlamaConfig, LlamaForCausalLM, {"rope_parameters": LLAMA3_ROPE}),
    "llama with wide heads": (LlamaConfig, LlamaForCausalLM, {"head_dim": 16, "num_key_value_heads": 1}),
    "qwen2": (Qwen2Config, Qwen2ForCausalLM, {}),
    "qwen3": (Qwen3Config, Qwen3ForCausalLM, {}),
}


def tiny_model(kind, seed=0, **changes):
    """Returns a random model whose norms and biases are random too, so that each of them matters."""
    config_class, model_class, options = KINDS[kind]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = model_class(config_class(**(SIZES | options | changes))).eval()
        with torch.no_grad():
            for weight in model.parameters():
                weight += 0.2 * torch.randn_like(weight)
    return model


def plain_logprobs(model, ids):
    """Returns the log-probabilities ``[S, V]`` after each token of one sequence, by the library's own forward."""
    with torch.inference_mode():
        return model(torch.tensor([ids])).logits[0].log_softmax(-1)
