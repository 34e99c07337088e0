"""What is done in a room that exists: running commands, carrying files in and out, making sockets in its network.

A process that has entered a room's mount namespace loads no code and looks up no names there: everything it uses was
imported before.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
import time
from collections.abc import Callable
from typing import NoReturn

from dayjob import seccomp
from dayjob.sandbox import kernel, tree
from dayjob.sandbox.embedded.removal import remove_path
from dayjob.sandbox.embedded.request_process import Child, become_root_inside
from dayjob.sandbox.embedded.room_building import BESIDE
from dayjob.sandbox.receiving import receive

# What root may do inside a room: Docker's default set without raw sockets, which would let an examinee listen in on
# what others say on the trial's network.
EXAMINEE_CAPABILITIES = (
    "chown", "dac_override", "fowner", "fsetid", "kill", "setgid", "setuid", "setpcap", "net_bind_service",
    "sys_chroot", "mknod", "audit_write", "setfcap",
)  # fmt: skip

# What a grader may do, inside its own user namespace only: read what the examinee left, and change its own view of it.
GRADER_CAPABILITIES = ("dac_override", "dac_read_search", "fowner")

try:
    _FILTER = seccomp.program()
except LookupError:
    _FILTER = b""


def run(child: Child) -> None:
    """Run a command in a room; answer when it has started and when it has ended."""
    in_room(child, _exec)


def in_room(child: Child, do: Callable[[Child], NoReturn]) -> None:
    """Fork a process into a room to `do` what was asked; answer when it has started and when it has ended."""
    request = child.request
    kernel.hide_memory()
    groups = [os.open(path, os.O_WRONLY | os.O_CLOEXEC) for path in request["cgroups"]]
    (user,) = child.take()
    nets = child.take(1 if request["own_network"] else 0)
    mnt, pid, ipc, uts = child.take(4)
    kernel.setns(user, kernel.CLONE_NEWUSER)
    for net in nets:
        kernel.setns(net, kernel.CLONE_NEWNET)
    kernel.setns(ipc, kernel.CLONE_NEWIPC)
    kernel.setns(uts, kernel.CLONE_NEWUTS)
    kernel.setns(pid, kernel.CLONE_NEWPID)
    kernel.setns(mnt, kernel.CLONE_NEWNS)
    try:
        started = os.fork()
    except OSError as error:
        # The examinee has used up its processes: its command fails, as it would in any shell.
        os.write(child.fds[2], f"dayjob: {error.strerror}\n".encode())
        child.answer({"ok": True, "pid": 0})
        child.answer({"exit": 126})
        return
    if started == 0:
        try:
            # From here on what it uses counts. Joining works even when the group is at its limit.
            for group in groups:
                os.write(group, b"0")
            do(child)
        except BaseException as error:
            os.write(2, f"dayjob: {request['program']}: {error}\n".encode())
        finally:
            os._exit(127)
    for fd in child.fds:
        os.close(fd)
    child.answer({"ok": True, "pid": started}, [os.pidfd_open(started)])
    _, status = os.waitpid(started, 0)
    child.answer({"exit": os.waitstatus_to_exitcode(status)})


def settle(child: Child) -> None:
    """Be what a command of a room is: its descriptors, limits, user, powers and folder, and nothing of ours."""
    request = child.request
    os.setsid()
    places = [0, 1, 2]
    # Away from the low numbers first, so that no descriptor is overwritten before it has been moved.
    moved = [_lift(fd) for fd in child.fds]
    for fd, place in zip(moved, places, strict=True):
        os.dup2(fd, place, inheritable=True)
    kernel.close_all_but(set(places))
    for name, value in request["rlimits"].items():
        number = getattr(resource, f"RLIMIT_{name.upper()}")
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(number, (value, value))
    os.umask(0o022)
    keep = kernel.mask(tuple(request["capabilities"]))
    kernel.bound_capabilities(keep)
    _become(request["uid"], request["gid"])
    kernel.set_capabilities(keep, ambient=request["uid"] != 0)
    kernel.no_new_privileges()
    if _FILTER:
        kernel.filter_calls(_FILTER)
    os.chdir(request["cwd"])
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _exec(child: Child) -> NoReturn:
    settle(child)
    argv, env = child.request["argv"], child.request["env"]
    for program in _programs(argv[0], env.get("PATH", "/usr/bin:/bin")):
        try:
            os.execve(program, argv, env)
        except (FileNotFoundError, NotADirectoryError):
            continue
    raise FileNotFoundError("no such program")


def _lift(fd: int) -> int:
    while fd < 64:
        fd = os.dup(fd)
    return fd


def _become(uid: int, gid: int) -> None:
    """Change to a uid of the room. Capabilities are kept across it, and set to what is allowed right after."""
    become_root_inside()
    if uid:
        kernel.keep_capabilities()
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)


def _programs(name: str, path: str) -> list[str]:
    return [name] if "/" in name else [f"{folder}/{name}" for folder in path.split(":") if folder]


def bring_in(child: Child) -> None:
    """Write a tree that arrives on a descriptor below a folder of the room, owned by the room's root."""
    user, mnt, source = child.take(3)
    child.enter_user_namespace(user)
    kernel.setns(mnt, kernel.CLONE_NEWNS)
    os.umask(0o022)
    folder = child.request["folder"]
    with open(source, "rb") as stream:
        receive(stream, folder, strict=True)
    child.answer({"ok": True})


def take_out(child: Child) -> None:
    """Send trees of the room to a descriptor: as they are seen in it or, with `changes`, from its writable layer."""
    request = child.request
    user, view, out = child.take(3)
    child.enter_user_namespace(user)
    if not request["changes"]:
        kernel.setns(view, kernel.CLONE_NEWNS)
    try:
        changes_in = view if request["changes"] else None
        bounds = tree.Bounds(**request["bounds"])
        roots = request["roots"] if request["roots"] is not None else _everything(view)
        tree.send(out, roots, bounds, changes_in=changes_in, without=request["without"])
    except (tree.TreeError, OSError) as error:
        os.write(out, json.dumps({"error": str(error)}).encode() + b"\n")
    except tree.Gone:
        pass  # whoever asked has given up
    child.answer({"ok": True})


def _everything(layer: int) -> list[tuple[str, str]]:
    """All that lies in a layer, each by its own name."""
    folder = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=layer)
    try:
        return [(name, name) for name in sorted(os.listdir(folder))]
    finally:
        os.close(folder)


def remove(child: Child) -> None:
    """Delete paths of the room, whoever owns them."""
    user, mnt = child.take(2)
    child.enter_user_namespace(user)
    kernel.setns(mnt, kernel.CLONE_NEWNS)
    ends = time.monotonic() + child.request["seconds"]
    for path in child.request["paths"]:
        remove_path(path, ends)
    child.answer({"ok": True})


def reveal(child: Child) -> None:
    """Lay what was built beside the room's own folders over them."""
    user, mnt = child.take(2)
    child.enter_user_namespace(user)
    kernel.setns(mnt, kernel.CLONE_NEWNS)
    for path in child.request["paths"]:
        kernel.mount(BESIDE + path, path, "", kernel.MS_MOVE)
        os.rmdir(BESIDE + path)
    os.rmdir(BESIDE)
    child.answer({"ok": True})


def signal_all(child: Child) -> None:
    """Send a signal to every process of the room but its first."""
    user, pid = child.take(2)
    child.enter_user_namespace(user)
    kernel.setns(pid, kernel.CLONE_NEWPID)
    sender = os.fork()
    if sender == 0:
        try:
            os.kill(-1, child.request["signal"])
        except ProcessLookupError:
            pass  # nobody is there to stop
        finally:
            os._exit(0)
    os.waitpid(sender, 0)
    child.answer({"ok": True})


def outgoing(child: Child) -> None:
    """A TCP socket made in a network namespace, for the host to connect."""
    (user, net) = child.take(2)
    kernel.setns(user, kernel.CLONE_NEWUSER)
    kernel.setns(net, kernel.CLONE_NEWNET)
    family = socket.AF_INET6 if child.request["six"] else socket.AF_INET
    child.answer({"ok": True}, [socket.socket(family, socket.SOCK_STREAM).detach()])
