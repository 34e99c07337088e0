"""A command in a room has the system call filter; what the filter refuses is in tests/test_seccomp.py."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.sandbox.rooms import said

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")

CALLS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(*arguments):
    ctypes.set_errno(0)
    done = libc.syscall(*[ctypes.c_long(one) for one in arguments])
    if done == 0 and arguments[0] == 56:
        os._exit(0)
    error = ctypes.get_errno()
    return "done" if done >= 0 else {1: "refused", 38: "unknown"}.get(error, os.strerror(error))
"""

# Arguments that the kernel itself would not refuse so: where the filter is missing, it says something else, or does it.
TRIED = {
    "keyctl: a new session keyring": ((250, 1, 0), "refused"),
    "unshare nothing": ((272, 0), "refused"),
    "mount": ((165, 0, 0, 0, 0, 0), "refused"),
    "a process in a new user namespace": ((56, 0x10000000 | 17, 0, 0, 0, 0), "refused"),
    "a process": ((56, 17, 0, 0, 0, 0), "done"),
    "socket: vsock": ((41, 40, 1, 0), "refused"),
    "socket: unix": ((41, 1, 1, 0), "done"),
    "personality: no random addresses": ((135, 0x0040000), "refused"),
    "clone3": ((435, 0, 0), "unknown"),
    "a call newer than the filter": ((451, -1, 0, 0, 0, 0, 0), "unknown"),
    "getpid": ((39,), "done"),
}


def test_a_command_in_a_room_is_held_by_the_filter(cache: Path) -> None:
    program = CALLS + "".join(f"print({name!r}, call(*{one!r}), sep='=')\n" for name, (one, _) in TRIED.items())
    found = dict(line.split("=") for line in said(cache, ["python3", "-u", "-c", program]).splitlines())
    assert found == {name: expected for name, (_, expected) in TRIED.items()}
