"""Puts the corpus of hostile answers on the path, and shares checkers between the tests of a module."""

import sys
from pathlib import Path

import pytest

from arena.domains.domain import domains
from arena.errors import CapabilityError

sys.path.append(str(Path(__file__).parent))
EXECUTORS = ("monty", pytest.param("cpython", marks=pytest.mark.bwrap))


@pytest.fixture(scope="module", params=EXECUTORS)
def executor(request):
    """Each executor in turn; one that this machine cannot start is skipped."""
    try:
        domains.make("python_io").checker(request.param).close()
    except CapabilityError as error:
        pytest.skip(str(error))
    return request.param


@pytest.fixture(scope="module")
def checkers(executor):
    """The checkers of both domains about programs, by name."""
    made = {name: domains.make(name).checker(executor) for name in ("python_io", "python_trace")}
    yield made
    for one in made.values():
        one.close()
