"""Units: order, returns, settlements, and who has none."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_samples import completion, episode, group, plan, turn

from arena.types import Settlement, Status, Tag
from training.units import units_of


def two_seats(index=0, **changes):
    turns = [
        turn("first", 0, 1.0, completion(name="a")),
        turn("second", 0, -2.0, completion(name="b")),
        turn("first", 1, 3.0, completion(name="c")),
    ]
    return episode(turns, index, **changes)


def pay(index=0, seat="first", own_turn=None, **terms):
    return Settlement(
        episode_id=f"r000000-e{index:06d}", seat=seat, turn=own_turn, terms=terms, formula="test-v0", round=0
    )


def test_return_to_go_sums_the_rewards_from_the_turn_on():
    units = units_of([group(two_seats())])
    assert [(u.seat, u.ordinal, u.return_to_go, u.episode_return) for u in units] == [
        ("first", 0, 4.0, 4.0),
        ("first", 1, 3.0, 4.0),
        ("second", 0, -2.0, -2.0),
    ]
    assert [u.completion.id for u in units] == ["a", "c", "b"]
    assert {u.policy.version for u in units} == {3}


@given(st.permutations(range(6)))
def test_order_does_not_depend_on_arrival(order):
    arrived = [group(two_seats(i), name=f"g{i}") for i in order]
    sorted_units = units_of([group(two_seats(i), name=f"g{i}") for i in range(6)])
    assert [replace(u) for u in units_of(arrived)] == sorted_units
    assert [u.episode_id for u in sorted_units] == sorted(u.episode_id for u in sorted_units)


def test_groups_of_episodes_in_any_order_give_the_same_units():
    assert units_of([group(two_seats(1), two_seats(0))]) == units_of([group(two_seats(0), two_seats(1))])


def test_a_settlement_for_a_turn_pays_that_turn():
    units = units_of([group(two_seats())], [pay(own_turn=0, bonus=10.0, tax=-4.0)])
    assert [u.return_to_go for u in units] == [10.0, 3.0, -2.0]
    assert [u.episode_return for u in units] == [10.0, 10.0, -2.0]


def test_a_settlement_for_an_episode_pays_the_last_turn():
    units = units_of([group(two_seats())], [pay(bonus=10.0)])
    assert [u.return_to_go for u in units] == [14.0, 13.0, -2.0]


def test_settlements_add_up_and_reach_only_their_own_episode_and_seat():
    settlements = [pay(0, own_turn=1, a=1.0), pay(0, own_turn=1, b=2.0), pay(1, "second", a=5.0)]
    units = units_of([group(two_seats(0), two_seats(1))], settlements)
    assert [u.return_to_go for u in units] == [7.0, 6.0, -2.0, 4.0, 3.0, 3.0]


@pytest.mark.parametrize("missing", [2, 7, -1])
def test_a_settlement_for_a_turn_that_was_not_taken_is_refused(missing):
    from arena.errors import RunError

    with pytest.raises(RunError, match="settlement"):
        units_of([group(two_seats())], [pay(own_turn=missing, bonus=1.0)])


def test_an_unjudged_seat_has_no_units_and_the_other_keeps_its_own():
    units = units_of([group(two_seats(returns={"first": None, "second": -2.0}))])
    assert [u.seat for u in units] == ["second"]


def test_failed_episodes_have_no_units():
    assert units_of([group(two_seats(status=Status.FAILED), two_seats(1))])[0].episode_id == "r000000-e000001"
    assert units_of([group(two_seats(status=Status.FAILED))]) == []


def test_truncated_episodes_keep_theirs():
    assert len(units_of([group(two_seats(status=Status.TRUNCATED))])) == 3


@pytest.mark.parametrize("tag", [Tag.PAST, Tag.FROZEN, Tag.SCRIPTED])
def test_only_live_seats_have_units(tag):
    units = units_of([group(two_seats(lineup={"first": plan(tag=tag), "second": plan()}))])
    assert [u.seat for u in units] == ["second"]


def test_a_turn_without_tokens_has_no_unit_but_its_reward_counts():
    turns = [turn("first", 0, 1.0, completion()), turn("first", 1, 5.0, None)]
    units = units_of([group(episode(turns))])
    assert [(u.ordinal, u.return_to_go) for u in units] == [(0, 6.0)]


def test_a_unit_knows_the_type_of_its_task_and_how_many_seats_share_its_role():
    lineup = {"first": plan(), "second": plan(tag=Tag.FROZEN), "third": replace(plan(), role="proposer")}
    turns = [turn("first", 0, 0.0, completion()), turn("third", 0, 0.0, completion())]
    played = episode(turns, lineup=lineup)

    def seen(kind):
        task = replace(played.task, params={"kind": kind})
        return [(u.task_type, u.role, u.role_seats) for u in units_of([group(replace(played, task=task))])]

    assert seen("deduction") == [("deduction", "player", 2), ("deduction", "proposer", 1)]
    assert {task_type for task_type, _, _ in seen(7)} == {""}
    assert {u.task_type for u in units_of([group(played)])} == {""}
