"""The sealed set: stratified, distinct, a pure function of the domain and its numbers."""

import pytest

from arena.domains.domain import domains
from arena.domains.sealed import sealed_cells, sealed_signatures


@pytest.mark.parametrize("name", domains.names())
def test_every_kind_and_difficulty_has_its_share(name):
    domain = domains.make(name)
    cells = sealed_cells(name, 5, 3, 0)
    assert [(cell.kind, cell.difficulty) for cell in cells] == [
        (kind, depth) for kind in domain.kinds for depth in (1, 2, 3)
    ]
    for cell in cells:
        assert len(cell.problems) == 5
        assert {domain.difficulty(problem) for problem in cell.problems} == {cell.difficulty}
        assert {problem["kind"] for problem in cell.problems} == {cell.kind}
    signatures = [domain.signature(problem) for cell in cells for problem in cell.problems]
    assert len(set(signatures)) == len(signatures)
    assert sealed_signatures(name, 5, 3, 0) == set(signatures)


def test_the_set_is_a_function_of_its_numbers():
    first = sealed_cells("python_trace", 4, 2, 0)
    sealed_cells.cache_clear()
    assert sealed_cells("python_trace", 4, 2, 0) == first
    assert not sealed_signatures("python_trace", 4, 2, 0) & sealed_signatures("python_trace", 4, 2, 1)
    # A set with fewer difficulties is the beginning of each kind's strata.
    assert sealed_cells("python_trace", 4, 1, 0)[0] == first[0]


def test_a_cell_takes_what_there_is():
    # Sums of two numbers of one digit: 55 without regard to order.
    sums = sealed_cells("arithmetic", 200, 1, 0)[0]
    assert 45 <= len(sums.problems) <= 55


def test_a_signature_keeps_the_secret_of_the_other_kind():
    domain = domains.make("python_io")
    for cell in sealed_cells("python_io", 3, 2, 0):
        if cell.kind == "deduction":
            for problem in cell.problems:
                assert domain.signature({**problem, "kind": "abduction"}) == domain.signature(problem)
