"""Mixed play: who comes, how often, in which seat, and that the generator alone decides."""

from collections import Counter

import numpy as np
import pytest
from opponent_samples import POPULATION, SEATS

from arena.errors import ConfigError, UnknownNameError
from arena.types import Tag
from training.opponents.matchmaking import SeatAssignment
from training.opponents.other_players import FrozenOpponents, PastOpponents, ScriptedOpponents

KINDS = {Tag.FROZEN: FrozenOpponents, Tag.PAST: PastOpponents, Tag.SCRIPTED: ScriptedOpponents}


def lineups(matchmaking, count=400, seats=SEATS):
    return [matchmaking.lineup(seats, POPULATION, i, np.random.default_rng(i)) for i in range(count)]


@pytest.mark.parametrize("tag", KINDS)
def test_share_tags_and_rotation(tag):
    found = lineups(KINDS[tag](share=0.5))
    others = [[seat for seat, plan in plans.items() if plan.tag is tag] for plans in found]
    assert {len(seats) for seats in others} == {0, 1}
    met = [seats[0] for seats in others if seats]
    assert abs(len(met) / len(found) - 0.5) < 0.1  # 4 standard deviations of a fair coin
    assert all(seats in ([], [SEATS[i % 2].seat]) for i, seats in enumerate(others))
    assert min(Counter(met).values()) > 60
    for plans in found:
        assert all(p.tag is tag or (p.tag is Tag.LIVE and p.policy.version == 7) for p in plans.values())


@pytest.mark.parametrize("tag", KINDS)
def test_the_generator_alone_decides(tag):
    assert lineups(KINDS[tag](share=0.3), 50) == lineups(KINDS[tag](share=0.3), 50)


@pytest.mark.parametrize("tag", KINDS)
def test_a_share_of_one_meets_the_other_always(tag):
    assert all(tag in {p.tag for p in plans.values()} for plans in lineups(KINDS[tag](share=1.0), 20))


def test_frozen_is_the_policy_before_training():
    found = [p.policy for plans in lineups(FrozenOpponents()) for p in plans.values() if p.tag is Tag.FROZEN]
    assert {(policy.name, policy.version) for policy in found} == {("player.past", 0)}


def test_past_is_each_snapshot_equally_often():
    found = [p.policy.version for plans in lineups(PastOpponents(1.0)) for p in plans.values() if p.tag is Tag.PAST]
    counts = Counter(found)
    assert set(counts) == {0, 3, 6}
    assert all(abs(count / 400 - 1 / 3) < 0.1 for count in counts.values())


def test_scripted_is_the_named_player():
    plans = lineups(ScriptedOpponents(player="always_bet", share=1.0), 1)[0]
    assert (plans["first"].role, plans["first"].policy.name) == ("always_bet", "always_bet")


@pytest.mark.parametrize("kind", [FrozenOpponents, PastOpponents])
def test_a_scripted_seat_stays_scripted(kind):
    seats = [SeatAssignment(seat="first", role="uniform", policy="", trained=False), SEATS[1]]
    assert all(plans["first"].tag is Tag.SCRIPTED for plans in lineups(kind(1.0), 10, seats))


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5, float("nan")])
@pytest.mark.parametrize("tag", KINDS)
def test_an_impossible_share_is_refused(tag, share):
    with pytest.raises(ConfigError, match=r"opponents.share: expected a number in \(0, 1\]"):
        KINDS[tag](share=share)


def test_an_unknown_player_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"opponents.player.*did you mean uniform"):
        ScriptedOpponents(player="unifrom")
    with pytest.raises(ConfigError, match="preference"):
        ScriptedOpponents(player="always")
