"""The system call filter, tried from inside a real room, with arguments that the kernel itself would not refuse so."""

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
    error = ctypes.get_errno()
    return "done" if done >= 0 else {1: "refused", 38: "unknown"}.get(error, os.strerror(error))
"""

# Bad arguments: where the filter lets one through, the kernel says something else than "not permitted", or does it.
REFUSED = {
    "keyctl: whose session keyring": (250, 0, -3, 1),
    "keyctl: a new session keyring": (250, 1, 0),
    "add_key": (248, 0, 0, 0, 0, 0),
    "request_key": (249, 0, 0, 0, 0),
    "unshare nothing": (272, 0),
    "unshare a user namespace": (272, 0x10000000),
    "setns": (308, -1, 0),
    "open_by_handle_at": (304, -1, 0, 0),
    "perf_event_open": (298, 0, 0, 0, 0, 0),
    "bpf": (321, 99, 0, 0),
    "userfaultfd": (323, 1),
    "io_uring_setup": (425, 1, 0),
    "io_uring_enter": (426, -1, 0, 0, 0, 0),
    "io_uring_register": (427, -1, 0, 0, 0),
    "open_tree": (428, -1, 0, 0),
    "move_mount": (429, -1, 0, -1, 0, 0),
    "fsopen": (430, 0, 0),
    "fsmount": (432, -1, 0, 0),
    "fspick": (433, -1, 0, 0),
    "pidfd_getfd": (438, -1, 0, 0),
    "process_madvise": (440, -1, 0, 0, 0, 0),
    "mount_setattr": (442, -1, 0, 0, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "umount2": (166, 0, 0),
    "kcmp": (312, -1, -1, 0, 0, 0),
    "mbind": (237, 0, 0, 99, 0, 0, 0),
    "move_pages": (279, -1, 0, 0, 0, 0, 0),
    "quotactl": (179, 0, 0, 0, 0),
    "fanotify_init": (300, 0xFFFF, 0),
    "personality: no random addresses": (135, 0x0040000),
    "personality: readable is executable": (135, 0x0400000),
    "personality: another system's": (135, 0x3),
    "socket: vsock": (41, 40, 1, 0),
    "socket: vsock, datagrams": (41, 40, 2, 0),
}
UNKNOWN = {"clone3": (435, 0, 0), **{f"call {number}": (number, -1, 0, 0, 0, 0, 0) for number in range(451, 480)}}
ALLOWED = {
    "personality: which is it": (135, 0xFFFFFFFF),
    "personality: linux": (135, 0),
    "socket: unix": (41, 1, 1, 0),
    "getpid": (39,),
}


def tried(cache: Path, calls: dict[str, tuple[int, ...]]) -> dict[str, str]:
    program = CALLS + "".join(f"print({name!r}, call(*{arguments!r}), sep='=')\n" for name, arguments in calls.items())
    return dict(line.split("=") for line in said(cache, ["python3", "-c", program]).splitlines())


def test_calls_that_reach_into_the_kernel_are_refused_in_a_room(cache: Path) -> None:
    assert tried(cache, REFUSED) == dict.fromkeys(REFUSED, "refused")


def test_calls_newer_than_the_filter_are_unknown_in_a_room(cache: Path) -> None:
    assert tried(cache, UNKNOWN) == dict.fromkeys(UNKNOWN, "unknown")


def test_calls_that_programs_need_are_there(cache: Path) -> None:
    assert tried(cache, ALLOWED) == dict.fromkeys(ALLOWED, "done")


NAMESPACES = {"user": 0x10000000, "mnt": 0x20000, "pid": 0x20000000, "net": 0x40000000, "ipc": 0x8000000,
              "uts": 0x4000000, "cgroup": 0x2000000}  # fmt: skip


def test_a_new_process_cannot_be_in_new_namespaces(cache: Path) -> None:
    program = CALLS + "".join(
        f"""
done = libc.syscall(ctypes.c_long(56), ctypes.c_long({flag} | 17), *[ctypes.c_long(0)] * 4)
if done == 0:
    os._exit(0)
print({name!r}, done, ctypes.get_errno(), sep='=')
"""
        for name, flag in {"nothing new": 0, **NAMESPACES}.items()
    )
    found = dict(line.split("=", 1) for line in said(cache, ["python3", "-c", program]).splitlines())
    assert int(found.pop("nothing new").split("=")[0]) > 0
    assert found == dict.fromkeys(NAMESPACES, "-1=1")


def test_calls_by_another_convention_are_refused(cache: Path) -> None:
    """x32 numbers: the same calls with a bit set, which a filter by number alone would not know."""
    x32 = {"x32 getpid": (0x40000000 + 39,), "x32 unshare": (0x40000000 + 272, 0)}
    assert set(tried(cache, x32).values()) <= {"refused", "unknown"}
