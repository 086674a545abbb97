"""The ratio of an objective."""

import pytest
import torch

from training.objectives.objective import Tokens, ratios


def test_equal_log_probabilities_give_exactly_one():
    values = torch.tensor([-0.1, -7.3, 0.0])
    tokens = Tokens(logprobs=values, behaviour_logprobs=values.clone(), advantages=values)
    assert ratios(tokens).tolist() == [1.0, 1.0, 1.0]


def test_known_ratios():
    tokens = Tokens(
        logprobs=torch.tensor([-1.0, -2.0]), behaviour_logprobs=torch.tensor([-2.0, -1.0]), advantages=torch.ones(2)
    )
    assert ratios(tokens).tolist() == pytest.approx([2.718281828, 0.367879441], rel=1e-6)
