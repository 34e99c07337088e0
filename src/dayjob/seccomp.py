"""The system calls an examinee may not make, as a seccomp program no wider than Docker's default profile.

It refuses by name what that profile refuses, answers "not implemented" to every call newer than the tables here and to
`clone3` (callers then fall back to `clone`, whose flags can be inspected), and refuses other call conventions.
Standard library only.
"""

from __future__ import annotations

import platform
import struct
from collections.abc import Iterable

# name: (x86_64, aarch64); None where the machine has no such call.
REFUSED: dict[str, tuple[int | None, int | None]] = {
    "syslog": (103, 116), "uselib": (134, None), "ustat": (136, None), "sysfs": (139, None), "vhangup": (153, 58),
    "pivot_root": (155, 41), "_sysctl": (156, None), "acct": (163, 89), "settimeofday": (164, 170),
    "mount": (165, 40), "umount2": (166, 39), "swapon": (167, 224), "swapoff": (168, 225), "reboot": (169, 142),
    "sethostname": (170, 161), "setdomainname": (171, 162), "iopl": (172, None), "ioperm": (173, None),
    "create_module": (174, None), "init_module": (175, 105), "delete_module": (176, 106),
    "get_kernel_syms": (177, None), "query_module": (178, None), "quotactl": (179, 60), "nfsservctl": (180, 42),
    "getpmsg": (181, None), "putpmsg": (182, None), "afs_syscall": (183, None), "tuxcall": (184, None),
    "security": (185, None), "lookup_dcookie": (212, 18), "clock_settime": (227, 112), "vserver": (236, None),
    "mbind": (237, 235), "set_mempolicy": (238, 237), "get_mempolicy": (239, 236), "kexec_load": (246, 104),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "migrate_pages": (256, 238),
    "unshare": (272, 97), "move_pages": (279, 239), "perf_event_open": (298, 241), "fanotify_init": (300, 262),
    "open_by_handle_at": (304, 265), "setns": (308, 268), "kcmp": (312, 272), "finit_module": (313, 273),
    "kexec_file_load": (320, 294), "bpf": (321, 280), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "mount_setattr": (442, 442),
    "quotactl_fd": (443, 443), "set_mempolicy_home_node": (450, 450),
}  # fmt: skip

_MACHINES = {
    # column of REFUSED, audit architecture, clone, personality, socket
    "x86_64": (0, 0xC000003E, 56, 135, 41),
    "aarch64": (1, 0xC00000B7, 220, 92, 198),
}
_CLONE3 = 435
_FIRST_UNKNOWN = 451
_NEW_NAMESPACES = 0x7E020000
_CLONE_THREAD = 0x10000
_AF_VSOCK = 40
_PERSONALITIES = (0x0, 0x8, 0x20000, 0x20008, 0xFFFFFFFF)

_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050000, 1, 38
_NUMBER, _ARCH, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data, little-endian


Line = tuple[int, int, int, int]


def _machine(machine: str | None) -> tuple[int, int, int, int, int]:
    name = machine or platform.machine()
    if name not in _MACHINES:
        raise LookupError(f"there is no system call filter for {name}; there are filters for {', '.join(_MACHINES)}")
    return _MACHINES[name]


def _beginning(architecture: int) -> list[Line]:
    return [
        (_LOAD, 0, 0, _ARCH),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_LOAD, 0, 0, _NUMBER),
    ]


def _refused(calls: Iterable[tuple[int | None, int | None]], column: int) -> list[Line]:
    numbers = (one[column] for one in calls)
    lines = [((_EQUAL, 0, 1, one), (_RETURN, 0, 0, _ERRNO | _EPERM)) for one in numbers if one is not None]
    return [line for pair in lines for line in pair]


def _assembled(*parts: Iterable[Line]) -> bytes:
    return b"".join(struct.pack("<HBBI", *line) for part in parts for line in part)


def refusing(calls: Iterable[tuple[int | None, int | None]], machine: str | None = None) -> bytes:
    """A filter to load besides `program`: it refuses these calls too, and new processes (threads may be started)."""
    column, architecture, clone, _, _ = _machine(machine)
    threads_only = [
        (_EQUAL, 0, 3, clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_OF, 1, 0, _CLONE_THREAD),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return _assembled(_beginning(architecture), _refused(calls, column), threads_only)


def program(machine: str | None = None) -> bytes:
    """The filter for this machine (or the one named); `LookupError` when there is none."""
    column, architecture, clone, personality, socket = _machine(machine)
    unknown = [
        (_AT_LEAST, 0, 1, _FIRST_UNKNOWN),
        (_RETURN, 0, 0, _ERRNO | _ENOSYS),
        (_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _ERRNO | _ENOSYS),
    ]
    by_argument = [
        (_EQUAL, 0, 4, clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_OF, 0, 1, _NEW_NAMESPACES),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
        (_EQUAL, 0, 4, socket),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, 0, 1, _AF_VSOCK),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
        (_EQUAL, 0, 2 * len(_PERSONALITIES) + 2, personality),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        *(part for value in _PERSONALITIES for part in ((_EQUAL, 0, 1, value), (_RETURN, 0, 0, _ALLOW))),
        (_RETURN, 0, 0, _ERRNO | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return _assembled(_beginning(architecture), unknown, _refused(REFUSED.values(), column), by_argument)
