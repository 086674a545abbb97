"""Tallies tell every end of a game apart, and swapped deals cancel their luck."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_samples import episode, turn

from arena.types import Status
from training.tally import duplicates, mean_interval, result, tally, wilson


def test_wilson_intervals():
    # E. B. Wilson (1927); values of R's binom::binom.confint(method = "wilson") to 4 digits
    assert wilson(8, 10) == pytest.approx((0.4902, 0.8, 0.9433), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0, 1.0), abs=1e-4)
    assert wilson(0, 0) == (0.0, 0.5, 1.0)


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_holds_the_rate_and_stays_inside(trials, share):
    low, mid, high = wilson(wins := round(share * trials), trials)
    assert 0.0 <= low <= mid + 1e-12 and mid <= high + 1e-12 <= 1.0 + 2e-12
    assert mid == wins / trials


def game(first, second, **changes):
    return episode([turn("first"), turn("second")], returns={"first": first, "second": second}, **changes)


def test_a_tally_counts_each_kind_of_end():
    played = [
        game(1.0, -1.0),
        game(2.0, -2.0),
        game(0.0, 0.0),
        game(-1.0, 1.0),
        game(-2.0, 2.0, reason="forfeit:first"),
        game(2.0, -2.0, reason="forfeit:second"),
        game(0.0, 0.0, status=Status.TRUNCATED, reason="max_turns"),
        game(None, None, status=Status.FAILED, reason="raised: x"),
        game(None, 1.0),
    ]
    found = tally("first", "uniform", played)
    ends = [result(one, "first") for one in played]
    assert ends == ["won", "won", "drawn", "lost", "forfeited", "won_by_forfeit", "truncated", "failed", "unjudged"]
    names = ("games", "wins", "draws", "losses", "won_by_forfeit", "forfeits", "truncated", "failed", "unjudged")
    assert {name: found[name] for name in names} == dict(zip(names, (9, 3, 1, 2, 1, 1, 1, 1, 1), strict=True))
    assert found["win_rate"] == list(wilson(3, 7))  # a truncated game stays in the denominator
    assert found["not_lost_rate"] == list(wilson(4, 7))
    assert found["return_mean"] == pytest.approx(2 / 7)
    assert (found["opponent"], found["seat"]) == ("uniform", "first")


def test_a_tally_of_nothing():
    found = tally("first", "uniform", [])
    assert found["return_mean"] is None
    assert found["win_rate"] == [0.0, 0.5, 1.0]


def test_a_seat_of_three_forfeits_for_itself_alone():
    one = episode([turn("a")], returns={"a": -1.0, "b": 0.5, "c": 0.5}, reason="forfeit:a")
    assert [result(one, seat) for seat in ("a", "b", "c")] == ["forfeited", "won_by_forfeit", "won_by_forfeit"]
    both = episode([turn("a")], returns={"a": 0.0, "b": 0.0}, reason="forfeit:a,b")
    assert [result(both, seat) for seat in ("a", "b")] == ["forfeited", "forfeited"]


def test_the_interval_of_a_mean():
    # mean 2.5, standard deviation sqrt(5/3), n = 4: 1.96 * sqrt(5/3) / 2 = 1.2652
    assert mean_interval([1.0, 2.0, 3.0, 4.0]) == pytest.approx((1.2348, 2.5, 3.7652), abs=1e-4)
    assert mean_interval([2.0]) == (2.0, 2.0, 2.0)


def test_swapped_deals_cancel_their_luck():
    rng = np.random.default_rng(0)
    luck, skill = rng.normal(0, 5, 400), rng.normal(0.3, 0.5, (2, 400))
    first = [game(luck[i] + skill[0, i], 0.0) for i in range(400)]
    second = [game(0.0, -luck[i] + skill[1, i]) for i in range(400)]
    found = duplicates("uniform", {"first": first, "second": second})
    assert found["deals"] == 400
    assert found["return"][1] == pytest.approx(skill.mean())
    assert found["return"][0] > 0.2 and found["return"][2] < 0.4
    assert found["variance_ratio"] < 0.05


def test_deals_without_a_return_leave_the_duplicates():
    good, bad = game(1.0, -1.0), game(None, None, status=Status.FAILED)
    found = duplicates("uniform", {"first": [good, good, bad], "second": [good, bad, good]})
    assert (found["deals"], found["return"], found["variance_ratio"]) == (1, [0.0, 0.0, 0.0], None)
    assert duplicates("uniform", {"first": [bad], "second": [good]})["return"] is None
