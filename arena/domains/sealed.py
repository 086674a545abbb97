"""The sealed set: problems that measure a solver and that nobody may train on.

It is stratified (the same number for every kind and difficulty), a pure function of the domain and two numbers, and
known by signatures, so that a curriculum can refuse and count what comes too close. A signature says nothing of the
kind: predicting the output of a program and finding its input are one secret.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from arena.domains.domain import Problem, domains
from arena.seeds import generator


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One stratum with its problems."""

    kind: str
    difficulty: int
    problems: tuple[Problem, ...]


@lru_cache(maxsize=16)
def sealed_cells(domain: str, per_cell: int, most_difficulty: int, seed: int) -> tuple[Cell, ...]:
    """Returns the sealed set, all signatures distinct.

    Args:
        domain: whose problems.
        per_cell: problems of each kind and difficulty; fewer where the domain has no more.
        most_difficulty: difficulties run from 1 to this.
        seed: of the set; not the campaign's, so that every seed of a campaign is measured by the same problems.
    """
    made, taken = domains.make(domain), set[str]()
    cells = []
    for kind in made.kinds:
        for difficulty in range(1, most_difficulty + 1):
            random = generator(f"sealed:{domain}:{kind}", seed, difficulty)
            problems: list[Problem] = []
            for _ in range(20 * per_cell):
                if len(problems) == per_cell:
                    break
                problem = made.generate(random, kind, difficulty)
                signature = made.signature(problem)
                if signature not in taken:
                    taken.add(signature)
                    problems.append(problem)
            cells.append(Cell(kind=kind, difficulty=difficulty, problems=tuple(problems)))
    return tuple(cells)


@lru_cache(maxsize=16)
def sealed_signatures(domain: str, per_cell: int, most_difficulty: int, seed: int) -> frozenset[str]:
    """Returns the signatures of the sealed set."""
    made = domains.make(domain)
    return frozenset(made.signature(one) for one in _problems(domain, per_cell, most_difficulty, seed))


def _problems(domain: str, per_cell: int, most_difficulty: int, seed: int) -> Iterator[Problem]:
    for cell in sealed_cells(domain, per_cell, most_difficulty, seed):
        yield from cell.problems
