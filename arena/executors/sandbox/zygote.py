"""The process that stays inside the sandbox, has the interpreter loaded, and forks one child a program.

Standard library only. It reads frames (a length, then the program as JSON, which only the child reads) and answers
each with one frame: how the child ended, a newline, and the child's text. It tells the ending from the exit status or
the signal, never from what the child wrote, and reads no more from it than an output may be long.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from functools import partial

from arena.executors.sandbox import child, seccomp

PRELOADED = (
    *("abc", "array", "ast", "base64", "binascii", "bisect", "calendar", "cmath", "collections.abc", "contextlib"),
    *("copy", "csv", "dataclasses", "decimal", "difflib", "enum", "fractions", "functools", "graphlib", "hashlib"),
    *("heapq", "itertools", "math", "numbers", "operator", "pprint", "re", "statistics", "string", "struct"),
    *("textwrap", "typing", "unicodedata"),
)
"""What programs import most: loaded once."""
_NOW = time.monotonic
_CUT_BY_TIME = {signal.SIGALRM, signal.SIGPROF, signal.SIGXCPU}


def main() -> None:
    """Serves until the launcher closes the pipe."""
    settings = child.Settings(**json.loads(sys.argv[1]))
    requests, replies = os.dup(0), os.dup(1)
    Zygote(settings, requests, replies).serve()


class Zygote:
    """Serves programs one after another.

    Its children inherit its memory, so no program and no output may linger there: a child reads its program itself,
    and what it answers passes through one buffer that is wiped.

    Args:
        settings: what each program may use, and the world it sees.
        requests: a file descriptor to read from.
        replies: a file descriptor to write to.
    """

    def __init__(self, settings: child.Settings, requests: int, replies: int) -> None:
        self._settings = settings
        self._requests = requests
        self._replies = replies
        self._filter = seccomp.Filter(seccomp.filter_code())
        self._buffer = memoryview(bytearray(child.FRAME.size + settings.most_bytes + 1))
        for name in PRELOADED:
            __import__(name)
        child.freeze_world(settings)
        os.environ.clear()
        child.cut_streams()
        gc.collect()
        gc.freeze()
        self._memory = child.address_space()

    def serve(self) -> None:
        """Proves that children are confined, says so, and answers requests."""
        self._prove()
        while head := child.read_all(self._requests, child.FRAME.size):
            (size,) = child.FRAME.unpack(head)
            status, written, why = self._run(partial(child.read_all, self._requests, size))
            self._reply(*_ending(status, self._buffer[:written], why))
            self._buffer[:written] = bytes(written)
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL and not why:
                # Killed from outside, perhaps before it had read its program: the pipe can no longer be trusted.
                return

    def _prove(self) -> None:
        """Says ``ready``, or what a child could do that it must not."""
        request = json.dumps({"source": _PROBE, "argument": ""}).encode()
        status, written, why = self._run(lambda: request)
        word, text = _ending(status, self._buffer[:written], why)
        self._reply("ready" if (word, bytes(text)) == ("returned", b"[]") else "open", text)

    def _run(self, read: Callable[[], bytes]) -> tuple[int, int, str]:
        """Returns a child's wait status, how many bytes it left in the buffer, and why it was killed if it was."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            self._be_child(read, writer)
        os.close(writer)
        try:
            written, why = self._watch(pid, reader)
        finally:
            os.close(reader)
        return os.waitpid(pid, 0)[1], written, why

    def _be_child(self, read: Callable[[], bytes], writer: int) -> None:
        try:
            request = read()
            child.confine(self._settings, self._filter, self._memory, writer)
            gc.enable()
            child.run(request, self._settings)
        finally:
            os._exit(99)  # confinement failed: the program was not run

    def _watch(self, pid: int, reader: int) -> tuple[int, str]:
        """Reads what a child writes until it has ended; kills it when it takes or says too much.

        Returns:
            How many bytes it wrote, and why it was killed.
        """
        end = os.pidfd_open(pid)
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        poll.register(end, select.POLLIN)
        # The child's own timers come first; this deadline holds whatever became of them.
        deadline = _NOW() + self._settings.wall_s + 0.1
        written, why = 0, ""
        try:
            while not why:
                ready = dict(poll.poll(max(0.0, deadline - _NOW()) * 1e3))
                got = os.readv(reader, [self._buffer[written:]]) if reader in ready else 0
                written += got
                if end in ready and not got:
                    return written, ""
                if not ready:
                    why = "timeout"
                elif written == len(self._buffer):
                    why = "crashed"
                elif reader in ready and not got:
                    poll.unregister(reader)
            os.kill(pid, signal.SIGKILL)
            return written, why
        finally:
            os.close(end)

    def _reply(self, word: str, text: bytes | memoryview) -> None:
        head = f"{word}\n".encode()
        _write_all(self._replies, child.FRAME.pack(len(head) + len(text)) + head)
        _write_all(self._replies, text)


def _ending(status: int, written: memoryview, why: str) -> tuple[str, bytes | memoryview]:
    """Returns a child's ending in the words of ``arena.executors.executor.Ending``, and its text."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return why or ("timeout" if number in _CUT_BY_TIME else "crashed"), b"signal %d" % number
    known = {child.RETURNED: "returned", child.RAISED: "raised", child.MEMORY: "memory"}
    word = known.get(os.WEXITSTATUS(status))
    if word is None:
        return "crashed", b"status %d" % os.WEXITSTATUS(status)
    head, text = written[: child.FRAME.size], written[child.FRAME.size :]
    if len(head) < child.FRAME.size or child.FRAME.unpack(head)[0] != len(text):
        return "crashed", b"malformed frame"
    return word, text


def _write_all(target: int, content: bytes | memoryview) -> None:
    while content:
        content = content[os.write(target, content) :]


_PROBE = """
def f():
    import errno, os, signal, socket
    forbidden = {
        "socket": lambda: socket.socket(),
        "write": lambda: open("/tmp/probe", "w"),
        "fork": lambda: os.fork(),
        "kill": lambda: os.kill(os.getppid(), 0),
        "signal": lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN),
        "itimer": lambda: signal.setitimer(signal.ITIMER_REAL, 0),
        "mask": lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM]),
        "exec": lambda: os.execv("/bin/true", ["true"]),
    }
    done = ["proc"] if os.path.exists("/proc/self") else []
    for name, act in forbidden.items():
        try:
            act()
        except OSError as error:
            if error.errno == errno.EPERM:
                continue
        done.append(name)
    return done
"""
