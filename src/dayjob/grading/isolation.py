"""Namespaces of its own for one command inside a grader's room, so that it sees nothing of the grader.

`command(argv, …)` gives the command line that does it, with the standard library alone. Where the namespaces cannot be
had nothing is run: it ends with `FAILURE` and a line on standard error that begins with `MARK`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence

from dayjob import seccomp

MARK = "run_as_examinee:"
FAILURE = 213  # an exit code nobody else uses
ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/root",
}

# What hides the grader from the command. Runs in a fresh interpreter, before the command, and imports nothing of ours.
_TRAMPOLINE = r"""
import ctypes, fcntl, json, os, signal, socket, struct, sys

asked = json.loads(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)

def check(result, what):
    if result < 0:
        raise OSError(ctypes.get_errno(), what)

def write(path, text):
    with open(path, "w") as file:
        file.write(text)

def mount(source, target, kind, flags):
    check(libc.mount(source, target, kind, ctypes.c_ulong(flags), None), "mount " + target.decode())

try:
    kinds = 0x00020000 | 0x08000000 | 0x20000000 | 0x40000000
    if libc.unshare(kinds) < 0:
        # Without power of our own (in a container) a user namespace gives it, where our uid is its root. Never for the
        # machine's root: its files are its own there too, the kernel's settings among them.
        uid, gid = os.getuid(), os.getgid()
        check(-1 if uid == 0 else 0, "unshare")
        check(libc.unshare(0x10000000 | kinds), "unshare")
        write("/proc/self/setgroups", "deny")
        write("/proc/self/uid_map", f"0 {uid} 1")
        write("/proc/self/gid_map", f"0 {gid} 1")
    with socket.socket() as sock:
        fcntl.ioctl(sock, 0x8914, struct.pack("16sH14x", b"lo", 0x41))
    child = os.fork()
    if child:
        # The child is the first process of its namespace: once it is reaped, everything it started is gone too.
        signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGKILL))
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    mount(b"none", b"/", None, 0x4000 | 0x40000)
    for hidden in asked["hidden"]:
        if os.path.isdir(hidden):
            mount(b"none", hidden.encode(), b"tmpfs", 0x1)
    mount(b"proc", b"/proc", b"proc", 0x2 | 0x4 | 0x8)
    for capability in range(64):
        libc.prctl(24, capability, 0, 0, 0)
    libc.prctl(47, 4, 0, 0, 0)
    try:
        os.setgroups([])
    except PermissionError:
        pass
    os.setresgid(asked["gid"], asked["gid"], asked["gid"])
    os.setresuid(asked["uid"], asked["uid"], asked["uid"])
    check(libc.capset(struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", *[0] * 6)), "capset")
    check(libc.prctl(38, 1, 0, 0, 0), "prctl")
    check(libc.prctl(1, 9, 0, 0, 0), "prctl")
    os.chdir(asked["cwd"])
    code = bytes.fromhex(asked["filter"])
    if code:
        class Program(ctypes.Structure):
            _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))
        program = Program(len(code) // 8, code)
        check(libc.prctl(22, 2, ctypes.byref(program), 0, 0), "prctl")
except OSError as error:
    os.write(2, f"run_as_examinee: {error}\n".encode())
    os._exit(asked["failure"])
try:
    os.execvpe(asked["argv"][0], asked["argv"], asked["env"])
except OSError as error:
    os.write(2, f"{asked['argv'][0]}: {error.strerror}\n".encode())
    os._exit(127)
"""

_HIDDEN = ("/utils", "/npc", "/instruction")

try:
    _FILTER = seccomp.program()
except LookupError:
    _FILTER = b""  # a machine without one, as its sandbox's capabilities say


def command(argv: Sequence[str], *, cwd: str, env: Mapping[str, str]) -> list[str]:
    """What to run, with an empty environment, to have `argv` run as the examinee."""
    asked = {
        "argv": list(argv), "env": dict(env), "cwd": cwd, "uid": 0, "gid": 0, "hidden": _HIDDEN, "failure": FAILURE,
        "filter": _FILTER.hex(),
    }  # fmt: skip
    return [sys.executable, "-I", "-S", "-c", _TRAMPOLINE, json.dumps(asked)]
