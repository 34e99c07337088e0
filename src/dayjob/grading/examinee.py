"""`run_as_examinee(cmd)`: the only way a grader runs what the examinee wrote.

The command gets namespaces of its own inside the grader's room: it sees the examinee's files, no evaluator, no process
of the grader, no company and no network but an empty loopback. It has the examinee's uid, a scrubbed environment, no
capability, no inherited descriptor, and the same system calls as while it worked. Where that cannot be had, nothing is
run.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence

from dayjob import seccomp
from dayjob.grading.faults import ServiceFault

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

try:
    _FILTER = seccomp.program()
except LookupError:
    _FILTER = b""  # a machine without one, as its sandbox's capabilities say

_HIDDEN = ("/utils", "/npc", "/instruction")
_FAILURE = 213  # an exit code nobody else uses for "it could not be isolated"
_LAST_WORDS = 10  # seconds for the kernel to end what a command that ran out of time has started
_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/root",
}


class NotIsolated(ServiceFault):
    """The examinee's code was not run, because it could not be kept away from the grader: a fault, never a zero."""

    source = "sandbox"


def run_as_examinee(
    cmd: Sequence[str] | str,
    *,
    cwd: str = "/workspace",
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run a command (a string goes through `sh -c`); the result has `returncode`, `stdout` and `stderr`.

    Raises `subprocess.TimeoutExpired` after `timeout` seconds, with everything it started gone.
    """
    argv = ["/bin/sh", "-c", cmd] if isinstance(cmd, str) else list(cmd)
    asked = {
        "argv": argv, "env": {**_ENVIRONMENT, **(env or {})}, "cwd": cwd, "uid": 0, "gid": 0, "hidden": _HIDDEN,
        "failure": _FAILURE, "filter": _FILTER.hex(),
    }  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _TRAMPOLINE, json.dumps(asked)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env={},
        start_new_session=True,
    ) as running:
        try:
            stdout, stderr = running.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            running.terminate()
            try:
                running.communicate(timeout=_LAST_WORDS)
            except subprocess.TimeoutExpired:
                running.kill()
            raise
    done = subprocess.CompletedProcess(argv, running.returncode, stdout, stderr)
    if done.returncode == _FAILURE and done.stderr.startswith("run_as_examinee:"):
        raise NotIsolated(done.stderr.strip())
    return done
