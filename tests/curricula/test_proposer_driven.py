"""Absolute Zero and R-Zero: pools, duplicates, pay, votes, what stands in the log, and when a run is stopped."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_episodes import ARITHMETIC, Undecided, proposed

from arena.errors import ConfigError, RunError
from arena.games.propose_solve import PROPOSER
from arena.seeds import generator
from curricula.absolute_zero import AbsoluteZero
from curricula.ledger import TaskLedger
from curricula.r_zero import RZero
from curricula.testing import check_curriculum

BASE = {"domain": "arithmetic"}
UNPAID = {**BASE, "pay": "nothing"}
SUMS = {"sum": True}


def absolute_zero(**knobs):
    return AbsoluteZero("propose_solve/2-v0", 1, BASE, **{"seeds": 4, "kinds": SUMS, **knobs})


def r_zero(**knobs):
    return RZero("propose_solve/4-v0", 1, UNPAID, **{"seeds": 4, "kinds": SUMS, **knobs})


def one_round(curriculum, proposals, answers, at=0, **options):
    tasks = curriculum.propose(generator("test", at), at, len(proposals))
    groups = proposed(tasks, proposals, answers, at, **options)
    settlements = curriculum.settle(groups)
    curriculum.observe(groups, [])
    return settlements


def pay(settlements, seat=PROPOSER):
    return [sum(one.terms.values()) for one in settlements if one.seat == seat]


@pytest.mark.parametrize("make", [absolute_zero, r_zero])
def test_a_played_round_passes_the_check(make):
    fresh = make()
    tasks = fresh.propose(generator("other"), 9, 3)
    answers = ["1111", "1112", "1111", "7"][: len(tasks) - 1 if make is absolute_zero else 4]
    groups = proposed(tasks, ["1000 + 111", "what", "1000 + 112"], answers, 9)
    check_curriculum(make, groups)


def test_pay_follows_the_rule_and_failures_are_paid_alike():
    curriculum = absolute_zero(rule="azr_code")
    settlements = one_round(curriculum, ["1000 + 111", "1000 + 112", "what", "1000 + 111"], ["1111", "0"])
    assert pay(settlements) == [0.5, -0.5, -1.0, -1.0]  # p = 1/2, p = 0, unreadable, seen before
    assert dict(curriculum.ledger.rejections) == {"syntax": 1, "duplicate:exact": 1}
    assert curriculum.metrics() == {
        "proposer_pay": -0.5,
        "sealed_refused": 0.0,
        "new_tasks": 2.0,
        "proposal_valid_rate": 0.75,
        "duplicate_rate": pytest.approx(1 / 3),
        "mean_difficulty": 4.0,
        "live_rate": 0.5,
    }


def test_an_undecided_attempt_leaves_the_statistics_and_too_few_leave_the_proposal_unscored():
    curriculum = absolute_zero()
    assert one_round(curriculum, ["1000 + 111"], ["1111", "0"], verifier=Undecided(1)) == []
    assert dict(curriculum.ledger.rejections) == {"undecided:attempts": 1}
    assert one_round(curriculum, ["1000 + 111"], ["1111", "0"], 1) != []  # the same proposal is still new


def test_a_duplicate_that_is_not_refused_gets_its_attempts():
    curriculum = absolute_zero(refuse_duplicates=False)
    for at in range(2):
        assert pay(one_round(curriculum, ["1000 + 111"], ["1111", "0"], at)) == [0.5]
    (record,) = [one for one in curriculum.ledger.records.values() if one.origin.episode]
    assert (record.attempts, curriculum.metrics()["duplicate_rate"]) == (4, 1.0)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(100, 999), min_size=1, max_size=4), min_size=1, max_size=4), st.integers(2, 5))
def test_the_events_give_the_ledger_and_no_pool_drains_or_freezes_the_newest_out(rounds, cap):
    curriculum = absolute_zero(cap=cap, seeds=2, most_empty_rounds=99)
    rebuilt = TaskLedger(curriculum.ledger.game)
    for at, numbers in enumerate(rounds):
        known = set(curriculum.ledger.records)
        one_round(curriculum, [f"{n} + 1000" for n in numbers], ["1", "2"], at)
        rebuilt.replay(json.loads(json.dumps(curriculum.drain())))
        assert rebuilt.state() == curriculum.ledger.state()
        pool = curriculum.ledger.pool("sum")
        assert min(cap, 2) <= len(pool) <= cap
        new = [id for id in curriculum.ledger.records if id not in known]
        if new and at:
            assert pool[-1] == new[-1]


def test_every_problem_of_a_pool_is_shown_in_time():
    curriculum = absolute_zero(seeds=12)
    tasks = curriculum.propose(generator("test"), 0, 64)
    shown = {parent for task in tasks for parent in task.parents}
    assert shown == set(curriculum.ledger.pool("sum"))
    assert all(len(set(task.parents)) == 2 for task in tasks)


def test_a_resumed_run_goes_on_exactly():
    one, other = absolute_zero(), absolute_zero()
    one_round(one, ["1000 + 111", "what"], ["1111", "0"])
    other.restore(json.loads(json.dumps(one.state(), sort_keys=True)))
    for curriculum in (one, other):
        one_round(curriculum, ["1000 + 111", "1000 + 5"], ["1111", "0"], 1)
    assert one.state() == other.state()
    assert one.metrics() == other.metrics()


def test_a_small_domain_fills_what_it_can_and_a_sealed_one_says_so():
    assert len(absolute_zero(seeds=500, seed_difficulty=1).propose(generator("t"), 0, 1)) == 1
    sums = [{"kind": "sum", "left": a, "right": b} for a in range(10) for b in range(10)]
    sealed = frozenset(map(ARITHMETIC.signature, sums))
    with pytest.raises(ConfigError, match=r"absolute_zero\.seeds: expected problems of kind sum"):
        absolute_zero(seed_difficulty=1, sealed=sealed).propose(generator("t"), 0, 1)


def test_a_proposer_that_writes_nothing_valid_and_new_ends_the_run_with_the_funnel():
    curriculum = absolute_zero(most_empty_rounds=2)
    one_round(curriculum, ["1000 + 111"], ["0", "0"])
    one_round(curriculum, ["what", "1000 + 111"], ["0", "0"], 1)
    with pytest.raises(RunError) as caught:
        one_round(curriculum, ["what", "12 - 3"], ["0", "0"], 2)
    message = str(caught.value)
    assert "within 2 rounds, got none: 4 proposed, 1 understood, 1 valid, 0 new" in message
    assert "lost to syntax 2, duplicate:exact 1, other_kind 1" in message
    assert "most_empty_rounds" in message


def test_the_count_of_empty_rounds_survives_a_restart_and_a_new_task_ends_it():
    one, other = absolute_zero(most_empty_rounds=2), absolute_zero(most_empty_rounds=2)
    one_round(one, ["what"], ["0", "0"])
    other.restore(json.loads(json.dumps(one.state())))
    one_round(one, ["1000 + 1"], ["0", "0"], 1)
    one_round(one, ["what"], ["0", "0"], 2)
    one.observe([], [])  # a round without proposals is no empty one
    with pytest.raises(RunError):
        one_round(other, ["what"], ["0", "0"], 1)


def test_alarms_become_events():
    curriculum = absolute_zero()
    one_round(curriculum, [f"1000 + {n}" for n in range(100, 106)], ["0", "0"])
    found = [fields for kind, fields in curriculum.drain() if kind == "alarm"]
    assert "unsolvable_flooding" in {fields["detector"] for fields in found}
    assert all(id in curriculum.ledger for fields in found for id in fields["tasks"])
    assert curriculum.ledger.alarms["unsolvable_flooding"] == 1
    one_round(curriculum, ["1000 + 100"] * 6, ["0", "0"], 1)
    assert curriculum.ledger.alarms["history_duplicates"] == 1


def test_r_zero_pays_agreement_inside_the_band_alone():
    curriculum = r_zero()
    inside = one_round(curriculum, ["1000 + 111"], ["9", "9", "9", "1111"])
    assert [pay(inside, f"solver_{index}") for index in range(4)] == [[1.0], [1.0], [1.0], [0.0]]
    assert pay(inside) == [0.0]  # 1 - 2 |3/4 - 1/2| - 1: it is the whole batch
    unanimous = one_round(curriculum, ["1000 + 112"], ["9"] * 4, 1)
    assert [one.seat for one in unanimous] == [PROPOSER]
    assert curriculum.metrics()["in_band_rate"] == 0.0
    assert curriculum.metrics()["label_accuracy"] == 0.0


def test_r_zero_measures_labels_by_the_verdict_and_pays_as_if_there_were_none():
    paid = []
    for right in ("9", "1111"):
        curriculum = r_zero()
        said = [right, right, right, "5"]
        paid.append([(one.seat, dict(one.terms)) for one in one_round(curriculum, ["1000 + 111"], said)])
        assert curriculum.metrics()["label_accuracy"] == float(right == "1111")
        assert curriculum.metrics()["majority_rate"] == 0.75
    assert paid[0] == paid[1]


def test_r_zero_takes_the_share_of_the_cluster_off():
    proposals = ["1000 + 111", "2345 + 9", "77 + 4321", "1 + 8765"]
    settlements = one_round(r_zero(), proposals, ["9", "9", "8", "7"])
    assert pay(settlements) == [0.75] * 4  # 1 - 2 |1/2 - 1/2| - 1/4
    assert {one.formula for one in settlements if one.seat == PROPOSER} == {"r_zero_paper-v1/n=4"}
    assert set(settlements[0].terms) == {"vote", "check", "repetition"}


def test_r_zero_without_an_answer():
    assert pay(one_round(r_zero(), ["1000 + 111"], [""] * 4)) == [0.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: AbsoluteZero("propose_solve/1-v0", 1, BASE), "at least 2 solvers for azr_paper"),
        (lambda: AbsoluteZero("propose_solve/4-v0", 1, UNPAID), r"set params\.pay=verdict"),
        (lambda: AbsoluteZero("solve-v0", 1, BASE), "a game of proposing and solving"),
        (lambda: RZero("propose_solve/4-v0", 1, BASE), r"set params\.pay=nothing"),
        (lambda: r_zero(least_agreement=0.9), r"r_zero\.least_agreement"),
        (lambda: absolute_zero(kinds={"root": True}), r"absolute_zero\.kinds"),
        (lambda: absolute_zero(seeds=0), r"absolute_zero\.references, seeds"),
        (lambda: absolute_zero(most_empty_rounds=0), r"absolute_zero\.most_empty_rounds"),
    ],
)
def test_what_cannot_work_is_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()
