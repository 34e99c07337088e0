"""The CI runner of one trial: the company's jobs, in rooms of this trial's own sandbox.

It opens nothing before the first job waits. Jobs share what the examinee's room has, in halves: at most two at once,
each with half the memory, disk, processes and CPUs. On a stepped clock they run one after the other.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from dayjob.company.clock import Clock
from dayjob.company.journal import Role
from dayjob.company.world.model import WorldInfo
from dayjob.runner.execution import Settings
from dayjob.runner.forge_client import ForgeClient
from dayjob.runner.images import Images, Recipe
from dayjob.runner.runner import Allowance, Runner
from dayjob.sandbox.sandbox import BuiltImage, Limits, Sandbox, SandboxError, Site
from dayjob.trial.company_process import CompanyError, CompanyLost

AT_ONCE = 2
SETTLE_SECONDS = 60.0
"""How long jobs may take to end once the work has; the rest is stopped, as out of time."""
INIT_SECONDS = 300.0
"""How long the jobs of init scripts may take to end before the work begins."""
LONGEST_JOB = 600.0
_DOOR = "runner"


def share(limits: Limits) -> Limits:
    """What one job's room has of a trial's limits."""
    return Limits(
        memory=limits.memory // AT_ONCE,
        disk=limits.disk // AT_ONCE,
        file=limits.file // AT_ONCE,
        processes=limits.processes // AT_ONCE,
        cpus=limits.cpus / AT_ONCE,
        files=limits.files // AT_ONCE,
        open_files=limits.open_files,
    )


def images_of(world: WorldInfo, site: Site) -> Images:
    """A world's table of images, on a site."""
    table = [Recipe(one.names, one.packages, one.run, one.env) for one in world.ci_images.rows]
    return Images(site, table, world.ci_images.default)


class WithForge(Protocol):
    """A company as its runner sees it: a trial's in its process, or one that is served here."""

    on_jobs_waiting: Callable[[], None]
    jobs_over: Callable[[], Awaitable[None]] | None

    @property
    def clock(self) -> Clock: ...

    @property
    def world(self) -> WorldInfo: ...

    async def runner_token(self) -> str: ...

    async def jobs_told(self) -> None:
        """Return when it has said of every job that waits that it waits."""

    async def open(self, role: Role, sockets: Mapping[str, socket.socket], door: str = "") -> None: ...

    async def close_doors(self, door: str = "") -> None: ...


class TrialRunner:
    """Use as `async with`. `options` are what every room of the trial is made with."""

    def __init__(
        self, site: Site, company: WithForge, folder: Path, *, options: Mapping[str, Any] | None = None
    ) -> None:
        self.site = site
        self.company = company
        self.folder = folder
        self.options = dict(options or {})
        self.faults: list[str] = []
        self._runner: Runner | None = None
        self._opening: asyncio.Task[None] | None = None
        self._stack = AsyncExitStack()
        self._over = False

    async def __aenter__(self) -> TrialRunner:
        self.company.on_jobs_waiting = self.wake
        self.company.jobs_over = self.idle
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    def wake(self) -> None:
        """Jobs may be waiting: take them, and open what that needs if they are the first."""
        if self._over:
            return
        if self._runner is not None:
            self._runner.wake()
        elif self._opening is None:
            self._opening = asyncio.create_task(self._open())

    async def idle(self) -> None:
        """Return when no job of this company runs, and none that its runner may take is waiting."""
        if self._opening is not None:
            await asyncio.wait({self._opening})
        if self._runner is not None:
            await self._runner.idle()

    async def wait(self, seconds: float) -> None:
        """The same, and no longer than this."""
        with contextlib.suppress(TimeoutError, CompanyLost):  # who has lost the company is told when it is next asked
            async with asyncio.timeout(seconds):
                await self.company.jobs_told()  # what was pushed a moment ago may not have been heard of yet
                await self.idle()

    async def settle(self, seconds: float = SETTLE_SECONDS) -> None:
        """The work has ended: let jobs end too, for a while, and take no more."""
        await self.wait(seconds)
        await self._close()

    @property
    def used(self) -> dict[str, float]:
        if self._runner is None:
            return {}
        return {"jobs": self._runner.used.jobs, "seconds": round(self._runner.used.seconds, 3)}

    @property
    def notes(self) -> list[str]:
        return list(dict.fromkeys(self._runner.notes)) if self._runner is not None else []

    async def _close(self) -> None:
        self._over = True
        if self._opening is not None and not self._opening.done():
            self._opening.cancel()
            await asyncio.gather(self._opening, return_exceptions=True)
        await self._stack.aclose()
        if self._runner is not None:
            self.faults += [one for one in self._runner.faults if one not in self.faults]

    async def _open(self) -> None:
        """A door of the runner's own to the forge, and the runner behind it."""
        world = self.company.world
        try:
            token = await self.company.runner_token()
            path = self.folder / "runner.sock"
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
                sock.bind(str(path))
                path.chmod(0o600)
                sock.listen(16)
                await self.company.open("runner", {"forge": sock}, _DOOR)
            self._stack.push_async_callback(self._shut, _DOOR)
            client = await self._stack.enter_async_context(ForgeClient(world.url("forge"), token, path))
            images = images_of(world, self.site)
            self._stack.push_async_callback(images.close)
            runner = Runner(
                client,
                images,
                _TrialRooms(self),
                can_have_room=self._can_have_room,
                settings=Settings(longest=LONGEST_JOB, now=self._now, runner_name=f"{world.slug}-runner"),
                # Which of two jobs ends first is chance: on a stepped clock they run one after the other.
                allowance=Allowance(at_once=1 if self.company.clock.stepped else AT_ONCE),
            )
            self._runner = await self._stack.enter_async_context(runner)
            runner.wake()
        except CompanyLost:
            return  # whoever asks it next is told
        except (CompanyError, OSError) as error:
            self.faults.append(f"the runner could not be opened: {error}")

    async def _shut(self, door: str) -> None:
        with contextlib.suppress(CompanyLost):  # then it is shut already
            await self.company.close_doors(door)

    def _now(self) -> float:
        return self.company.clock.now().timestamp()

    async def _can_have_room(self) -> bool:
        """Whether a fresh room runs a command: then whatever went wrong was of the job's own making."""
        try:
            image = (await self.site.build_plain((), within=60)).without_grading()
            room = self.site.sandbox(image, name="ci-probe", kind="job", listen=None, limits=share(Limits()))
            try:
                await room.start()
                return (await room.exec(["/bin/true"], cwd="/", within=30)).ok
            finally:
                await room.stop()
        except (SandboxError, OSError):
            return False


class _TrialRooms:
    """Rooms for jobs, in the trial's sandbox."""

    def __init__(self, runner: TrialRunner) -> None:
        self.runner = runner

    def make(self, image: BuiltImage, host: str, port: int) -> Sandbox:
        return self.runner.site.sandbox(
            image,
            name="ci-job",
            kind="job",
            listen=[port],
            hosts={host: "127.0.0.1"},
            limits=share(Limits()),
            withheld=(*image.withheld, "/instruction/"),
            **self.runner.options,
        )

    @asynccontextmanager
    async def forge(self, sandbox: Sandbox) -> AsyncIterator[None]:
        company, door = self.runner.company, f"job-{secrets.token_hex(6)}"
        (sock,) = (await sandbox.start()).listeners.values()
        with sock:
            try:
                await company.open("runner", {"forge": sock}, door)
                yield
            finally:
                # For everybody who holds it, so that nothing in the room finds even a port that nobody answers at.
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
                with contextlib.suppress(CompanyLost):
                    await company.close_doors(door)
