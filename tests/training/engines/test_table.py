"""The table engine says exactly what its table says."""

import numpy as np
import pytest

from arena.errors import EngineError
from arena.types import PolicyId, Sampling
from training.engines.engine import Request, ScoreRequest
from training.engines.table import TableEngine

A = PolicyId(name="a")
END = 3


class Letters:
    end_id = END

    def text(self, token_ids):
        return "".join("abcd"[token] for token in token_ids if token != END)


def engine(law=None, **knobs):
    table = TableEngine(reader=Letters(), vocabulary=4, **knobs)
    table.load(A, {} if law is None else {"law": law})
    return table


def request(seed=0, **changes):
    fields = {"id": str(seed), "policy": A, "prompt_ids": (0,), "seed": seed, "sampling": Sampling(max_tokens=5)}
    return Request(**(fields | changes))


def test_a_sure_table_is_followed_to_the_end_token():
    (completion,) = engine({(0,): {1: 1.0}, (0, 1): {2: 1.0}, (0, 1, 2): {END: 1.0}}).generate([request()])
    assert completion.token_ids == (1, 2, END)
    assert completion.logprobs == (0.0, 0.0, 0.0)
    assert (completion.text, completion.finish_reason, completion.support) == ("bc", "stop", None)


def test_a_completion_without_end_token_is_cut():
    (completion,) = engine(lambda tokens: {2: 1.0}).generate([request()])
    assert completion.token_ids == (2,) * 5
    assert completion.finish_reason == "length"


def test_frequencies_follow_the_table():
    table = engine(lambda tokens: {1: 0.2, END: 0.8})
    sampled = table.generate([request(seed, sampling=Sampling(max_tokens=1)) for seed in range(4000)])
    share = np.mean([completion.token_ids == (1,) for completion in sampled])
    assert abs(share - 0.2) < 5 * np.sqrt(0.16 / 4000)


def test_scores_are_the_logarithms_of_the_table():
    table = engine({(0,): {1: 0.25, 2: 0.75}})
    ask = ScoreRequest(policy=A, prompt_ids=(0,), token_ids=(1, 2))
    assert table.score([ask])[0] == pytest.approx([np.log(0.25), np.log(0.25)], abs=1e-6)
    masked = ScoreRequest(policy=A, prompt_ids=(0,), token_ids=(1, 2), support=((1, 2), (2,)))
    assert table.score([masked])[0] == pytest.approx([np.log(0.25), 0.0], abs=1e-6)


def test_a_small_alphabet_is_uniform():
    table = engine(alphabet=(1, END))
    assert table.score([ScoreRequest(policy=A, prompt_ids=(0,), token_ids=(1,))])[0] == pytest.approx([np.log(0.5)])


def test_answers_without_probability_are_refused():
    with pytest.raises(EngineError, match="positive probability"):
        engine({(0,): {0: 1.0}}).generate([request(answers=((1, END), (2, END)))])


@pytest.mark.parametrize("weights", [{"law": 3}, {"model.norm.weight": np.zeros(2)}])
def test_what_is_no_law_is_refused(weights):
    with pytest.raises(EngineError, match="law"):
        TableEngine(reader=Letters(), vocabulary=4).load(A, weights)
