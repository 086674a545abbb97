"""The per-request stream and the law that is really sampled."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.types import Sampling
from training.engines.draws import law, pick, uniforms


def test_an_entry_depends_on_its_own_seed_and_position_only():
    whole = uniforms([7, 8, 9], 6)
    assert np.array_equal(uniforms([8], 3)[0], whole[1, :3])
    assert np.array_equal(uniforms([9, 7], 6), whole[[2, 0]])


def test_the_stream_is_splitmix64():
    # Reference: Vigna's splitmix64.c, written out in plain integers, seeded as the module says.
    def mix(z):
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return z ^ (z >> 31)

    seed, mask = 123456789, 2**64 - 1
    stream = mix((seed + 0xD1B54A32D192ED03) & mask)
    wanted = [(mix((stream + k * 0x9E3779B97F4A7C15) & mask) >> 11) / 2**53 for k in range(1, 5)]
    assert uniforms([seed], 4)[0].tolist() == wanted


def test_uniforms_fill_the_interval_evenly():
    sample = uniforms(range(2000), 10).ravel()
    assert 0 <= sample.min() < 1e-3 and 1 - 1e-3 < sample.max() < 1
    counts, _ = np.histogram(sample, bins=20, range=(0, 1))
    chi2 = ((counts - 1000) ** 2 / 1000).sum()
    assert chi2 < 43.8  # 0.999 quantile of chi-squared with 19 degrees of freedom
    columns = uniforms(range(2000), 10)
    assert abs(np.corrcoef(columns, rowvar=False) - np.eye(10)).max() < 0.1


def test_temperature_zero_is_the_first_greatest():
    logprobs = law(np.array([0.0, 2.0, 2.0]), Sampling(temperature=0))
    assert logprobs.tolist() == [-np.inf, 0.0, -np.inf]


def test_temperature_divides_logits():
    logits = np.array([0.0, 1.0, 3.0])
    hot = law(logits, Sampling(temperature=2.0))
    assert np.allclose(np.diff(hot), np.diff(logits) / 2)


def test_top_k_and_top_p_keep_the_likeliest():
    logits = np.log(np.array([0.1, 0.5, 0.3, 0.1]))
    assert np.allclose(np.exp(law(logits, Sampling(top_k=2))), [0, 0.625, 0.375, 0])
    assert np.allclose(np.exp(law(logits, Sampling(top_p=0.5))), [0, 1, 0, 0])
    assert np.allclose(np.exp(law(logits, Sampling(top_p=0.51))), [0, 0.625, 0.375, 0])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=8).filter(lambda p: sum(p) > 0), st.floats(0, 1, exclude_max=True)
)
def test_nothing_of_probability_zero_is_picked(weights, uniform):
    p = np.array(weights) / sum(weights)
    with np.errstate(divide="ignore"):
        assert p[pick(np.log(p), uniform)] > 0


@pytest.mark.parametrize("uniform", [0.0, 1 - 2**-53])
def test_the_ends_of_the_interval_pick_the_ends_of_the_support(uniform):
    with np.errstate(divide="ignore"):
        logprobs = np.log(np.array([0.0, 0.25, 0.75, 0.0]))
    assert pick(logprobs, uniform) == (1 if uniform == 0 else 2)
