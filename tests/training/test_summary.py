"""The summary: what a metric came to over the rounds of a run."""

import pytest

from training.summary import first_last_best


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("kuhn/nash_conv", 0.1),
        ("kuhn/win_rate_vs_uniform", 0.9),
        ("kuhn/return_vs_uniform", 0.9),
        ("programs/solve_rate_heldout_deep", 0.9),
        ("programs/proposal_valid_rate", 0.9),
        ("programs/duplicate_rate", 0.1),
    ],
)
def test_best_is_the_greatest_where_more_is_better_and_else_the_least(name, best):
    told = first_last_best([{name: 0.5}, {name: 0.9}, {}, {name: 0.1}, {name: 0.3}])
    assert told == {name: {"first": 0.5, "last": 0.3, "best": best, "median_of_last_10": 0.5}}
