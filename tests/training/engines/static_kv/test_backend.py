"""The backend asks the model only what it must, in batches of bounded size."""

import numpy as np
import torch
from tiny_models import plain_logprobs, tiny_model

from arena.types import Sampling
from training.engines.answers import trie_of
from training.engines.static_kv.backend import Backend, Continuation


def backend_for(model, **knobs):
    options = {"end_id": 0, "device": "cpu", "deduplicate": True, "batch_tokens": 4096} | knobs
    backend = Backend(model.config, **options)
    return backend, backend.fuse(model.state_dict())


def count_reads(backend, monkeypatch):
    reads = []
    extend = backend.decoder.extend

    def counted(weights, cache, tokens_RS, *rest, **more):
        reads.append(tuple(tokens_RS.shape))
        return extend(weights, cache, tokens_RS, *rest, **more)

    monkeypatch.setattr(backend.decoder, "extend", counted)
    return reads


def test_choices_are_the_plain_logits_of_the_children():
    model = tiny_model("qwen3")
    backend, weights = backend_for(model)
    trie = trie_of(((1, 2), (1, 3), (4, 2), (4, 5)))
    (found,) = backend.choices(weights, [((7, 8, 9), trie)])
    assert sorted(found) == sorted(trie.choices)
    for node, logits in found.items():
        prefix = [7, 8, 9] if node == 0 else [7, 8, 9, trie.nodes[node].token]
        with torch.inference_mode():
            plain = model(torch.tensor([prefix])).logits[0, -1].numpy()
        assert np.abs(plain[list(trie.nodes[node].children)] - logits).max() < 1e-5


def test_one_answer_is_not_asked_about(monkeypatch):
    backend, weights = backend_for(tiny_model("llama tied"))
    reads = count_reads(backend, monkeypatch)
    assert backend.choices(weights, [((7, 8), trie_of(((1, 2),)))]) == [{}]
    assert reads == []


def test_equal_prompts_are_read_once(monkeypatch):
    backend, weights = backend_for(tiny_model("llama tied"))
    reads = count_reads(backend, monkeypatch)
    backend.sample(weights, [(5, 6, 7)] * 20, Sampling(max_tokens=3), list(range(20)))
    assert reads[0] == (1, 3)
    assert 1 < reads[1][0] <= reads[2][0] <= 20
    backend.score(weights, [Continuation(prompt=(5, 6), tokens=(n, 3), support=None) for n in range(1, 5)])
    assert reads[3:] == [(1, 2), (4, 1)]


def test_no_read_is_larger_than_allowed(monkeypatch):
    model = tiny_model("llama tied")
    backend, weights = backend_for(model, batch_tokens=30, deduplicate=False)
    reads = count_reads(backend, monkeypatch)
    prompts = [tuple(range(1, 2 + n)) for n in range(9)]
    scores = backend.score(weights, [Continuation(prompt=p, tokens=(4, 5), support=None) for p in prompts])
    assert len(reads) > 4
    assert max(rows * new for rows, new in reads) <= 30
    for prompt, scored in zip(prompts, scores, strict=True):
        plain = plain_logprobs(model, (*prompt, 4))
        assert abs(plain[-2, 4].item() - scored[0]) < 1e-5
        assert abs(plain[-1, 5].item() - scored[1]) < 1e-5
