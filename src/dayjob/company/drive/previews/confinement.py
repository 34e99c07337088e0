"""What a process that reads a stranger's document may do: read the programs' own libraries, and answer. Nothing else.

Landlock closes the file system but for those libraries; where the kernel has none, no file can be opened at all. A
system call filter refuses the network, other programs and processes, and every change to a file. Both are for good.
"""

from __future__ import annotations

import ctypes
import mimetypes
import os
import struct
import sys
from collections.abc import Iterable

from dayjob import seccomp

# name: (x86_64, aarch64); None where the machine has no such call.
_OUTSIDE = {
    "socket": (41, 198), "socketpair": (53, 199), "execve": (59, 221), "execveat": (322, 281), "fork": (57, None),
    "vfork": (58, None), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240), "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "prlimit64": (302, 261), "setpriority": (141, 140),
    "sched_setscheduler": (144, 119), "sched_setaffinity": (203, 122), "shmget": (29, 194), "shmat": (30, 196),
    "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180), "chroot": (161, 51), "inotify_init": (253, None),
    "inotify_init1": (294, 26), "name_to_handle_at": (303, 264),
}  # fmt: skip
_CHANGES = {
    "creat": (85, None), "truncate": (76, 45), "ftruncate": (77, 46), "rename": (82, None), "renameat": (264, 38),
    "renameat2": (316, 276), "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "unlink": (87, None),
    "unlinkat": (263, 35), "link": (86, None), "linkat": (265, 37), "symlink": (88, None), "symlinkat": (266, 36),
    "mknod": (133, None), "mknodat": (259, 33), "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None),
    "utimes": (235, None), "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5),
    "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
}  # fmt: skip
_OPENING = {"open": (2, None), "openat": (257, 56), "openat2": (437, 437)}

_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache", "/etc/localtime")
_SHARED = ("/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/zoneinfo", "/etc/fonts", "/var/cache/fontconfig")
_EXECUTE, _READ_FILE, _READ_FOLDER = 1, 4, 8
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many rights over files each version of Landlock knows
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every machine
_NO_NEW_PRIVILEGES, _SECCOMP = 38, 22


class Unconfined(Exception):
    """This machine cannot confine a process so; a sentence that says why."""


def landlock_version() -> int:
    """The kernel's version of Landlock; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    found: int = ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return max(found, 0)


def described() -> tuple[bool, str]:
    """Whether documents are read in confinement on this machine, and in which."""
    if sys.platform != "linux":
        return False, f"documents are read in a process with limits, but {sys.platform} does not confine it"
    try:
        seccomp.refusing(())
    except LookupError as error:
        return False, f"documents are read in a process with limits, which is not confined: {error}"
    version = landlock_version()
    if version:
        return True, f"Landlock (version {version}) and a system call filter, around every document"
    return True, "a system call filter around every document; without Landlock, no file at all is opened"


def confine_this_process() -> None:
    """Give up everything, for good. Call before the first byte of a document is read."""
    if not described()[0]:
        return
    libc = ctypes.CDLL(None, use_errno=True)

    def do(result: int, what: str) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise Unconfined(f"This document is not shown, since {what} failed: {os.strerror(number)}.")
        return result

    do(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "giving up privileges")
    do(libc.capset(struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", *[0] * 6)), "giving up capabilities")
    calls = {**_OUTSIDE, **_CHANGES}
    version = landlock_version()
    if version:
        ruleset = _ruleset(libc, version, _readable())
        do(libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0)), "Landlock")
        os.close(ruleset)
    else:
        calls |= _OPENING
    for program in (seccomp.program(), seccomp.refusing(calls.values())):
        code = ctypes.create_string_buffer(program, len(program))
        known = _Program(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
        do(libc.prctl(_SECCOMP, 2, ctypes.byref(known), 0, 0), "the system call filter")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def _readable() -> list[str]:
    """Where code comes from (Python's own folders, the system's libraries), fonts, and the names of media types."""
    names = [os.fspath(one) for one in mimetypes.knownfiles]
    return [*(one for one in sys.path if os.path.isabs(one)), *_LIBRARIES, *_SHARED, *names]


def _ruleset(libc: ctypes.CDLL, version: int, readable: Iterable[str]) -> int:
    handled = (1 << _RIGHTS.get(version, max(_RIGHTS.values()))) - 1
    attributes = struct.pack("=Q", handled)
    ruleset: int = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    if ruleset < 0:
        raise Unconfined(f"This document is not shown, since Landlock failed: {os.strerror(ctypes.get_errno())}.")
    for path in dict.fromkeys(readable):
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # not every system has every folder
        allowed = _EXECUTE | _READ_FILE | (_READ_FOLDER if os.path.isdir(path) else 0)
        rule = struct.pack("=Qi", allowed, place)
        done = libc.syscall(_ADD_RULE, ruleset, ctypes.c_int(1), rule, ctypes.c_uint32(0))
        os.close(place)
        if done < 0:
            raise Unconfined(f"This document is not shown, since Landlock failed: {os.strerror(ctypes.get_errno())}.")
    return ruleset
