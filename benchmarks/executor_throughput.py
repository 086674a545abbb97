"""How fast model-written programs run: ``python -m benchmarks.executor_throughput``.

Small programs, each from a fresh state, on one core. The yardsticks are measured in the same run: for ``monty`` a bare
loop over ``pydantic_monty``, for ``cpython`` one new interpreter a program, which confines nothing.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from arena.errors import CapabilityError
from arena.executors.executor import Ending, Program, executors

SOURCES = (
    "def f(x):\n    return [i * i for i in range(x) if i % 3]",
    "def f(x):\n    seen = {}\n    for i in range(x):\n        seen[i % 5] = seen.get(i % 5, 0) + i\n    return seen",
    "def f(x):\n    text = ''\n    while x:\n        text, x = str(x % 2) + text, x // 2\n    return text",
)


def small_programs(count: int) -> list[Program]:
    """Returns programs that take an interpreter next to no time."""
    return [Program(source=SOURCES[i % len(SOURCES)], argument=str(i % 40 + 1)) for i in range(count)]


def best_per_s(act: Callable[[Sequence[Program]], object], programs: Sequence[Program], repeats: int) -> float:
    """Returns the most programs per second of several calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        act(programs)
        times.append(time.perf_counter() - start)
    return len(programs) / min(times)


def executor_per_s(name: str, count: int, repeats: int) -> float:
    """Returns the programs per second of one of our executors; checks that they ran."""
    executor = executors.make(name)
    try:
        endings = {one.ending for one in executor.run(small_programs(len(SOURCES)))}
        if endings != {Ending.RETURNED}:
            raise RuntimeError(f"{name}: expected programs that return, got {endings}")
        return best_per_s(executor.run, small_programs(count), repeats)
    finally:
        executor.close()


def bare_monty_per_s(count: int, repeats: int) -> float:
    """Returns the programs per second of ``pydantic_monty`` alone: a checkout and a feed each, no limits."""
    import pydantic_monty

    with pydantic_monty.Monty(max_processes=1) as pool:

        def loop(programs: Sequence[Program]) -> None:
            for program in programs:
                with pool.checkout() as session:
                    session.feed_run(f"{program.source}\nrepr(f({program.argument}))")

        return best_per_s(loop, small_programs(count), repeats)


def new_interpreter_per_s(count: int, repeats: int) -> float:
    """Returns the programs per second when each gets ``python -c``."""

    def loop(programs: Sequence[Program]) -> None:
        for program in programs:
            code = f"{program.source}\nprint(repr(f({program.argument})))"
            subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True)

    return best_per_s(loop, small_programs(count), repeats)


def measure(count: int, repeats: int) -> dict[str, float]:
    """Returns the figures; ``cpython`` and its yardstick run a tenth of the programs."""
    figures = {
        "monty_programs_per_s": executor_per_s("monty", count, repeats),
        "bare_monty_programs_per_s": bare_monty_per_s(count, repeats),
    }
    figures["monty_over_bare"] = figures["monty_programs_per_s"] / figures["bare_monty_programs_per_s"]
    few = max(1, count // 10)
    try:
        figures["cpython_runs_per_s"] = executor_per_s("cpython", few, repeats)
    except CapabilityError as error:
        print(error)
        return figures
    figures["new_interpreter_runs_per_s"] = new_interpreter_per_s(max(1, few // 4), repeats)
    figures["cpython_over_new_interpreter"] = figures["cpython_runs_per_s"] / figures["new_interpreter_runs_per_s"]
    return figures


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--programs", type=int, default=4000)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for name, value in measure(chosen.programs, chosen.repeats).items():
        print(f"{name:28} {value:12,.2f}")


if __name__ == "__main__":
    main()
