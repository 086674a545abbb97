"""The default executor: Monty, a Python interpreter in Rust that has no way to the machine (extra ``[code]``).

It runs a subset of Python fast: 0.1 ms a program, each from a fresh state, in a worker process that is replaced when
it dies. What the subset lacks (generators, inheritance, ``del``, much of the standard library) ends ``UNSUPPORTED``
where Monty says so or CPython is known to have the name; a few lacks look like ordinary exceptions.

Only text comes back, and it is made inside. The last statement is an f-string: it looks no name up that a program
could have bound anew, it is a text whatever ``f`` returned, and its precision cuts it. A returned object itself
never reaches this process: a list that shares itself 40 levels deep is small inside and endless to compare here.

Monty has no hash randomisation: ``hash('abc')`` is one number on every machine, and sets keep the order in which they
were filled. Its clocks and ``random`` are set from the hash seed, sleeping takes no time. So two hash seeds tell apart
programs that read the clock or draw numbers; none depends on the order of a set.
"""

from __future__ import annotations

import builtins
import datetime
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from arena.errors import CapabilityError
from arena.executors.executor import (
    MOST_DETAIL_CHARS,
    Ending,
    Execution,
    Limits,
    Program,
    executors,
    frozen_clock,
    not_run,
    returned,
)

GRACE_S = 0.3
"""How long a worker may take to notice its time limit before it is killed."""
MOST_SUSPENSIONS = 100
"""How often a program may ask for what Monty does not hold (an unknown module, name or file); it gets nothing."""
PROGRAMS_PER_WORKER = 50_000


@executors.register("monty")
class MontyExecutor:
    """Runs programs in one worker process of ``pydantic_monty``; to be used by one thread.

    Args:
        limits: what one program may use. The memory is that of Monty's heap.

    Raises:
        CapabilityError: the extra ``[code]`` is not installed.
    """

    name = "monty"

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        try:
            import pydantic_monty

            self._monty: Any = pydantic_monty
            self._pool: Any = pydantic_monty.Monty(
                max_processes=1,
                request_timeout=self.limits.seconds + 2 * GRACE_S,
                max_checkouts_per_worker=PROGRAMS_PER_WORKER,
                feed_duration_limit_grace=GRACE_S,
                turn_duration_limit_grace=GRACE_S,
            )
            self._pool.__enter__()
        except (ImportError, OSError) as error:
            raise CapabilityError(
                f"executor monty: expected pydantic-monty, got {error}; pip install 'ludus-arena[code]'"
            ) from error
        self.version = str(pydantic_monty.__version__)
        self._caps = {
            "max_feed_duration_secs": self.limits.seconds,
            "max_memory": self.limits.memory_bytes,
            "max_suspensions": MOST_SUSPENSIONS,
        }
        self._policies: dict[int, dict[str, object]] = {}
        self._open = True

    def run(self, programs: Sequence[Program]) -> list[Execution]:
        """Returns one execution a program; each takes at most ``limits.seconds`` and twice the grace."""
        return [not_run(program, self.limits) or self._run(program) for program in programs]

    def close(self) -> None:
        """Ends the worker."""
        if self._open:
            self._open = False
            self._pool.__exit__(None, None, None)

    def _run(self, program: Program) -> Execution:
        # A newline before the parenthesis: an argument that ends in a comment does not swallow it.
        tail = f"__value__ = f({program.argument}\n)\nf'{{__value__!r:.{self.limits.output_chars + 1}}}'"
        try:
            with self._pool.checkout(limits=self._caps, os_policy=self._policy(program.hash_seed)) as session:
                output = session.feed_run(f"{program.source}\n{tail}", print_callback=_discard)
        except self._monty.MontyCrashedError as error:
            return _failed(Ending.TIMEOUT if error.timed_out else Ending.CRASHED, str(error))
        except (self._monty.MontySyntaxError, self._monty.MontyRuntimeError) as error:
            return _raised(error.display("type-msg"))
        except (self._monty.MontyError, UnicodeError) as error:
            return _failed(Ending.CRASHED, str(error))
        if type(output) is not str:
            return _failed(Ending.CRASHED, "not a text")
        return returned(output, self.limits)

    def _policy(self, hash_seed: int) -> dict[str, object]:
        if hash_seed not in self._policies:
            now = datetime.datetime.fromtimestamp(frozen_clock(hash_seed), datetime.UTC)
            self._policies[hash_seed] = {"datetime": now, "sleep": "zero", "random_start": {"seed": hash_seed}}
        return self._policies[hash_seed]


def _discard(stream: str, text: str) -> None:
    """Takes what a program prints."""


def _failed(ending: Ending, detail: str) -> Execution:
    return Execution(ending=ending, detail=detail[:MOST_DETAIL_CHARS])


def _raised(shown: str) -> Execution:
    """Returns the execution for an exception shown as ``Kind: message``; a program may have chosen both."""
    kind, _, message = shown.partition(": ")
    if kind == "MemoryError":
        return _failed(Ending.MEMORY, shown)
    if kind == "TimeoutError" and "time limit exceeded" in message:
        return _failed(Ending.TIMEOUT, shown)
    return _failed(Ending.UNSUPPORTED if _is_lack(kind, message) else Ending.RAISED, shown)


def _is_lack(kind: str, message: str) -> bool:
    """Whether an exception says that Monty lacks something which CPython has."""
    if kind not in _LACKS:
        return False
    pattern, cpython_has = _LACKS[kind]
    found = pattern.match(message)
    return found is not None and cpython_has(*found.groups())


def _owner_has(owner_type: str | None, other_type: str | None, module: str | None, attribute: str) -> bool:
    """Whether CPython's built-in type, or module if this process has loaded it, has an attribute."""
    if module is not None:
        return hasattr(sys.modules.get(module), attribute)
    owner = getattr(builtins, owner_type or other_type or "", None)
    return isinstance(owner, type) and hasattr(owner, attribute)


_LACKS: dict[str, tuple[re.Pattern[str], Callable[..., bool]]] = {
    "NotImplementedError": (re.compile("The monty "), lambda: True),
    "RuntimeError": (re.compile("Internal error in monty|.* is not supported in this environment"), lambda: True),
    "ModuleNotFoundError": (re.compile(r"No module named '(\w+)"), sys.stdlib_module_names.__contains__),
    "NameError": (re.compile(r"name '(\w+)' is not defined"), lambda name: hasattr(builtins, name)),
    "AttributeError": (
        re.compile(r"(?:'(\w+)' object|type object '(\w+)'|module '(\w+)') has no attribute '(\w+)'"),
        _owner_has,
    ),
}
