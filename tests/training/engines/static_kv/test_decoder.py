"""The decoder is the library's forward, token by token, padded or not."""

import pytest
import torch
from tiny_models import KINDS, VOCABULARY, plain_logprobs, tiny_model

from training.engines.static_kv.decoder import Decoder
from training.engines.static_kv.weights import Geometry, fuse


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_prefill_and_single_steps_agree_with_the_plain_forward(kind):
    model = tiny_model(kind)
    decoder = Decoder(Geometry.of(model.config))
    weights = fuse(decoder.geometry, model.state_dict(), "cpu")
    ids = torch.randint(0, VOCABULARY, (3, 20), generator=torch.Generator().manual_seed(1))
    places = torch.arange(20).expand(3, 20)
    cache = decoder.cache(3, 20)
    parts = [decoder.extend(weights, cache, ids[:, :14], decoder.rotations(places[:, :14], 20), None, causal=True)]
    for at in range(14, 20):
        rotations = decoder.rotations(places[:, at : at + 1], 20)
        parts.append(decoder.extend(weights, cache, ids[:, at : at + 1], rotations, None))
    found = decoder.logits(weights, torch.cat(parts, dim=1)).log_softmax(-1)
    for row in range(3):
        assert (found[row] - plain_logprobs(model, ids[row].tolist())).abs().max() < 1e-5


@torch.inference_mode()
def test_copied_rows_continue_as_their_source():
    model = tiny_model("qwen3")
    decoder = Decoder(Geometry.of(model.config))
    weights = fuse(decoder.geometry, model.state_dict(), "cpu")
    ids = torch.tensor([[1, 2, 3], [4, 5, 6]])
    cache = decoder.cache(3, 4)
    decoder.extend(weights, cache, ids, decoder.rotations(torch.arange(3)[None], 3), None, causal=True)
    cache.copy_rows(torch.tensor([0]), torch.tensor([2]))
    last = torch.full((3, 1), 9)
    hidden = decoder.extend(weights, cache, last, decoder.rotations(torch.tensor([[3]]), 4), None)
    assert torch.allclose(hidden[0], hidden[2], atol=1e-6)
    assert not torch.allclose(hidden[0], hidden[1], atol=1e-3)
