"""The ledger is a fold: what it writes gives it back. And its pools lose nothing and freeze nobody out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from arena.errors import InputError
from arena.log.reader import read_events
from arena.log.writer import RunLog
from arena.types import Outcome, Task
from curricula.ledger import IMPOSSIBLE, MASTERED, TaskLedger
from curricula.task_record import TaskStatus

GAME = "g-v0"


def make(seed, parents=()):
    return Task(game=GAME, seed=seed, parents=parents)


def attempt(ledger, id, outcome="correct", version=0, share=None):
    ledger.record(
        "attempt", id=id, seat="solver", policy="solver", version=version, episode="e", outcome=outcome, share=share
    )


def admitted(ledger, seed, pool=""):
    id = ledger.propose(make(seed), by="generator")
    ledger.record("task_admitted", id=id, reason="novel")
    if pool:
        ledger.move(id, pool)
    return id


def score(ledger, id, value):
    ledger.record("score", id=id, formula="sfl-v1/n=4", terms={"a": value}, p_mean=0.5, interval=[0.1, 0.9])


def test_a_task_has_a_life():
    ledger = TaskLedger(GAME)
    ledger.begin_round(3)
    id = ledger.propose(make(1), by="proposer@2", role="proposer", episode="e0", kind="deduction", skills=["loops"])
    ledger.record("task_validated", id=id, outcome="valid", checks={"runs": 2})
    ledger.record("task_admitted", id=id, reason="novel")
    attempt(ledger, id, "correct", share=1.0)
    attempt(ledger, id, "undecided")
    ledger.record("score", id=id, formula="azr_paper-v1/n=4", terms={"a": 0.75, "b": -0.5}, p_mean=0.6, interval=[0, 1])
    ledger.move(id, "hard", "rarely solved")
    record = ledger[id]
    assert (record.origin.by, record.origin.round, record.origin.skills) == ("proposer@2", 3, ("loops",))
    assert (record.valid, record.status, record.reason) == (True, TaskStatus.ADMITTED, "novel")
    assert (record.attempts, record.undecided, record.verified_share, record.tried_round) == (1, 1, 1.0, 3)
    assert (record.score, record.pool, ledger.pool("hard")) == (0.25, "hard", (id,))
    assert id in ledger and len(ledger) == 1 and list(ledger.records) == [id]


def test_events_come_out_once_and_say_where_a_task_came_from():
    ledger = TaskLedger(GAME)
    id = admitted(ledger, 1, "easy")
    ledger.move(id, "hard", "grew")
    events = ledger.drain()
    kinds = [kind for kind, _ in events]
    assert kinds == ["task_proposed", "task_admitted", "pool_moved", "pool_moved"]
    assert events[-1][1] == {"id": id, "from": "easy", "to": "hard", "reason": "grew", "game": GAME}
    assert ledger.drain() == []


def test_a_round_that_goes_on_is_no_event():
    ledger = TaskLedger(GAME)
    for number in (1, 1, 2):
        ledger.begin_round(number)
    assert [fields["number"] for _, fields in ledger.drain()] == [1, 2]
    assert ledger.round == 2


def test_rejections_and_alarms_are_counted():
    ledger = TaskLedger(GAME)
    id = admitted(ledger, 1, "easy")
    ledger.record("task_validated", id=id, outcome="invalid", reason="not_deterministic")
    assert (ledger[id].valid, ledger[id].reason) == (False, "not_deterministic")
    ledger.record("task_rejected", id=id, reason="ambiguous")
    ledger.record("task_rejected", episode="e7", reason="duplicate", excerpt="x = 1")
    ledger.record("task_rejected", episode="e8", reason="duplicate")
    ledger.record("alarm", detector="few_clusters", evidence={"effective": 1.0}, action="continue")
    assert (ledger[id].status, ledger[id].pool, ledger.pool("easy")) == (TaskStatus.REJECTED, "", ())
    assert dict(ledger.rejections) == {"ambiguous": 1, "duplicate": 2}
    assert dict(ledger.alarms) == {"few_clusters": 1}


def test_a_fault_changes_nothing():
    ledger = TaskLedger(GAME)
    id = admitted(ledger, 1, "easy")
    before = ledger.state()
    with pytest.raises(InputError, match=f"expected a new task, got {id} again; reject the later one by its episode"):
        ledger.propose(make(1), by="proposer@3")
    for kind, fields in [
        ("pool_moved", {"id": "nobody", "to": "easy"}),
        ("task_admitted", {"id": "nobody"}),
        ("task_rejected", {"id": "nobody", "reason": "x"}),
    ]:
        with pytest.raises(InputError, match="expected a task that was proposed, got 'nobody'"):
            ledger.record(kind, **fields)
    assert ledger.state() == before


def test_the_oldest_leaves_a_full_pool_and_may_come_back():
    ledger = TaskLedger(GAME, caps={"easy": 2})
    first, second, third = (admitted(ledger, seed, "easy") for seed in range(3))
    assert ledger.pool("easy") == (second, third)
    assert (ledger[first].status, ledger[first].reason) == (TaskStatus.RETIRED, "cap:oldest")
    ledger.move(first, "easy", "again")
    assert ledger.pool("easy") == (third, first)
    assert ledger[first].status is TaskStatus.ADMITTED


def test_the_least_useful_leaves_but_never_the_newest_nor_one_without_a_score():
    ledger = TaskLedger(GAME, caps={"easy": 2}, drop="least_useful")
    good, poor = admitted(ledger, 0, "easy"), admitted(ledger, 1, "easy")
    score(ledger, good, 0.9)
    unscored = admitted(ledger, 2, "easy")
    assert ledger.pool("easy") == (poor, unscored)
    score(ledger, poor, 0.1)
    newest = ledger.propose(make(3), by="generator")
    score(ledger, newest, -1.0)
    ledger.move(newest, "easy")
    assert ledger.pool("easy") == (unscored, newest)


def test_resting_tasks_come_up_for_a_test_longest_wait_first():
    ledger = TaskLedger(GAME, retest_every=3)
    ledger.begin_round(0)
    early, late, playing = admitted(ledger, 0, MASTERED), admitted(ledger, 1, IMPOSSIBLE), admitted(ledger, 2, "easy")
    ledger.begin_round(1)
    attempt(ledger, late, "undecided")
    attempt(ledger, playing)
    assert ledger.due_for_retest(2) == []
    assert ledger.due_for_retest(3) == [early]
    assert ledger.due_for_retest(9) == [early, late]
    assert ledger.due_for_retest(9, limit=1) == [early]


@given(resting=st.integers(1, 12), limit=st.integers(1, 4), every=st.integers(1, 5), outcomes=st.randoms())
def test_no_resting_task_starves(resting, limit, every, outcomes):
    ledger = TaskLedger(GAME, retest_every=every)
    ledger.begin_round(0)
    ids = [admitted(ledger, seed, outcomes.choice([MASTERED, IMPOSSIBLE])) for seed in range(resting)]
    tested = set()
    # Everyone's turn has come once the first wait is over and each round served `limit` of them.
    for number in range(1, every + -(-resting // limit) + 1):
        ledger.begin_round(number)
        due = ledger.due_for_retest(number, limit)
        for id in due:
            attempt(ledger, id, outcomes.choice(list(Outcome)))
        tested |= set(due)
    assert tested == set(ids)


def test_a_ledger_is_rebuilt_from_a_log(tmp_path):
    ledger = TaskLedger(GAME, caps={"easy": 1})
    with RunLog(tmp_path) as log:
        for number in range(2):
            log.open_round(number)
            log.event("run_started", game=GAME)
            ledger.begin_round(number)
            id = admitted(ledger, number, "easy")
            attempt(ledger, id)
            score(ledger, id, 0.1 + 0.2)
            for kind, fields in ledger.drain():
                log.event(kind, **fields)
            log.event("task_admitted", id="of another game", reason="", game="h-v0")
            log.commit()
    rebuilt = TaskLedger(GAME)
    rebuilt.replay((event.kind, event.fields) for event in read_events(tmp_path))
    assert rebuilt.state() == ledger.state()


def test_the_state_of_another_game_is_refused():
    with pytest.raises(InputError, match=r"ledger\.restore: expected the state of g-v0, got h-v0"):
        TaskLedger(GAME).restore(TaskLedger("h-v0").state())


@pytest.mark.parametrize("knobs", [{"caps": {"easy": 0}}, {"retest_every": 0}, {"drop": "newest"}])
def test_knobs_out_of_range_are_refused(knobs):
    with pytest.raises(InputError, match=r"ledger\..*: expected"):
        TaskLedger(GAME, **knobs)


POOLS = ("easy", "hard", MASTERED, "")


class LedgerMachine(RuleBasedStateMachine):
    """Any order of events, with restarts and drains in between."""

    def __init__(self):
        super().__init__()
        self.logged = []

    @initialize(drop=st.sampled_from(["oldest", "least_useful"]), cap=st.integers(1, 3))
    def begin(self, drop, cap):
        self.knobs = {"caps": {"easy": cap, MASTERED: cap + 1}, "drop": drop}
        self.ledger = TaskLedger(GAME, **self.knobs)

    def id(self, data):
        return data.draw(st.sampled_from(list(self.ledger.records)))

    @rule(number=st.integers(0, 5))
    def round(self, number):
        self.ledger.begin_round(number)

    @rule()
    def propose(self):
        self.ledger.propose(make(len(self.ledger)), by="proposer@1")

    @precondition(lambda self: len(self.ledger))
    @rule(data=st.data(), outcome=st.sampled_from(list(Outcome)), version=st.integers(0, 3))
    def attempt(self, data, outcome, version):
        attempt(self.ledger, self.id(data), outcome, version, data.draw(st.none() | st.floats(0, 1)))

    @precondition(lambda self: len(self.ledger))
    @rule(data=st.data(), value=st.floats(-1, 1))
    def score(self, data, value):
        score(self.ledger, self.id(data), value)

    @precondition(lambda self: len(self.ledger))
    @rule(data=st.data(), verdict=st.sampled_from(["task_admitted", "task_rejected"]))
    def judge(self, data, verdict):
        self.ledger.record(verdict, id=self.id(data), reason="because")

    @precondition(lambda self: len(self.ledger))
    @rule(data=st.data(), to=st.sampled_from(POOLS))
    def move(self, data, to):
        id = self.id(data)
        self.ledger.move(id, to, "moved")
        # Whatever the cap and the scores, the newest is in.
        assert not to or self.ledger.pool(to)[-1] == id

    @rule()
    def drain(self):
        self.logged += self.ledger.drain()

    @rule()
    def restart(self):
        state = json.loads(json.dumps(self.ledger.state(), allow_nan=False))
        self.ledger = TaskLedger(GAME, **self.knobs)
        self.ledger.restore(state)
        assert json.loads(json.dumps(self.ledger.state())) == state

    @invariant()
    def a_task_is_where_it_says_and_nowhere_else(self):
        ids = [id for name in POOLS if name for id in self.ledger.pool(name)]
        assert len(ids) == len(set(ids))
        assert set(ids) == {id for id, record in self.ledger.records.items() if record.pool}
        assert all(id in self.ledger.pool(self.ledger[id].pool) for id in ids)

    @invariant()
    def no_pool_is_over_its_cap(self):
        assert all(len(self.ledger.pool(name)) <= cap for name, cap in self.knobs["caps"].items())

    def teardown(self):
        if not hasattr(self, "ledger"):
            return
        self.logged += self.ledger.drain()
        rebuilt = TaskLedger(GAME)
        rebuilt.replay(json.loads(json.dumps(self.logged)))
        assert rebuilt.state() == self.ledger.state()


TestLedgerMachine = LedgerMachine.TestCase
