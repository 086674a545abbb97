"""Every registered domain keeps the contract of domains."""

import pytest

from arena.domains.domain import domains
from arena.testing import check_domain


@pytest.mark.parametrize("executor", ["monty", pytest.param("cpython", marks=pytest.mark.bwrap)])
@pytest.mark.parametrize("name", domains.names())
def test_registered_domain_passes_its_check(name, executor):
    domain = domains.make(name)
    report = check_domain(domain, executor)
    assert report.domain == name
    assert (report.kinds, report.difficulties) == (len(domain.kinds), domain.most_difficulty)
    assert report.problems == 4 * report.kinds * report.difficulties
    assert report.proposals > report.problems


def test_a_domain_of_a_family_passes_its_check():
    report = check_domain(domains.make("reasoning_gym/chain_sum"))
    assert report.difficulties > 1 and report.attempts > 2 * report.problems
