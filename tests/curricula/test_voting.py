"""Votes: who wins, by how much, and what is looked up afterwards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.types import Outcome, Verdict
from curricula.vote_rates import VoteRates
from curricula.voting import label_right, vote

ANSWERS = st.lists(st.sampled_from(["", "1", "2", "3"]), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("answers", "label", "share", "tied"),
    [
        (["1", "2", "1", "1"], "1", 0.75, False),
        (["2", "1"], "1", 0.5, True),  # ties: the first in order, and said so
        (["10", "9", ""], "10", 1 / 3, True),  # in order of texts; an empty answer counts and votes for nothing
        (["", "", "7", ""], "7", 0.25, False),
    ],
)
def test_the_majority(answers, label, share, tied):
    found = vote(answers)
    assert (found.label, found.share, found.tied) == (label, pytest.approx(share), tied)


def test_nobody_said_anything():
    assert vote(["", ""]) is None
    assert vote([]) is None
    assert vote(["1"], [0.0]) is None


def test_weights_decide():
    found = vote(["1", "1", "2"], [0.5, 0.5, 1.5])
    assert (found.label, found.share, found.shares) == ("2", 0.6, (0.6, 0.4))


@given(ANSWERS, st.randoms())
def test_the_order_of_answers_never_matters(answers, random):
    shuffled = list(answers)
    random.shuffle(shuffled)
    assert vote(shuffled) == vote(answers)


@given(ANSWERS)
def test_the_label_has_the_greatest_share(answers):
    found = vote(answers)
    if found is not None:
        assert found.share == found.shares[0] == pytest.approx(answers.count(found.label) / len(answers))
        assert sum(found.shares) <= 1 + 1e-9
        assert found.tied == (len(found.shares) > 1 and found.shares[1] == found.share)


def verdicts(*outcomes):
    return [Verdict(outcome=outcome) for outcome in outcomes]


def test_the_label_is_looked_up_where_the_verifier_could_tell():
    found = verdicts(Outcome.UNDECIDED, Outcome.CORRECT, Outcome.WRONG)
    assert label_right("1", ["1", "1", "2"], found) is True
    assert label_right("2", ["1", "1", "2"], found) is False
    assert label_right("1", ["1"], verdicts(Outcome.UNDECIDED)) is None


def test_rates_leave_out_what_has_no_count():
    rates = VoteRates()
    assert rates.rates() == {}
    rates.add(None, ["", ""], verdicts(Outcome.INVALID, Outcome.INVALID), in_band=False)
    assert rates.rates() == {"tie_rate": 0.0, "in_band_rate": 0.0}
    rates.add(vote(["1", "2"]), ["1", "2"], verdicts(Outcome.WRONG, Outcome.CORRECT), in_band=True)
    assert rates.rates() == {"majority_rate": 0.5, "label_accuracy": 0.0, "tie_rate": 0.5, "in_band_rate": 0.5}
    unbanded = VoteRates()
    unbanded.add(vote(["1"]), ["1"], verdicts(Outcome.CORRECT))
    assert "in_band_rate" not in unbanded.rates()
