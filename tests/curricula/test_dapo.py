"""DAPO's dynamic sampling: which groups are kept, how many are lacking, and what a refill proposes."""

import json

import pytest
from played_episodes import Undecided, answered

from arena.errors import ConfigError
from arena.seeds import generator
from curricula.curriculum import Refilling
from curricula.dapo import DynamicSampling
from curricula.generated import Generated
from curricula.ledger import TaskLedger
from curricula.testing import check_curriculum

BASE = {"domain": "arithmetic"}


def make(**knobs):
    return DynamicSampling("solve-v0", 1, BASE, most=3, **knobs)


def groups_of(tasks, *answers):
    """One group a task, with the answers of that place; ``None`` is the right one."""
    pairs = zip(tasks, answers, strict=True)
    return [answered([task], [[one] for one in said], place)[0] for place, (task, said) in enumerate(pairs)]


def test_only_mixed_groups_are_kept_and_the_rest_is_lacking():
    curriculum = make()
    assert isinstance(curriculum, Refilling)
    tasks = curriculum.propose(generator("t"), 0, 3)
    groups = groups_of(tasks, [None, None], [None, "wrong"], ["wrong", "wrong"])
    assert curriculum.kept(groups) == [groups[1]]
    assert curriculum.lacking(groups) == 2
    assert curriculum.lacking([groups[1]] * 5) == 0


@pytest.mark.parametrize(("calls", "kept"), [((), 1), ((0,), 1), ((0, 1), 0), ((2,), 0), ((0, 1, 2), 0)])
def test_undecided_attempts_are_in_no_count(calls, kept):
    curriculum = make()
    tasks = curriculum.propose(generator("t"), 0, 1)
    groups = answered(tasks, [[None], [None], ["wrong"]], verifier=Undecided(*calls))
    assert len(curriculum.kept(groups)) == kept
    curriculum.observe(groups, [])
    rate = {} if len(calls) == 3 else {"kept_rate": float(kept)}
    assert {k: v for k, v in curriculum.metrics().items() if k == "kept_rate"} == rate


def test_a_refill_proposes_further_tasks_of_the_same_round():
    curriculum = make()
    first = curriculum.propose(generator("t", 0), 7, 4)
    groups = groups_of(first, *[[None, "wrong"]] * 2, *[[None, None]] * 2)
    more = curriculum.propose(generator("t", 0), 7, curriculum.lacking(groups))  # even from the same generator
    assert len({task.id for task in [*first, *more]}) == 6
    assert len({task.seed for task in [*first, *more]}) == 6
    groups += groups_of(more, [None, "wrong"], ["wrong", "wrong"])
    assert curriculum.lacking(groups) == 1
    curriculum.observe(groups, [])
    rates = curriculum.metrics()
    assert (rates["kept_rate"], rates["refills_used"], rates["live_rate"]) == (0.5, 1.0, 0.5)
    assert {record.attempts for record in curriculum.log.ledger.records.values()} == {2}
    rebuilt = TaskLedger("solve-v0")
    rebuilt.replay(curriculum.drain())
    assert len(rebuilt.records) == 6
    curriculum.propose(generator("t", 1), 8, 2)
    assert curriculum.lacking([]) == 2
    curriculum.observe([], [])
    assert curriculum.metrics()["refills_used"] == 0.0


def test_without_refills_it_draws_what_generated_draws():
    one, other = make(), Generated("solve-v0", 1, BASE, most=3)
    for at in range(3):
        ids = [[task.id for task in each.propose(generator("t", at), at, 4)] for each in (one, other)]
        assert ids[0] == ids[1]


def test_it_passes_the_check_and_continues_within_a_round():
    tasks = make().propose(generator("other"), 9, 3)
    check_curriculum(make, answered(tasks, [[None], ["0"]], 9))
    one, other = make(), make()
    one.propose(generator("t", 0), 0, 4)
    other.restore(json.loads(json.dumps(one.state())))
    assert one.propose(generator("t", 1), 0, 2) == other.propose(generator("t", 1), 0, 2)
    assert one.lacking([]) == other.lacking([]) == 4
    assert one.state() == other.state()


@pytest.mark.parametrize(
    ("knobs", "message"), [({"refills": -1}, r"dapo\.refills"), ({"group_size": 1}, r"dapo\.group_size")]
)
def test_numbers_out_of_range_are_refused(knobs, message):
    with pytest.raises(ConfigError, match=message):
        make(**knobs)
    with pytest.raises(ConfigError, match=r"set params\.pay="):
        DynamicSampling("solve-v0", 1, {**BASE, "pay": "nothing"})
