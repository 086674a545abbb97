"""The executor for all of Python: this interpreter's CPython, in a sandbox (Linux on x86-64, bubblewrap).

Layers, each enough against most attacks: bubblewrap's namespaces (no files but the interpreter's, no network, no
processes outside), a fresh process for every program, limits on memory, time, files and processes, and a seccomp filter
that lists what a program may ask of the kernel. A zygote inside forks the processes, watches them and tells how they
ended. Interpreters differ by hash seed from their start, so there is one zygote a hash seed, started when it is used.

A program owns its process and can hand back any text as its output; that is all it can do. Verdicts are made outside.
Where a layer is missing, the executor refuses to start.

Clocks stand still and ``random`` begins where the hash seed says; a program that looks for real time or entropy finds
it and is not repeatable. The clock of ``datetime`` stands still because its Python version is loaded; ``zoneinfo``,
which needs the other one, cannot be imported.
"""

from __future__ import annotations

import platform
from collections import OrderedDict
from collections.abc import Sequence

from arena.executors.executor import (
    MOST_DETAIL_CHARS,
    Ending,
    Execution,
    Limits,
    Program,
    executors,
    not_run,
    returned,
)
from arena.executors.sandbox.launcher import Launcher, ZygoteLost

MOST_ZYGOTES = 4
"""How many hash seeds have a running zygote; the one that was not used for longest makes room."""


@executors.register("cpython")
class CPythonExecutor:
    """Runs programs one after another, each in a process of its own; to be used by one thread.

    That thread should be one that lasts: the kernel ends the sandbox with the thread that started it. A zygote that is
    gone is started anew, so that this costs time only.

    Args:
        limits: what one program may use. On the clock it may take twice ``seconds`` and half a second.

    Raises:
        CapabilityError: bubblewrap, user namespaces or seccomp filters are missing; the message says which.
    """

    name = "cpython"

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.version = platform.python_version()
        self._zygotes: OrderedDict[int, Launcher] = OrderedDict()
        self._zygote(0)

    def run(self, programs: Sequence[Program]) -> list[Execution]:
        """Returns one execution a program.

        Raises:
            CapabilityError: a zygote could not be started again.
        """
        return [not_run(program, self.limits) or self._run(program) for program in programs]

    def close(self) -> None:
        """Ends all zygotes."""
        while self._zygotes:
            self._zygotes.popitem()[1].close()

    def _run(self, program: Program) -> Execution:
        zygote = self._zygote(program.hash_seed)
        try:
            word, text = zygote.ask(program.source, program.argument)
            ending = Ending(word)
        except (ZygoteLost, ValueError) as error:
            self._zygotes.pop(program.hash_seed).close()
            silent = isinstance(error, ZygoteLost) and error.silent
            return Execution(ending=Ending.TIMEOUT if silent else Ending.CRASHED, detail=f"zygote: {error}")
        if ending is Ending.RETURNED:
            return returned(text, self.limits)
        return Execution(ending=ending, detail=text[:MOST_DETAIL_CHARS])

    def _zygote(self, hash_seed: int) -> Launcher:
        """Returns the running zygote of a hash seed."""
        known = self._zygotes.get(hash_seed)
        if known is not None and not known.alive:
            self._zygotes.pop(hash_seed).close()
        if hash_seed not in self._zygotes:
            while len(self._zygotes) >= MOST_ZYGOTES:
                self._zygotes.popitem(last=False)[1].close()
            self._zygotes[hash_seed] = Launcher(self.limits, hash_seed)
        self._zygotes.move_to_end(hash_seed)
        return self._zygotes[hash_seed]
