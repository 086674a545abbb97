"""Self-play: every seat as the config names it."""

import numpy as np
from opponent_samples import POPULATION, SEATS

from arena.types import PolicyId, Tag
from training.opponents.matchmaking import SeatAssignment
from training.opponents.self_play import SelfPlay


def test_every_seat_is_live_whatever_the_generator_says():
    for index in range(5):
        plans = SelfPlay().lineup(SEATS, POPULATION, index, np.random.default_rng(index))
        assert list(plans) == ["first", "second"]
        assert {(p.policy, p.tag, p.role) for p in plans.values()} == {
            (PolicyId(name="player", version=7), Tag.LIVE, "player")
        }


def test_frozen_policies_and_scripts_keep_their_tags():
    seats = [
        SeatAssignment(seat="first", role="player", policy="player", trained=False),
        SeatAssignment(seat="second", role="uniform", policy="", trained=False),
    ]
    plans = SelfPlay().lineup(seats, POPULATION, 0, np.random.default_rng(0))
    assert (plans["first"].tag, plans["first"].policy.version) == (Tag.FROZEN, 7)
    assert (plans["second"].tag, plans["second"].policy) == (Tag.SCRIPTED, PolicyId(name="uniform"))
