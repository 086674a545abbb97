"""``ludus inspect`` says what became of a run's tasks, and nothing that a model wrote can steer the terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from arena.log import RunLog
from arena.testing.hostile_texts import HOSTILE_TEXTS
from arena.types import Task
from curricula.ledger import TaskLedger
from training.cli.inspect_words import cell, folded, rate, solved, spark, text, thousands
from training.cli.inspecting import VIEWS

GAME = "propose_solve/2-v0"
STEERING = "\x1b[2J\x1b]0;owned\x07[bold red]x[/]\u202e\x9b31m"
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u200b]")


def make(left, **more):
    params = {"domain": "arithmetic", "problem": {"kind": "sum", "left": left, "right": 10}, **more}
    return Task(game="solve-v0", params=params)


def tried(ledger, id, version, outcomes):
    for index, outcome in enumerate(outcomes):
        ledger.record(
            "attempt", id=id, seat=f"s{index}", policy="solver", version=version, episode=f"e{version}", outcome=outcome
        )


def propose(ledger, task, name, *, pay):
    id = ledger.propose(task, by=f"proposer@{name}", role="proposer", episode=f"e{name}", kind="sum", skills=["carry"])
    ledger.record("task_admitted", id=id, reason="valid")
    ledger.move(id, "sum")
    tried(ledger, id, name, ("correct", "wrong"))
    ledger.record(
        "score",
        id=id,
        formula="azr_paper-v1/n=2",
        terms={"a": pay},
        p_mean=0.5,
        interval=[0.1, 0.9],
        episode=f"e{name}",
    )
    return id


def write(folder, name="proposer", wrote="12 + + 30"):
    """Writes two rounds, the second one open, and returns the ids of the two tasks."""
    ledger = TaskLedger(GAME)
    with RunLog(folder) as log:
        for at in (0, 1):
            log.open_round(at)
            ledger.begin_round(at)
            parents = tuple(ledger.records)
            task = Task(game="solve-v0", params=make(at).params, parents=parents)
            propose(ledger, task, at, pay=0.5 + at / 4)
            ledger.record("task_rejected", reason="syntax", episode="x", excerpt=wrote)
            for kind, fields in ledger.drain():
                log.event(kind, **fields)
            if not at:
                log.commit()
    return list(ledger.records)


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "runs" / "made"
    return folder, write(folder)


def test_every_view_of_an_unfinished_run(ludus, run):
    folder, ids = run
    for view in VIEWS:
        argument = ["variance"] if view == "rescore" else []
        people = ludus("inspect", folder, view, *argument)
        assert people.code == 0, people.err
        assert people.out.startswith("runs/made: interrupted, 1 rounds, round 1 in progress\n")
        assert ludus("inspect", folder, view, *argument, "--json").json["state"] == "unfinished"
    for view in ("tasks", "lineage"):
        assert ids[1] in ludus("inspect", folder, view, ids[1][:12]).out
        assert ludus("inspect", folder, view, ids[1], "--json").json["id"] == ids[1]


def test_tasks_for_people(ludus, run):
    folder, ids = run
    out = ludus("inspect", folder, "tasks").out
    (line,) = [line for line in out.splitlines() if ids[1][:10] in line]
    assert line.split() == [ids[1][:10], "1", "proposer@1", "sum", "-", "1/2", "0.50", "0.09-0.91", "0.75", "admitted:",
                            "valid", "carry"]  # fmt: skip
    chosen = ludus("inspect", folder, "tasks", "--where", "score>0.6").out
    assert ids[0][:10] not in chosen and "1 of 2 tasks" in chosen
    assert "the newest 1 of 2" in ludus("inspect", folder, "tasks", "--limit", 1).out


def test_one_task_for_people(ludus, run):
    folder, ids = run
    out = ludus("inspect", folder, "tasks", ids[0]).out
    assert "Work out 0 + 10." in out
    assert "proposed by proposer@0, episode e0, round 0" in out
    assert f"children: {ids[1]}" in out
    assert "round 0: no pool -> sum" in out


def test_a_family_for_people(ludus, run):
    folder, ids = run
    out = ludus("inspect", folder, "lineage", ids[1]).out
    assert re.search(rf"{ids[1][:10]} .*\n└── {ids[0][:10]} proposer@0 sum", out)
    assert "the log cannot say" in out


def test_another_rule_for_people(ludus, run):
    out = ludus("inspect", run[0], "rescore", "stp").out
    assert "not scored, 2 tasks: stp.attempts: expected at least 5 judged attempts, got 2 (0 undecided)" in out
    assert "used_seed is not in the log" in out
    assert "the run paid azr_paper-v1/n=2" in out


def test_rejected_proposals_in_full(ludus, run):
    out = ludus("inspect", run[0], "rejections", "--where", "reason=syntax,round=1").out
    assert "round 1  syntax  x\n  12 + + 30\n" in out
    assert re.search(r"proposed +4 +0 +100.0%", out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("task",), "did you mean tasks"),
        (("rescore",), "known: azr_code"),
        (("rescore", "varianse"), "did you mean variance"),
        (("skills", "carry"), "expected nothing after it"),
        (("summary", "--where", "round=1"), "expected a view of many rows (tasks, rejections, rescore, skills)"),
        (("tasks", "--where", "colour=1"), "expected a known name, got 'colour'"),
        (("tasks", "nothing"), "nearest: "),
        (("lineage", "nothing"), "nearest: "),
    ],
)
def test_what_cannot_be_shown_is_refused(ludus, run, arguments, said):
    answer = ludus("inspect", run[0], *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_a_run_without_tasks_says_what_to_do(ludus, tmp_path):
    with RunLog(tmp_path / "kuhn") as log:
        log.open_round(0)
        log.commit()
    answer = ludus("inspect", tmp_path / "kuhn")
    assert (answer.code, answer.out) == (2, "")
    assert "ludus train campaign=absolute_zero" in answer.err
    assert "ludus runs" in ludus("inspect", tmp_path / "nowhere").err


def test_what_a_model_wrote_cannot_steer_the_terminal(ludus, tmp_path):
    folder = tmp_path / "hostile"
    ledger = TaskLedger(GAME)
    with RunLog(folder) as log:
        log.open_round(0)
        ledger.begin_round(0)
        for index, wrote in enumerate([*HOSTILE_TEXTS, STEERING]):
            task = Task(game="solve-v0", params={"problem": {"text": wrote, "n": index}})
            said = {"kind": wrote[:90], "signature": wrote[:90], "skills": [wrote[:90]]}
            id = ledger.propose(task, by=STEERING, role=STEERING, episode=STEERING, **said)
            ledger.record("task_validated", id=id, outcome="valid", checks={wrote[:90]: wrote[:90]})
            ledger.record("task_admitted", id=id, reason=STEERING)
            ledger.move(id, STEERING, STEERING)
            tried(ledger, id, 0, ("correct", "wrong"))
            scored = {"formula": STEERING, "terms": {STEERING: 0.5}, "p_mean": 0.5, "interval": [0.1, 0.9]}
            ledger.record("score", id=id, **scored)
            ledger.record("task_rejected", reason=STEERING, excerpt=wrote, episode=STEERING)
        for kind, fields in ledger.drain():
            log.event(kind, **fields)
        log.metrics({f"role_tokens/{STEERING}": 3})
        log.commit()
    for view, argument in [
        *((view, "") for view in VIEWS),
        *(("tasks", id) for id in list(ledger.records)[::6]),
        ("lineage", id),
    ]:
        words = ["inspect", folder, view, *([argument] if argument else ["variance"] * (view == "rescore"))]
        shown = ludus(*words)
        assert shown.code == 0, shown.err
        assert not UNSAFE.search(shown.out), view
        assert len(shown.out) < 200_000
        document = ludus(*words, "--json")
        assert document.out.isascii() and document.json
        assert "[bold red]x[/]" in shown.out or view in ("lineage", "rescore") or argument


def test_values_in_few_characters():
    assert rate({"solve_rate": None}) == "-"
    assert rate({"solve_rate": 0.5, "interval": [0.1, 0.9]}) == "0.50 0.10-0.90"
    assert solved({"successes": 1, "attempts": 3, "undecided": 2}) == "1/3+2?"
    assert spark([0, 1, 8]) == "·▂█"
    assert [thousands(value) for value in (850, 12345, 4_500_000)] == ["850", "12.3k", "4.5M"]
    assert cell("a\nb").plain == "a ⏎ b"


def test_long_texts_are_folded():
    told = folded("\n".join(["x" * 5000, *map(str, range(60))])).plain.splitlines()
    assert told[0].endswith("... 3000 more characters")
    assert (len(told), told[-1]) == (41, "  ... 21 more lines; --json has them")


def test_text_is_never_markup():
    out = io.StringIO()
    Console(file=out, width=60).print(text("[link=x]a[/link] :smile:"))
    assert out.getvalue() == "[link=x]a[/link] :smile:\n"
