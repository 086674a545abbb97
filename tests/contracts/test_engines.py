"""Every registered engine keeps the contract of ``training.engines.engine``."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from arena.errors import EngineError
from arena.types import PolicyId, Sampling
from training.engines.engine import Request, ScoreRequest, engines

END = 1
VOCABULARY = 24
LIVE, PAST = PolicyId(name="player", version=3), PolicyId(name="player", version=1)
ANSWERS = ((2, 5, END), (2, 6, END), (2, 7, 8, END))
PROMPTS = ((3, 4, 5), (9,), (10, 11, 12, 13, 14))


class Numbers:
    """Reads tokens as decimal numbers."""

    end_id = END

    def text(self, token_ids):
        return " ".join(str(token) for token in token_ids if token != END)


def table_engine():
    def law(seed):
        def at(tokens):
            random = np.random.default_rng([seed, *tokens])
            return dict(enumerate(random.dirichlet(np.ones(VOCABULARY)).tolist()))

        return {"law": at}

    engine = engines.make("table", reader=Numbers(), vocabulary=VOCABULARY)
    return engine, {LIVE: law(1), PAST: law(2)}


def torch_engine():
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=64,
        initializer_range=0.5,
    )
    weights = {}
    for seed, policy in enumerate((LIVE, PAST)):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            weights[policy] = LlamaForCausalLM(config).state_dict()
    return engines.make("torch", config=config, reader=Numbers()), weights


BUILDERS = {"table": table_engine, "torch": torch_engine}


@pytest.fixture(params=engines.names())
def loaded(request):
    engine, weights = BUILDERS[request.param]()
    for policy, values in weights.items():
        engine.load(policy, values)
    return engine, weights


@pytest.fixture
def engine(loaded):
    return loaded[0]


def ask(count=40, **changes):
    fields = {"policy": LIVE, "sampling": Sampling(max_tokens=6)} | changes
    return [Request(id=f"r{n}", prompt_ids=PROMPTS[n % 3], seed=n // 3, **fields) for n in range(count)]


def continuations(completions):
    return [
        ScoreRequest(policy=c.policy, prompt_ids=c.prompt_ids, token_ids=c.token_ids, support=c.support)
        for c in completions
    ]


@pytest.mark.parametrize("answers", [None, ANSWERS])
def test_completions_come_in_order_and_say_who_sampled(engine, answers):
    requests = [replace(r, policy=PAST if n % 2 else LIVE) for n, r in enumerate(ask(answers=answers))]
    for request, completion in zip(requests, engine.generate(requests), strict=True):
        assert completion.id == request.id
        assert completion.prompt_ids == request.prompt_ids
        assert completion.policy == request.policy
        assert completion.sampling == request.sampling
        assert completion.version_spans == ((0, request.policy.version),)
        assert len(completion.logprobs) == len(completion.token_ids) <= 6
        assert (completion.finish_reason == "stop") == (completion.token_ids[-1] == END)
        assert completion.finish_reason in ("stop", "length")
        assert END not in completion.token_ids[:-1]
        assert completion.text == Numbers().text(completion.token_ids)


@pytest.mark.parametrize("answers", [None, ANSWERS])
@pytest.mark.parametrize("sampling", [Sampling(max_tokens=6), Sampling(max_tokens=6, top_k=3, top_p=0.9)])
def test_sampled_log_probabilities_are_scored_again_under_the_support(engine, answers, sampling):
    completions = engine.generate(ask(answers=answers, sampling=sampling))
    for completion, scored in zip(completions, engine.score(continuations(completions)), strict=True):
        assert scored.dtype == np.float32
        assert np.abs(scored - np.array(completion.logprobs)).max() < 1e-5


def test_equal_calls_are_bit_equal(engine):
    requests = ask() + ask(answers=ANSWERS)
    first, second = engine.generate(requests), engine.generate(requests)
    assert first == second
    again = continuations(first)
    assert all(np.array_equal(a, b) for a, b in zip(engine.score(again), engine.score(again), strict=True))


@pytest.mark.parametrize("answers", [None, ANSWERS])
def test_a_sample_does_not_depend_on_its_batch(engine, answers):
    together = engine.generate(ask(answers=answers))
    for request, completion in zip(ask(answers=answers), together, strict=True):
        (alone,) = engine.generate([request])
        assert alone.token_ids == completion.token_ids
        assert alone.logprobs == pytest.approx(completion.logprobs, abs=1e-5)


def test_answers_are_drawn_by_their_probability(engine):
    requests = [
        Request(id=str(n), policy=LIVE, prompt_ids=(3, 4), seed=n, sampling=Sampling(max_tokens=4), answers=ANSWERS)
        for n in range(3000)
    ]
    completions = engine.generate(requests)
    assert {c.token_ids for c in completions} <= set(ANSWERS)
    total = 0.0
    for answer in ANSWERS:
        drawn = [c for c in completions if c.token_ids == answer]
        p_answer = math.exp(sum(drawn[0].logprobs))
        total += p_answer
        assert abs(len(drawn) / 3000 - p_answer) < 5 * math.sqrt(p_answer * (1 - p_answer) / 3000)
        assert drawn[0].support[0] == (2,)
        assert drawn[0].support[1] == (5, 6, 7)
    assert total == pytest.approx(1.0, abs=1e-5)


def test_temperature_zero_is_greedy(engine):
    greedy = Sampling(max_tokens=3, temperature=0)
    first = engine.generate(ask(3, sampling=greedy))
    other_seeds = engine.generate([replace(r, seed=99) for r in ask(3, sampling=greedy)])
    assert [c.token_ids for c in first] == [c.token_ids for c in other_seeds]
    assert all(set(c.logprobs) == {0.0} for c in first)
    assert all(c.support == tuple((token,) for token in c.token_ids) for c in first)


def test_a_loaded_version_never_changes(loaded):
    engine, weights = loaded
    before = engine.generate(ask())
    with pytest.raises(EngineError, match="loaded"):
        engine.load(LIVE, weights[PAST])
    assert engine.generate(ask()) == before


def test_policies_differ_and_can_be_forgotten(engine):
    assert engine.loaded() == {LIVE, PAST}
    ours, theirs = engine.generate(ask()), engine.generate(ask(policy=PAST))
    assert [c.token_ids for c in ours] != [c.token_ids for c in theirs]
    engine.unload(PAST)
    assert engine.loaded() == {LIVE}
    with pytest.raises(EngineError, match="player@1"):
        engine.generate(ask(policy=PAST))
    with pytest.raises(EngineError, match="player@1"):
        engine.score([ScoreRequest(policy=PAST, prompt_ids=(3,), token_ids=(4,))])
    assert engine.generate(ask()) == ours


def test_nothing_asked_is_nothing_answered(engine):
    assert engine.generate([]) == []
    assert engine.score([]) == []
    (nothing,) = engine.score([ScoreRequest(policy=LIVE, prompt_ids=(3,), token_ids=())])
    assert nothing.shape == (0,)


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(temperature=-1),
        Sampling(top_p=0),
        Sampling(top_p=1.5),
        Sampling(top_k=-1),
        Sampling(max_tokens=0),
    ],
)
def test_impossible_sampling_is_refused(engine, sampling):
    with pytest.raises(EngineError, match=r"sampling\."):
        engine.generate(ask(sampling=sampling))


def test_requests_that_do_not_fit_are_refused(engine):
    short = Sampling(max_tokens=2)
    with pytest.raises(EngineError, match="max_tokens=2"):
        engine.generate(ask(answers=ANSWERS, sampling=short))
    with pytest.raises(EngineError, match="one support a token"):
        engine.score([ScoreRequest(policy=LIVE, prompt_ids=(3,), token_ids=(4, 5), support=((4,),))])
    with pytest.raises(EngineError, match="in its support"):
        engine.score([ScoreRequest(policy=LIVE, prompt_ids=(3,), token_ids=(4,), support=((5, 6),))])
    with pytest.raises(EngineError, match="at least one token"):
        engine.generate([replace(ask(1)[0], prompt_ids=())])
