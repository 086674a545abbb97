"""One game of a campaign: its plans are functions of (seed, round, index)."""

import pytest
from kuhn_world import kuhn_entry, policy

from arena.types import PolicyId, Tag
from roles.scripted import Uniform
from training.opponents.matchmaking import Population, SeatAssignment
from training.opponents.other_players import PastOpponents
from training.players import ModelPlayer

POPULATION = Population(
    live={"player": PolicyId(name="player", version=0)}, snapshots={"player": [PolicyId(name="player.past", version=0)]}
)


@pytest.fixture(scope="module")
def policies():
    return {"player": policy()}


def test_ids_groups_tasks_and_seeds(policies):
    entry = kuhn_entry(policies, group_size=2)
    plans = entry.plan(5, 3, 6, POPULATION, first=10)
    assert [plan.id for plan in plans] == [f"r000003-e{10 + i:06d}" for i in range(6)]
    assert [plan.group_id for plan in plans] == [f"r000003-g{n:06d}" for n in (10, 10, 12, 12, 14, 14)]
    assert len({plan.task.id for plan in plans}) == 3
    assert all(plans[i].task == plans[i + 1].task for i in (0, 2, 4))
    seeds = [plan.seeds[seat] for plan in plans for seat in ("first", "second")]
    assert len(set(seeds)) == 12
    assert all(isinstance(player, ModelPlayer) for plan in plans for player in plan.players.values())


def test_plans_are_functions_of_seed_round_and_index(policies):
    def essence(seed=5, round_index=3):
        plans = kuhn_entry(policies, matchmaking=PastOpponents(0.5)).plan(seed, round_index, 8, POPULATION, 0)
        return [(plan.id, plan.task, plan.seeds, plan.lineup) for plan in plans]

    assert essence() == essence()
    assert essence() != essence(seed=6)
    assert [one[2] for one in essence()] != [one[2] for one in essence(round_index=4)]
    assert {plan.tag for one in essence() for plan in one[3].values()} == {Tag.LIVE, Tag.PAST}


def test_at_least_one_whole_group_is_planned(policies):
    assert len(kuhn_entry(policies, group_size=4).plan(5, 0, 3, POPULATION, 0)) == 4
    assert len(kuhn_entry(policies, group_size=4).plan(5, 0, 11, POPULATION, 0)) == 8


def test_evaluation_plays_the_same_deals_each_time_and_trains_on_none(policies):
    entry = kuhn_entry(policies)
    plans, again = (entry.versus("second", "uniform", 5, seed=5) for _ in range(2))
    assert [(p.id, p.task, p.seeds) for p in plans] == [(p.id, p.task, p.seeds) for p in again]
    assert len({plan.task.seed for plan in plans}) == 5
    assert {plan.lineup["second"].tag for plan in plans} == {Tag.FROZEN}
    assert {plan.lineup["first"].tag for plan in plans} == {Tag.SCRIPTED}
    assert isinstance(plans[0].players["first"], Uniform)
    assert [p.task for p in plans] == [p.task for p in entry.versus("first", "initial", 5, seed=5)]


def test_the_initial_policy_is_its_first_snapshot(policies):
    plans = kuhn_entry(policies).versus("first", "initial", 1, seed=5)
    assert plans[0].lineup["second"].policy == PolicyId(name="player.past", version=0)
    assert plans[0].players["second"].policy == PolicyId(name="player.past", version=0)


def test_the_initial_policy_leaves_scripted_seats_to_their_script(policies):
    seats = [
        SeatAssignment(seat="first", role="player", policy="player", trained=True),
        SeatAssignment(seat="second", role="always_bet", policy="", trained=False),
    ]
    plans = kuhn_entry(policies, seats).versus("first", "initial", 1, seed=5)
    assert (plans[0].lineup["second"].tag, plans[0].players["second"].name) == (Tag.SCRIPTED, "always_bet")


def test_environments_are_lent_and_taken_back(policies):
    entry = kuhn_entry(policies)
    first, second = entry.open_env(), entry.open_env()
    assert first is not second
    entry.return_envs()
    assert entry.open_env() is first
