"""The kernel's calls that Python 3.11 does not have: namespaces, mounts, capabilities, process controls.

Each function raises `OSError` with the call's name. Everything is looked up when this module is imported, so a process
that has entered an examinee's mount namespace can call it without loading anything from there.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import socket
import struct

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 0x1
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_NOEXEC = 0x8
MS_NOATIME = 0x400
MS_NODIRATIME = 0x800
MS_REMOUNT = 0x20
MS_BIND = 0x1000
MS_MOVE = 0x2000
MS_REC = 0x4000
MS_PRIVATE = 0x40000
MS_RELATIME = 0x200000
MNT_DETACH = 0x2

# Calls newer than Python's and most C libraries' names for them; the same numbers on every kind of machine we run on.
_OPEN_TREE = 428
_MOVE_MOUNT = 429
_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_EMPTY_PATH = 0x1000
_OPEN_TREE_CLONE = 0x1
_MOVE_MOUNT_FROM_FD = 0x4
_MOUNT_ATTR_IDMAP = 0x100000

_PR_SET_PDEATHSIG = 1
_SIGKILL = 9
_PR_SET_DUMPABLE = 4
_PR_SET_KEEPCAPS = 8
_PR_SET_SECCOMP = 22
_PR_CAPBSET_DROP = 24
_PR_SET_CHILD_SUBREAPER = 36
_PR_SET_NO_NEW_PRIVS = 38
_PR_CAP_AMBIENT = 47
_CAPABILITY_VERSION_3 = 0x20080522

CAPABILITIES = (
    "chown", "dac_override", "dac_read_search", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap",
    "linux_immutable", "net_bind_service", "net_broadcast", "net_admin", "net_raw", "ipc_lock", "ipc_owner",
    "sys_module", "sys_rawio", "sys_chroot", "sys_ptrace", "sys_pacct", "sys_admin", "sys_boot", "sys_nice",
    "sys_resource", "sys_time", "sys_tty_config", "mknod", "lease", "audit_write", "audit_control", "setfcap",
    "mac_override", "mac_admin", "syslog", "wake_alarm", "block_suspend", "audit_read", "perfmon", "bpf",
    "checkpoint_restore",
)  # fmt: skip

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)
_libc.prctl.argtypes = (ctypes.c_int, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong, ctypes.c_ulong)
_unshare, _setns, _mount, _umount2, _prctl = _libc.unshare, _libc.setns, _libc.mount, _libc.umount2, _libc.prctl
_capset = _libc.capset
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long


def _check(result: int, call: str, about: str = "") -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}", about or None)
    return result


def unshare(flags: int) -> None:
    _check(_unshare(flags), "unshare")


def setns(fd: int, kind: int = 0) -> None:
    _check(_setns(fd, kind), "setns")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    done = _mount(source.encode(), target.encode(), kind.encode() or None, flags, options.encode() or None)
    _check(done, f"mount {kind}", target)


def umount(target: str) -> None:
    _check(_umount2(target.encode(), MNT_DETACH), "umount", target)


def bind_read_only(source: str, target: str, *, devices: bool = False) -> None:
    """Show a file or folder at another place, read-only, with whatever is mounted below it."""
    mount(source, target, "", MS_BIND | MS_REC)
    # Flags that somebody mightier has set must be said again, or an ordinary user's remount is refused.
    had = os.statvfs(target).f_flag
    kept = had & (MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOATIME | MS_NODIRATIME) | (MS_RELATIME if had & 0x1000 else 0)
    mount("none", target, "", MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | (0 if devices else MS_NODEV) | kept)


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root of this mount namespace; what was the root is at `old` below it."""
    number = {"x86_64": 155, "aarch64": 41}.get(platform.machine())
    if number is None:
        raise OSError(f"pivot_root is not known for {platform.machine()}")
    _check(_syscall(number, new.encode(), old.encode()), "pivot_root")


def bind_mapped(folder: int, target: str, mapping: int) -> None:
    """Mount an open folder at `target`, every owner moved as the user namespace `mapping` says."""
    long = ctypes.c_long
    flags = _OPEN_TREE_CLONE | os.O_CLOEXEC | _AT_EMPTY_PATH
    tree = _check(_syscall(long(_OPEN_TREE), long(folder), b"", long(flags)), "open_tree", target)
    try:
        wanted = struct.pack("=4Q", _MOUNT_ATTR_IDMAP, 0, 0, mapping)
        done = _syscall(
            long(_MOUNT_SETATTR), long(tree), b"", long(_AT_EMPTY_PATH), wanted, ctypes.c_size_t(len(wanted))
        )
        _check(done, "mount_setattr", target)
        moved = _syscall(
            long(_MOVE_MOUNT), long(tree), b"", long(_AT_FDCWD), target.encode(), long(_MOVE_MOUNT_FROM_FD)
        )
        _check(moved, "move_mount", target)
    finally:
        os.close(tree)


def memory_keeps_attributes() -> bool:
    """Whether files in memory can have user attributes (Linux 6.6), which overlays mark removed folders with.

    Without them nobody can remove a folder that came with an image, only what is in it.
    """
    fd = os.memfd_create("attributes")
    try:
        os.setxattr(fd, "user.overlay.opaque", b"y")
    except OSError:
        return False
    finally:
        os.close(fd)
    return True


def die_with_parent() -> None:
    """Be killed when the parent ends. Call after every change of uid, which clears it."""
    _check(_prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0), "prctl(PDEATHSIG)")


def adopt_orphans() -> None:
    """Become the parent of every process below us whose own parent ends."""
    _check(_prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl(CHILD_SUBREAPER)")


def hide_memory() -> None:
    """Let no process without power over us trace us or read our memory, until the next exec."""
    _check(_prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0), "prctl(DUMPABLE)")


def show_memory() -> None:
    """Undo `hide_memory`, and forget that powers were to be kept: what an exec would have done."""
    _check(_prctl(_PR_SET_KEEPCAPS, 0, 0, 0, 0), "prctl(KEEPCAPS)")
    _check(_prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0), "prctl(DUMPABLE)")


def no_new_privileges() -> None:
    _check(_prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl(NO_NEW_PRIVS)")


def keep_capabilities() -> None:
    """Keep the permitted capabilities when changing from root to an ordinary uid."""
    _check(_prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0), "prctl(KEEPCAPS)")


def mask(names: tuple[str, ...]) -> int:
    """Capability names as a bit mask."""
    return sum(1 << CAPABILITIES.index(name) for name in names)


def bound_capabilities(keep: int) -> None:
    """Make every capability outside `keep` unobtainable, for us and for whatever we start."""
    for number in range(len(CAPABILITIES)):
        if not keep >> number & 1:
            # A kernel older than a capability does not know it, and it cannot be had there either.
            _prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)


def set_capabilities(keep: int, *, ambient: bool = False) -> None:
    """Hold exactly `keep` (effective and permitted); `ambient` passes them through an exec by an ordinary uid."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    low, high = keep & 0xFFFFFFFF, keep >> 32
    inherit = (low, high) if ambient else (0, 0)
    data = struct.pack("=6I", low, low, inherit[0], high, high, inherit[1])
    _check(_capset(header, data), "capset")
    if ambient:
        for number in range(len(CAPABILITIES)):
            if keep >> number & 1:
                _check(_prctl(_PR_CAP_AMBIENT, 2, number, 0, 0), "prctl(CAP_AMBIENT)")


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def filter_calls(program: bytes) -> None:
    """Load a seccomp program (see `seccomp`); it cannot be taken off again."""
    code = ctypes.create_string_buffer(program, len(program))
    known = _Program(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    _check(_prctl(_PR_SET_SECCOMP, 2, ctypes.addressof(known), 0, 0), "prctl(SECCOMP)")


def loopback_up() -> None:
    """Bring up `lo` in the network namespace we are in."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sH14x", b"lo", 0x1 | 0x40)  # IFF_UP | IFF_RUNNING
        fcntl.ioctl(sock, 0x8914, request)  # SIOCSIFFLAGS


def close_all_but(keep: set[int]) -> None:
    """Close every descriptor that is not in `keep`."""
    start = 0
    for fd in sorted(keep):
        if start < fd:  # an empty range would mean "all"
            os.closerange(start, fd)
        start = fd + 1
    os.closerange(start, 1 << 20)
