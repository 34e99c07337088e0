"""The docker sandbox: one container in the network of another, held for one trial.

The second container is the sidecar, which has the trial's network and nothing else. Both carry labels that name the
process they belong to, so that what a killed process left can be found and removed.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import secrets
import signal
import socket
import tarfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Unpack

from dayjob.clock_page import WHERE as CLOCK
from dayjob.sandbox.clock import ON_HOST_TIME
from dayjob.sandbox.docker.archive import pack, repack, unpack
from dayjob.sandbox.docker.captured import Kept
from dayjob.sandbox.docker.changes import Changes, changes_in
from dayjob.sandbox.docker.command import docker, receiving, sending, start
from dayjob.sandbox.docker.network import Network
from dayjob.sandbox.docker.site import DockerImage, DockerSite, labels
from dayjob.sandbox.grader import GRADER_UID
from dayjob.sandbox.link_rules import LinkWatch
from dayjob.sandbox.relay import CLOSED
from dayjob.sandbox.sandbox import (
    COPY_SECONDS,
    MIB,
    NOT_INSTALLED,
    SCRATCH,
    SYSTEM,
    Command,
    Finished,
    Frozen,
    Sandbox,
    SandboxError,
    SandboxOptions,
    Started,
)
from dayjob.sandbox.tree import Bounds

# Reaps what is left to it, and cannot be killed from inside.
_FIRST_PROCESS = "while :; do sleep 1000 & wait $!; done"

# A command gets its own session, whose number is written down: that is how it can be ended from outside. What it leaves
# running may go on printing when nobody listens any more: `tee -p` reads on (for as long as it has a second place to
# write to), so that a server does not die of a broken pipe. A grader's command leaves nothing, and what it says must
# not depend on anybody's turn.
_MARKED = "d=$1/.dayjob-commands; mkdir -p -m 1777 $d 2>/dev/null; m=$d/$2; shift 2; echo $$ > $m"
_FOR_GOOD = f'{_MARKED}; exec "$@"'
_DRAINED = f"""{_MARKED}; mkfifo $m.o $m.e || exec "$@"
exec 3<&0
{{ tee -p /dev/null < $m.o; : > $m.0; }} 3<&- &
{{ tee -p /dev/null < $m.e >&2; : > $m.1; }} 3<&- &
"$@" <&3 3<&- > $m.o 2> $m.e &
exec 3<&-
wait $!; code=$?; i=0
while [ $i -lt 40 ] && [ ! -e $m.0 -o ! -e $m.1 ]; do sleep 0.02; i=$((i+1)); done
rm -f $m $m.?; exit $code"""

# What root needs to put files into an evaluator's container; the evaluator itself has none of it.
_FOR_GRADERS = ("--cap-drop", "ALL", "--cap-add", "CHOWN", "--cap-add", "DAC_OVERRIDE", "--cap-add", "FOWNER",
                "--read-only")  # fmt: skip
_FOR_EXAMINEES = ("--cap-drop", "NET_RAW")

# How many paths fit on a command line, and the bytes of a line in a list of changes.
_AT_ONCE = 500
_LISTED = 80

# Seconds between two looks at how much was written. A workbench lasts for a command or two, a CI job not much longer.
_LOOK_EVERY = {"work": 2.0, "workbench": 0.5, "job": 0.5}


class DockerSandbox(Sandbox):
    """One container."""

    def __init__(self, site: DockerSite, image: DockerImage, **options: Unpack[SandboxOptions]) -> None:
        super().__init__(site.capabilities, **options)
        self.site = site
        self.image = image
        name = re.sub("[^a-zA-Z0-9]+", "-", options.get("name", ""))
        self.name = f"dayjob-{name[:40].strip('-').lower()}-{secrets.token_hex(6)}"
        listen = options.get("listen", ())
        self.listen = list(listen) if listen is not None else None
        self._marks = SCRATCH if self.kind == "evaluator" else "/tmp"
        self._network: Network | None = None
        self._running = False
        self._full = asyncio.Event()
        self._watch: asyncio.Task[None] | None = None

    # -- life ----------------------------------------------------------------------------------------------------

    async def start(self) -> Started:
        try:
            network, listeners = await self._open_network()
            limits = self.limits
            evaluator = self.kind == "evaluator"
            as_left = self.frozen if self.installed and self.frozen is not None and self.frozen.system else None
            placed = self.site.placed(as_left) if as_left is not None else None
            image = await self.site.grader_image(self.image.tag) if evaluator else placed or self.image.tag
            await docker(
                "run", "-d", "--name", self.name, *labels(), *network,
                "--memory", str(limits.memory), "--memory-swap", str(limits.memory), "--cpus", f"{limits.cpus:g}",
                "--pids-limit", str(limits.processes), "--ulimit", f"fsize={limits.file}",
                "--ulimit", f"nofile={limits.open_files}", "--ulimit", "core=0", "--security-opt", "no-new-privileges",
                *((*_FOR_GRADERS, *self._scratch()) if evaluator else _FOR_EXAMINEES), *self._clock(),
                "--entrypoint", "", image, "/bin/sh", "-c", _FIRST_PROCESS,
            )  # fmt: skip
            self._running = True
            if placed is None:
                await self._place()
                if as_left is not None:
                    await self.site.keep_placed(as_left, self.name)
            if not evaluator:
                # What the examinee had left is in a workbench from the start, and not written there.
                before = await self._written() or 0 if self.frozen is not None else 0
                self._watch = asyncio.create_task(self._watch_disk(before))
        except BaseException:
            await self.stop()
            raise
        return Started(listeners)

    def _clock(self) -> list[str]:
        """The page with the company's time, read-only."""
        if self.clock is None:
            return []
        return ["--mount", f"type=bind,src={self.clock.absolute()},dst={CLOCK},readonly"]

    async def _open_network(self) -> tuple[list[str], dict[int, socket.socket]]:
        """The options that give the container its network, and the sockets that listen in it."""
        hosts = {"localhost": "127.0.0.1", **self.hosts}
        if self.listen is None:
            names = [part for name, address in hosts.items() for part in ("--add-host", f"{name}:{address}")]
            return ["--network", "none", *names], {}
        self._network, sockets = await self.site.ways.open(self.name, self.image.tag, labels(), self.listen, hosts)
        return ["--network", f"container:{self._network.container}"], sockets

    def _scratch(self) -> list[str]:
        """Where an evaluator may write: nothing but volumes and memory of its own, gone with the container."""
        frozen = self.frozen.paths if self.frozen is not None else ()
        volumes = [f"type=volume,dst={path},volume-nocopy" for path in frozen] + ["type=volume,dst=/utils"]
        memory = f"{SCRATCH}:rw,exec,nosuid,nodev,mode=1777,size={self.limits.disk}"
        return [*(part for volume in volumes for part in ("--mount", volume)), "--tmpfs", memory]

    async def _place(self) -> None:
        """The frozen files in place of the image's own, without what is withheld, and the texts asked for."""
        withheld = self.withheld
        if self.frozen is not None:
            frozen = self.frozen
            if self.kind != "evaluator":  # its folders are empty
                await self.remove(*(f"{path}/" for path in frozen.paths), *withheld)
                withheld = tuple(path for path in withheld if _meets(path, frozen.paths))  # may be there again
            uid = GRADER_UID if self.kind == "evaluator" else await self.site.user_of(self.image.tag, self.name)
            await self._send("/", [(frozen.folder / path[1:], path[1:]) for path in frozen.paths], uid=uid)
        await self.remove(*withheld)
        for path, text in self.files.items():
            await self.put(text.encode(), path, mode=0o755 if text.startswith("#!") else 0o644)
        if self.frozen is not None and self.installed:
            # Last: from here on every program in the container may be the examinee's.
            gone, changed = self.frozen.gone, [self.frozen.folder / path[1:] for path in self.frozen.system]
            for first in range(0, len(gone), _AT_ONCE):
                await self.remove(*gone[first : first + _AT_ONCE])
            await self._send("/", [(place, place.name) for place in changed if place.is_dir()])

    async def _stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        await docker("rm", "-f", "-v", self.name, check=False)
        if self._network is not None:
            await self._network.stop()
            self._network = None
        self._running = False

    async def _watch_disk(self, before: int) -> None:
        """Stop everything for good when more was written than may be: nothing inside can prevent or undo that."""
        while not self._full.is_set():
            await asyncio.sleep(_LOOK_EVERY[self.kind])
            if (await self._written() or 0) - before > self.limits.disk:
                await docker("pause", self.name, check=False)
                self._full.set()

    async def _written(self) -> int | None:
        """How many bytes the container has besides its image; None when it cannot be said."""
        said = await docker("inspect", "--size", "--format", "{{.SizeRw}}", self.name, check=False)
        return int(said.text) if said.text.isdigit() else None

    # -- commands ------------------------------------------------------------------------------------------------

    async def _exec(self, command: Command) -> Finished:
        if not self._running:
            raise SandboxError("the sandbox is not running")
        began = time.monotonic()
        kept = Kept(command.keep, command.on_output, command.slow_after)
        if self._full.is_set():
            code, timed_out = self._stopped(kept), False
        else:
            mark, wrapper = secrets.token_hex(8), _FOR_GOOD if command.grader else _DRAINED
            options = ["-i"]
            if command.grader or command.user:
                options += ["-u", str(GRADER_UID) if command.grader else str(command.user)]
            if command.cwd:
                options += ["-w", command.cwd]
            given = _Variables({**self.env, **command.env})
            options += given.options
            try:
                wrapped = ["setsid", "-w", "/bin/sh", "-c", wrapper, "dayjob", self._marks, mark, *command.argv]
                process = await start(
                    ["exec", *options, self.name, *wrapped],
                    env=given.long,
                    pass_fds=(given.fd,),
                )
            finally:
                os.close(given.fd)
            code, timed_out = await self._finish(process, mark, command.stdin, kept, command.within)
        stdout, stderr = kept.bytes("stdout"), kept.bytes("stderr")
        return Finished(code, stdout, stderr, time.monotonic() - began, timed_out=timed_out, dropped=kept.dropped)

    async def _finish(
        self, process: asyncio.subprocess.Process, mark: str, stdin: bytes, kept: Kept, within: float | None
    ) -> tuple[int, bool]:
        """Wait for a command; returns its exit code and whether its time ran out."""
        reading = asyncio.gather(
            _feed(process, stdin), kept.read("stdout", process.stdout), kept.read("stderr", process.stderr)
        )
        ending, full = asyncio.ensure_future(process.wait()), asyncio.ensure_future(self._full.wait())
        try:
            # What was left in the background may hold the output open: the command's own end counts.
            await asyncio.wait({ending, full}, timeout=within, return_when=asyncio.FIRST_COMPLETED)
            if ending.done():
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(asyncio.shield(reading), 0.5)
                return ending.result(), False
            if full.done():
                return self._stopped(kept), False
            return -signal.SIGKILL, True
        finally:
            if not ending.done():
                await self._kill(mark, process)
            for one in (reading, ending, full):
                one.cancel()
            await asyncio.gather(reading, ending, full, return_exceptions=True)

    def _stopped(self, kept: Kept) -> int:
        limit = self.limits.disk // MIB
        kept.add("stderr", f"dayjob: more than {limit} MiB were written; the sandbox stands still\n".encode())
        return -signal.SIGKILL

    async def _kill(self, mark: str, process: asyncio.subprocess.Process) -> None:
        """End what a command started inside, and the docker command that waits for it."""
        if not self._full.is_set():
            end = f"kill -9 -$(cat {self._marks}/.dayjob-commands/{mark}) 2>/dev/null"
            await docker("exec", "-u", "0", self.name, "/bin/sh", "-c", end, check=False)
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    # -- files ---------------------------------------------------------------------------------------------------

    async def put(self, content: bytes | Path, path: str, *, mode: int = 0o644) -> None:
        folder, _, name = path.rstrip("/").rpartition("/")
        await docker("exec", "-u", "0", self.name, "mkdir", "-p", folder or "/")
        await self._send(folder or "/", [(content, name)], mode=mode)

    async def _send(
        self, folder: str, contents: Sequence[tuple[bytes | Path, str]], *, mode: int = 0o644, uid: int = 0
    ) -> None:
        def send() -> None:
            with sending(*self._way_in(folder)) as out:
                pack(out, contents, mode=mode, uid=uid)

        await asyncio.to_thread(send)

    def _way_in(self, folder: str) -> list[str]:
        """The docker command that takes a tar. Its own copying does not write to what is read-only but in parts."""
        if self.kind == "evaluator":
            return ["exec", "-i", "-u", "0", "-e", ON_HOST_TIME, self.name, "tar", "-xpf", "-", "-C", folder]
        return ["cp", "-", f"{self.name}:{folder}"]

    async def unpack(self, archive: IO[bytes]) -> None:
        def send() -> None:
            with sending(*self._way_in("/")) as out:
                repack(archive, out)

        try:
            await asyncio.to_thread(send)
        except (OSError, tarfile.TarError) as error:
            raise SandboxError(f"the files could not be copied in: {error}") from error

    async def get(self, path: str, into: Path, *, limit: int | None = None) -> None:
        def receive() -> None:
            with receiving("cp", f"{self.name}:{path}", "-") as source:
                bounds = Bounds(self.limits.disk if limit is None else limit, self.limits.files, COPY_SECONDS)
                unpack(source, into, bounds)

        try:
            await asyncio.to_thread(receive)
        except OSError as error:
            raise SandboxError(f"the files could not be copied out: {error}") from error

    async def remove(self, *paths: str) -> None:
        if paths:
            # A folder whose path ends with a slash stays, without anything in it.
            stay = [part for path in paths if path.endswith("/") for part in ("!", "-path", _literally(path))]
            await docker("exec", "-u", "0", self.name, "find", *paths, *stay, "-delete", check=False)

    async def snapshot(self, into: Path, paths: Sequence[str], *, whole: bool = False, system: bool = False) -> Frozen:
        watch = LinkWatch(paths)
        left_out: list[str] = []
        ends = time.monotonic() + COPY_SECONDS

        def copy(path: str) -> None:
            seconds = ends - time.monotonic()
            bounds = Bounds(self.limits.disk, self.limits.files, seconds, partly=True)
            if whole:
                bounds = Bounds(seconds=seconds)  # who wants the image's own files wants all of them
            parent = into / path.lstrip("/").rpartition("/")[0]
            with receiving("cp", f"{self.name}:{path}", "-", check=False) as source:
                left_out.extend(unpack(source, parent, bounds, link=watch).as_list())
            place = into / path.lstrip("/")
            if place.is_symlink() or not place.is_dir():
                # Gone, or replaced by something that is no folder: the grader finds it empty.
                place.unlink(missing_ok=True)
                place.mkdir(parents=True)

        def copy_changed(changed: set[str]) -> None:
            bounds = Bounds(self.limits.disk, self.limits.files, ends - time.monotonic(), partly=True)
            with receiving("export", self.name, check=False) as source:
                left_out.extend(unpack(source, into, bounds, only=changed).as_list())

        # One that stands still already, or whose first process was ended from inside, needs no stopping.
        paused = await docker("pause", self.name, check=False)
        try:
            for path in paths:
                await asyncio.to_thread(copy, path)
            changes = await asyncio.to_thread(self._changes, paths, left_out) if system else Changes()
            if changes.files:
                await asyncio.to_thread(copy_changed, changes.files)
        except OSError as error:
            raise SandboxError(f"the files could not be copied out: {error}") from error
        finally:
            if paused.code == 0:
                await docker("unpause", self.name, check=False)
        return Frozen(
            into, tuple(paths), tuple(watch.replaced), tuple(left_out), True, changes.folders, tuple(changes.gone)
        )

    def _changes(self, apart_from: Sequence[str], left_out: list[str]) -> Changes:
        """What was changed in the system's folders; nothing of it, and a word in `left_out`, when it is too much."""
        most = self.limits.files * _LISTED
        with receiving("diff", self.name, check=False) as source:
            said = source.read(most + 1)
        if len(said) > most:
            left_out.append(f"what was changed in {', '.join(SYSTEM)}: more than {self.limits.files} files and folders")
            return Changes()
        folders = [path for path in SYSTEM if path not in apart_from]
        return changes_in(said.decode("utf-8", "surrogateescape"), folders, (*NOT_INSTALLED, *self.files))

    # -- the network ---------------------------------------------------------------------------------------------

    async def connect(self, port: int) -> socket.socket:
        if self._network is None:
            raise SandboxError("the sandbox is not running")
        return await self._network.connect(port)

    async def open_ports(self) -> list[int]:
        return await self._network.ports() if self._network is not None else []

    def used(self) -> dict[str, int]:
        return {}


def _meets(path: str, others: Sequence[str]) -> bool:
    """Whether it is one of these, or below or above one."""
    one, each = f"{path.rstrip('/')}/", [f"{other.rstrip('/')}/" for other in others]
    return any(one.startswith(other) or other.startswith(one) for other in each)


def _literally(path: str) -> str:
    """A pattern that only this path fits."""
    return re.sub(r"([*?\[\\])", r"\\\1", path)


async def _feed(process: asyncio.subprocess.Process, stdin: bytes) -> None:
    assert process.stdin is not None
    with contextlib.suppress(*CLOSED):  # a command may end without having read it
        process.stdin.write(stdin)
        await process.stdin.drain()
    process.stdin.close()


class _Variables:
    """A command's variables on their way: in memory, never on a command line that others can read.

    A value of several lines fits in no list of variables, and goes through the docker command's own environment.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        self.long = {name: value for name, value in variables.items() if "\n" in value}
        lines = "".join(f"{name}={value}\n" for name, value in variables.items() if name not in self.long)
        self.fd = _readable(lines.encode("utf-8", "surrogateescape"))
        self.options = [f"--env-file=/dev/fd/{self.fd}", *(part for name in self.long for part in ("-e", name))]


def _readable(data: bytes) -> int:
    """A descriptor to read these bytes from."""
    if hasattr(os, "memfd_create"):
        memory = os.memfd_create("variables")
        os.write(memory, data)
        return memory
    source, target = os.pipe()
    os.write(target, data)
    os.close(target)
    return source
