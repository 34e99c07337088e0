"""The embedded sandbox: a room of its own in a network of its own, held for one trial.

Everything a room uses ends with the warden, except control groups, whose names say whose they are.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Unpack

from dayjob.sandbox.cgroups import Cgroup, available
from dayjob.sandbox.embedded.client import Errand, Warden
from dayjob.sandbox.embedded.image import Image
from dayjob.sandbox.embedded.output import Output
from dayjob.sandbox.embedded.ports import listening_ports
from dayjob.sandbox.embedded.room_commands import EXAMINEE_CAPABILITIES, GRADER_CAPABILITIES
from dayjob.sandbox.embedded.site import EmbeddedSite
from dayjob.sandbox.embedded.stacking import complete, only_changed
from dayjob.sandbox.embedded.transfer import last_frame, receive_from, send_archive, send_to
from dayjob.sandbox.embedded.uid_ranges import UidRange
from dayjob.sandbox.grader import GRADER_UID
from dayjob.sandbox.link_rules import LinkWatch
from dayjob.sandbox.loopback import connected
from dayjob.sandbox.receiving import Link, Received
from dayjob.sandbox.sandbox import (
    COPY_SECONDS,
    INTERPRETER,
    MIB,
    NOT_INSTALLED,
    SCRATCH,
    SYSTEM,
    Command,
    Evaluation,
    Finished,
    Frozen,
    Sandbox,
    SandboxError,
    SandboxOptions,
    Started,
)
from dayjob.sandbox.tree import Bounds, TreeError

_ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
    "GIT_PAGER": "cat",  # nobody is there to press q
    "PIP_BREAK_SYSTEM_PACKAGES": "1",
    "PIP_ROOT_USER_ACTION": "ignore",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}


class EmbeddedSandbox(Sandbox):
    """One room."""

    def __init__(
        self,
        site: EmbeddedSite,
        image: Image,
        *,
        own_network: bool = True,
        on_disk: Path | None = None,
        **options: Unpack[SandboxOptions],
    ) -> None:
        super().__init__(site.capabilities, **options)
        self.site = site
        self.image = image
        name = re.sub("[^a-zA-Z0-9]+", "-", options.get("name", ""))
        self.name = f"{name[:40]}-{secrets.token_hex(6)}".lstrip("-")
        self.listen = list(options.get("listen") or ())
        self.own_network = own_network
        self.on_disk = on_disk
        self.pid = 0
        self._range: UidRange | None = None
        self._cgroup: Cgroup | None = None
        self._user: list[int] = []
        self._net: list[int] = []
        self._diagnostics: socket.socket | None = None
        self._namespaces: list[int] = []
        self._pidfd = -1
        self._builder = -1
        self._changes = -1
        self._room: Errand | None = None
        self._drains: list[Output] = []

    # -- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> Started:
        try:
            return await self._start()
        except BaseException:
            await self.stop()
            raise

    async def _start(self) -> Started:
        if available():
            self._cgroup = Cgroup(self.name, self.limits)
        if self.site.ranges is not None:
            self._range = await self.site.ranges.take()
        async with self._copied_files() as copy:
            return await self._begin(copy)

    async def _begin(self, copy: Sequence[int]) -> Started:
        identity, limits = self.site.identity, self.limits
        placed = {"/etc/hosts": self._hosts(), "/etc/hostname": "workplace\n", **self.files}
        self._room = await self.site.warden.begin(
            "room",
            [*(self._range.descriptors if self._range else ()), *copy],
            copied=bool(copy),
            name=self.name,
            bwrap=self.site.bwrap,
            mapped=self._range is not None,
            first_uid=self._range.first if self._range else identity.first,
            uids=identity.count,
            own_network=self.own_network,
            listen=self.listen,
            # More than a command may have, so that a fork bomb leaves us processes to look after the room with.
            processes=limits.processes + 32,
            layers=[str(path) for path in self.image.layers],
            on_disk=[str(self.on_disk)] if self.on_disk else [],
            frozen=self._kept(self.frozen.paths if self.frozen is not None else ()),
            beside=self._kept(self._system),
            frozen_whole=self.frozen is not None and self.frozen.whole,
            withheld=() if copy else self.withheld,
            writable=(SCRATCH, "/utils") if self.kind == "evaluator" else None,
            replaced=self.image.git_doors if self.kind == "evaluator" else {},
            files={} if copy else placed,
            clock=str(self.clock) if self.clock else "",
            hostname="workplace",
            disk=limits.disk,
            inodes=limits.files,
            system=self.image.system,
            covered=self.site.covered if self.image.system else [],
        )
        _, fds = await self._room.next()
        self._builder, self._changes = fds.pop(), fds.pop()
        self._user, fds = fds[:1], fds[1:]
        if self.own_network:
            self._net, self._diagnostics, fds = fds[:1], socket.socket(fileno=fds[1]), fds[2:]
        started = Started({port: socket.socket(fileno=fd) for port, fd in zip(self.listen, fds, strict=True)})
        facts, fds = await self._room.next()
        self.pid = facts["pid"]
        self._namespaces, self._pidfd = fds[:4], fds[4]
        if self._system:
            # Only now: the first process is outside the control groups and the filter, and must be the image's own.
            await self.site.warden.ask("reveal", [*self._user, self._inside_mount], paths=list(self._system))
        return started

    @contextlib.asynccontextmanager
    async def _copied_files(self) -> AsyncIterator[Sequence[int]]:
        """The writable layer of the room that this one is a copy of, if it is one, as it comes over a descriptor.

        Nothing moves in that room until all of it was read. The room may be over, and its layer kept in a file.
        """
        origin = self.copy_of
        if origin is None:
            yield ()
            return
        if isinstance(origin, Path):
            reading = os.open(origin, os.O_RDONLY | os.O_CLOEXEC)
            try:
                yield [reading]
            finally:
                os.close(reading)
            return
        assert isinstance(origin, EmbeddedSandbox)
        reading, writing = os.pipe()
        try:
            await origin._stand_still(True)
            try:
                errand = await origin._begin_layer(writing)
            finally:
                os.close(writing)
            yield [reading]
            await errand.next()
        finally:
            os.close(reading)
            await origin._stand_still(False)

    async def _begin_layer(self, out: int) -> Errand:
        """Begin to write the writable layer to a descriptor."""
        bounds = asdict(Bounds(seconds=COPY_SECONDS))
        view = [*self._user, self._changes, out]
        return await self.site.warden.begin("take_out", view, roots=None, bounds=bounds, changes=True, without=[])

    async def keep(self, file: Path) -> None:
        out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            await self._stand_still(True)
            errand = await self._begin_layer(out)
            await errand.next()
        finally:
            os.close(out)
            await self._stand_still(False)
        if (said := await asyncio.to_thread(last_frame, file)).get("end") is not True:
            raise SandboxError(f"the sandbox's files could not be kept: {said.get('error', 'not all came')}")

    @property
    def _system(self) -> tuple[str, ...]:
        """The folders of the system that are shown as the examinee left them."""
        return self.frozen.system if self.installed and self.frozen is not None else ()

    def _kept(self, paths: Sequence[str]) -> dict[str, str]:
        """Where the frozen files of these paths lie."""
        return {path: str(self.frozen.folder / path[1:]) for path in paths} if self.frozen is not None else {}

    @property
    def _doors(self) -> list[str]:
        return self._cgroup.doors if self._cgroup else []

    def _hosts(self) -> str:
        return "".join(f"{address} {name}\n" for name, address in {"localhost": "127.0.0.1", **self.hosts}.items())

    async def _stop(self) -> None:
        if self._room is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(10):
                    # No room, or no warden: an error instead of an answer, and nothing to end.
                    with contextlib.suppress(SandboxError):
                        await self._end(self._room)
                    self._give_back()
            self._room = None
        else:
            self._give_back()
        for fd in (*self._user, *self._net, *self._namespaces, self._pidfd, self._builder, self._changes):
            if fd >= 0:
                os.close(fd)
        self._user, self._net, self._namespaces = [], [], []
        self._pidfd = self._builder = self._changes = -1
        if self._diagnostics is not None:
            self._diagnostics.close()
            self._diagnostics = None
        for drain in self._drains:
            drain.close()
        self._drains.clear()
        if self._cgroup is not None:
            await asyncio.to_thread(self._cgroup.remove)
            self._cgroup = None

    def _give_back(self) -> None:
        """Let the next room have our uids. A room that was not heard to end keeps them."""
        if self._range is not None and self.site.ranges is not None:
            self.site.ranges.give_back(self._range)
        self._range = None

    async def _end(self, room: Errand) -> None:
        """Kill the room, at whatever point of its making it is, and hear that it has ended."""
        if self._builder < 0:
            _, fds = await room.next()
            self._builder = fds.pop()
            for fd in fds:
                os.close(fd)
        _end_process(self._pidfd if self._pidfd >= 0 else self._builder)
        ended = False
        while not ended:
            facts, fds = await room.next()
            ended = "closed" in facts
            if "pid" in facts:  # the builder had done its part before it was told to stop
                _end_process(fds[-1])
            for fd in fds:
                os.close(fd)

    def alive(self) -> bool:
        """Whether the room's first process still runs."""
        if self._pidfd < 0:
            return False
        try:
            signal.pidfd_send_signal(self._pidfd, 0)
        except ProcessLookupError:
            return False
        return True

    def used(self) -> dict[str, int]:
        return self._cgroup.used() if self._cgroup else {}

    # -- commands ------------------------------------------------------------------------------------------------

    async def _exec(self, command: Command) -> Finished:
        facts = self._facts(command.user, command.env, command.cwd, command.grader)
        how = (command.keep, command.on_output, command.slow_after)
        outputs = (Output("stdout", *how), Output("stderr", *how))
        asked = {"program": command.argv[0], "argv": command.argv, **facts}
        return await self._run(self.site.warden, "run", asked, command.stdin, outputs, command.within)

    async def _evaluate(self, asked: Evaluation) -> Finished:
        facts = self._facts(None, asked.env, asked.cwd, grader=True)
        warm = await self.site.graders.of(self.image, facts["env"])
        if warm is None:
            return await super()._evaluate(asked)
        outputs = (Output("stdout", 4 * MIB, None), Output("stderr", 4 * MIB, None))
        errand = {
            "program": INTERPRETER, "code": asked.code, "utils": asked.utils, "loaded": self._has_loaded_set(), **facts,
        }  # fmt: skip
        return await self._run(warm, "evaluate", errand, asked.stdin, outputs, asked.within)

    def _has_loaded_set(self) -> bool:
        """Whether the grading set in this room is the one that the warm interpreter has loaded."""
        placed = any(path.startswith("/utils/dayjob") for path in self.files)
        return self.image.grading is not None and self.image.grading == self.site.graders.grading and not placed

    def _facts(self, user: str | None, env: Mapping[str, str], cwd: str | None, grader: bool) -> dict[str, Any]:
        """What a process in the room is to be."""
        uid, gid, home = self.image.ids(str(GRADER_UID) if grader else user)
        if not self.site.identity.separate:
            uid, gid = 0, 0
        return {
            "cgroups": self._doors,
            "own_network": self.own_network,
            "env": {**_ENVIRONMENT, "HOME": home, **self.image.env, **self.env, **env},
            "cwd": cwd or self.image.workdir,
            "uid": uid,
            "gid": gid,
            "capabilities": GRADER_CAPABILITIES if grader else EXAMINEE_CAPABILITIES if uid == 0 else (),
            "rlimits": self._rlimits(),
        }

    async def _run(
        self,
        warden: Warden,
        errand: str,
        facts: dict[str, Any],
        stdin: bytes,
        outputs: tuple[Output, Output],
        within: float | None,
    ) -> Finished:
        began = time.monotonic()
        source = os.memfd_create("stdin", os.MFD_CLOEXEC)
        try:
            os.write(source, stdin)
            os.lseek(source, 0, os.SEEK_SET)
            begun = await warden.begin(errand, [*self._inside, source, *(one.writer for one in outputs)], **facts)
        finally:
            os.close(source)
            for output in outputs:
                output.begin()
        exit_code, timed_out = await self._finish(begun, outputs, within)
        return Finished(
            exit_code=exit_code,
            stdout=outputs[0].kept(),
            stderr=outputs[1].kept(),
            seconds=time.monotonic() - began,
            timed_out=timed_out,
            dropped=sum(one.dropped for one in outputs),
        )

    @property
    def _inside(self) -> list[int]:
        if not self._namespaces:
            raise SandboxError("the sandbox is not running")
        return [*self._user, *self._net, *self._namespaces]

    def _rlimits(self) -> dict[str, int]:
        limits = {
            "fsize": self.limits.file,
            "nofile": self.limits.open_files,
            "nproc": self.limits.processes,
            "core": 0,
        }
        # What is written to, not what is reserved: a browser reserves a hundred times what it uses.
        return limits if self._cgroup else {**limits, "data": self.limits.memory}

    async def _finish(self, errand: Errand, outputs: tuple[Output, Output], within: float | None) -> tuple[int, bool]:
        """Wait for a command that was asked for; returns its exit code and whether its time ran out."""
        try:
            facts, fds = await errand.next()
            if not fds:
                facts, _ = await errand.next()
                return facts["exit"], False
            pidfd, group, timed_out = fds[0], facts["pid"], False
            try:
                facts, _ = await asyncio.wait_for(errand.next(), within)
            except TimeoutError:
                timed_out = True
                _kill(group, pidfd)
                facts, _ = await asyncio.wait_for(errand.next(), 10)
            except asyncio.CancelledError:
                _kill(group, pidfd)
                raise
            finally:
                os.close(pidfd)
            return facts["exit"], timed_out
        finally:
            for output in outputs:
                output.settle()
            self._drains += [one for one in outputs if one.is_open]

    # -- files ---------------------------------------------------------------------------------------------------

    async def put(self, content: bytes | Path, path: str, *, mode: int = 0o644) -> None:
        folder, _, name = path.rstrip("/").rpartition("/")
        await self._bring_in(folder or "/", lambda out: send_to(out, content, name, mode))

    async def _bring_in(self, folder: str, send: Callable[[int], None]) -> None:
        reading, writing = os.pipe()
        try:
            errand = await self.site.warden.begin("bring_in", [*self._user, self._inside_mount, reading], folder=folder)
        finally:
            os.close(reading)
        sending = asyncio.create_task(asyncio.to_thread(send, writing))
        try:
            await errand.next()
        finally:
            await asyncio.gather(sending, return_exceptions=True)
        sending.result()

    async def unpack(self, archive: IO[bytes]) -> None:
        await self._bring_in("/", lambda out: send_archive(out, archive))

    async def get(self, path: str, into: Path, *, limit: int | None = None) -> None:
        bounds = Bounds(self.limits.disk if limit is None else limit, self.limits.files, COPY_SECONDS)
        await self._take_out([(path, path.rstrip("/").rpartition("/")[2])], into, bounds)

    async def _take_out(
        self,
        roots: list[tuple[str, str]],
        into: Path,
        bounds: Bounds,
        *,
        link: Link | None = None,
        owned: bool = False,
        changes: bool = False,
        without: Sequence[str] = (),
    ) -> Received:
        reading, writing = os.pipe()
        try:
            errand = await self.site.warden.begin(
                "take_out",
                [*self._user, self._changes if changes else self._inside_mount, writing],
                roots=roots,
                bounds=asdict(bounds),
                changes=changes,
                without=list(without),
            )
        finally:
            os.close(writing)
        owner = self.site.identity.outside if owned and self.site.identity.separate else None
        try:
            received = await asyncio.to_thread(receive_from, reading, into, owner, link)
        except (TreeError, OSError) as error:
            raise SandboxError(f"the files could not be copied out: {error}") from error
        await errand.next()
        return received

    async def remove(self, *paths: str) -> None:
        view = [*self._user, self._inside_mount]
        await self.site.warden.ask("remove", view, paths=list(paths), seconds=COPY_SECONDS)

    @property
    def _inside_mount(self) -> int:
        return self._inside[-4]

    async def snapshot(self, into: Path, paths: Sequence[str], *, whole: bool = False, system: bool = False) -> Frozen:
        watch = LinkWatch(paths)
        # Asked for by who wants the image's own files: then none of them may be missing.
        bounds = Bounds(
            None if whole else self.limits.disk, None if whole else self.limits.files, COPY_SECONDS, not whole
        )
        whole = whole or self.frozen is not None or self.on_disk is not None
        # Where the system is the host's own there is nothing to change; where all is copied, no telling what was.
        system = system and not whole and not self.image.system
        folders = [path for path in SYSTEM if path not in paths] if system else []
        roots = [(path if whole else path.strip("/"), path.strip("/")) for path in (*paths, *folders)]
        without = [path.strip("/") for path in (*NOT_INSTALLED, *self.files)] if folders else []

        def link(name: str, target: str) -> str:
            # A workbench is the examinee's own, and nobody else sees its system.
            return target if f"/{name}".startswith(tuple(f"{one}/" for one in folders)) else watch(name, target)

        await self._stand_still(True)
        try:
            received = await self._take_out(
                roots, into, bounds, link=link, owned=True, changes=not whole, without=without
            )
        finally:
            await self._stand_still(False)
        layers = [] if whole else [str(layer) for layer in self.image.layers]
        changed = await asyncio.to_thread(only_changed, into, folders, received)
        await asyncio.to_thread(complete, into, (*paths, *changed), received, layers)
        left_out = tuple(received.left_out.as_list())
        return Frozen(into, tuple(paths), tuple(watch.replaced), left_out, whole, tuple(changed))

    async def _stand_still(self, still: bool) -> None:
        if self._cgroup is not None:
            await asyncio.to_thread(self._cgroup.freeze, still)
        else:
            sent = signal.SIGSTOP if still else signal.SIGCONT
            await self.site.warden.ask("signal_all", [*self._user, self._namespaces[1]], signal=int(sent))

    # -- the network ---------------------------------------------------------------------------------------------

    async def connect(self, port: int) -> socket.socket:
        return await connected(self._socket, port)

    async def _socket(self, six: bool) -> socket.socket:
        """A TCP socket made inside the network."""
        _, (fd,) = await self.site.warden.ask("outgoing", [*self._user, *self._net], six=six)
        sock = socket.socket(fileno=fd)
        sock.setblocking(False)
        return sock

    async def open_ports(self) -> list[int]:
        return listening_ports(self._diagnostics) if self._diagnostics is not None else []


def _end_process(pidfd: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def _kill(group: int, pidfd: int) -> None:
    """End a command's process group; the process itself also by descriptor, in case it has not made its group yet."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
