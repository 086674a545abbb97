"""Every registered matchmaking seats every seat, in the order of the game."""

import numpy as np
import pytest
from opponent_samples import POPULATION, SEATS

from training.opponents.matchmaking import Matchmaking, live_lineup, matchmakers


@pytest.mark.parametrize("name", list(matchmakers))
def test_every_seat_is_taken(name):
    matchmaking = matchmakers.make(name)
    assert isinstance(matchmaking, Matchmaking)
    assert matchmaking.name == name
    for index in range(20):
        plans = matchmaking.lineup(SEATS, POPULATION, index, np.random.default_rng(index))
        assert list(plans) == ["first", "second"]


def test_the_live_lineup_names_the_live_version():
    assert {plan.policy.version for plan in live_lineup(SEATS, POPULATION).values()} == {7}
