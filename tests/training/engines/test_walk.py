"""Walks down the trie follow the product of the choices."""

from collections import Counter

import numpy as np
import pytest

from arena.types import Sampling
from training.engines.answers import trie_of
from training.engines.draws import uniforms
from training.engines.walk import Walker

FREE = Sampling()
ANSWERS = ((1, 2, 9), (1, 3, 9), (4, 9))


def walker(sampling=FREE):
    trie = trie_of(ANSWERS)
    logits = {}
    for index in trie.choices:
        logits[index] = np.log(np.array([0.25, 0.75]) if index else np.array([0.4, 0.6]))
    return Walker(trie, logits, sampling)


def test_frequencies_are_the_products():
    points = uniforms(range(20000), 3).tolist()
    walks = walker()
    counts = Counter(walks.draw(row)[0] for row in points)
    # 5 standard deviations of a binomial with n = 20000 are below 0.018
    for answer, p_answer in {(1, 2, 9): 0.1, (1, 3, 9): 0.3, (4, 9): 0.6}.items():
        assert abs(counts[answer] / 20000 - p_answer) < 0.018


def test_forced_tokens_have_log_probability_zero_and_one_allowed_id():
    tokens, logprobs, support = walker().draw([0.0, 0.99, 0.5])
    assert tokens == (1, 3, 9)
    assert logprobs == pytest.approx((np.log(0.4), np.log(0.75), 0.0), abs=1e-6)
    assert support == ((1, 4), (2, 3), (9,))


def test_truncation_narrows_the_support():
    tokens, logprobs, support = walker(Sampling(top_k=1)).draw([0.0, 0.0, 0.0])
    assert (tokens, logprobs, support) == ((4, 9), (0.0, 0.0), ((4,), (9,)))


def test_logits_that_are_not_finite_are_refused():
    with pytest.raises(FloatingPointError):
        Walker(trie_of(((1,), (2,))), {0: np.array([np.nan, 0.0])}, Sampling())
