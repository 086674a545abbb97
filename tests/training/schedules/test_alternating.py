"""The alternating schedule: all games in every round, one policy learns at a time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ConfigError, UnknownNameError
from training.config import CampaignConfig, GameConfig, PolicyConfig, ScheduleConfig
from training.schedules.alternating import Alternating
from training.schedules.planned import planned
from training.schedules.schedule import Schedule

BOTH = frozenset({"challenger", "solver"})


def test_policies_take_turns_in_order():
    schedule = Alternating(6, 8, {"g": 1.0}, BOTH, {"challenger": 1, "solver": 2})
    assert isinstance(schedule, Schedule)
    phases = [schedule.next(at) for at in range(6)]
    assert [sorted(phase.trained) for phase in phases] == [["challenger"], ["solver"], ["solver"]] * 2
    assert all(dict(phase.episodes) == {"g": 8} for phase in phases)
    assert schedule.next(6) is None


@given(st.dictionaries(st.sampled_from("abcd"), st.integers(1, 4), min_size=1), st.integers(1, 60))
def test_in_every_cycle_each_policy_learns_for_its_turn(turns, rounds):
    schedule = Alternating(rounds, 8, {"g": 1.0}, frozenset(turns), turns)
    cycle = sum(turns.values())
    learners = [next(iter(schedule.next(at).trained)) for at in range(rounds)]
    for start in range(0, rounds - cycle + 1):
        assert {name: learners[start : start + cycle].count(name) for name in turns} == turns


def config(kind="alternating", **turns):
    return CampaignConfig(
        policies={"challenger": PolicyConfig(), "solver": PolicyConfig(), "judge": PolicyConfig(trained=False)},
        games={"g": GameConfig(game="solve-v0")},
        schedule=ScheduleConfig(kind=kind, turns=turns),
    )


def test_a_config_is_planned():
    assert planned(config(solver=1, challenger=1)).order == ["solver", "challenger"]
    assert planned(config("simultaneous")).next(0).trained == BOTH


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (config(challenger=1, solvr=1), UnknownNameError, r"schedule\.turns.*did you mean solver"),
        (config(challenger=1, solver=1, judge=1), UnknownNameError, "judge"),  # it is not trained
        (config(challenger=1, solver=0), ConfigError, r"schedule\.turns\.solver: expected at least 1 round, got 0"),
        (config(challenger=1), ConfigError, "got none for solver"),
        (config(), ConfigError, "got none for challenger, solver"),
        (config("simultaneous", solver=1), ConfigError, "set schedule.kind=alternating"),
        (config("alternate"), UnknownNameError, "did you mean alternating"),
    ],
)
def test_turns_that_do_not_fit_are_refused(made, error, message):
    with pytest.raises(error, match=message):
        planned(made)
