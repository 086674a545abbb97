"""What becomes of an answer: why it ended, and who is said to have given it."""

import pytest

from arena.types import PolicyId, Sampling
from training.engines.engine import Request
from training.engines.requests import completed


class Reader:
    end_id = 9

    def text(self, token_ids):
        return f"{len(token_ids)} tokens"


@pytest.mark.parametrize(
    ("tokens", "answers", "reason"),
    [
        ((1, 9), None, "stop"),
        ((1, 2), None, "length"),
        ((1, 2), ((1, 2), (1, 3)), "stop"),
    ],
)
def test_an_answer_stops_at_its_end_or_is_cut(tokens, answers, reason):
    request = Request(
        id="e.0.1",
        policy=PolicyId(name="p", version=4),
        prompt_ids=(7,),
        seed=1,
        sampling=Sampling(max_tokens=2),
        answers=answers,
    )
    completion = completed(request, tokens, (-0.5, -1.0), None, Reader())
    assert completion.finish_reason == reason
    assert (completion.id, completion.prompt_ids, completion.token_ids) == ("e.0.1", (7,), tokens)
    assert (completion.text, completion.version_spans) == ("2 tokens", ((0, 4),))
