"""Starts a zygote inside bubblewrap and talks with it over two pipes, each wait bounded.

The zygote's world: new namespaces for users, processes, network and the rest; the interpreter, its standard library
and the shared libraries, read only; an empty ``/tmp``; no ``/proc``, no ``/dev``, no environment, no other file. It
dies with this process. Nothing is ever left out to make it start: a missing layer is an error that names it.
"""

from __future__ import annotations

import json
import os
import platform
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import IO

from arena.errors import CapabilityError
from arena.executors.executor import Limits, frozen_clock
from arena.executors.sandbox import seccomp
from arena.executors.sandbox.child import Settings

START_S = 20.0
"""How long a zygote may take to start on a busy machine."""
SLACK_S = 2.0
"""How much longer than a program a zygote may take to answer."""
INSIDE = "/ludus"
BOOT = (
    # Without its C half, ``datetime`` reads ``time.time``, which can be stopped.
    "import sys; sys.modules['_datetime'] = None; "
    f"sys.path.append({INSIDE!r}); from arena.executors.sandbox.zygote import main; sys.path.remove({INSIDE!r}); main()"
)
_FRAME = struct.Struct("!I")
_MONTY = "or choose executor=monty"


class ZygoteLost(Exception):
    """A zygote died, fell silent or spoke nonsense.

    Attributes:
        silent: it was still there, and did not answer in time.
    """

    def __init__(self, why: str, silent: bool = False) -> None:
        super().__init__(why)
        self.silent = silent


def wall_s(limits: Limits) -> float:
    """Returns how long a program may take on the clock, sleeping and waiting for the processor included."""
    return 2 * limits.seconds + 0.5


class Launcher:
    """One running zygote.

    Args:
        limits: what each program may use.
        hash_seed: of its interpreter.

    Raises:
        CapabilityError: a layer of the sandbox is missing here.
    """

    def __init__(self, limits: Limits, hash_seed: int) -> None:
        settings = Settings(
            seconds=limits.seconds,
            wall_s=wall_s(limits),
            memory_bytes=limits.memory_bytes,
            output_chars=limits.output_chars,
            clock=frozen_clock(hash_seed),
            random_seed=hash_seed,
        )
        self._answer_s = settings.wall_s + SLACK_S
        self._most_bytes = settings.most_bytes + 64
        command = sandbox_command(hash_seed, json.dumps(asdict(settings)))
        with tempfile.TemporaryFile() as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env={}, start_new_session=True
            )
            try:
                state, text = self._answer(START_S)
            except ZygoteLost as lost:
                self.close()
                raise _missing_layer(_shown(errors) or str(lost)) from lost
        if state != "ready":
            self.close()
            raise _no_seccomp(f"a program could do what it must not: {text}")

    @property
    def alive(self) -> bool:
        """Whether the process is still there."""
        return self._process.poll() is None

    def ask(self, source: str, argument: str) -> tuple[str, str]:
        """Returns the ending of a program, in the words of ``Ending``, and its text.

        Raises:
            ZygoteLost: the zygote is of no further use.
        """
        payload = json.dumps({"source": source, "argument": argument}).encode()
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(_FRAME.pack(len(payload)) + payload)
            self._process.stdin.flush()
        except OSError as error:
            raise ZygoteLost(str(error)) from error
        return self._answer(self._answer_s)

    def close(self) -> None:
        """Kills the zygote; the processes in its namespace die with it."""
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                continue
        self._process.wait()

    def _answer(self, patience_s: float) -> tuple[str, str]:
        deadline = time.monotonic() + patience_s
        (size,) = _FRAME.unpack(self._read(_FRAME.size, deadline))
        if size > self._most_bytes:
            raise ZygoteLost(f"a frame of {size} bytes")
        ending, _, text = self._read(size, deadline).decode("utf-8", "replace").partition("\n")
        return ending, text

    def _read(self, size: int, deadline: float) -> bytes:
        assert self._process.stdout is not None
        source = self._process.stdout.fileno()
        found = bytearray()
        poll = select.poll()
        poll.register(source, select.POLLIN)
        while len(found) < size:
            if not poll.poll(max(0.0, deadline - time.monotonic()) * 1e3):
                raise ZygoteLost("no answer in time", silent=True)
            chunk = os.read(source, size - len(found))
            if not chunk:
                raise ZygoteLost("the sandbox ended")
            found += chunk
        return bytes(found)


def sandbox_command(hash_seed: int, settings: str) -> list[str]:
    """Returns the command that starts a zygote.

    Raises:
        CapabilityError: this machine has no bubblewrap, or is of a kind without a seccomp filter here.
    """
    if sys.platform != "linux" or platform.machine() != seccomp.MACHINE:
        raise _no_seccomp(f"{sys.platform} on {platform.machine()}, and the filter is for linux on {seccomp.MACHINE}")
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise CapabilityError(
            "executor cpython: expected bubblewrap, got no program bwrap; on Debian or Ubuntu: apt-get install "
            f"bubblewrap, {_MONTY}"
        )
    python = _interpreter()
    namespaces = "--unshare-all --unshare-user --uid 65534 --gid 65534 --hostname ludus --cap-drop ALL"
    life = "--die-with-parent --new-session --clearenv --setenv PYTHONHASHSEED"
    package = Path(__file__).parent
    inside = f"{INSIDE}/{'/'.join(__package__.split('.'))}"
    return [
        *(bwrap, *namespaces.split(), *life.split(), str(hash_seed % (1 << 32))),
        *_files(python),
        *("--ro-bind", str(package), inside, "--tmpfs", "/tmp", "--chdir", "/"),
        # Not -I: that ignores PYTHONHASHSEED. The environment holds nothing else.
        *(str(python), "-P", "-s", "-S", "-B", "-c", BOOT, settings),
    ]


def _interpreter() -> Path:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    installed = Path(sys.base_prefix, "bin", name)
    return (installed if installed.exists() else Path(sys.executable)).resolve()


def _files(python: Path) -> list[str]:
    """Returns bubblewrap's arguments for the interpreter and its libraries; installed packages are covered up."""
    library = Path(os.__file__).parent.resolve()
    bound = ["--ro-bind", "/usr/lib", "/usr/lib"]
    for name in ("/usr/lib64", "/lib", "/lib64"):
        if os.path.islink(name):
            bound += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            bound += ["--ro-bind", name, name]
    bound += ["--ro-bind", str(python), str(python)]
    if not library.is_relative_to("/usr/lib"):
        bound += ["--ro-bind", str(library), str(library)]
        for shared in library.parent.glob("libpython*.so*"):
            bound += ["--ro-bind", str(shared), str(shared)]
    for packages in (library / "site-packages", library.parent / "python3" / "dist-packages"):
        if packages.is_dir():
            bound += ["--tmpfs", str(packages)]
    return bound


def _shown(errors: IO[bytes]) -> str:
    errors.seek(0)
    return errors.read(4000).decode("utf-8", "replace").strip().rpartition("\n")[2]


def _missing_layer(said: str) -> CapabilityError:
    """Returns the error for a sandbox that did not start, from what it said last."""
    if "seccomp" in said:
        return _no_seccomp(said)
    if any(word in said.lower() for word in ("namespace", "uid map", "not permitted", "permission denied")):
        return CapabilityError(
            f"executor cpython: expected user namespaces, got {said!r}; allow them (sysctl "
            "kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container, its "
            f"seccomp profile), {_MONTY}"
        )
    return CapabilityError(f"executor cpython: expected a sandbox that starts, got {said!r}; repair it, {_MONTY}")


def _no_seccomp(found: str) -> CapabilityError:
    return CapabilityError(
        f"executor cpython: expected seccomp filters, got {found}; use a kernel with CONFIG_SECCOMP_FILTER, {_MONTY}"
    )
