"""The golden table, reviewed as text, and the peaks of the mean pay."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import InputError
from curricula.golden_table import INVALID_CLASSES, expected_pay, golden_table, golden_text, peak, shown
from curricula.learnability import rules

GOLDEN = Path(__file__).parents[1] / "golden" / "learnability.txt"


def test_every_rule_pays_what_the_golden_table_says():
    # After a rule changed its version: python -m curricula.golden_table > tests/golden/learnability.txt
    assert golden_text() == GOLDEN.read_text()


def test_a_table_has_the_five_rates_and_every_invalid_class():
    table = golden_table(rules.make("azr_code"), 4)
    assert list(table.items())[:5] == [
        ("p=0", -0.5),
        ("p=1/n", 0.75),
        ("p=1/2", 0.5),
        ("p=(n-1)/n", 0.25),
        ("p=1", -0.5),
    ]
    assert {case: table[case] for case in list(table)[5:]} == {f"invalid:{slug}": -1.0 for slug in INVALID_CLASSES}


def test_a_table_shows_what_a_rule_refuses():
    assert golden_table(rules.make("stp"), 4)["p=1/n"] is None
    assert shown(None) == "refused"
    assert shown(-0.0) == "0.0000"


# The greatest of (1 - p) - (1 - p)^n is at p = 1 - n^(-1/(n-1)).
@pytest.mark.parametrize(("n", "rounded"), [(4, 0.37), (8, 0.26), (16, 0.17), (32, 0.11)])
def test_the_peak_of_one_minus_p_falls_with_the_attempts(n, rounded):
    found = peak(rules.make("azr_paper"), n)
    assert found == pytest.approx(1 - n ** (-1 / (n - 1)), abs=0.001)
    assert round(found, 2) == rounded


@pytest.mark.parametrize("n", [2, 4, 8, 32])
@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 0.9])
def test_the_correction_makes_the_mean_pay_the_true_variance(n, p):
    assert expected_pay(rules.make("variance_corrected"), p, n) == pytest.approx(4 * p * (1 - p))
    # The plain variance is low by a factor of 1 - 1/n.
    assert expected_pay(rules.make("variance"), p, n) == pytest.approx(4 * p * (1 - p) * (1 - 1 / n))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_an_odd_number_of_attempts_has_no_even_odds(n):
    with pytest.raises(InputError, match=rf"golden_table\.n: expected an even number of attempts, got {n}"):
        golden_table(rules.make("sfl"), n)


def test_a_peak_needs_as_many_attempts_as_the_rule():
    with pytest.raises(InputError, match=r"stp\.attempts: expected at least 5"):
        peak(rules.make("stp"), 4)
