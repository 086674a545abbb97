"""The views over tasks: rows, one task, families, skills; every number is worked out by hand from the made run."""

from __future__ import annotations

import json

import pytest

from arena.errors import InputError, UnknownNameError
from curricula.inspector.families import family, generations
from curricula.inspector.skill_map import skills
from curricula.inspector.task_page import statement, task, written
from curricula.inspector.task_table import tasks


def test_a_row_says_who_what_and_why(made, run):
    rows = {row["id"]: row for row in tasks(run)["tasks"]}
    first = rows[made.ids["p1"]]
    low, high = first.pop("interval")
    assert 0 < low < first["solve_rate"] < high < 1
    assert first == {
        "id": made.ids["p1"], "game": "propose_solve/2-v0", "kind": "sum", "difficulty": 2, "skills": ["carry"],
        "by": "proposer@0", "round": 0, "status": "admitted", "pool": "mastered", "attempts": 5, "successes": 3,
        "solve_rate": pytest.approx(4 / 7), "undecided": 1, "score": pytest.approx(2 / 3), "reason": "valid",
    }  # fmt: skip
    seed = rows[made.ids["s1"]]
    assert (seed["round"], seed["solve_rate"], seed["interval"], seed["score"]) == (-1, None, None, None)


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("", ["s1", "s2", "p1", "p2", "p3"]),
        ("by=generator", ["s1", "s2"]),
        ("by=proposer@*,round>=1", ["p2", "p3"]),
        ("solve_rate>0.5", ["p1", "p2"]),
        ("solve_rate<1", ["p1", "p2", "p3"]),
        ("pool!=sum", ["p1"]),
        ("skills=carry,difficulty=3", ["p2"]),
        ("reason=seed", ["s1", "s2"]),
        ("score=0", ["p2", "p3"]),
    ],
)
def test_rows_are_chosen_by_their_columns(made, run, where, kept):
    found = tasks(run, where)
    assert [row["id"] for row in found["tasks"]] == [made.ids[name] for name in kept]
    assert (found["total"], found["shown"]) == (5, len(kept))


def test_one_task_with_its_course(made, run):
    found = task(run, made.ids["p1"][:12])
    assert found["statement"] == "Work out 31 + 10."
    assert found["parents"] == [made.ids["s1"], made.ids["s2"]]
    assert found["children"] == [made.ids["p2"], made.ids["p3"]]
    assert (found["role"], found["episode"], found["by"]) == ("proposer", "e00", "proposer@0")
    assert [(one["round"], one["policy"], one["outcome"], one["share"]) for one in found["attempts_made"]] == [
        (0, "solver@0", "correct", 0.5), (0, "solver@0", "wrong", 0.5), (0, "solver@0", "wrong", 0.5),
        (0, "solver@0", "undecided", 0.5), (1, "solver@1", "correct", None), (1, "solver@1", "correct", None),
    ]  # fmt: skip
    old, new = found["posteriors"]
    assert (old["policy"], old["successes"], old["attempts"], old["solve_rate"]) == ("solver@0", 1, 3, 2 / 5)
    assert (new["policy"], new["successes"], new["attempts"], new["solve_rate"]) == ("solver@1", 2, 2, 3 / 4)
    assert (old["so_far"]["solve_rate"], new["so_far"]["solve_rate"]) == (2 / 5, 4 / 7)
    (scored,) = found["scores"]
    assert (scored["formula"], scored["pay"], scored["episode"]) == ("azr_paper-v1/n=3", pytest.approx(2 / 3), "e00")
    assert [(one["what"], one["reason"]) for one in found["decisions"]] == [("valid", ""), ("admitted", "valid")]
    assert [(one["round"], one["from"], one["to"], one["reason"]) for one in found["moves"]] == [
        (0, "", "sum", "valid"), (1, "sum", "mastered", "twice"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "params",
    [{}, {"domain": "gone", "problem": {}}, {"domain": "arithmetic", "problem": {"kind": "?"}}, {"domain": 3}],
)
def test_a_task_without_a_domain_is_told_by_its_parameters(params):
    assert json.loads(statement(params)) == params
    assert json.loads(written(params)) == params.get("problem", params)


def test_a_task_as_its_proposer_would_write_it():
    params = {"domain": "arithmetic", "problem": {"kind": "sum", "left": 3, "right": 4}}
    assert written(params) == "3 + 4"


def test_generations(made, run):
    found = generations(run)
    assert [(one["generation"], one["tasks"], one["unknown"]) for one in found["generations"]] == [
        (0, 2, 0), (1, 1, 0), (2, 1, 0), (3, 1, 0),
    ]  # fmt: skip
    assert found["generations"][2]["difficulty"] == 3
    assert found["generations"][2]["solve_rate"] == pytest.approx(5 / 6)
    assert found["generations"][0]["solve_rate"] is None
    widest = found["widest"][0]
    assert (widest["id"], widest["children"], widest["descendants"]) == (made.ids["p1"], 2, 2)


def test_a_family(made, run):
    ids = made.ids
    found = family(run, ids["p1"])
    assert (found["ancestors"], found["descendants"]) == (2, 2)
    assert found["parents"] == {ids["p1"]: sorted([ids["s1"], ids["s2"]]), ids["s1"]: [], ids["s2"]: []}
    assert found["children"][ids["p2"]] == [ids["p3"]]
    assert set(found["tasks"]) == set(ids.values())
    # Only p1 was tried by two versions: from (1 + 1) / (3 + 2) to (2 + 1) / (2 + 2).
    assert found["taught"] == pytest.approx(3 / 4 - 2 / 5)
    assert family(run, ids["p3"])["taught"] is None


def test_skills_by_rounds(run):
    found = skills(run)
    assert found["blocks"] == [[0, 0], [1, 1], [2, 2]]
    cells = {
        row["skill"]: [(c["successes"], c["attempts"], c["share"]) for c in row["cells"]] for row in found["skills"]
    }
    # Round 1: p2's four attempts need both skills, p1's two need carry.
    assert cells == {"carry": [(1, 3, 1.0), (6, 6, 1.0), (0, 0, 0.0)], "sum": [(0, 0, 0.0), (4, 4, 4 / 6), (0, 2, 1.0)]}
    assert [(row["skill"], row["tasks"]) for row in found["skills"]] == [("carry", 2), ("sum", 4)]
    (row,) = skills(run, most=1, where="by=proposer@0")["skills"]
    assert (row["cells"][0]["solve_rate"], row["cells"][0]["share"]) == (pytest.approx(4 / 7), 1.0)


@pytest.mark.parametrize("where", ["round", "=3", "round>many", "round~3"])
def test_a_query_that_cannot_be_read_is_refused(run, where):
    with pytest.raises(InputError, match="--where"):
        tasks(run, where)


def test_an_unknown_column_names_the_nearest(run):
    with pytest.raises(UnknownNameError, match="did you mean status"):
        tasks(run, "statuss=admitted")
