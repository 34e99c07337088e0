"""Building a room: a user namespace, a network with its listeners, layers put together, bubblewrap around it all.

Runs in processes freshly forked by the warden. What needs the host's root is done first, then it is given up for good.
"""

from __future__ import annotations

import os
import resource
import select
import socket
from typing import NamedTuple, NoReturn

from dayjob.clock_page import WHERE as CLOCK
from dayjob.sandbox import kernel
from dayjob.sandbox.embedded.ports import diagnostics
from dayjob.sandbox.embedded.removal import remove_path
from dayjob.sandbox.embedded.request_process import Child, Request, become_root_inside
from dayjob.sandbox.embedded.stacking import folders_below, hide
from dayjob.sandbox.receiving import receive
from dayjob.sandbox.tree import OPAQUE

# Held by a room's first process and by nothing else in the room: the kernel lets nobody trace a process that can do
# more than they can, so an examinee cannot end its own room.
_FIRST_PROCESS_CAPABILITY = "CAP_WAKE_ALARM"

# The first process says on its standard output that everything is in place, then waits for an input that never comes;
# while it ignores SIGCHLD the kernel reaps orphans.
_FIRST_PROCESS = ("/usr/bin/env", "--ignore-signal=CHLD", "cat", "/proc/self/comm", "-")

# Where folders wait that are laid over the room's own when its first process runs, which must be nobody else's.
BESIDE = "/.beside"

# Where a room is put together: covers the host's /tmp, in a mount namespace nobody else sees.
_STAGE = "/tmp"
_STORAGE = f"{_STAGE}/room"
_CLOCK = f"{_STAGE}/clock"


def room(child: Child) -> None:
    """Build a room and keep it while it lasts.

    Three answers: its user namespace, network, listeners and writable layer; its other namespaces; that it has ended.
    """
    # While this process lives, nobody else takes the room's range of uids.
    mapping = child.take(1 if child.request["mapped"] else 0)
    child.take(len(mapping))
    copy = child.take(1 if child.request["copied"] else 0)
    ready, ready_in = os.pipe()
    unmapped, unmapped_in = os.pipe()
    mapped, mapped_in = os.pipe()
    waiting, awaited = os.pipe()
    errors = os.memfd_create("errors")
    keeper = os.getpid()
    kernel.adopt_orphans()
    if _may_part():
        kernel.unshare(kernel.CLONE_NEWPID)
    builder = os.fork()
    if builder == 0:
        try:
            for fd, place in ((waiting, 0), (ready_in, 1), (errors, 2)):
                os.dup2(fd, place)
            os.close(mapped_in)  # of which there is no other, so that waiting for it ends if the keeper is killed
            _end_with(keeper)
            _build(child, mapping, _Mapped(unmapped_in, mapped), copy, keeper)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(1)
    for fd in (waiting, ready_in, unmapped_in, mapped, *mapping, *copy):
        os.close(fd)
    if os.read(unmapped, 1):
        _answer_mapping(builder, child.request, mapped_in)
    if not _may_part():
        os.waitpid(builder, 0)
    if not os.read(ready, 1):
        os.lseek(errors, 0, os.SEEK_SET)
        said = os.read(errors, 4000).decode("utf-8", "replace").strip()
        child.answer({"error": f"the room could not be built: {said}"})
        return
    (outer,) = _children(keeper)
    (pid,) = _children(outer)
    kinds = ("mnt", "pid", "ipc", "uts")
    namespaces = [os.open(f"/proc/{pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in kinds]
    child.answer({"ok": True, "pid": pid}, [*namespaces, os.pidfd_open(pid)])
    for fd in (*namespaces, ready, unmapped, mapped_in, errors):
        os.close(fd)
    os.waitpid(outer, 0)
    os.close(awaited)  # not before: the room's first process would end
    child.answer({"closed": True})


def _may_part() -> bool:
    """Whether this process may have children in a new PID namespace; others may once they have a user namespace."""
    return os.geteuid() == 0


def _build(child: Child, mapping: list[int], mapped: _Mapped, copy: list[int], keeper: int) -> NoReturn:
    # Outside the control groups: no greed of an examinee may end the room's first process.
    request, parted = child.request, _may_part()
    if os.geteuid() == 0:
        # Counted by the kernel for the whole user namespace, from the moment it is made, and for whoever makes it: a
        # uid of the room's own, or else a person, who may have any number of processes elsewhere.
        limit = request["processes"]
        resource.setrlimit(resource.RLIMIT_NPROC, (limit, limit))
    folders = [*request["layers"], *request["on_disk"], *request["frozen"].values(), *request["beside"].values()]
    _enter_staged(request, mapping, mapped, folders)
    _end_with(keeper)  # again, since becoming another uid has undone it
    network = _open_network(request)
    kernel.mount(
        "room", _STORAGE, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV,
        f"size={request['disk']},nr_inodes={request['inodes']},mode=0755",
    )  # fmt: skip
    upper, work = _fresh("root")
    changes = os.open(upper, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)  # where everything that is written will be
    ourselves = os.pidfd_open(os.getpid())  # so that a room can be given up before it is finished
    child.answer({"ok": True}, [*network, changes, ourselves])
    for fd in (*network, changes, ourselves):
        os.close(fd)
    for source in copy:
        _fill(source, upper)
    root = f"{_STORAGE}/root"
    os.mkdir(root)
    staged = iter(range(1000))
    lower = [f"{_STAGE}/{next(staged)}" for _ in request["layers"]]
    if request["on_disk"]:
        # Both in one mount, because a layer is written by renaming within it.
        place = f"{_STAGE}/{next(staged)}"
        _overlay(root, lower, f"{place}/files", f"{place}/work")
    else:
        _overlay(root, lower, upper, work)
    for path in request["frozen"]:
        below = [] if request["frozen_whole"] else folders_below(lower, path)
        _show(root + path, next(staged), below)
    for path in request["beside"]:
        _show(root + BESIDE + path, next(staged), folders_below(lower, path))
    for top in (root, *([root + BESIDE] if request["beside"] else [])):
        if request["withheld"]:
            _remove_inside(top, request["withheld"])
    for path, text in request["files"].items():
        _place(root + path, text)
        if os.path.dirname(path) in request["beside"]:  # no deeper: folders there may be links
            _place(root + BESIDE + path, text)
    # Bubblewrap becomes the first process of a namespace around the room's own: however it ends, and whatever it was
    # just doing, the kernel ends all that is inside with it.
    if not parted:
        builder = os.pidfd_open(os.getpid())
        kernel.unshare(kernel.CLONE_NEWPID)
        if os.fork():
            os._exit(0)  # the keeper, which is as good a parent, needs no second process to wait with
        ended = select.poll()
        ended.register(builder, select.POLLIN)
        ended.poll()
        _end_with(keeper)
    kernel.close_all_but({0, 1, 2})
    arguments = ["bwrap", "--bind", root, "/"]
    for path in request["system"]:
        arguments += ["--ro-bind", path, path]
    for path in filter(os.path.exists, request["covered"]):  # what the room may not reach, it does not show either
        arguments += ["--ro-bind", _nothing(path), path]
    for path, source in request["replaced"].items():
        arguments += ["--ro-bind", root + source, path]
    for path in request["writable"] or ():
        arguments += ["--bind", root + path, path]
    if request["clock"]:
        arguments += ["--ro-bind", _CLOCK, CLOCK]
    arguments += [
        "--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", str(request["disk"]), "--tmpfs", "/dev/shm",
        "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", request["hostname"],
        "--die-with-parent", "--new-session", "--as-pid-1",
        "--cap-drop", "ALL", "--cap-add", _FIRST_PROCESS_CAPABILITY,
        *(["--remount-ro", "/"] if request["writable"] is not None else []),
        "--chdir", "/", "--", *_FIRST_PROCESS,
    ]  # fmt: skip
    # The name tells a person (and a test) whose room this is; nothing inside can read its first process's environment.
    os.execve(request["bwrap"], arguments, {"PATH": "/usr/bin:/bin", "DAYJOB_ROOM": request["name"]})


def _end_with(parent: int) -> None:
    """Be killed when the parent ends, also if that was a moment ago."""
    kernel.die_with_parent()
    # Read from the host's /proc, which knows the parent also where our own PID namespace does not.
    with open("/proc/self/stat") as file:
        if int(file.read().rpartition(")")[2].split()[1]) != parent:
            os._exit(1)


def _children(pid: int) -> list[int]:
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def _enter_staged(request: Request, mapping: list[int], mapped: _Mapped, folders: list[str]) -> None:
    """Enter new user and mount namespaces, with each folder mounted at its number in the stage.

    Root mounts them before it gives up its power, since the room's root could not even reach them on the disk; an
    ordinary user can only do so inside.
    """
    if os.geteuid() == 0:
        kernel.unshare(kernel.CLONE_NEWNS)
        _stage(folders, mapping, request["clock"])
        _unshare_user(request["first_uid"], request["uids"], mapped)
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    else:
        _unshare_user(request["first_uid"], request["uids"], mapped)
        kernel.unshare(kernel.CLONE_NEWNS)
        _stage(folders, [], request["clock"])


def _stage(folders: list[str], mapping: list[int], clock: str = "") -> None:
    """Mount each folder at its number, seen through the mapping of owners, if there is one; and the clock's page."""
    kernel.mount("none", "/", "", kernel.MS_REC | kernel.MS_PRIVATE)
    opened = [os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC) for folder in folders]
    page = os.open(clock, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC) if clock else -1
    kernel.mount("stage", _STAGE, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=64k,mode=0755")
    os.mkdir(_STORAGE)
    for number, fd in enumerate(opened):
        os.mkdir(f"{_STAGE}/{number}")
        if mapping:
            kernel.bind_mapped(fd, f"{_STAGE}/{number}", mapping[0])
        else:
            kernel.mount(f"/proc/self/fd/{fd}", f"{_STAGE}/{number}", "", kernel.MS_BIND)
        os.close(fd)
    if clock:
        _place(_CLOCK, "")
        kernel.bind_read_only(f"/proc/self/fd/{page}", _CLOCK)
        os.close(page)


def _fresh(name: str) -> tuple[str, str]:
    """An empty upper and work folder in the room's own storage."""
    upper, work = f"{_STORAGE}/{name}-upper", f"{_STORAGE}/{name}-work"
    os.mkdir(upper, 0o755)
    os.mkdir(work, 0o755)
    return upper, work


def _fill(source: int, upper: str) -> None:
    """Write another room's writable layer, which arrives on a descriptor, to ours; owners are those inside."""
    with open(source, "rb") as stream:
        received = receive(stream, upper, owner=lambda uid, gid: (uid, gid), strict=True)
    for name, changed in received.gone:
        if os.path.isdir(os.path.dirname(f"{upper}/{name}")):
            hide(f"{upper}/{name}", changed)
    for name in received.new_folders:
        os.setxattr(f"{upper}/{name}", OPAQUE, b"y", follow_symlinks=False)


def _overlay(place: str, lower: list[str], upper: str, work: str) -> None:
    options = f"lowerdir={':'.join(lower)},upperdir={upper},workdir={work},userxattr"
    kernel.mount("overlay", place, "overlay", kernel.MS_NODEV, options)


def _show(place: str, number: int, below: list[str]) -> None:
    """Show what is staged at a number, over what lies below it, as this room's own."""
    os.makedirs(place, exist_ok=True)
    view = os.stat(f"{_STAGE}/{number}")
    _overlay(place, [f"{_STAGE}/{number}", *below], *_fresh(f"shown{number}"))
    os.chown(place, view.st_uid, view.st_gid)
    os.chmod(place, view.st_mode & 0o7777)


def _nothing(path: str) -> str:
    """An empty folder, or an empty file, to lay over this one."""
    empty = f"{_STORAGE}/empty-{'folder' if os.path.isdir(path) else 'file'}"
    if empty.endswith("folder"):
        os.makedirs(empty, exist_ok=True)
    elif not os.path.exists(empty):
        _place(empty, "")
    return empty


def _remove_inside(root: str, paths: list[str]) -> None:
    """Delete paths below a root, seeing nothing else meanwhile: links in frozen files may lead anywhere."""
    everything = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    os.chroot(root)
    os.chdir("/")
    try:
        for path in paths:
            remove_path(path)
    except OSError as error:
        raise OSError(f"what is withheld could not be removed: {error}") from error
    finally:
        os.fchdir(everything)
        os.chroot(".")
        os.close(everything)


def _place(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
    try:
        if text.startswith("#!"):
            os.fchmod(fd, 0o755)
        os.write(fd, text.encode())
    finally:
        os.close(fd)


# -- its user namespace and network -------------------------------------------------------------------------------


def _open_network(request: Request) -> list[int]:
    """The user namespace we are in and, if asked for, a network of our own with its listeners, as descriptors."""
    fds = [os.open("/proc/self/ns/user", os.O_RDONLY | os.O_CLOEXEC)]
    if request["own_network"]:
        kernel.unshare(kernel.CLONE_NEWNET)
        kernel.loopback_up()
        fds.append(os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC))
        fds.append(diagnostics())
        for port in request["listen"]:
            sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(("127.0.0.1", port))
            sock.listen(512)
            fds.append(sock.detach())
    return fds


class _Mapped(NamedTuple):
    """How the builder, in its new user namespace, asks the keeper to say who its ids are, and hears that it has."""

    ask: int
    heard: int


def _unshare_user(first: int, count: int, mapped: _Mapped) -> None:
    """Enter a new user namespace where 0… here is `first`… outside. Only the parent namespace may write the map.

    The kernel charges what happens in a namespace to whoever made it as well: so it is `first` who makes it, not root,
    whom all rooms would share.
    """
    if count > 1:
        kernel.keep_capabilities()
        os.setgroups([])
        os.setresgid(first, first, first)
        os.setresuid(first, first, first)
        kernel.set_capabilities(kernel.mask(("sys_admin",)))
    kernel.unshare(kernel.CLONE_NEWUSER)
    os.write(mapped.ask, b"+")
    said = os.read(mapped.heard, 4096)
    for fd in mapped:
        os.close(fd)
    if said != b"+":
        raise OSError(said[1:].decode() or "the user namespace could not be mapped")
    become_root_inside()


def _answer_mapping(builder: int, request: Request, answer: int) -> None:
    try:
        _map(builder, 0, request["first_uid"], request["uids"])
        os.write(answer, b"+")
    except OSError as error:
        os.write(answer, f"-the user namespace could not be mapped: {error}".encode())


def _map(pid: int, inside: int, outside: int, count: int) -> None:
    """Say who the ids of a process's user namespace are outside."""
    if count == 1:
        _write(f"/proc/{pid}/setgroups", "deny")
    _write(f"/proc/{pid}/uid_map", f"{inside} {outside} {count}")
    _write(f"/proc/{pid}/gid_map", f"{inside} {outside if count > 1 else os.getgid()} {count}")


def _write(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


# -- who owns what a room is shown ---------------------------------------------------------------------------------


def mapping(child: Child) -> None:
    """A user namespace that only says whose files are whose: ids from `inside` on are those from `outside` on."""
    request = child.request
    began, begun = os.pipe()
    lasting, last = os.pipe()
    inhabitant = os.fork()
    if inhabitant == 0:
        try:
            os.close(last)
            kernel.unshare(kernel.CLONE_NEWUSER)
            os.write(begun, b"+")
            os.read(lasting, 1)
        finally:
            os._exit(0)
    os.close(begun)
    if not os.read(began, 1):
        raise OSError("a user namespace could not be made")
    _map(inhabitant, request["inside"], request["outside"], request["count"])
    found = os.open(f"/proc/{inhabitant}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    os.close(last)
    os.waitpid(inhabitant, 0)
    child.answer({"ok": True}, [found])


def try_mapping(child: Child) -> None:
    """Whether a folder of the host can be a layer of a room whose uids are its own."""
    (known,) = child.take()
    kernel.unshare(kernel.CLONE_NEWNS)
    _stage([child.request["folder"]], [known])
    kernel.mount("room", _STORAGE, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "size=64k,mode=0755")
    os.mkdir(f"{_STORAGE}/root")
    _overlay(f"{_STORAGE}/root", [f"{_STAGE}/0"], *_fresh("root"))
    child.answer({"ok": True})
