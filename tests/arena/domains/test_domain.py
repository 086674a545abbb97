"""The contract itself: what a domain is, and what it leaves to its author."""

import pytest

from arena.domains.arithmetic import Arithmetic
from arena.domains.domain import NOT_PROPOSABLE, Attempt, Domain, Rejection, domains
from arena.domains.exact import ExactChecker
from arena.errors import UnknownNameError


def test_the_domains_that_come_with_the_arena():
    assert domains.names() == ["arithmetic", "python_io", "python_trace"]
    assert list(domains.families()) == ["reasoning_gym"]


@pytest.mark.parametrize("name", domains.names())
def test_names_are_those_that_are_registered(name):
    made = domains.make(name)
    assert (made.name, made.proposable, made.shows_solution) == (name, True, False)


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean python_trace"):
        domains.make("python_traces")


def test_a_domain_must_say_everything():
    class Half(Domain):
        def generate(self, random, kind, difficulty):
            return {}

    with pytest.raises(TypeError, match="abstract"):
        Half()


def test_rejections_can_be_counted():
    assert Rejection(reason=NOT_PROPOSABLE) == Rejection(reason="not_proposable", detail="")


def test_the_exact_checker_compares_canonical_texts():
    problem = {"kind": "sum", "left": 2, "right": 3}
    checker = ExactChecker(Arithmetic(), lambda text: text.strip().upper() or None)
    attempts = [Attempt(problem=problem, answer=answer) for answer in (" 5 ", "6", "  ")]
    assert [str(one.outcome) for one in checker.check(attempts)] == ["correct", "wrong", "invalid"]
    (valid,) = checker.validate([problem])
    assert valid.detail == '{"problem": {"kind": "sum", "left": 2, "right": 3}}'
    assert checker.hindsight(attempts) == [[], [], []]
    assert checker.close() is None
