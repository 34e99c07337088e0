"""The one interface every sandbox has, what it declares about itself, and the small values that pass through it.

A sandbox is started once, runs any number of commands, and is stopped once. What one cannot do is said in its
`Capabilities` before anything starts; a failure of the machinery itself is a `SandboxError`.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack

if TYPE_CHECKING:
    from dayjob.task.dockerfile import Dockerfile, Instruction

MIB = 1024 * 1024

INTERPRETER = "/usr/local/bin/python_default"

# Copying out takes no longer, whatever there is to copy; what an examinee left that is not copied by then is left out.
COPY_SECONDS = 120.0


# Where an evaluator's room may be written to, besides its own view of the frozen files: nobody else ever writes there.
SCRATCH = "/var/tmp"

# Where programs, packages and settings are installed, less what is no part of an installation: what we place there
# ourselves, and what can be had again.
SYSTEM = ("/usr", "/etc", "/opt", "/var")
NOT_INSTALLED = (
    "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/mtab", "/opt/agents", SCRATCH, "/var/cache", "/var/log",
    "/var/lib/apt/lists",
)  # fmt: skip
# Where a program is found by its name.
PROGRAMS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin")

Stream = Literal["stdout", "stderr"]
Kind = Literal["work", "evaluator", "workbench", "job"]
"""What a sandbox is for. An evaluator's is read-only but for its scratch, /utils and its own view of frozen files."""
OnOutput = Callable[[Stream, bytes], None]


class SandboxError(Exception):
    """The sandbox itself failed, or cannot give what was asked. Never the examinee's doing."""


class BuildError(SandboxError):
    """A Dockerfile that cannot be built: the sentence names the line, `log` is what the build printed.

    `of_task` is False when it is not the task's own Dockerfile that failed but what lies below it.
    """

    def __init__(self, sentence: str, log: str = "", *, of_task: bool = True) -> None:
        super().__init__(sentence)
        self.log = log
        self.of_task = of_task


@dataclass(frozen=True, slots=True)
class Limits:
    """What one trial may use at most."""

    memory: int = 2048 * MIB
    disk: int = 1024 * MIB
    file: int = 512 * MIB
    processes: int = 512
    cpus: float = 2.0
    files: int = 200_000
    open_files: int = 4096


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a sandbox can promise on this machine. Each limit names how it is kept, or is None when it is not."""

    name: str
    memory: str | None = None
    processes: str | None = None
    cpu: str | None = None
    disk: str | None = None
    file: str | None = None
    separate_uid: bool = False
    """Root inside is an ordinary uid outside, and the grader another one."""
    uids: str | None = None
    """Whose uids a sandbox has outside: what the kernel counts by user is shared by all who have the same."""
    writable_system: bool = False
    """The examinee can install system packages (`apt-get install`)."""
    egress: tuple[str, ...] = ("none",)
    """The network policies it can keep: none, list, full. What leaves goes through an HTTP proxy."""
    snapshot: bool = False
    copies: bool = False
    """A sandbox can begin with the files of another one that runs."""
    filter: bool = False
    """System calls are filtered, no wider than Docker's default."""
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def missing(self, needs: Needs) -> list[str]:
        """Why this sandbox cannot serve these needs; empty when it can."""
        reasons = []
        if needs.writable_system and not self.writable_system:
            reasons.append("the task changes the system, and this sandbox has no system of its own to change")
        if needs.egress not in self.egress:
            reasons.append(
                f"the task's egress policy is '{needs.egress}', and here only {', '.join(self.egress)} is kept"
            )
        if needs.enforced_limits:
            for what in ("memory", "processes", "disk"):
                if getattr(self, what) is None:
                    reasons.append(f"the {what} limit cannot be enforced here")
        return reasons


@dataclass(frozen=True, slots=True)
class Needs:
    """What a task asks of its sandbox."""

    writable_system: bool = False
    egress: str = "none"
    """none, list (named hosts) or full."""
    enforced_limits: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. Output beyond the limit is dropped from the middle and counted in `dropped`."""

    exit_code: int
    stdout: bytes
    stderr: bytes
    seconds: float
    timed_out: bool = False
    dropped: int = 0

    @property
    def ok(self) -> bool:
        return self.exit_code == 0 and not self.timed_out

    @property
    def text(self) -> str:
        return self.stdout.decode("utf-8", "replace")

    @property
    def error_text(self) -> str:
        return self.stderr.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Frozen:
    """The examinee's files as they were at one moment: `folder` mirrors the sandbox's root for each of `paths`.

    Unless it is `whole`, a sandbox with layers holds what differs from its image there, with overlayfs's marks for what
    is gone, and is to be seen over that image.
    """

    folder: Path
    paths: tuple[str, ...]
    replaced_links: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    whole: bool = False
    system: tuple[str, ...] = ()
    """Those of `SYSTEM` in which something was changed: `folder` has the changes, for workbenches only."""
    gone: tuple[str, ...] = ()
    """What is gone there, where the folder cannot say so itself."""

    def programs(self) -> list[str]:
        """The names of programs that were installed, or exchanged: as many as a process can be told in a variable."""
        found, folder = set[str](), os.path.realpath(self.folder)
        for place in (folder + path for path in PROGRAMS if path.startswith(self.system)):
            if os.path.isdir(place) and os.path.realpath(place) == place:
                found |= {one.name for one in os.scandir(place) if _is_program(one)}
        told = sorted(found)
        ends = accumulate(len(name) + 1 for name in told)
        return [name for name, end in zip(told, ends, strict=True) if end <= _MOST_NAMES]


_MOST_NAMES = 64_000  # characters, of 131,072 that one variable may have
_PROGRAM = re.compile(r"[A-Za-z0-9._+-]{1,64}")


def _is_program(entry: os.DirEntry[str]) -> bool:
    """Whether it can be one; a link may lead to what only the examinee's own system has."""
    executable = entry.is_symlink() or (entry.is_file() and entry.stat().st_mode & 0o111 != 0)
    return executable and _PROGRAM.fullmatch(entry.name) is not None


@dataclass(slots=True)
class Started:
    """What the host got out of a started sandbox: a listening socket per port, opened inside its network."""

    listeners: dict[int, socket.socket] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltImage:
    """What a task's Dockerfile was built to, as far as every sandbox knows it."""

    key: str
    root: str = ""
    """Whose programs its sandboxes show: the system below everything, by name and content."""
    notes: tuple[str, ...] = ()
    """What whoever reads the outcome should know about it."""
    withheld: tuple[str, ...] = ()
    """Paths that only init and grading may see; one that ends with a slash is a folder to be emptied."""
    log: str = ""
    seconds: float = 0.0

    def without_grading(self) -> Self:
        """The same for a sandbox in which nothing needs what graders and init scripts import, where that is cheaper."""
        return self


@dataclass(frozen=True, slots=True)
class Command:
    """What `Sandbox.exec` was asked to run; its words are explained there."""

    argv: list[str]
    env: Mapping[str, str]
    cwd: str | None
    user: str | None
    stdin: bytes
    within: float | None
    on_output: OnOutput | None
    keep: int
    grader: bool
    slow_after: int | None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What `Sandbox.evaluate` was asked to run."""

    code: str
    env: Mapping[str, str]
    cwd: str
    stdin: bytes
    within: float | None
    utils: bool


class SandboxOptions(TypedDict, total=False):
    """What a sandbox is made with, besides its site and its image; all of it may be left out."""

    name: str
    listen: Sequence[int] | None
    """The ports opened on its loopback. None: nobody outside reaches its ports either."""
    hosts: Mapping[str, str]
    """Names for addresses in its /etc/hosts."""
    limits: Limits
    frozen: Frozen | None
    """Files the examinee left. Each sandbox has them for itself: what is written to them is seen nowhere else."""
    installed: bool
    """Whether the system is as the examinee left it, too; for workbenches."""
    withheld: Sequence[str]
    """Paths that are not there."""
    kind: Kind
    files: Mapping[str, str]
    """Texts to be placed, by path; one that begins with `#!` is a program."""
    env: Mapping[str, str]
    copy_of: Sandbox | Path | None
    """One that runs, of the same image: this one begins with its files as they are at that moment. What is placed or
    withheld there stays so. Or what `keep` wrote of one."""
    clock: Path | None
    """The page with the company's time (`dayjob.clock_page`), which nobody inside can write. None: the host's time."""


class Sandbox(ABC):
    """A place to work with its own files, processes and network."""

    def __init__(self, capabilities: Capabilities, **options: Unpack[SandboxOptions]) -> None:
        self.capabilities = capabilities
        self._stopping: asyncio.Task[None] | None = None
        self.hosts = dict(options.get("hosts", {}))
        self.limits = options.get("limits") or Limits()
        self.frozen = options.get("frozen")
        self.installed = options.get("installed", False)
        self.withheld = tuple(options.get("withheld", ()))
        self.kind = options.get("kind", "work")
        self.files = dict(options.get("files", {}))
        self.env = dict(options.get("env", {}))
        self.clock = options.get("clock")
        self.copy_of = options.get("copy_of")
        if self.copy_of is not None and not capabilities.copies:
            raise SandboxError(f"the {capabilities.name} sandbox cannot begin with the files of another one")

    async def keep(self, file: Path) -> None:
        """Write to a file what has changed in its files, for `copy_of` of another; nothing moves meanwhile."""
        raise SandboxError(f"the files of the {self.capabilities.name} sandbox cannot be kept")

    @abstractmethod
    async def start(self) -> Started:
        """Bring it up; the sockets handed out are listening, and nobody answers on them yet."""

    async def exec(
        self,
        command: Sequence[str] | str,
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        user: str | None = None,
        stdin: bytes = b"",
        within: float | None = None,
        on_output: OnOutput | None = None,
        keep: int = 4 * MIB,
        grader: bool = False,
        slow_after: int | None = None,
    ) -> Finished:
        """Run a command (a string goes through `sh -c`) until it ends; what it leaves in the background lives on.

        `env` is added to the image's environment. A command not done `within` its seconds is killed, with its group.
        `grader` gives it the grader's uid, and the power to read what the examinee left. After `slow_after` bytes its
        output is read slowly: who prints without end waits, and costs the host next to nothing.
        """
        argv = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
        asked = Command(argv, env or {}, cwd, user, stdin, within, on_output, keep, grader, slow_after)
        return await self._exec(asked)

    @abstractmethod
    async def _exec(self, command: Command) -> Finished:
        """Run a command of `exec`."""

    async def evaluate(
        self,
        code: str,
        *,
        env: Mapping[str, str],
        cwd: str,
        stdin: bytes = b"",
        within: float | None = None,
        utils: bool = False,
    ) -> Finished:
        """Run Python code as the grader, in the image's own interpreter, with nobody's settings but `env`.

        `utils`: the grading set in /utils comes first on its path.
        """
        return await self._evaluate(Evaluation(code, env, cwd, stdin, within, utils))

    async def _evaluate(self, asked: Evaluation) -> Finished:
        path = "import sys; sys.path.insert(0, '/utils'); " if asked.utils else ""
        command = [INTERPRETER, "-I", "-c", path + asked.code]
        return await self.exec(
            command, env=asked.env, cwd=asked.cwd, stdin=asked.stdin, within=asked.within, grader=True
        )

    @abstractmethod
    async def put(self, content: bytes | Path, path: str, *, mode: int = 0o644) -> None:
        """Write bytes, or a host's file or folder, to an absolute path inside, owned by the sandbox's root."""

    @abstractmethod
    async def unpack(self, archive: IO[bytes]) -> None:
        """Write the folders, files and links of a tar, whose names are paths from the root; all become root's.

        Anything else in it is left out.
        """

    @abstractmethod
    async def get(self, path: str, into: Path, *, limit: int | None = None) -> None:
        """Copy a file or folder of the sandbox to a folder on the host, links as links."""

    @abstractmethod
    async def remove(self, *paths: str) -> None:
        """Delete files and folders inside; a path that ends with a slash is a folder to be emptied."""

    @abstractmethod
    async def snapshot(self, into: Path, paths: Sequence[str], *, whole: bool = False, system: bool = False) -> Frozen:
        """Copy what the examinee left, with everything standing still meanwhile; it runs on afterwards.

        A link that would lead a reader of the copy anywhere but to these paths or to the system is replaced. Nothing an
        examinee can leave makes it fail: what is more than the limits allow, or cannot be copied, is left out. `whole`
        copies the image's own files too; `system` adds what was changed in the system's folders.
        """

    @abstractmethod
    async def connect(self, port: int) -> socket.socket:
        """A connection to a port on its loopback, for the host to use; `OSError` when nothing answers there."""

    @abstractmethod
    async def open_ports(self) -> list[int]:
        """The TCP ports something inside listens on."""

    @abstractmethod
    def used(self) -> dict[str, int]:
        """What it has used so far, as far as that is counted: `memory_peak`, `cpu_nanoseconds`."""

    async def stop(self) -> None:
        """End every process and give everything back. May be called at any time, more than once.

        Once begun it is carried through, also when whoever asked for it is cancelled.
        """
        if self._stopping is None or self._stopping.done():
            self._stopping = asyncio.create_task(self._stop())
        try:
            await asyncio.shield(self._stopping)
        except asyncio.CancelledError:
            await asyncio.wait({self._stopping})
            raise

    @abstractmethod
    async def _stop(self) -> None:
        """What `stop` is in this kind of sandbox."""


class Site(ABC):
    """Where one kind of sandbox is made in this process. Use as `async with`."""

    capabilities: Capabilities

    @abstractmethod
    async def __aenter__(self) -> Site: ...

    @abstractmethod
    async def __aexit__(self, *about: object) -> None: ...

    def keep_out(self, *paths: Path) -> None:  # noqa: B027  # most kinds of sandbox show nothing of the host
        """Show none of these paths of the host in a sandbox, nor what lies beside them."""

    async def forget(self, frozen: Frozen) -> None:  # noqa: B027  # most kinds of sandbox keep nothing of them
        """Give back what was kept to show these files again quickly."""

    @abstractmethod
    async def build(self, folder: Path, dockerfile: Dockerfile, *, within: float) -> BuiltImage:
        """Build a task's image, or find it in the cache. Raises `BuildError`."""

    @abstractmethod
    async def build_plain(self, instructions: Sequence[Instruction], *, within: float) -> BuiltImage:
        """An image that holds nothing of a task: the base, and what these RUN and ENV add. Raises `BuildError`."""

    @abstractmethod
    def sandbox(self, image: BuiltImage, **options: Unpack[SandboxOptions]) -> Sandbox:
        """A sandbox on an image, not yet started."""
