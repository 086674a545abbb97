"""Distributions at sites against plain float64 sums."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from training_samples import tiny_model, true_logprobs

from training.distributions import entropy, hidden_states, kl, pad_inputs, site_batch, site_logprobs
from training.sites import Site

LOGITS = st.lists(st.floats(-8, 8), min_size=3, max_size=3)


def masked(values):
    return torch.log_softmax(torch.tensor([[*values, -torch.inf]], dtype=torch.float64), -1)


@given(LOGITS, LOGITS)
def test_entropy_and_kl_are_exact_and_ignore_what_is_not_allowed(ours, theirs):
    p = np.exp(masked(ours).numpy()[0, :3])
    q = np.exp(masked(theirs).numpy()[0, :3])
    np.testing.assert_allclose(entropy(masked(ours)).item(), -(p * np.log(p)).sum(), atol=1e-12)
    divergence = kl(masked(ours), masked(theirs)).item()
    np.testing.assert_allclose(divergence, (p * np.log(p / q)).sum(), atol=1e-12)
    assert divergence >= -1e-12


def test_kl_of_equal_distributions_is_zero_with_zero_gradient():
    logits = torch.tensor([[1.0, 2.0, -torch.inf]], requires_grad=True)
    logprobs = torch.log_softmax(logits, -1)
    kl(logprobs, logprobs.detach()).sum().backward()
    assert kl(logprobs, logprobs).item() == 0.0
    np.testing.assert_allclose(logits.grad.numpy(), 0.0, atol=1e-7)


def test_uniform_entropy_is_log_k():
    np.testing.assert_allclose(entropy(masked([2.0, 2.0, 2.0])).item(), np.log(3), rtol=1e-12)


def test_padding_and_company_do_not_change_a_distribution():
    model = tiny_model()
    inputs = [(5, 6, 7), (8, 9, 10, 11, 12)]
    hidden = hidden_states(model, pad_inputs(inputs))
    sites = [Site(input=4, position=2, support=(1, 4, 9)), Site(input=7, position=4, support=(2, 3))]
    logprobs = site_logprobs(model, hidden, site_batch(sites, {4: 0, 7: 1}))
    for index, (ids, place) in enumerate(zip(inputs, sites, strict=True)):
        for k, token in enumerate(place.support):
            alone = true_logprobs(model, (*ids, token), len(ids), (place.support,))
            np.testing.assert_allclose(logprobs[index, k].item(), alone.item(), atol=2e-5)
    assert logprobs[1, 2].item() == -torch.inf


def test_sites_over_the_whole_vocabulary_sum_to_one():
    model = tiny_model()
    hidden = hidden_states(model, pad_inputs([(5, 6)]))
    logprobs = site_logprobs(model, hidden, site_batch([Site(input=0, position=1, support=None)], {0: 0}))
    assert logprobs.shape == (1, 24)
    np.testing.assert_allclose(logprobs.exp().sum().item(), 1.0, atol=1e-5)


def test_a_shared_prefix_changes_no_hidden_state_that_is_asked_for():
    model = tiny_model().float()
    inputs = [(*range(1, 11), 12, 13), (*range(1, 11), 14), (*range(1, 11), 12, 15, 16)]
    ids = pad_inputs(inputs)
    shared = hidden_states(model, ids, first_position=10)
    plain = hidden_states(model, ids, first_position=0)
    assert (shared.start, plain.start) == (10, 0)
    for row, tokens in enumerate(inputs):
        torch.testing.assert_close(
            shared.states_DLE[row, : len(tokens) - 10], plain.states_DLE[row, 10 : len(tokens)], rtol=1e-5, atol=1e-6
        )
