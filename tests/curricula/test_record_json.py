"""Records survive JSON, and what the record learnt to hold."""

from __future__ import annotations

import json

import pytest

from arena.types import Outcome, PolicyId, Task
from curricula.record_json import record_fields, record_from, task_fields, task_from
from curricula.task_record import Origin, Score, TaskRecord, TaskStatus

OLD, NEW = PolicyId(name="solver", version=1), PolicyId(name="solver", version=2)
TASK = Task(game="g-v0", params={"n": 3}, seed=7, author="proposer@2", parents=("abc",))


def full_record():
    record = TaskRecord(
        task=TASK,
        origin=Origin(by="proposer@2", role="proposer", episode="e1", round=4, skills=("carry",)),
        valid=True,
        checks={"runs": 2},
        pool="hard",
    )
    record = record.with_attempt(OLD, Outcome.CORRECT, round_index=4, share=0.5)
    record = record.with_attempt(NEW, Outcome.UNDECIDED, round_index=5)
    record = record.with_score(Score(formula="sfl-v1/n=4", terms={"a": 0.5, "b": -0.25}, p_mean=0.5, interval=(0, 1)))
    return record.with_status(TaskStatus.ADMITTED, "novel")


@pytest.mark.parametrize("record", [TaskRecord(task=TASK), full_record()], ids=["new", "full"])
def test_a_record_survives_json(record):
    assert record_from(json.loads(json.dumps(record_fields(record)))) == record


def test_a_task_survives_json_with_its_id():
    fields = task_fields(TASK)
    assert fields["id"] == TASK.id
    assert task_from(fields) == TASK


def test_a_score_is_the_sum_of_its_terms():
    assert full_record().score == 0.25


def test_the_last_try_counts_even_when_it_was_left_undecided():
    record = full_record()
    assert (record.tried_round, record.attempts, record.undecided) == (5, 1, 1)


def test_the_verified_share_is_a_mean_over_the_attempts_that_tell_it():
    record = TaskRecord(task=TASK)
    assert record.verified_share is None
    for share in (0.25, None, 0.75):
        record = record.with_attempt(OLD, Outcome.WRONG, share=share)
    assert record.verified_share == 0.5


def test_each_policy_has_its_own_newest_version():
    record = TaskRecord(task=TASK)
    for policy in (OLD, NEW, PolicyId(name="another", version=0)):
        record = record.with_attempt(policy, Outcome.CORRECT)
    assert record.posterior(decay=0.5).alpha == 1 + 1 + 0.5 + 1
    assert record.posterior(decay=0.5, policy="solver").alpha == 1 + 1 + 0.5
