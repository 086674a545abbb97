"""The process of one program, forked from the zygote: it confines itself, runs the program, writes a frame and ends.

Standard library only; this runs inside the sandbox. From the first line of the program on, nothing that this process
does or says can be relied upon: the zygote goes by its exit status, and by the frame only as text.
"""

from __future__ import annotations

import datetime
import io
import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from arena.executors.sandbox import seccomp

RETURNED, RAISED, MEMORY = 0, 10, 11
"""Exit statuses."""
FRAME = struct.Struct("!I")
MOST_DETAIL_CHARS = 200
_MOST_FILES = 24
_LAST_FILE = 256
_SET_DEATH_SIGNAL = 1
_KEPT: list[object] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the launcher tells the zygote.

    Attributes:
        seconds: processor time of a program.
        wall_s: wall time of a program.
        memory_bytes: memory of a program on top of the zygote's.
        output_chars: characters of the output that are handed back, besides one more that shows that there were more.
        clock: what the clock shows, in seconds since 1970.
        random_seed: where ``random`` begins.
    """

    seconds: float
    wall_s: float
    memory_bytes: int
    output_chars: int
    clock: int
    random_seed: int

    @property
    def most_bytes(self) -> int:
        """The longest text of an honest child, in bytes."""
        return 4 * (self.output_chars + MOST_DETAIL_CHARS)


def read_all(source: int, size: int) -> bytes:
    """Returns the next ``size`` bytes of a pipe, or nothing at its end."""
    found = bytearray()
    while len(found) < size:
        chunk = os.read(source, size - len(found))
        if not chunk:
            return b""
        found += chunk
    return bytes(found)


def address_space() -> int:
    """Returns the bytes of memory that this process has mapped, to about 1 MiB.

    There is no ``/proc`` to read it from: the least limit under which a small mapping still fits is looked for.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    low, high = 0, 1 << 40
    try:
        while high - low > 1 << 20:
            middle = (low + high) // 2
            resource.setrlimit(resource.RLIMIT_AS, (middle, hard))
            low, high = (low, middle) if _can_map(1 << 20) else (middle, high)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    return high


def _can_map(size: int) -> bool:
    try:
        mmap.mmap(-1, size).close()
    except (OSError, MemoryError):
        return False
    return True


def confine(settings: Settings, program: seccomp.Filter, memory: int, result_fd: int) -> None:
    """Gives up everything a program does not need; ``result_fd`` becomes ``seccomp.RESULT_FD``.

    Raises:
        OSError: a layer is missing.
    """
    seccomp.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    os.dup2(result_fd, seccomp.RESULT_FD, inheritable=False)
    os.closerange(0, seccomp.RESULT_FD)
    os.closerange(seccomp.RESULT_FD + 1, _LAST_FILE)
    for which, most in (
        (resource.RLIMIT_AS, memory + settings.memory_bytes),
        (resource.RLIMIT_CPU, int(settings.seconds) + 2),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, _MOST_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(which, (most, most))
    # The default action of both signals ends the process, and the filter leaves no way to change that.
    signal.setitimer(signal.ITIMER_PROF, settings.seconds)
    signal.setitimer(signal.ITIMER_REAL, settings.wall_s)
    seccomp.install(program)


def run(request: bytes, settings: Settings) -> None:
    """Runs a program and ends the process; the exit status says how it went, the frame holds the text."""
    # Kept in local names: the program may bind these anew in their modules.
    write, leave, pack = os.write, os._exit, FRAME.pack
    try:
        random.seed(settings.random_seed)  # forking has mixed in entropy
        status, text = evaluate(request, settings)
        payload = text.encode("utf-8", "backslashreplace")
        write(seccomp.RESULT_FD, pack(len(payload)) + payload)
        leave(status)
    finally:
        leave(RAISED)


def evaluate(request: bytes, settings: Settings) -> tuple[int, str]:
    """Returns the exit status and the text for a program: the cut ``repr`` of what it returned, or its exception."""
    as_text = repr
    try:
        program = json.loads(request)
        module = types.ModuleType("__main__")
        sys.modules["__main__"] = module
        exec(compile(program["source"], "<program>", "exec", dont_inherit=True), module.__dict__)
        call = compile(f"f({program['argument']}\n)", "<argument>", "eval", dont_inherit=True)
        return RETURNED, as_text(eval(call, module.__dict__))[: settings.output_chars + 1]
    except MemoryError:
        return MEMORY, "MemoryError"
    except BaseException as error:
        return RAISED, _described(error)


def _described(error: BaseException) -> str:
    name = type(error).__name__[:MOST_DETAIL_CHARS]
    try:
        return f"{name}: {error}"[:MOST_DETAIL_CHARS]
    except BaseException:
        return name


class _Nowhere(io.TextIOBase):
    """Takes what a program prints."""

    def writable(self) -> bool:
        return True

    def write(self, text: str, /) -> int:
        return len(text)


def cut_streams() -> None:
    """Lets printing go nowhere and input be empty; done once, in the zygote, whose own pipes stay open."""
    _KEPT.extend((sys.stdin, sys.stdout, sys.stderr))
    sys.stdout = sys.stderr = sys.__stdout__ = sys.__stderr__ = _Nowhere()  # type: ignore[misc, assignment]
    sys.stdin = sys.__stdin__ = io.StringIO()  # type: ignore[misc, assignment]


def freeze_world(settings: Settings) -> None:
    """Stops the clocks; done once, in the zygote.

    This makes honest programs repeatable. It keeps nothing from a program that looks for the real clock: such a
    program gives another output each time, which is how it is found out.

    Raises:
        OSError: ``datetime`` still shows the real time.
    """
    clock: Any = time
    now = float(settings.clock)
    for name in ("time", "monotonic", "perf_counter"):
        setattr(clock, name, _constant(now))
        setattr(clock, f"{name}_ns", _constant(settings.clock * 10**9))
    for name in ("process_time", "thread_time"):
        setattr(clock, name, _constant(0.0))
        setattr(clock, f"{name}_ns", _constant(0))
    for name in ("localtime", "gmtime", "ctime"):
        setattr(clock, name, _from_now(getattr(time, name), now))
    clock.asctime = _with_now(time.asctime, 0)
    clock.strftime = _with_now(time.strftime, 1)
    clock.sleep = _no_sleep
    if datetime.datetime.now().timestamp() != now:
        raise OSError("the clock of datetime could not be stopped")


def _constant(value: float) -> Callable[[], float]:
    return lambda: value


def _from_now(convert: Callable[[float], Any], now: float) -> Callable[..., Any]:
    return lambda seconds=None: convert(now if seconds is None else seconds)


def _with_now(show: Callable[..., str], position: int) -> Callable[..., str]:
    """Returns a function that shows the frozen moment when its argument at ``position`` is left out."""
    local = time.localtime
    return lambda *given: show(*given) if len(given) > position else show(*given, local())


def _no_sleep(seconds: float, /) -> None:
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
