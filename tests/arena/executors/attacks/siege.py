"""What an attack must not achieve, whichever executor it meets."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from attack_corpus import ATTACKS, filled

from arena.executors.executor import Ending, Execution, Program

MOST_S = 6.0
"""How long an attack may hold an executor on a busy machine."""
HONEST = Program(source="def f(x, y):\n    return sorted(x)[:y]", argument="[3, 1, 2], 2")


@dataclass(frozen=True, kw_only=True)
class Canary:
    secret: str
    file: Path
    target: Path


def besiege(executor, name, canary):
    """Runs an attack and returns its execution; checks that it learnt, left, held up and broke nothing."""
    assert executor.run([HONEST]) == [Execution(ending=Ending.RETURNED, output="[1, 2]")]
    before = descendants()
    source = filled(ATTACKS[name], str(canary.file), str(canary.target))
    start = time.monotonic()
    (execution,) = executor.run([Program(source=source, argument="3")])
    assert time.monotonic() - start < MOST_S
    assert canary.secret not in execution.output + execution.detail
    assert len(execution.output) <= executor.limits.output_chars
    assert (execution.ending is Ending.RETURNED) or not execution.output
    assert canary.file.read_text() == canary.secret
    assert not canary.target.exists()
    assert executor.run([HONEST]) == [Execution(ending=Ending.RETURNED, output="[1, 2]")]
    assert settles(lambda: len(descendants()) <= len(before)), descendants()
    return execution


def settles(holds, patience_s=5.0):
    """Returns whether something comes to hold soon."""
    end = time.monotonic() + patience_s
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.02)
    return held


def descendants():
    """Returns the command names of all processes below this one, by process id."""
    parents, names = {}, {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text()
        except OSError:
            continue
        name, _, rest = text.partition("(")[2].rpartition(")")
        parents[int(entry.name)], names[int(entry.name)] = int(rest.split()[1]), name
    found = {}
    for pid in parents:
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid() and pid != above:
            found[pid] = names[pid]
    return found
