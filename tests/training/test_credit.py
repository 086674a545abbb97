"""Credit assignment: each unit to the estimator of its seat, rows by policy, states by config."""

import json

import numpy as np
import pytest
from training_samples import unit

from arena.errors import RunError
from arena.types import PolicyId
from training.credit import CreditAssignment
from training.estimators.estimator import Estimate
from training.estimators.rae import RoleConditionedAdvantage
from training.estimators.reinforce import Reinforce

GAME = "kuhn_poker-v0"


def mixed():
    """The first seat by RAE, the second by REINFORCE without baseline."""
    return CreditAssignment(
        {(GAME, "first"): RoleConditionedAdvantage(decay=0.5), (GAME, "second"): Reinforce("none")},
        {(GAME, "first"): {"name": "rae", "decay": 0.5}, (GAME, "second"): {"name": "reinforce", "baseline": "none"}},
    )


def shared():
    """Both seats by one batch mean."""
    part = {"name": "reinforce", "baseline": "batch"}
    places = [(GAME, "first"), (GAME, "second")]
    return CreditAssignment({place: Reinforce() for place in places}, {place: dict(part) for place in places})


def round_of(*values):
    return [unit(e, seat, v if seat == "first" else -v) for e, v in enumerate(values) for seat in ("first", "second")]


def test_each_seat_by_its_own_estimator():
    rows, credits = mixed().assign(round_of(1.0, 2.0))
    assert [row.advantage for row in rows["player"]] == [1.0, -1.0, 1.5, -2.0]
    assert [(c.episode_id, c.seat, c.ordinal, c.advantage) for c in credits] == [
        ("e000", "first", 0, 1.0),
        ("e000", "second", 0, -1.0),
        ("e001", "first", 0, 1.5),
        ("e001", "second", 0, -2.0),
    ]


def test_equal_configs_share_one_estimator():
    rows, _ = shared().assign([unit(0, value=4.0), unit(0, "second", value=0.0)])
    assert [row.advantage for row in rows["player"]] == [2.0, -2.0]


def test_rows_go_to_the_policy_that_sampled():
    other = PolicyId(name="other", version=1)
    rows, _ = shared().assign([unit(0, value=4.0), unit(0, "second", value=0.0, policy=other)])
    assert {name: [row.advantage for row in found] for name, found in rows.items()} == {
        "player": [2.0],
        "other": [-2.0],
    }


def test_the_state_goes_through_json_and_on():
    straight, resumed = mixed(), mixed()
    first, second = round_of(1.0, 2.0, -3.0), round_of(0.5, 0.25)
    straight.assign(first)
    resumed.restore(json.loads(json.dumps(straight.state())))
    a, b = straight.assign(second)[0]["player"], resumed.assign(second)[0]["player"]
    assert [row.advantage for row in a] == [row.advantage for row in b]
    assert straight.state() == resumed.state()
    assert [row.advantage for row in a] != [row.advantage for row in mixed().assign(second)[0]["player"]]


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_return_that_is_not_finite_stops_the_run_by_name(bad):
    with pytest.raises(RunError, match="estimator reinforce: expected finite advantages"), np.errstate(all="ignore"):
        shared().assign(round_of(1.0, bad))


def test_a_missing_advantage_is_never_filled_in():
    class Short(Reinforce):
        def estimate(self, units, state):
            return Estimate(advantages=np.ones(len(units) - 1), state=state)

    with pytest.raises((RunError, ValueError)):
        CreditAssignment({(GAME, "first"): Short()}, {(GAME, "first"): {"name": "short"}}).assign(
            [unit(0, value=1.0), unit(1, value=1.0), unit(2, value=1.0)]
        )


def test_statistics_by_game_and_seat():
    credit = shared()
    credit.assign([unit(0, value=4.0), unit(1, value=2.0), unit(0, "second", value=0.0)])
    found = credit.statistics("player")
    assert found[f"{GAME}/first"] == {"mean": 1.0, "std": 1.0, "max": 2.0}
    assert found[f"{GAME}/second"] == {"mean": -2.0, "std": 0.0, "max": 2.0}
    assert credit.statistics("nobody") == {}


def test_a_round_without_units_is_no_error():
    assert mixed().assign([]) == ({}, [])
