"""The conformance check finds what an estimator may get wrong."""

import numpy as np
import pytest

from arena.errors import CheckError
from training.estimators.estimator import Estimate
from training.estimators.grpo import GroupRelative
from training.estimators.rae import RoleConditionedAdvantage
from training.estimators.reinforce import Reinforce
from training.testing import check_estimator, sample_units


class Counting(Reinforce):
    """Remembers in itself instead of in its state."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def estimate(self, units, state):
        self.calls += 1
        estimate = super().estimate(units, state)
        return Estimate(advantages=estimate.advantages + self.calls, state=state)


class Secretive(RoleConditionedAdvantage):
    """Keeps arrays in its state, which no JSON holds."""

    def estimate(self, units, state):
        return Estimate(advantages=np.zeros(len(units)), state={"baseline": np.zeros(2)})


class Mutating(RoleConditionedAdvantage):
    """Writes into the state that it was given."""

    def estimate(self, units, state):
        state["seen"] = 1.0
        return Estimate(advantages=np.zeros(len(units)), state=state)


class Numbered(Reinforce):
    """Keys of its state are numbers, which JSON turns into strings."""

    def estimate(self, units, state):
        count = state.get(0, 0)
        return Estimate(advantages=np.full(len(units), float(count)), state={0: count + 1})


class Unsaid(RoleConditionedAdvantage):
    """Depends on the order and does not say so."""

    sequential = False


class TokenShaped(Reinforce):
    """One column a token."""

    def estimate(self, units, state):
        return Estimate(advantages=np.zeros((len(units), 2)), state=state)


class Single(Reinforce):
    """Single precision."""

    def estimate(self, units, state):
        return Estimate(advantages=np.zeros(len(units), np.float32), state=state)


class Dividing(GroupRelative):
    """Divides by the standard deviation whatever it is."""

    def estimate(self, units, state):
        returns = np.array([unit.episode_return for unit in units])
        with np.errstate(all="ignore"):
            return Estimate(advantages=(returns - returns.mean()) / returns.std(), state=state)


class Optimistic(Reinforce):
    """A group estimator that lets a group of one learn from its raw return."""

    min_group = 2

    def __init__(self):
        super().__init__("none")


class Listed(Reinforce):
    """A key that cannot be a key."""

    def key(self, unit):
        return [unit.game]


class Empty(Reinforce):
    """Fails where a round has no unit of it."""

    def estimate(self, units, state):
        if not units:
            return Estimate(advantages=np.zeros(1), state=state)
        return super().estimate(units, state)


class Undeclared(Reinforce):
    """Does not say whether it is sequential."""

    sequential = None


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (Counting(), "the same result twice"),
        (Secretive(), "a mapping of JSON values"),
        (Mutating(), "units and state left as they were"),
        (Numbered(), "after JSON"),
        (Unsaid(), "declare sequential = True"),
        (TokenShaped(), r"shape \(48,\)"),
        (Single(), "a float64 array"),
        (Dividing(), "finite numbers|a group of"),
        (Optimistic(), "a group of one"),
        (Listed(), "one hashable value"),
        (Empty(), r"shape \(0,\)"),
        (Undeclared(), "sequential: expected a bool"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_it_names_what_is_wrong(estimator, words):
    with pytest.raises(CheckError, match=words):
        check_estimator(estimator)


def test_made_up_rounds_are_the_same_every_time_and_in_canonical_order():
    assert sample_units(0) == sample_units(0)
    assert sample_units(0) != sample_units(1)
    places = [(u.episode_id, u.seat, u.ordinal) for u in sample_units(0)]
    assert places == sorted(places)
    assert len({u.anchor_key for u in sample_units(0)}) < len(places)
