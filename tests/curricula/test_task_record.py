"""What a task record remembers."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from arena.errors import InputError
from arena.types import Outcome, PolicyId, Task
from curricula.task_record import TaskRecord, TaskStatus

OLD, NEW = PolicyId(name="solver", version=1), PolicyId(name="solver", version=2)


def attempted(*attempts: tuple[PolicyId, Outcome]) -> TaskRecord:
    record = TaskRecord(task=Task(game="g-v0", parents=("abc",)))
    for policy, outcome in attempts:
        record = record.with_attempt(policy, outcome)
    return record


def test_attempts_are_counted_by_policy_version() -> None:
    record = attempted((OLD, Outcome.WRONG), (NEW, Outcome.CORRECT), (OLD, Outcome.CORRECT), (NEW, Outcome.INVALID))
    assert [(tally.policy, tally.attempts, tally.successes) for tally in record.tallies] == [(OLD, 2, 1), (NEW, 2, 1)]
    assert (record.attempts, record.successes) == (4, 2)
    assert record.parents == ("abc",)


def test_undecided_attempts_leave_the_statistics() -> None:
    record = attempted((OLD, Outcome.UNDECIDED), (OLD, Outcome.CORRECT))
    assert (record.attempts, record.successes, record.undecided) == (1, 1, 1)


def test_an_attempt_makes_a_new_record() -> None:
    before = attempted()
    after = before.with_attempt(OLD, Outcome.CORRECT)
    assert before.attempts == 0
    assert after.attempts == 1
    with pytest.raises(FrozenInstanceError):
        after.undecided = 3  # type: ignore[misc]


def test_posterior_is_uniform_before_any_attempt_and_moves_with_attempts() -> None:
    assert attempted().posterior().interval() == pytest.approx((0.025, 0.975))
    record = attempted(*[(OLD, Outcome.WRONG)] * 8)
    assert (record.posterior().alpha, record.posterior().beta) == (1.0, 9.0)


def test_older_versions_count_less_whatever_the_order_of_attempts() -> None:
    one = attempted((OLD, Outcome.WRONG), (NEW, Outcome.CORRECT))
    other = attempted((NEW, Outcome.CORRECT), (OLD, Outcome.WRONG))
    assert (one.posterior(decay=0.5).alpha, one.posterior(decay=0.5).beta) == (2.0, 1.5)
    assert other.posterior(decay=0.5) == one.posterior(decay=0.5)


def test_each_version_has_its_own_posterior() -> None:
    posteriors = attempted((OLD, Outcome.WRONG), (NEW, Outcome.CORRECT), (NEW, Outcome.CORRECT)).posteriors()
    assert posteriors[OLD].mean == pytest.approx(1 / 3)
    assert posteriors[NEW].mean == pytest.approx(3 / 4)


def test_status_keeps_its_reason_and_the_last_score() -> None:
    record = attempted().with_status(TaskStatus.ADMITTED, "novel", 0.4).with_status(TaskStatus.RETIRED, "mastered")
    assert (record.status, record.reason, record.score) == (TaskStatus.RETIRED, "mastered", 0.4)


@pytest.mark.parametrize("decay", [0.0, 1.5, float("nan")])
def test_decay_out_of_range_is_refused(decay: float) -> None:
    with pytest.raises(InputError, match=r"posterior\.decay: expected a number in \(0, 1\]"):
        attempted().posterior(decay=decay)
