"""The runner beside `dayjob company serve`: the same as a trial's, on a company of this very process."""

from __future__ import annotations

import shutil
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from dayjob import owned
from dayjob.company.forge.service import Forge
from dayjob.company.host import Door, Host
from dayjob.company.world.snapshot import default_cache
from dayjob.sandbox.choose import make_site
from dayjob.sandbox.sandbox import SandboxError
from dayjob.trial.ci_runner import TrialRunner
from dayjob.trial.listeners import Gates

if TYPE_CHECKING:
    from dayjob.company.clock import Clock
    from dayjob.company.company import Company
    from dayjob.company.journal import Role
    from dayjob.company.world.model import WorldInfo


class _Served:
    """A served company, as a runner sees it."""

    def __init__(self, company: Company, host: Host) -> None:
        self.company = company
        self.host = host
        self.jobs_over: Callable[[], Awaitable[None]] | None = None
        self._doors: dict[str, Gates] = {}

    @property
    def world(self) -> WorldInfo:
        return self.company.world

    @property
    def clock(self) -> Clock:
        return self.company.clock

    @property
    def on_jobs_waiting(self) -> Callable[[], None]:
        return self.company.on_jobs_waiting

    @on_jobs_waiting.setter
    def on_jobs_waiting(self, wake: Callable[[], None]) -> None:
        self.company.on_jobs_waiting = wake

    async def jobs_told(self) -> None:
        """It tells in the same process, at once."""

    async def runner_token(self) -> str:
        forge = self.company.service("forge")
        assert isinstance(forge, Forge)
        return forge.instance_runner_token()

    async def open(self, role: Role, sockets: Mapping[str, socket.socket], door: str = "") -> None:
        gates = self._doors[door] = Gates(self.host)
        for name, sock in sockets.items():
            door_to = Door(self.company, self.company.service(name), role)
            await gates.answer(sock.dup(), door_to, self.company.clock.seconds)

    async def close_doors(self, door: str = "") -> None:
        if (gates := self._doors.pop(door, None)) is not None:
            await gates.close()


@asynccontextmanager
async def served_runner(company: Company, host: Host) -> AsyncIterator[str]:
    """Run the company's jobs in rooms of this machine; gives a sentence about it, also when there can be no rooms."""
    async with AsyncExitStack() as stack:
        try:
            site = await stack.enter_async_context(make_site("embedded", default_cache()))
        except SandboxError as error:
            yield f"jobs wait for a runner of your own: {error}"
            return
        folder = owned.folder("runner")
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        runner = await stack.enter_async_context(TrialRunner(site, _Served(company, host), folder))
        company.jobs_over = runner.idle
        yield "jobs run in rooms of this machine, without a network; --no-runner leaves them to a runner of your own"
