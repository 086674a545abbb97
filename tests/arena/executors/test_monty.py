"""Monty: programs give what CPython gives, lacks say so, and no attack gets anywhere."""

import pytest
from attack_corpus import ATTACKS
from siege import besiege, descendants, settles

from arena.executors.executor import Ending, Execution, Limits, Program
from arena.executors.monty import MontyExecutor

pytest.importorskip("pydantic_monty")

LIMITS = {"seconds": 0.2}


@pytest.fixture(scope="module")
def executor(canary):
    made = MontyExecutor(Limits(**LIMITS))
    yield made
    made.close()


def run(executor, source, argument="3", hash_seed=0):
    return executor.run([Program(source=source, argument=argument, hash_seed=hash_seed)])[0]


def body(line):
    return f"def f(x):\n    {line}"


@pytest.mark.parametrize(
    ("line", "argument", "output"),
    [
        ("return x + 1", "3", "4"),
        ("return x[::-1]", "'añ'", "'ña'"),
        ("return {k: v * 2 for k, v in x.items()}", "{'a': [1]}", "{'a': [1, 1]}"),
        ("return x, 1.5, None, True, b'a'", "()", "((), 1.5, None, True, b'a')"),
        ("return x", "'a' # comment", "'a'"),
    ],
)
def test_outputs_are_those_of_cpython(executor, line, argument, output):
    assert run(executor, body(line), argument) == Execution(ending=Ending.RETURNED, output=output)


@pytest.mark.parametrize(
    ("line", "ending", "said"),
    [
        ("yield 1", Ending.UNSUPPORTED, "yield"),
        ("import heapq", Ending.UNSUPPORTED, "heapq"),
        ("return bytearray(3)", Ending.UNSUPPORTED, "bytearray"),
        ("return 'a'.maketrans('a', 'b')", Ending.UNSUPPORTED, "maketrans"),
        ("return 'a'.no_such_method()", Ending.RAISED, "no_such_method"),
        ("import no_such_module", Ending.RAISED, "no_such_module"),
        ("return no_such_name", Ending.RAISED, "no_such_name"),
        ("return 1 / 0", Ending.RAISED, "ZeroDivisionError"),
        ("raise ValueError('no')", Ending.RAISED, "ValueError: no"),
        ("return (", Ending.RAISED, "SyntaxError"),
        ("return [0] * 10**10", Ending.MEMORY, "MemoryError"),
        ("return 'x' * 9999", Ending.TOO_LONG, "output"),
        ("return 1 #" + "x" * 9999, Ending.TOO_LONG, "source"),
    ],
)
def test_each_failure_has_its_ending(executor, line, ending, said):
    execution = run(executor, body(line))
    assert execution.ending is ending
    assert said in execution.detail
    assert not execution.output


def test_programs_start_from_nothing_and_come_back_in_order(executor):
    leaves = Program(source="left = 7\ndef f(x):\n    return x", argument="1")
    looks = Program(source="def f(x):\n    return left", argument="2")
    endings = [one.ending for one in executor.run([leaves, looks, leaves])]
    assert endings == [Ending.RETURNED, Ending.RAISED, Ending.RETURNED]


@pytest.mark.parametrize(
    "line",
    [
        "import time\n    return time.time(), time.monotonic()",
        "import datetime\n    return str(datetime.datetime.now())",
        "import random\n    return random.random()",
    ],
)
def test_a_program_that_asks_for_the_time_or_draws_is_found_out_by_another_hash_seed(executor, line):
    first, again, other = (run(executor, body(line), hash_seed=seed) for seed in (0, 0, 1))
    assert first.ending is Ending.RETURNED
    assert first == again
    assert first.output != other.output


def test_sets_and_hashes_are_the_same_under_every_hash_seed(executor):
    line = "return {'d', 'a', 'c', 'b', x}, hash('abc')"
    assert run(executor, body(line), hash_seed=0) == run(executor, body(line), hash_seed=1)


def test_a_returned_object_never_reaches_this_process(executor):
    # 40 levels: 2**40 leaves when walked, 41 lists in memory.
    source = "def f(x):\n    a = [1]\n    for i in range(40):\n        a = [a, a]\n    return a"
    assert run(executor, source).ending is Ending.TIMEOUT
    bound_anew = source.replace("def f", "def repr") + "\nstr = type = repr\ndef f(x):\n    return 'text'"
    assert run(executor, bound_anew).output == "'text'"


def test_closing_ends_the_worker():
    before = descendants()
    made = MontyExecutor()
    assert len(descendants()) > len(before)
    made.close()
    made.close()
    assert settles(lambda: len(descendants()) <= len(before))


def test_the_version_is_that_of_the_library(executor):
    import importlib.metadata

    assert (executor.name, executor.version) == ("monty", importlib.metadata.version("pydantic-monty"))


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(executor, canary, name):
    besiege(executor, name, canary)
