"""ludus-tiny is a Llama of the stated shape, and making one moves no global randomness."""

import torch
from transformers import LlamaForCausalLM

from training.models.ludus_tiny import LUDUS_TINY, build_model


def test_the_shape_is_the_stated_one():
    model = build_model(LUDUS_TINY, vocabulary=470, end_id=464, pad_id=463, seed=0)
    assert isinstance(model, LlamaForCausalLM)
    assert model.config.tie_word_embeddings
    assert model.get_input_embeddings().weight.shape == (470, 64)
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    # embeddings, two blocks (attention, feed-forward, two gains), one last gain
    assert sum(w.numel() for w in model.parameters()) == 470 * 64 + 2 * (4 * 64 * 64 + 3 * 64 * 176 + 2 * 64) + 64


def test_equal_seeds_give_equal_weights_and_no_global_randomness_moves():
    before = torch.random.get_rng_state()
    first, second, other = (build_model(LUDUS_TINY, 300, 1, 0, seed).state_dict() for seed in (5, 5, 6))
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["model.embed_tokens.weight"], other["model.embed_tokens.weight"])
