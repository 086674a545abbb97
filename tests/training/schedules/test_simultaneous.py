"""The simultaneous schedule: the same phase each round, all episodes shared out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.schedules.schedule import Phase, Schedule, schedules
from training.schedules.simultaneous import Simultaneous

TRAINED = frozenset({"player"})


def test_every_round_is_the_same_until_the_last():
    schedule = Simultaneous(rounds=2, episodes_per_round=12, shares={"a": 1.0, "b": 3.0}, trained=TRAINED)
    assert isinstance(schedule, Schedule)
    episodes = {"a": 3, "b": 9}
    assert schedule.next(0) == Phase(round=0, episodes=episodes, trained=TRAINED)
    assert schedule.next(1) == Phase(round=1, episodes=episodes, trained=TRAINED)
    assert schedule.next(2) is None


@given(st.integers(1, 2000), st.lists(st.floats(0.01, 10), min_size=1, max_size=6))
def test_no_episode_is_lost_or_added(total, shares):
    named = {f"g{i}": share for i, share in enumerate(shares)}
    episodes = Simultaneous(1, total, named, TRAINED).episodes
    assert sum(episodes.values()) == total
    for name, share in named.items():
        assert abs(episodes[name] - total * share / sum(shares)) <= 1 + 1e-6


def test_equal_shares_differ_by_one_at_most():
    episodes = Simultaneous(1, 512, dict.fromkeys("abc", 1.0), TRAINED).episodes
    assert sorted(episodes.values()) == [170, 171, 171]


def test_it_is_registered():
    assert "simultaneous" in schedules
    with pytest.raises(Exception, match="did you mean simultaneous"):
        schedules.make("simultanous")
