"""Refills: bounded, only while groups are lacking, with ids of their own, and trained on what is kept alone."""

from types import SimpleNamespace

import pytest
from kuhn_world import kuhn_entry, policy

from arena.seeds import generator
from arena.types import EpisodeGroup, PolicyId
from curricula.uniform import Uniform
from training.opponents.matchmaking import Population
from training.refill import refilled
from training.runtimes.local import Batch

POPULATION = Population(live={"player": PolicyId(name="player", version=0)}, snapshots={"player": []})


class Wanting:
    """A curriculum that keeps the groups whose ids are even numbers, and wants some of them."""

    name = "wanting"

    def __init__(self, wanted, refills):
        self.wanted, self.refills = wanted, refills

    def kept(self, groups):
        return [group for group in groups if int(group.group_id) % 2 == 0]

    def lacking(self, groups):
        return max(0, self.wanted - len(self.kept(groups)))


class Playing:
    """A runtime whose groups are what the plans say."""

    def batches(self, plans):
        yield Batch(groups={name: groups(planned) for name, planned in plans.items()})


def groups(ids):
    return [EpisodeGroup(group_id=id, episodes=()) for id in ids]


def filled(curriculum, first=("0", "1", "3"), per_refill=("5", "7")):
    asked = []

    def propose(name, episodes, first, refill):
        asked.append((name, episodes, first, refill))
        return list(per_refill)

    games = {"one": SimpleNamespace(curriculum=curriculum, group_size=4)}
    batches = [Batch(groups={"one": groups(first)})]
    ((batch, kept),) = refilled(batches, games, Playing(), propose, first=12)
    ids = [[group.group_id for group in found["one"]] for found in (batch.groups, kept)]
    return asked, *ids


def test_refills_are_bounded_and_numbered_on():
    asked, played, kept = filled(Wanting(3, 2))
    assert asked == [("one", 8, 12, 1), ("one", 8, 14, 2)]
    assert played == ["0", "1", "3", "5", "7", "5", "7"]
    assert kept == ["0"]


def test_it_stops_when_enough_is_kept_and_trains_on_no_more_than_was_asked_for():
    asked, played, kept = filled(Wanting(3, 5), per_refill=("2", "4", "6"))
    assert [one[3] for one in asked] == [1]
    assert (len(played), kept) == (6, ["0", "2", "4"])


@pytest.mark.parametrize("curriculum", [Wanting(1, 2), Wanting(3, 0), Uniform("kuhn_poker-v0", 1)])
def test_nothing_is_played_where_nothing_lacks_or_nothing_is_left(curriculum):
    asked, played, kept = filled(curriculum)
    assert asked == []
    assert played == ["0", "1", "3"]
    assert kept == (["0"] if isinstance(curriculum, Wanting) else played)


def test_plans_of_a_refill_have_ids_and_draws_of_their_own():
    drawn = []

    class Drawing(Uniform):
        def propose(self, random, round_index, count):
            drawn.append(int(random.integers(1 << 60)))
            return super().propose(random, round_index, count)

    entry = kuhn_entry({"player": policy()}, group_size=2)
    entry.curriculum = Drawing("kuhn_poker-v0", 5)
    plans = entry.plan(5, 3, 4, POPULATION, 0)
    for refill in (1, 2):
        plans += entry.plan(5, 3, 4, POPULATION, len(plans), refill)
    assert [plan.id for plan in plans] == [f"r000003-e{number:06d}" for number in range(12)]
    assert len({plan.group_id for plan in plans}) == 6
    assert len(set(drawn)) == 3
    assert drawn[0] == int(generator("curriculum:kuhn", 5, 3).integers(1 << 60))  # the first play is as ever
