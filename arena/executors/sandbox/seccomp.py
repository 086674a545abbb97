"""A seccomp filter: the list of system calls that a program's process may make; every other one fails with EPERM.

Classic BPF, built by hand and installed through ``prctl``, so that no library is needed inside the sandbox. What is
absent matters most: ``rt_sigaction``, ``rt_sigprocmask`` and ``setitimer`` (a program cannot outlive its timer),
``clone`` and ``execve``, ``socket``, ``kill`` and ``ptrace``, ``prctl`` and ``seccomp``, everything that makes or
changes a file.

Numbers are those of x86-64 (Linux, arch/x86/entry/syscalls/syscall_64.tbl); another instruction set or the x32 numbers
kill the process. Layouts: linux/filter.h, linux/seccomp.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from typing import Any

RESULT_FD = 3
"""The one file descriptor that a program's process may write to."""
MACHINE = "x86_64"

ALLOWED = {
    "read": 0,
    "close": 3,
    "stat": 4,
    "fstat": 5,
    "lstat": 6,
    "lseek": 8,
    "mmap": 9,
    "mprotect": 10,
    "munmap": 11,
    "brk": 12,
    "rt_sigreturn": 15,
    "pread64": 17,
    "access": 21,
    "sched_yield": 24,
    "mremap": 25,
    "madvise": 28,
    "nanosleep": 35,
    "getpid": 39,
    "exit": 60,
    "uname": 63,
    "getcwd": 79,
    "readlink": 89,
    "gettimeofday": 96,
    "getuid": 102,
    "getgid": 104,
    "geteuid": 107,
    "getegid": 108,
    "gettid": 186,
    "time": 201,
    "futex": 202,
    "getdents64": 217,
    "restart_syscall": 219,
    "clock_gettime": 228,
    "clock_getres": 229,
    "clock_nanosleep": 230,
    "exit_group": 231,
    "newfstatat": 262,
    "readlinkat": 267,
    "getrandom": 318,
    "statx": 332,
}
WRITE, OPENAT = 1, 257
FLAGS_THAT_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_ARCH_X86_64, _FIRST_X32 = 0xC000003E, 0x40000000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_LOAD, _EQUAL, _NOT_LESS, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _MODE_FILTER = 38, 22, 2


prctl: Any = getattr(ctypes.CDLL(None, use_errno=True), "prctl", None)
"""Of the C library; absent where there is no Linux, where this module is imported all the same."""


class Filter(ctypes.Structure):
    """``struct sock_fprog``, ready for ``install``: making it takes longer than the call.

    Args:
        code: an array of ``struct sock_filter``.
    """

    _fields_ = (("length", ctypes.c_ushort), ("address", ctypes.c_void_p))

    def __init__(self, code: bytes) -> None:
        self.code = ctypes.create_string_buffer(code, len(code))
        super().__init__(len(code) // 8, ctypes.addressof(self.code))


def filter_code() -> bytes:
    """Returns the filter as an array of ``struct sock_filter``."""
    code = [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, _ARCH_X86_64),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_NOT_LESS, 0, 1, _FIRST_X32),
        (_RETURN, 0, 0, _KILL),
    ]
    for number in ALLOWED.values():
        code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    # Arguments are 64 bits, little endian; a descriptor and open flags are their low 32.
    code += [
        (_EQUAL, 0, 4, WRITE),
        (_LOAD, 0, 0, _ARGUMENTS),
        (_EQUAL, 0, 1, RESULT_FD),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
        (_EQUAL, 0, 4, OPENAT),
        (_LOAD, 0, 0, _ARGUMENTS + 2 * 8),
        (_AND, 0, 0, FLAGS_THAT_WRITE),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def install(program: Filter) -> None:
    """Confines this process for good.

    Raises:
        OSError: the kernel has no seccomp filters, or a filter outside forbids them.
    """
    if prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")
