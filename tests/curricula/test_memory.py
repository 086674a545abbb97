"""What counts as a duplicate, of what, and how large the clusters are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import InputError
from curricula.memory import (
    Duplicate,
    DuplicateKind,
    DuplicateMemory,
    Fingerprint,
    cluster_shares,
    clusters,
    jaccard,
    near_duplicates,
    ngrams,
)


def task(id, text, structure="", signature=""):
    return Fingerprint(id=id, text=text, structure=structure, signature=signature)


@pytest.mark.parametrize(
    ("later", "kind"),
    [
        (task("b", " x  = 1\n"), DuplicateKind.EXACT),
        (task("b", "y = 1", structure="(= _ 1)"), DuplicateKind.STRUCTURE),
        (task("b", "z = 2 - 1", structure="(= _ (- 2 1))", signature="one"), DuplicateKind.SKILL),
    ],
)
def test_the_strictest_kind_is_named_with_the_first_owner(later, kind):
    memory = DuplicateMemory()
    assert memory.add(task("a", "x = 1", structure="(= _ 1)", signature="one")) is None
    assert memory.find(later) == Duplicate(kind=kind, of="a")
    memory.add(later)
    assert memory.find(task("c", later.text, later.structure, later.signature)).of in ("a", "b")
    assert memory.find(task("c", "other", "other", "other")) is None


def test_an_absent_key_matches_nothing_and_a_task_does_not_repeat_itself():
    memory = DuplicateMemory()
    memory.add(task("a", "x"))
    assert memory.find(task("b", "y")) is None
    assert memory.find(task("a", "x")) is None
    assert len(memory) == 1


@given(st.lists(st.tuples(st.text("ab ", max_size=3), st.text("s", max_size=1), st.text("k", max_size=1)), max_size=12))
def test_the_memory_continues_from_its_state(texts):
    tasks = [task(str(index), *parts) for index, parts in enumerate(texts)]
    whole, first = DuplicateMemory(), DuplicateMemory()
    half = len(tasks) // 2
    found = [whole.add(one) for one in tasks]
    before = [first.add(one) for one in tasks[:half]]
    second = DuplicateMemory()
    second.restore(json.loads(json.dumps(first.state())))
    assert before + [second.add(one) for one in tasks[half:]] == found
    assert second.state() == whole.state()


def test_near_duplicates_are_found_within_a_batch():
    batch = [
        task("a", "how many apples are left in the red basket"),
        task("b", "prove that the sum of two even numbers is even"),
        task("c", "How many apples are left in the blue basket"),
    ]
    assert near_duplicates(batch, n=2) == {"c": Duplicate(kind=DuplicateKind.NEAR, of="a")}
    assert clusters(batch, n=2) == [("a", "c"), ("b",)]
    assert cluster_shares(batch, n=2) == {"a": 2 / 3, "c": 2 / 3, "b": 1 / 3}


def test_a_chain_of_small_edits_is_one_cluster():
    batch = [task("a", "1 2 3 4"), task("b", "3 4 5 6"), task("c", "2 3 4 5")]
    assert jaccard(ngrams("1 2 3 4", 1), ngrams("3 4 5 6", 1)) < 0.5
    assert clusters(batch, n=1) == [("a", "b", "c")]


def test_short_and_empty_texts_have_a_similarity():
    assert ngrams("one two", 3) == {("one", "two")}
    assert ngrams("  ") == frozenset()
    assert jaccard(frozenset(), frozenset()) == 1.0


@given(st.lists(st.text("abc ", max_size=8), min_size=1, max_size=10), st.floats(0.1, 1))
def test_clusters_part_the_batch(texts, threshold):
    batch = [task(str(index), text) for index, text in enumerate(texts)]
    found = clusters(batch, n=1, threshold=threshold)
    assert sorted(id for ids in found for id in ids) == sorted(one.id for one in batch)
    assert sum(1 / len(batch) / share for share in cluster_shares(batch, n=1, threshold=threshold).values()) == (
        pytest.approx(len(found))
    )
    # A task that is not alone has a near duplicate before it, unless it comes first in its cluster.
    assert set(near_duplicates(batch, n=1, threshold=threshold)) <= {id for ids in found if len(ids) > 1 for id in ids}


@pytest.mark.parametrize(("n", "threshold"), [(0, 0.5), (3, 0.0), (3, 1.1)])
def test_settings_out_of_range_are_refused(n, threshold):
    with pytest.raises(InputError, match="near_duplicates: expected n of at least 1"):
        clusters([task("a", "x")], n=n, threshold=threshold)


def test_an_id_that_comes_twice_is_refused():
    with pytest.raises(InputError, match="expected distinct ids"):
        cluster_shares([task("a", "x"), task("a", "y")])
