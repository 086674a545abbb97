"""The torch engine against the library's own forward, and what sharing forwards may not change."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from tiny_models import KINDS, VOCABULARY, plain_logprobs, tiny_model

from arena.errors import EngineError
from arena.types import PolicyId, Sampling
from training.engines.engine import Request, ScoreRequest
from training.engines.torch_engine import TorchEngine

END = 0
POLICY = PolicyId(name="player")
RANDOM = np.random.default_rng(5)
PROMPTS = [tuple(RANDOM.integers(1, VOCABULARY, size).tolist()) for size in (3, 11, 7, 1)]
BRANCHING = ((2, 5, END), (2, 6, END), (3, 5, 9, END), (3, 7, END), (4, END))
CHAIN = ((2, 3, 5, END), (2, 3, 6, END))


class Reader:
    end_id = END

    def text(self, token_ids):
        return " ".join(map(str, token_ids))


def engine_for(model, **knobs):
    engine = TorchEngine(config=model.config, reader=Reader(), **knobs)
    engine.load(POLICY, model.state_dict())
    return engine


def ask(count=48, max_tokens=8, **changes):
    fields = {"policy": POLICY, "sampling": Sampling(max_tokens=max_tokens)} | changes
    return [Request(id=str(n), prompt_ids=PROMPTS[n % 4], seed=n // 8, **fields) for n in range(count)]


@pytest.mark.parametrize("kind", KINDS)
def test_sampled_log_probabilities_are_those_of_the_plain_forward(kind):
    model = tiny_model(kind)
    for completion in engine_for(model).generate(ask()):
        plain = plain_logprobs(model, completion.prompt_ids + completion.token_ids)
        start = len(completion.prompt_ids) - 1
        wanted = [plain[start + at, token].item() for at, token in enumerate(completion.token_ids)]
        assert np.abs(np.array(wanted) - completion.logprobs).max() < 1e-5


@pytest.mark.parametrize("kind", ["llama tied", "qwen3"])
@pytest.mark.parametrize("answers", [BRANCHING, CHAIN])
def test_masked_log_probabilities_are_renormalised_plain_ones(kind, answers):
    model = tiny_model(kind)
    for completion in engine_for(model).generate(ask(answers=answers)):
        plain = plain_logprobs(model, completion.prompt_ids + completion.token_ids)
        start = len(completion.prompt_ids) - 1
        for at, (token, allowed) in enumerate(zip(completion.token_ids, completion.support, strict=True)):
            row = plain[start + at]
            wanted = (row[token] - torch.logsumexp(row[list(allowed)], 0)).item()
            assert completion.logprobs[at] == pytest.approx(wanted, abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_the_plain_forward(kind):
    model = tiny_model(kind)
    requests = [
        ScoreRequest(policy=POLICY, prompt_ids=PROMPTS[n % 4], token_ids=tuple(range(1 + n % 5, 6))) for n in range(12)
    ]
    for request, scored in zip(requests, engine_for(model).score(requests), strict=True):
        plain = plain_logprobs(model, request.prompt_ids + request.token_ids)
        start = len(request.prompt_ids) - 1
        wanted = [plain[start + at, token].item() for at, token in enumerate(request.token_ids)]
        assert np.abs(scored - np.array(wanted)).max() < 1e-5


@pytest.mark.parametrize("answers", [None, BRANCHING])
def test_sharing_forwards_changes_no_sample(answers):
    model = tiny_model("llama tied")
    shared = engine_for(model).generate(ask(answers=answers))
    apart = engine_for(model, deduplicate=False).generate(ask(answers=answers))
    for ours, theirs in zip(shared, apart, strict=True):
        assert ours.token_ids == theirs.token_ids
        assert ours.logprobs == pytest.approx(theirs.logprobs, abs=1e-5)


def test_small_batches_change_no_sample():
    model = tiny_model("qwen2")
    whole = engine_for(model).generate(ask())
    pieces = engine_for(model, batch_tokens=64).generate(ask())
    assert [c.token_ids for c in whole] == [c.token_ids for c in pieces]
    requests = [ScoreRequest(policy=POLICY, prompt_ids=c.prompt_ids, token_ids=c.token_ids) for c in whole]
    for a, b in zip(engine_for(model).score(requests), engine_for(model, batch_tokens=64).score(requests), strict=True):
        assert np.abs(a - b).max() < 1e-5


def test_free_samples_follow_the_model():
    model = tiny_model("llama tied")
    requests = [replace(r, prompt_ids=PROMPTS[1], seed=n) for n, r in enumerate(ask(6000, max_tokens=1))]
    drawn = np.array([c.token_ids[0] for c in engine_for(model).generate(requests)])
    p_V = plain_logprobs(model, PROMPTS[1])[-1].exp().double().numpy()
    counts = np.bincount(drawn, minlength=VOCABULARY)
    likely = p_V > 5 / 6000
    chi2 = ((counts - 6000 * p_V)[likely] ** 2 / (6000 * p_V[likely])).sum()
    assert chi2 < likely.sum() + 5 * np.sqrt(2 * likely.sum())


def test_a_policy_that_diverged_is_named_with_the_request():
    model = tiny_model("llama tied")
    with torch.no_grad():
        model.model.norm.weight[0] = float("nan")
    engine = engine_for(model)
    with pytest.raises(EngineError, match="player@0 at '0'"):
        engine.generate(ask(3))
    with pytest.raises(EngineError, match="player@0 at '0'"):
        engine.generate(ask(3, answers=CHAIN))
    with pytest.raises(EngineError, match="player@0"):
        engine.score([ScoreRequest(policy=POLICY, prompt_ids=(3,), token_ids=(4,))])


def test_training_the_original_does_not_move_a_loaded_version():
    model = tiny_model("llama tied")
    engine = engine_for(model)
    before = engine.generate(ask())
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(2.0)
    assert engine.generate(ask()) == before
