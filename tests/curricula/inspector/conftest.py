"""A small run whose every number is known, written through the log and a ledger by hand: two rounds and a torn third.

Round 0: p1 is solved in 1 of 3 judged attempts (and one undecided); two other proposals fail. Round 1: p2 is always
solved, p1 is tried again by a newer solver and mastered; a duplicate and one that nobody could judge. The open round:
p3 is never solved, one proposal fails, and the last line is torn.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.domains.domain import CHECK, VALIDATE
from arena.log import RunLog
from arena.types import CallRecord, Episode, PolicyId, SeatPlan, Status, Tag, Task
from curricula.inspector.run_tasks import RunTasks, read_run_tasks
from curricula.ledger import TaskLedger

GAME = "propose_solve/2-v0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The run's folder, the ledger that wrote it, and the ids of its tasks by name."""

    folder: Path
    ledger: TaskLedger
    ids: dict[str, str]

    def read(self) -> RunTasks:
        return read_run_tasks(self.folder)


def problem(left, parents=(), author="generator"):
    params = {"domain": "arithmetic", "problem": {"kind": "sum", "left": left, "right": 10}}
    return Task(game="solve-v0", params=params, author=author, parents=tuple(parents))


def propose(ledger, task, *, by, episode="", skills=("sum",), difficulty=2):
    role = "proposer" if episode else ""
    id = ledger.propose(task, by=by, role=role, episode=episode, signature=f"s{task.id}", kind="sum", skills=skills)
    ledger.record("task_validated", id=id, outcome="valid", checks={"difficulty": difficulty})
    ledger.record("task_admitted", id=id, reason="valid" if episode else "seed")
    ledger.move(id, "sum", "valid")
    return id


def attempts(ledger, id, version, outcomes, episode, share=None):
    for index, outcome in enumerate(outcomes):
        ledger.record(
            "attempt",
            id=id,
            seat=f"solver_{index}",
            policy="solver",
            version=version,
            episode=episode,
            outcome=outcome,
            verifier="arithmetic 1",
            share=share,
        )


def score(ledger, id, pay, episode, n):
    terms = {"learnability": pay}
    ledger.record(
        "score", id=id, formula=f"azr_paper-v1/n={n}", terms=terms, p_mean=0.5, interval=[0.1, 0.9], episode=episode
    )


def reject(ledger, reason, episode, excerpt="12 + + 30"):
    ledger.record("task_rejected", reason=reason, episode=episode, excerpt=excerpt)


def episode(id, at, returns, validated=True):
    plans = {
        seat: SeatPlan(policy=PolicyId(name=role, version=at), role=role, tag=Tag.LIVE)
        for seat, role in (("proposer", "proposer"), ("solver_0", "solver"), ("solver_1", "solver"))
    }
    calls = [CallRecord(ply=0, kind=VALIDATE, request="{}", answer="{}")] if validated else []
    return Episode(
        id=id,
        task=Task(game=GAME),
        group_id=f"g-{id}",
        round=at,
        lineup=plans,
        turns=(),
        returns=dict(zip(plans, returns, strict=True)),
        status=Status.COMPLETED,
        calls=(*calls, CallRecord(ply=1, kind=CHECK, request="{}", answer="{}")) if validated else (),
    )


def heldout(log, done, solved):
    cells = [{"kind": "sum", "difficulty": 1, "attempts": 10, "solved": solved, "rate": [0.0, solved / 10, 1.0]}]
    log.event(
        "evaluated",
        rounds_done=done,
        game="g",
        heldout=[{"policy": "solver", "version": done, "domain": "arithmetic", "cells": cells}],
    )


def write(folder):
    ledger, ids = TaskLedger(GAME), {}
    with RunLog(folder) as log:

        def drain():
            for kind, fields in ledger.drain():
                log.event(kind, **fields)

        log.open_round(0)
        log.event("run_started", campaign="made")
        heldout(log, 0, 2)
        ids["s1"], ids["s2"] = (propose(ledger, problem(left), by="generator") for left in (1, 2))
        ledger.begin_round(0)
        first = problem(31, (ids["s1"], ids["s2"]), "proposer@0")
        ids["p1"] = propose(ledger, first, by="proposer@0", episode="e00", skills=("carry",))
        attempts(ledger, ids["p1"], 0, ("correct", "wrong", "wrong", "undecided"), "e00", share=0.5)
        score(ledger, ids["p1"], 2 / 3, "e00", 3)
        reject(ledger, "syntax", "e01")
        reject(ledger, "identity", "e02", "0 + 0")
        drain()
        log.episodes(
            [
                episode("e00", 0, (0.0, 1.0, None)),
                episode("e01", 0, (0.0, 0.0, 0.0), validated=False),
                episode("e02", 0, (0.0, 0.0, 0.0)),
            ]
        )
        log.metrics({"role_tokens/proposer": 30.0, "role_tokens/solver": 1500.0, "episodes": 3.0})
        log.commit()
        log.open_round(1)
        ledger.begin_round(1)
        ids["p2"] = propose(
            ledger,
            problem(312, (ids["p1"],), "proposer@1"),
            by="proposer@1",
            episode="e10",
            skills=("carry", "sum"),
            difficulty=3,
        )
        attempts(ledger, ids["p2"], 1, ("correct",) * 4, "e10")
        score(ledger, ids["p2"], 0.0, "e10", 4)
        reject(ledger, "duplicate:exact", "e11", "31 + 10")
        reject(ledger, "undecided:attempts", "e12", "7 + 7")
        attempts(ledger, ids["p1"], 1, ("correct", "correct"), "again")
        ledger.move(ids["p1"], "mastered", "twice")
        heldout(log, 2, 6)
        drain()
        log.episodes([episode(f"e1{index}", 1, (0.0, 1.0, 1.0)) for index in range(3)])
        log.metrics({"role_tokens/proposer": 50.0})
        log.commit()
        log.open_round(2)
        ledger.begin_round(2)
        third = problem(9, (ids["p1"], ids["p2"]), "proposer@2")
        ids["p3"] = propose(ledger, third, by="proposer@2", episode="e20", difficulty=1)
        attempts(ledger, ids["p3"], 2, ("wrong", "wrong"), "e20", share=0.25)
        score(ledger, ids["p3"], 0.0, "e20", 2)
        reject(ledger, "syntax", "e21")
        drain()
    with (folder / "rounds" / "open" / "events.jsonl").open("ab") as file:
        file.write(b'{"v":1,"event":"attempt","round":2,"id":"' + ids["p3"].encode())
    return Made(folder=folder, ledger=ledger, ids=ids)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    return write(tmp_path_factory.mktemp("runs") / "made")


@pytest.fixture(scope="session")
def run(made):
    return made.read()


@pytest.fixture(scope="session")
def facts(made, run):
    from curricula.inspector.episode_facts import episode_facts

    return list(episode_facts(made.folder, run.rounds))
