"""A process that starts no other: the kernel refuses it, whoever it runs as.

A limit on the number of processes (``RLIMIT_NPROC``) does not hold for the user *root*, and each
of many children would have all the memory that one process may have.  So the process of a
submission takes from itself, before the first cell, the right to start processes.  It does so by a
filter of system calls (``seccomp``), which nothing can take back.  Threads remain possible, because
numerical libraries need them.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

__all__ = ["start_no_process"]

#: for each machine: how its system calls are known, and the numbers of clone, fork and vfork
MACHINES = {"x86_64": (0xC000003E, 56, (57, 58)), "aarch64": (0xC00000B7, 220, ())}
CLONE3 = 435  #: whose flags no filter can read; without it, libraries use clone
FOREIGN = 0x40000000  #: begins the numbers of another way to call the same kernel (x32)
CLONE_THREAD = 0x10000
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  #: codes of the filter
CALL, MACHINE, FIRST_ARGUMENT = 0, 4, 16  #: places in what the filter is given
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2  #: of prctl


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def _steps(machine: str) -> list[tuple[int, int, int, int]]:
    """Return the filter: codes, how many steps to skip if it is so and if it is not, values."""
    known, clone, forks = MACHINES[machine]
    again, missing = REFUSE | errno.EAGAIN, REFUSE | errno.ENOSYS
    return [
        (LOAD, 0, 0, MACHINE),
        (EQUAL, 1, 0, known),
        (RETURN, 0, 0, again),
        (LOAD, 0, 0, CALL),
        (AT_LEAST, 0, 1, FOREIGN),
        (RETURN, 0, 0, again),
        (EQUAL, 0, 1, CLONE3),
        (RETURN, 0, 0, missing),
        *(step for each in forks for step in ((EQUAL, 0, 1, each), (RETURN, 0, 0, again))),
        (EQUAL, 1, 0, clone),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (ANY_BIT, 0, 1, CLONE_THREAD),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, again),
    ]


def start_no_process() -> bool:
    """Take from this process the right to start others, and say whether that could be done.

    It can be done on Linux, on the machines that :data:`MACHINES` names.
    """
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        return False
    steps = _steps(platform.machine())
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    program = _Program(len(steps), code)
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_void_p] * 4]
    if prctl(NO_NEW_PRIVILEGES, 1, None, None, None):
        return False
    return prctl(SECCOMP, FILTER, ctypes.addressof(program), None, None) == 0
