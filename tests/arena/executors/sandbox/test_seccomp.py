"""The filter, run by a small interpreter of classic BPF: what it lets through and what it refuses."""

import os
import struct

import pytest

from arena.executors.sandbox.seccomp import ALLOWED, RESULT_FD, filter_code

ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050001, 0x80000000
X86_64, AARCH64 = 0xC000003E, 0xC00000B7


def decide(number, *arguments, arch=X86_64):
    """Returns what the filter says to a system call."""
    data = struct.pack("=iIQ6Q", number, arch, 0, *arguments, *[0] * (6 - len(arguments)))
    program = list(struct.iter_unpack("=HBBI", filter_code()))
    value = at = 0
    while True:
        code, if_true, if_false, k = program[at]
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("=I", data, k)
        elif code == 0x54:
            value &= k
        elif code in (0x15, 0x35):
            at += if_true if (value == k if code == 0x15 else value >= k) else if_false
        else:
            assert code == 0x06
            return k


def test_the_list_is_let_through_and_nothing_else_is():
    passed = {number for number in range(600) if decide(number, 99, 99, os.O_RDWR) == ALLOW}
    assert passed == set(ALLOWED.values())
    assert {decide(number, 99, 99, os.O_RDWR) for number in range(600)} == {ALLOW, REFUSE}


# Numbers: arch/x86/entry/syscalls/syscall_64.tbl of Linux.
@pytest.mark.parametrize(
    "number",
    [
        2,
        13,
        14,
        38,
        41,
        56,
        57,
        58,
        59,
        62,
        101,
        135,
        157,
        160,
        200,
        234,
        257,
        272,
        302,
        310,
        311,
        317,
        319,
        425,
        435,
        437,
    ],
)
def test_what_would_break_the_sandbox_is_refused(number):
    assert decide(number, 0, 0, os.O_WRONLY) == REFUSE


def test_only_the_result_is_written():
    assert decide(1, RESULT_FD) == ALLOW
    assert {decide(1, fd) for fd in range(64) if fd != RESULT_FD} == {REFUSE}


@pytest.mark.parametrize(
    "flags", [os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_APPEND, os.O_TMPFILE | os.O_RDWR]
)
def test_files_are_opened_for_reading_only(flags):
    assert decide(257, 0, 0, os.O_RDONLY | os.O_CLOEXEC) == ALLOW
    assert decide(257, 0, 0, flags | os.O_CLOEXEC) == REFUSE


def test_another_way_to_number_system_calls_kills():
    assert decide(0, arch=AARCH64) == KILL
    assert decide(0x40000000) == KILL
    assert decide(-1) == KILL
