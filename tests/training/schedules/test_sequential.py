"""The sequential schedule: one game after another, each for its share of the rounds."""

from hypothesis import given
from hypothesis import strategies as st

from training.schedules.schedule import Phase, Schedule, schedules
from training.schedules.sequential import Sequential

TRAINED = frozenset({"player"})


def test_one_game_follows_the_other():
    schedule = Sequential(rounds=4, episodes_per_round=12, shares={"a": 1.0, "b": 3.0}, trained=TRAINED)
    assert isinstance(schedule, Schedule)
    played = [schedule.next(n) for n in range(4)]
    assert [dict(phase.episodes) for phase in played] == [{"a": 12}, {"b": 12}, {"b": 12}, {"b": 12}]
    assert played[2] == Phase(round=2, episodes={"b": 12}, trained=TRAINED)
    assert schedule.next(4) is None


@given(st.integers(1, 500), st.lists(st.floats(0.01, 10), min_size=1, max_size=5))
def test_every_round_has_one_game_and_none_comes_back(rounds, shares):
    schedule = Sequential(rounds, 8, {f"g{i}": share for i, share in enumerate(shares)}, TRAINED)
    order = [next(iter(schedule.next(n).episodes)) for n in range(rounds)]
    assert schedule.next(rounds) is None
    assert order == sorted(order)


def test_it_is_registered():
    assert "sequential" in schedules
