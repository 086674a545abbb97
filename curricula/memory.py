"""The memory of what was proposed before: exact, structural and by skill, over all rounds; near, within a batch.

Exact kinds are look-ups in a table of hashes, in constant time however long the run. Near duplicates are word n-gram
sets with a Jaccard similarity of at least a threshold, and a cluster is a union of near pairs (single linkage). R-Zero
(arXiv 2508.05004) clusters a batch agglomeratively on the distance 1 - BLEU. Ours differs in three ways: the
similarity is symmetric and needs no brevity penalty or smoothing, it sees no order beyond n words, and single linkage
may chain texts that are not alike at the two ends, so a chain of small edits counts as one cluster.

Assumption: the caller knows what makes two tasks structurally equal and gives a key (an abstract syntax tree without
names, a canonical form), and gives the skill signature (a canonical solution, a set of lemmas).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from arena.errors import InputError


class DuplicateKind(StrEnum):
    """In what way a task repeats another, strictest first."""

    EXACT = "exact"
    STRUCTURE = "structure"
    SKILL = "skill"
    NEAR = "near"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """What a task is compared by.

    Attributes:
        id: the task.
        text: the task in words or code; white space is normalised.
        structure: the caller's structural key, or empty when there is none.
        signature: the caller's skill signature, or empty when there is none.
    """

    id: str
    text: str
    structure: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """That a task repeats another.

    Attributes:
        kind: in what way.
        of: the id of the task that it repeats.
    """

    kind: DuplicateKind
    of: str


class DuplicateMemory:
    """Every fingerprint of a campaign, by hash; the first task with a fingerprint owns it."""

    def __init__(self) -> None:
        self._owners: dict[str, dict[str, str]] = _empty()

    def find(self, task: Fingerprint) -> Duplicate | None:
        """Returns the strictest way in which a task repeats another one that is remembered, or ``None``.

        A task does not repeat itself: its own id is no duplicate.
        """
        for kind, key in _keys(task).items():
            owner = self._owners[kind].get(key)
            if owner is not None and owner != task.id:
                return Duplicate(kind=DuplicateKind(kind), of=owner)
        return None

    def add(self, task: Fingerprint) -> Duplicate | None:
        """Remembers a task and returns what it repeats, or ``None``; earlier tasks keep what they own."""
        found = self.find(task)
        for kind, key in _keys(task).items():
            self._owners[kind].setdefault(key, task.id)
        return found

    def __len__(self) -> int:
        """How many different texts are remembered."""
        return len(self._owners[DuplicateKind.EXACT])

    def state(self) -> dict[str, Any]:
        """Returns everything as JSON values."""
        return {kind: dict(owners) for kind, owners in self._owners.items()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replaces everything by what ``state`` returned."""
        self._owners = {**_empty(), **{kind: dict(owners) for kind, owners in state.items()}}


def near_duplicates(batch: Sequence[Fingerprint], *, n: int = 3, threshold: float = 0.5) -> dict[str, Duplicate]:
    """Returns for each task of a batch that is near an earlier one which that is: the first such.

    Args:
        batch: the tasks, with distinct ids.
        n: the words of an n-gram; a shorter text is one n-gram.
        threshold: the least Jaccard similarity of a near duplicate, in (0, 1].

    Raises:
        InputError: ``n`` or ``threshold`` is out of range, or an id comes twice.
    """
    first: dict[str, Duplicate] = {}
    for later, earlier in _near_pairs(batch, n, threshold):
        first.setdefault(batch[later].id, Duplicate(kind=DuplicateKind.NEAR, of=batch[earlier].id))
    return first


def clusters(batch: Sequence[Fingerprint], *, n: int = 3, threshold: float = 0.5) -> list[tuple[str, ...]]:
    """Returns the clusters of a batch, unions of near duplicates, in the order of their first task.

    Raises:
        InputError: see ``near_duplicates``.
    """
    roots = list(range(len(batch)))

    def root(index: int) -> int:
        while roots[index] != index:
            roots[index] = index = roots[roots[index]]
        return index

    for later, earlier in _near_pairs(batch, n, threshold):
        one, other = sorted((root(later), root(earlier)))
        roots[other] = one
    members: dict[int, list[str]] = {}
    for index, task in enumerate(batch):
        members.setdefault(root(index), []).append(task.id)
    return [tuple(ids) for ids in members.values()]


def cluster_shares(batch: Sequence[Fingerprint], *, n: int = 3, threshold: float = 0.5) -> dict[str, float]:
    """Returns the share of the batch in each task's cluster; a task like no other has 1 / B.

    Raises:
        InputError: see ``near_duplicates``.
    """
    found = clusters(batch, n=n, threshold=threshold)
    return {id: len(ids) / len(batch) for ids in found for id in ids}


def ngrams(text: str, n: int = 3) -> frozenset[tuple[str, ...]]:
    """Returns the set of word n-grams of a text; a text of fewer words is one n-gram, and no words are none."""
    words = text.casefold().split()
    if not words:
        return frozenset()
    return frozenset(tuple(words[start : start + n]) for start in range(max(1, len(words) - n + 1)))


def jaccard(one: frozenset[Any], other: frozenset[Any]) -> float:
    """Returns the shared part of the union of two sets; two empty sets are equal."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def _near_pairs(batch: Sequence[Fingerprint], n: int, threshold: float) -> Iterable[tuple[int, int]]:
    """Yields (later, earlier) positions of near duplicates, in order."""
    if n < 1 or not 0 < threshold <= 1:
        raise InputError(
            f"near_duplicates: expected n of at least 1 and a threshold in (0, 1], got {n} and {threshold}; "
            "choose 3 and 0.5"
        )
    if len({task.id for task in batch}) < len(batch):
        raise InputError(
            "near_duplicates.batch: expected distinct ids, got one twice; name a repeated task by its episode"
        )
    sets = [ngrams(task.text, n) for task in batch]
    for later in range(len(batch)):
        for earlier in range(later):
            if jaccard(sets[later], sets[earlier]) >= threshold:
                yield later, earlier


def _keys(task: Fingerprint) -> dict[str, str]:
    """Returns the hash of each kind that a task has, strictest first."""
    said = {
        DuplicateKind.EXACT: " ".join(task.text.split()),
        DuplicateKind.STRUCTURE: task.structure,
        DuplicateKind.SKILL: task.signature,
    }
    return {kind.value: _hash(text) for kind, text in said.items() if text or kind is DuplicateKind.EXACT}


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _empty() -> dict[str, dict[str, str]]:
    return {kind.value: {} for kind in (DuplicateKind.EXACT, DuplicateKind.STRUCTURE, DuplicateKind.SKILL)}
