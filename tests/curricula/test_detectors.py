"""Each detector is silent on a healthy round and names what is wrong with a sick one."""

from __future__ import annotations

import json
import math
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curricula.detectors import (
    DETECTORS,
    RoundSummary,
    TaskSummary,
    alarms,
    complexity_hacking,
    effective_number,
    label_drift,
)
from curricula.ledger import TaskLedger


def tasks(count=8, **fields):
    return tuple(TaskSummary(**{"id": f"t{index}", "attempts": 4, "successes": 2, **fields}) for index in range(count))


def healthy(number=0, **fields):
    return RoundSummary(
        **{
            "round": number,
            "tasks": tasks(vote_shares=(0.75, 0.25), complexity=10.0),
            "pools": {"hard": 5},
            "majority_rate": 0.6,
            "gold_rate": 0.6,
            "solver_rate": 0.5,
            "canaries": 3,
            "mastered": {"t0": (0.9, 0.88)},
            **fields,
        }
    )


def rounds(*each):
    return [healthy(number, **fields) for number, fields in enumerate(each)]


def drift(majority, gold):
    return rounds(*[{"majority_rate": one, "gold_rate": other} for one, other in zip(majority, gold, strict=True)])


def growth(lengths, rates):
    return rounds(
        *[{"tasks": tasks(complexity=one), "solver_rate": rate} for one, rate in zip(lengths, rates, strict=True)]
    )


SICK = {
    "batch_duplicates": rounds({"tasks": (*tasks(5, repeats_batch="x"), TaskSummary(id="fresh"))}),
    "history_duplicates": rounds({"tasks": tasks(5, repeats_history="x")}),
    "trivial_flooding": rounds({"tasks": tasks(5, successes=4)}),
    "unsolvable_flooding": rounds({"tasks": tasks(5, successes=0)}),
    "ambiguity": rounds({"tasks": tasks(5, vote_shares=(0.5, 0.5))}),
    "label_drift": drift([0.5, 0.6, 0.7, 0.8], [0.6, 0.6, 0.5, 0.4]),
    "silent_window": rounds(*[{"tasks": tasks(5, successes=0)}] * 3),
    "canary_failures": rounds({"failed_canaries": ("c1",)}),
    "pool_starvation": rounds({"pools": {"hard": 0, "easy": 3}}),
    "forgetting": rounds({"mastered": {"kept": (0.9, 0.8), "lost": (0.9, 0.5), "gone": (0.9, 0.1)}}),
    "complexity_hacking": growth([10, 15, 20, 25], [0.5, 0.5, 0.5, 0.5]),
    "few_clusters": rounds({"tasks": (*tasks(7, cluster="c"), TaskSummary(id="alone"))}),
}
NAMED = {
    "batch_duplicates": ("t0", "t1", "t2", "t3", "t4"),
    "label_drift": (),
    "pool_starvation": (),
    "canary_failures": ("c1",),
    "forgetting": ("gone", "lost"),
    "complexity_hacking": tuple(f"t{index}" for index in range(8)),
    "few_clusters": tuple(f"t{index}" for index in range(7)),
}
ACTIONS = {
    "ambiguity": "pause",
    "label_drift": "rollback",
    "silent_window": "pause",
    "canary_failures": "rollback",
}


def test_healthy_rounds_raise_no_alarm():
    assert alarms([healthy(number) for number in range(6)]) == []
    assert alarms([]) == []


def test_every_detector_has_a_sick_round():
    assert set(SICK) == set(DETECTORS)


@pytest.mark.parametrize("name", DETECTORS)
def test_a_sick_round_is_named_with_its_tasks_and_an_action(name):
    alarm = DETECTORS[name](SICK[name])
    assert alarm is not None
    assert alarm.detector == name
    assert alarm.tasks == NAMED.get(name, ("t0", "t1", "t2", "t3", "t4"))
    assert alarm.action == ACTIONS.get(name, "continue")
    assert alarm in alarms(SICK[name])
    ledger = TaskLedger("g-v0")
    ledger.record("alarm", **alarm.fields())
    assert dict(ledger.alarms) == {name: 1}


def test_the_evidence_is_numbers_with_their_thresholds():
    evidence = DETECTORS["trivial_flooding"](SICK["trivial_flooding"]).evidence
    assert evidence == {"rate": 1.0, "hits": 5, "tasks": 5, "most": 0.5}
    assert json.loads(json.dumps(evidence)) == evidence


@pytest.mark.parametrize("name", ["batch_duplicates", "history_duplicates", "few_clusters", "ambiguity"])
def test_a_handful_of_tasks_says_nothing(name):
    few = rounds({"tasks": SICK[name][-1].tasks[:3]})
    assert DETECTORS[name](few) is None


def test_a_task_tried_once_says_nothing_about_flooding():
    once = rounds({"tasks": tasks(8, attempts=1, successes=0)})
    assert DETECTORS["unsolvable_flooding"](once) is None


def test_thresholds_are_keywords():
    strict = partial(DETECTORS["trivial_flooding"], most=1.0)
    assert strict(SICK["trivial_flooding"]) is None


@pytest.mark.parametrize(
    ("majority", "gold"),
    [
        ([0.5, 0.6, 0.7, 0.8], [0.5, 0.6, 0.7, 0.8]),  # both rise: learning
        ([0.8, 0.7, 0.6, 0.5], [0.8, 0.7, 0.6, 0.5]),  # both fall
        ([0.5, 0.6, 0.8], [0.6, 0.5, 0.4]),  # not a whole window yet
        ([None, None, None, 0.8], [0.6, 0.5, 0.4, 0.3]),  # nothing to compare with
    ],
)
def test_labels_drift_only_when_agreement_and_truth_part(majority, gold):
    assert label_drift(drift(majority, gold)) is None


def test_one_success_or_one_empty_round_breaks_the_silence():
    dead = {"tasks": tasks(5, successes=0)}
    assert DETECTORS["silent_window"](rounds(dead, dead)) is None
    assert DETECTORS["silent_window"](rounds(dead, {"tasks": tasks(1, successes=1)}, dead)) is None
    assert DETECTORS["silent_window"](rounds(dead, {"tasks": ()}, dead)) is None


@pytest.mark.parametrize(
    ("lengths", "rates"),
    [
        ([10, 15, 20, 25], [0.4, 0.45, 0.5, 0.6]),  # longer and better
        ([10, 10, 10, 10], [0.5, 0.5, 0.5, 0.5]),
        ([25, 20, 15, 10], [0.5, 0.5, 0.5, 0.5]),
        ([10, 15, 20], [0.5, 0.5, 0.5]),
        ([0, 0, 0, 0], [0.5, 0.5, 0.5, 0.5]),
        ([10, 15, 20, None], [0.5, 0.5, 0.5, 0.5]),
    ],
)
def test_length_is_fine_with_a_gain_or_without_growth(lengths, rates):
    assert complexity_hacking(growth(lengths, rates)) is None


@given(st.lists(st.integers(1, 50), min_size=1, max_size=20))
def test_the_effective_number_lies_between_one_and_the_count(sizes):
    found = effective_number(sizes)
    assert 1 - 1e-9 <= found <= len(sizes) + 1e-9
    assert math.isclose(effective_number([7] * len(sizes)), len(sizes))
