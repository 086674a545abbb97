"""CPython in its sandbox: programs give what they give outside, layers hold, and no attack gets anywhere."""

import os
import platform
import signal
import threading
import time

import pytest
from attack_corpus import ATTACKS
from siege import besiege, descendants, settles

from arena.errors import CapabilityError
from arena.executors.cpython import MOST_ZYGOTES, CPythonExecutor
from arena.executors.executor import Ending, Execution, Limits, Program
from arena.executors.sandbox import launcher

WAITS = "import threading\ndef f(x):\n    lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()"
# Looks through the memory it inherited for a marker twice in a row, which it spells only at run time.
SCAN = """
import ctypes, gc
def f(x):
    piece = bytes(c - 1 for c in b"n5sl")
    gc.unfreeze()
    libc = ctypes.CDLL(None)
    libc.sbrk.restype = ctypes.c_void_p
    heap = libc.sbrk(0) - 2**18
    pages = {(id(one) + i) >> 12 for one in gc.get_objects() for i in (0, 4096)}
    found = 0
    for start, size in [(heap, 2**18), *((page << 12, 4096) for page in pages)]:
        text = ctypes.string_at(start, size)
        at = text.find(piece)
        while at >= 0:
            found += text[at + 4 : at + 8] == piece
            at = text.find(piece, at + 4)
    return len(pages) > 100, found
"""

bwrap = pytest.mark.bwrap


@pytest.fixture(scope="module")
def executor(canary):
    made = CPythonExecutor(Limits(seconds=0.15))
    yield made
    made.close()


def run(executor, source, argument="3", hash_seed=0):
    return executor.run([Program(source=source, argument=argument, hash_seed=hash_seed)])[0]


def body(line):
    return f"def f(x):\n    {line}"


@bwrap
@pytest.mark.parametrize(
    ("line", "argument", "output"),
    [
        ("return x + 1", "3", "4"),
        ("import heapq\n    return heapq.nsmallest(2, x)", "[3, 1, 2]", "[1, 2]"),
        ("yield x", "3", None),
        ("return [*map(str, x)]", "range(2)", "['0', '1']"),
        ("return x", "'añ\\ud800' # comment", "'añ\\ud800'"),
        ("import textwrap, zlib, json\n    return json.dumps(x)", "{}", "'{}'"),
        ("print(x)\n    return round(2.675, 2)", "1", "2.67"),
    ],
)
def test_outputs_are_those_of_cpython(executor, line, argument, output):
    execution = run(executor, body(line), argument)
    assert execution.ending is Ending.RETURNED
    assert output is None or execution.output == output


@bwrap
@pytest.mark.parametrize(
    ("line", "ending", "said"),
    [
        ("return 1 / 0", Ending.RAISED, "ZeroDivisionError: division by zero"),
        ("return (", Ending.RAISED, "SyntaxError"),
        ("return input()", Ending.RAISED, "EOFError"),
        ("return [0] * 10**10", Ending.MEMORY, "MemoryError"),
        ("return 'x' * 9999", Ending.TOO_LONG, "output"),
        ("return 1 #" + "x" * 9999, Ending.TOO_LONG, "source"),
        ("import os\n    os._exit(0)", Ending.CRASHED, "malformed frame"),
        ("import os\n    os._exit(5)", Ending.CRASHED, "status 5"),
        ("import ctypes\n    ctypes.string_at(0)", Ending.CRASHED, f"signal {signal.SIGSEGV.value}"),
        ("while True: pass", Ending.TIMEOUT, f"signal {signal.SIGPROF.value}"),
        ("import os\n    os.write(3, b'x' * 10**6)", Ending.CRASHED, f"signal {signal.SIGKILL.value}"),
    ],
)
def test_each_failure_has_its_ending(executor, line, ending, said):
    execution = run(executor, body(line))
    assert execution.ending is ending
    assert said in execution.detail
    assert not execution.output


@bwrap
def test_programs_start_from_nothing_and_come_back_in_order(executor):
    leaves = Program(source="import math\nmath.pi = 7\ndef f(x):\n    return x", argument="1")
    looks = Program(source="import math\ndef f(x):\n    return math.pi", argument="2")
    assert [one.output for one in executor.run([leaves, looks, leaves])] == ["1", "3.141592653589793", "1"]


@bwrap
@pytest.mark.parametrize(
    "line",
    [
        "import time\n    return time.time(), time.monotonic_ns(), time.ctime(), time.strftime('%Y')",
        "import datetime\n    return datetime.datetime.now(), datetime.date.today()",
        "import random\n    return random.random()",
        "return hash('abc')",
        "return {*'abcdefgh'}",
    ],
)
def test_a_program_that_is_no_function_of_its_argument_is_found_out_by_another_hash_seed(executor, line):
    first, again, other = (run(executor, body(line), hash_seed=seed) for seed in (0, 0, 1))
    assert first.ending is Ending.RETURNED
    assert first == again
    assert first.output != other.output


@bwrap
def test_zygotes_of_many_hash_seeds_make_room(executor):
    for seed in range(MOST_ZYGOTES + 2):
        assert run(executor, body("return x"), hash_seed=seed).output == "3"
    assert len(executor._zygotes) == MOST_ZYGOTES


@bwrap
def test_a_program_finds_no_trace_of_the_one_before_it(executor):
    marker = "m4rk" * 80
    before = run(executor, "def f(x):\n    return x + 'q'", repr(marker))
    assert before.output == repr(marker + "q")
    roomy = CPythonExecutor(Limits(seconds=5))
    try:
        run(roomy, "def f(x):\n    return x + 'q'", repr(marker))
        assert run(roomy, SCAN) == Execution(ending=Ending.RETURNED, output="(True, 0)")
        assert run(roomy, SCAN, repr(marker)).output != "(True, 0)", "the scan finds nothing at all"
    finally:
        roomy.close()


@bwrap
def test_what_lies_inside_is_the_interpreter_alone(executor):
    inside = "import os\n    return sorted(os.listdir('/')), os.listdir('/tmp'), os.getpid() < 1000, os.environ == {}"
    text = run(executor, body(inside)).output
    assert text.endswith("[], True, True)")
    assert not {"'proc'", "'dev'", "'etc'", "'home'", "'var'", "'work'"} & set(
        text.replace("]", "[").split("[")[1].split(", ")
    )
    with_packages = "import os\n    return os.path.exists(os.path.dirname(os.__file__) + '/site-packages/pip')"
    assert run(executor, body(with_packages)).output == "False"


def workers(executor):
    """Returns the process ids of the zygotes."""
    return [pid for pid, name in descendants().items() if name.startswith("python") and pid != os.getpid()]


@bwrap
@pytest.mark.parametrize(("number", "ending"), [(signal.SIGKILL, Ending.CRASHED), (signal.SIGSTOP, Ending.TIMEOUT)])
def test_a_zygote_that_dies_or_falls_silent_costs_one_program(number, ending, monkeypatch):
    monkeypatch.setattr(launcher, "SLACK_S", 0.5)
    before = set(workers(None))
    made = CPythonExecutor(Limits(seconds=0.3))
    try:
        zygotes = set(workers(None)) - before
        assert len(zygotes) == 1
        timer = threading.Timer(0.2, os.kill, (zygotes.pop(), number))
        timer.start()
        lost, next_one = made.run([Program(source=WAITS, argument="1"), Program(source=body("return x"), argument="1")])
        timer.join()
        assert lost.ending is ending
        assert lost.detail.startswith("zygote: ")
        assert next_one == Execution(ending=Ending.RETURNED, output="1")
    finally:
        made.close()


@bwrap
def test_a_zygote_that_died_between_two_programs_costs_none():
    before = set(workers(None))
    made = CPythonExecutor()
    try:
        (zygote,) = set(workers(None)) - before
        os.kill(zygote, signal.SIGKILL)
        time.sleep(0.3)
        assert run(made, body("return x")).output == "3"
    finally:
        made.close()


@bwrap
def test_closing_leaves_no_process():
    before = descendants()
    made = CPythonExecutor()
    assert len(descendants()) > len(before)
    made.close()
    made.close()
    assert settles(lambda: len(descendants()) <= len(before))


@bwrap
def test_the_version_is_that_of_this_interpreter(executor):
    assert (executor.name, executor.version) == ("cpython", platform.python_version())
    assert run(executor, body("import platform\n    return platform.python_version()")).output == repr(executor.version)


def fake_bwrap(folder, script):
    (folder / "bwrap").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "bwrap").chmod(0o755)


needs_linux = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="the sandbox is for Linux on x86-64"
)


@needs_linux
@pytest.mark.parametrize(
    ("script", "said"),
    [
        (None, "expected bubblewrap, got no program bwrap; .*apt-get install bubblewrap.*executor=monty"),
        (
            "echo 'bwrap: No permissions to create new namespace' >&2; exit 1",
            "expected user namespaces, got 'bwrap: No",
        ),
        ("echo 'bwrap: broken' >&2; exit 1", "expected a sandbox that starts, got 'bwrap: broken'"),
        (r"printf '\0\0\0\16open\nfork kill'; sleep 9", "expected seccomp filters, got .* fork kill"),
    ],
)
def test_a_missing_layer_is_named_and_nothing_runs_without_it(script, said, monkeypatch, tmp_path):
    if script is not None:
        fake_bwrap(tmp_path, script)
        monkeypatch.setattr(launcher.shutil, "which", lambda name: str(tmp_path / name))
    else:
        monkeypatch.setattr(launcher.shutil, "which", lambda name: None)
    with pytest.raises(CapabilityError, match=said):
        CPythonExecutor()


def test_another_processor_has_no_filter(monkeypatch):
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(CapabilityError, match=r"expected seccomp filters, got .* on riscv64"):
        CPythonExecutor()


@bwrap
@pytest.mark.parametrize("name", ATTACKS)
def test_attack(executor, canary, name):
    besiege(executor, name, canary)
