"""What a log says is what the run's own ledger knew, whatever the log lacks or adds."""

from __future__ import annotations

import time

import pytest

from arena.errors import InputError
from arena.log import Event, RunLog, open_segment
from arena.types import Task
from curricula.inspector.run_tasks import RunTasks, read_run_tasks
from curricula.ledger import TaskLedger

GAME = "g-v0"


def observed(*events):
    run = RunTasks()
    for kind, fields in events:
        run.observe(Event(round=7, kind=kind, fields=fields, committed=True))
    return run


def test_the_rebuilt_ledger_is_the_live_one(made, run):
    assert list(run.ledgers) == [made.ledger.game]
    assert run.ledgers[made.ledger.game].state() == made.ledger.state()
    assert run.unread == {}


def test_a_run_that_was_killed_is_read_up_to_its_torn_line(run):
    assert (run.rounds, run.in_progress, run.state) == ([0, 1], 2, "unfinished")
    assert len(run) == 5 + 5  # tasks and rejected proposals


def test_every_task_keeps_its_events_with_their_rounds(made, run):
    task = run.find(made.ids["p1"])
    assert [(event.kind, event.round) for event in task.events] == [
        ("task_proposed", 0), ("task_validated", 0), ("task_admitted", 0), ("pool_moved", 0),
        *[("attempt", 0)] * 4, ("score", 0), *[("attempt", 1)] * 2, ("pool_moved", 1),
    ]  # fmt: skip


def test_the_beginning_of_an_id_is_enough_when_it_is_the_only_one(made, run):
    id = made.ids["p2"]
    assert run.find(id[:10]).id == id
    with pytest.raises(InputError, match="more than one begins so") as error:
        observed(*[proposed(seed) for seed in range(40)]).find(Task(game=GAME, seed=0).id[:1])
    assert str(error.value).count(",") >= 2


def test_an_unknown_id_names_the_nearest(made, run):
    id = made.ids["p2"]
    wrong = id[:-1] + ("0" if id[-1] != "0" else "1")
    with pytest.raises(InputError, match=f"nearest: {id}"):
        run.find(wrong)


def proposed(seed, **more):
    task = Task(game=GAME, seed=seed)
    fields = {"id": task.id, "game": GAME, "params": {}, "seed": seed, "later": 1}
    return "task_proposed", {"game": GAME, "task": fields, "by": "p@0", **more}


def test_fields_that_an_older_log_lacks_and_a_newer_one_adds():
    id = Task(game=GAME, seed=3).id
    run = observed(
        proposed(3, tags=["new"]),
        ("attempt", {"game": GAME, "id": id, "seat": "s", "policy": "p", "version": 0, "episode": "e",
                     "outcome": "correct", "seconds": 3}),
        ("task_rejected", {"game": GAME, "reason": "syntax"}),
        ("a_kind_of_the_future", {"game": GAME, "id": id}),
    )  # fmt: skip
    record = run.find(id).record
    assert (record.successes, record.parents, record.origin.skills) == (1, (), ())
    assert run.rejections[0].fields["excerpt"] == ""
    assert run.unread == {}


def test_what_cannot_be_folded_is_counted_and_changes_nothing():
    run = observed(
        proposed(3),
        proposed(3),
        ("attempt", {"game": GAME, "id": "nobody's", "policy": "p", "version": 0, "outcome": "correct"}),
        ("score", {"game": GAME}),
        ("task_proposed", {"game": GAME, "task": None, "by": "x"}),
        ("attempt", {"game": GAME, "id": Task(game=GAME, seed=3).id, "policy": "p", "version": 0, "outcome": "new"}),
    )
    assert run.unread == {
        "task_proposed: InputError": 1, "attempt: InputError": 1, "score: KeyError": 1,
        "task_proposed: TypeError": 1, "attempt: ValueError": 1,
    }  # fmt: skip
    (task,) = run.tasks()
    assert (task.record.attempts, len(task.events)) == (0, 1)


def test_two_games_in_one_log_are_two_ledgers():
    other = Task(game="h-v0", seed=1)
    fields = {"id": other.id, "game": other.game, "params": {}, "seed": 1}
    run = observed(proposed(1), ("task_proposed", {"game": "h-v0", "task": fields, "by": "p@0"}))
    assert [(task.game, task.id) for task in run.tasks()] == [(GAME, Task(game=GAME, seed=1).id), ("h-v0", other.id)]


def test_a_run_is_finished_when_it_said_so_last():
    done, again = ("run_finished", {"rounds": 2}), ("resumed", {"from_round": 2})
    assert observed(done).state == "finished"
    assert observed(done, again).state == "unfinished"
    assert observed(done, again, done).state == "finished"


def test_a_folder_without_a_run_and_a_run_without_tasks_are_refused(tmp_path):
    with pytest.raises(InputError, match="expected a run directory"):
        read_run_tasks(tmp_path)
    with RunLog(tmp_path) as log:
        log.open_round(0)
        log.event("run_started", campaign="kuhn")
        log.commit()
    with pytest.raises(InputError, match="expected a run whose curriculum proposes tasks, got 1 rounds without one"):
        read_run_tasks(tmp_path)


def test_a_round_that_has_just_begun_has_no_number_yet(tmp_path):
    ledger = TaskLedger(GAME)
    ledger.propose(Task(game=GAME), by="generator")
    with RunLog(tmp_path) as log:
        log.open_round(4)
        for kind, fields in ledger.drain():
            log.event(kind, **fields)
        log.commit()
        log.open_round(5)
    assert read_run_tasks(tmp_path).in_progress == 5


def test_a_round_that_is_committed_while_it_is_read_is_no_longer_in_progress(tmp_path, monkeypatch):
    ledger = TaskLedger(GAME)
    log = RunLog(tmp_path)
    for number in (0, 1):
        log.open_round(number)
        ledger.propose(Task(game=GAME, seed=number), by="generator")
        for kind, fields in ledger.drain():
            log.event(kind, **fields)
        if number == 0:
            log.commit()

    def look(folder):
        found = open_segment(folder)
        log.commit()
        return found

    monkeypatch.setattr("curricula.inspector.run_tasks.open_segment", look)
    run = read_run_tasks(tmp_path)
    log.close()
    assert (run.rounds, run.in_progress, len(run)) == ([0, 1], None, 2)


def test_ten_thousand_attempts_are_folded_in_a_few_seconds():
    # About 0.2 s of processor time on an idle machine; the limit leaves room for a busy one.
    events = [proposed(seed) for seed in range(500)]
    ids = [Task(game=GAME, seed=seed).id for seed in range(500)]
    said = {"game": GAME, "seat": "s", "policy": "p", "version": 0, "episode": "e", "outcome": "correct"}
    events += [("attempt", {**said, "id": id}) for id in ids for _ in range(20)]
    before = time.process_time()
    run = observed(*events)
    assert time.process_time() - before < 3
    assert sum(task.record.successes for task in run.tasks()) == 10_000
