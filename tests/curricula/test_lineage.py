"""Families of tasks and what a branch taught."""

from __future__ import annotations

import pytest

from arena.errors import InputError
from arena.log.reader import Event
from arena.types import Task
from curricula.ledger import TaskLedger
from curricula.lineage import Lineage, lineage_from_events

GAME = "g-v0"


def family():
    """A root with two children, a grandchild of both, and a task made from a seed that no ledger knows."""
    ledger = TaskLedger(GAME)
    ids = {}

    def propose(name, *parents):
        task = Task(game=GAME, seed=len(ids), parents=tuple(ids.get(one, one) for one in parents))
        ids[name] = ledger.propose(task, by="proposer@0")

    propose("root")
    propose("left", "root")
    propose("right", "root")
    propose("grandchild", "left", "root", "right")
    propose("seeded", "a seed theorem")
    return ledger, ids


def attempt(ledger, id, version, outcome, policy="solver"):
    ledger.record("attempt", id=id, seat="solver", policy=policy, version=version, episode="e", outcome=outcome)


def test_ancestors_descendants_and_generations():
    ledger, ids = family()
    lineage = Lineage(ledger)
    assert lineage.parents(ids["grandchild"]) == sorted(ids[name] for name in ("root", "left", "right"))
    assert lineage.children(ids["root"]) == sorted(ids[name] for name in ("left", "right", "grandchild"))
    assert lineage.ancestors(ids["grandchild"]) == {ids["root"], ids["left"], ids["right"]}
    assert lineage.descendants(ids["root"]) == {ids["left"], ids["right"], ids["grandchild"]}
    assert lineage.branch(ids["left"]) == {ids["left"], ids["grandchild"]}
    expected = {"root": 0, "left": 1, "right": 1, "grandchild": 2, "seeded": 1}
    assert lineage.generations() == {**{ids[name]: depth for name, depth in expected.items()}, "a seed theorem": 0}


def test_a_branch_taught_the_mean_change_of_its_posteriors():
    ledger, ids = family()
    # From 1/3 to 2/3 on the one, and no change on the other; the middle version is left out.
    for version, outcome in [(0, "wrong"), (3, "wrong"), (5, "correct")]:
        attempt(ledger, ids["left"], version, outcome)
    for version in (0, 5):
        attempt(ledger, ids["grandchild"], version, "correct")
    attempt(ledger, ids["right"], 0, "wrong")
    lineage = Lineage(ledger)
    assert lineage.taught(ids["left"]) == pytest.approx((1 / 3 + 0) / 2)
    assert lineage.taught(ids["grandchild"]) == 0.0
    assert lineage.taught(ids["right"]) == 0.0
    assert lineage.taught(ids["seeded"]) is None


def test_what_a_branch_taught_may_be_asked_of_one_policy():
    ledger, ids = family()
    for version, outcome in [(0, "wrong"), (1, "correct")]:
        attempt(ledger, ids["seeded"], version, outcome)
        attempt(ledger, ids["seeded"], version, "correct", policy="another")
    lineage = Lineage(ledger)
    assert lineage.taught(ids["seeded"], policy="solver") == pytest.approx(1 / 3)
    assert lineage.taught(ids["seeded"], policy="another") == 0.0
    assert lineage.taught(ids["seeded"]) == pytest.approx(1 / 6)
    assert lineage.taught("a seed theorem", policy="solver") == pytest.approx(1 / 3)


def test_a_log_gives_the_same_lineage():
    ledger, ids = family()
    attempt(ledger, ids["left"], 0, "wrong")
    attempt(ledger, ids["left"], 1, "correct")
    events = [Event(round=0, kind="run_started", fields={}, committed=True)]
    events += [Event(round=0, kind=kind, fields=fields, committed=True) for kind, fields in ledger.drain()]
    found = lineage_from_events(events)
    assert set(found.graph.edges) == set(Lineage(ledger).graph.edges)
    assert found.taught(ids["left"]) == pytest.approx(1 / 3)


def test_a_task_that_nobody_knows_is_refused():
    with pytest.raises(InputError, match="lineage: expected a task of the ledgers or a parent of one, got 'x'"):
        Lineage(TaskLedger(GAME)).ancestors("x")


def test_a_task_cannot_be_its_own_ancestor():
    ledger = TaskLedger(GAME)
    one = Task(game=GAME, seed=1)
    two = Task(game=GAME, seed=2, parents=(one.id,))
    ledger.propose(two, by="generator")
    # Parents are no part of the id, so a forged log can close a circle.
    ledger.propose(Task(game=GAME, seed=1, parents=(two.id,)), by="generator")
    with pytest.raises(InputError, match="expected parents that came before their children"):
        Lineage(ledger)
