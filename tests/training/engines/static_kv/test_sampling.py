"""Tensor sampling does what the plain definition in ``draws`` does."""

import numpy as np
import pytest
import torch

from arena.types import Sampling
from training.engines.draws import law, pick, uniforms
from training.engines.static_kv.sampling import draw_rows, law_rows

SAMPLINGS = [
    Sampling(),
    Sampling(temperature=0.7),
    Sampling(temperature=0),
    Sampling(top_k=5),
    Sampling(top_p=0.8),
    Sampling(temperature=1.3, top_k=20, top_p=0.9),
]


def logits(rows, vocabulary):
    return torch.from_numpy(np.random.default_rng(3).normal(0, 2, (rows, vocabulary)).astype(np.float32))


@pytest.mark.parametrize("vocabulary", [7, 512, 513, 2000])
@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_laws_and_draws_are_those_of_the_definition(sampling, vocabulary):
    logits_RV = logits(4, vocabulary)
    logprobs_RV = law_rows(logits_RV, sampling)
    plain = [law(row.numpy().astype(np.float64), sampling) for row in logits_RV]
    for row, wanted in zip(logprobs_RV.numpy(), plain, strict=True):
        assert np.array_equal(np.isinf(row), np.isinf(wanted))
        kept = ~np.isinf(wanted)
        assert np.abs(row[kept] - wanted[kept]).max() < 2e-5
    rows = np.arange(200) % 4
    points = uniforms(range(200), 1)[:, 0]
    drawn = draw_rows(logprobs_RV, torch.from_numpy(rows), torch.from_numpy(points)).tolist()
    expected = [pick(logprobs_RV[row].double().numpy(), point) for row, point in zip(rows, points, strict=True)]
    assert sum(a != b for a, b in zip(drawn, expected, strict=True)) <= 1  # rounding at an edge


@pytest.mark.parametrize("vocabulary", [6, 1500])
def test_the_ends_of_the_interval_stay_inside_the_support(vocabulary):
    logits_RV = torch.full((1, vocabulary), -torch.inf)
    logits_RV[0, 2] = logits_RV[0, vocabulary - 2] = 0.0
    ends = torch.tensor([0.0, 1 - 2**-53], dtype=torch.float64)
    drawn = draw_rows(law_rows(logits_RV, Sampling()), torch.zeros(2, dtype=torch.int64), ends)
    assert drawn.tolist() == [2, vocabulary - 2]


def test_frequencies_follow_the_law_in_a_large_vocabulary():
    logprobs_RV = law_rows(logits(1, 1200) * 2, Sampling())
    points = torch.from_numpy(uniforms(range(40000), 1)[:, 0])
    drawn = draw_rows(logprobs_RV, torch.zeros(40000, dtype=torch.int64), points)
    likeliest = torch.topk(logprobs_RV[0].exp(), 5)
    for p_token, token in zip(likeliest.values.tolist(), likeliest.indices.tolist(), strict=True):
        share = float((drawn == token).double().mean())
        assert abs(share - p_token) < 5 * np.sqrt(p_token * (1 - p_token) / 40000)
