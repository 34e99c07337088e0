"""The driver's side of the warm process, which is started again should it die."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from dayjob import clock_page
from dayjob.company.clock import Clock
from dayjob.company.journal import Phase
from dayjob.company.world.snapshot import Snapshot
from dayjob.sandbox.cgroups import Cgroup, available
from dayjob.sandbox.sandbox import MIB, Limits
from dayjob.service_names import NAMES
from dayjob.task.settings import Time
from dayjob.trial.company_process.channel import Channel, ChannelClosed, Operation
from dayjob.trial.company_process.confine import Allowance
from dayjob.trial.company_process.handle import CompanyLost, TrialCompany

# Where to look for modules comes over standard input: what is on a command line can be read by everybody.
_START = (
    "import json, sys; sys.path[:] = json.load(sys.stdin); "
    "from dayjob.trial.company_process.warm import main; main(sys.argv[1:])"
)
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/"}

# Found in each folder of modules that a company needs.
_PACKAGES = ("dayjob", "starlette", "pygit2", "uvloop")

MEMORY = 768 * MIB
"""What one company may hold in memory, besides its files."""
PROCESSES = 256
OPEN_FILES = 4096


def _module_folders() -> list[str]:
    """Where Python's own modules and those of companies are; the current folder and others are nobody's business."""
    own = tuple(f"{Path(prefix).resolve()}/" for prefix in (sys.prefix, sys.base_prefix))
    folders = [str(Path(one or ".").resolve()) for one in sys.path]
    return [one for one in folders if f"{one}/".startswith(own) or any(Path(one, name).is_dir() for name in _PACKAGES)]


class _Warm:
    """A warm process, and the socket to it."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.sock, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-c", _START, str(theirs.fileno())],
                env=_ENVIRONMENT,
                cwd="/",
                stdin=subprocess.PIPE,
                stdout=2,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError), self.process.stdin as said:
            said.write(json.dumps(_module_folders()).encode())

    @property
    def usable(self) -> bool:
        return self.owner == os.getpid() and self.process.poll() is None

    def end(self) -> None:
        """It ends by itself when its socket closes, and its companies with it."""
        self.sock.close()
        if self.owner == os.getpid():
            self.process.wait()


# Loading takes most of a second: whoever opens companies next in this process finds it done.
_idle: list[_Warm] = []


@atexit.register
def _end_idle() -> None:
    while _idle:
        _idle.pop().end()


class CompanyProcesses:
    """Opens companies for trials. Use as `async with`."""

    def __init__(self) -> None:
        self._warm: _Warm | None = None
        self._channel: Channel | None = None
        self._companies: dict[int, TrialCompany] = {}

    async def __aenter__(self) -> CompanyProcesses:
        self._begin()  # it loads while the first trial's image is found
        return self

    async def __aexit__(self, *_: object) -> None:
        open_still = tuple(self._companies.values())
        for company in open_still:
            await company.stop()
        # What is told of them is heard to the end, so that the next to use the process hears of its own alone.
        if open_still:
            await asyncio.wait([company.ended for company in open_still], timeout=10)
        if self._channel is not None and self._warm is not None:
            if self._channel.let_go():
                _idle.append(self._warm)
            else:
                await asyncio.to_thread(self._warm.end)

    async def expect(self, services: Sequence[str]) -> None:
        """Have what these services need loaded: a company with them will be opened soon."""
        with contextlib.suppress(ChannelClosed):  # then it is started again, and loads them when it is asked
            await self._begin().tell("load", services=list(services))

    async def open(
        self,
        snapshot: Snapshot,
        folder: Path,
        *,
        services: Sequence[str] = NAMES,
        seed: str,
        journal: Path,
        colleagues: Path | None,
        phase: Phase,
        now: datetime | None = None,
        kept: bool = False,
        copied: bool = False,
        limits: Limits | None = None,
        passing: Time | None = None,
        way_out: int = 0,
        everybody: bool = False,
    ) -> TrialCompany:
        """A company of its own. `folder` holds the page with its time, and what else it writes where it cannot have a
        disk of its own.

        `kept`: it goes on from what `restore` brings it; `copied`: from what `go_on` does. `passing`: how its time
        passes. `way_out`: the port that leads out of its rooms, if one does. `everybody`: people without a part in the
        task answer too.
        """
        limits = limits or Limits()
        passing = passing or Time()
        clock = Clock(now or snapshot.info.now, stepped=passing.clock == "stepped")
        allowance = Allowance(MEMORY, limits.disk, limits.files, PROCESSES, OPEN_FILES)
        cgroup = _group(limits)
        ours, theirs = socket.socketpair()
        page = folder / "clock"
        company = TrialCompany(ours, snapshot, clock, cgroup, page)
        company.phase, company.everybody = phase, everybody
        fds = [theirs.detach()]
        try:
            os.makedirs(folder, exist_ok=True)
            clock_page.make(page, way_out)
            fds += [_append(journal, os.O_RDWR), _append(colleagues or Path(os.devnull), os.O_WRONLY)]
            fds.append(os.open(page, os.O_RDWR | os.O_CLOEXEC))
            answer = await self._begin().call(
                "fork",
                fds=fds,
                services=list(services),
                allowance=asdict(allowance),
                snapshot=str(snapshot.path.resolve()),
                key=snapshot.key,
                folder=str(folder),
                groups=cgroup.doors if cgroup is not None else [],
                seed=seed,
                phase=phase,
                now=clock.start.isoformat(),
                everybody=everybody,
                origin=clock.origin,
                kept=kept,
                copied=copied,
                time={
                    "stepped": clock.stepped,
                    "longest": passing.longest.total_seconds(),
                    "hours": passing.answers == "hours",
                    "look": passing.look.total_seconds(),
                },
            )
            self._companies[answer["pid"]] = company
        except ChannelClosed:
            await company.stop()
            raise CompanyLost("the process that companies are forked from has ended", exhausted=False) from None
        except BaseException:
            await company.stop()
            raise
        finally:
            # Closed here before anybody waits for it, so that its end is noticed.
            for fd in fds:
                os.close(fd)
        try:
            await company.begin(answer["pid"])
        except BaseException:
            await company.stop()
            raise
        return company

    # -- the warm process ----------------------------------------------------------------------------------------

    def _begin(self) -> Channel:
        """The channel to a warm process that lives."""
        if self._channel is None or self._warm is None or self._channel.closed.is_set():
            if self._warm is not None:
                self._warm.end()
            while _idle and not _idle[-1].usable:
                _idle.pop().end()
            self._warm = _idle.pop() if _idle else _Warm()
            self._channel = Channel(self._warm.sock, self._operation)
        return self._channel

    def _operation(self, name: str) -> Operation | None:
        return self._has_ended if name == "ended" else None

    async def _has_ended(self, pid: int, code: int) -> None:
        company = self._companies.pop(pid, None)
        if company is not None and not company.ended.done():
            company.ended.set_result(code)


def _group(limits: Limits) -> Cgroup | None:
    """A control group for one company, beside its examinee's."""
    if not available():
        return None
    share = Limits(memory=MEMORY, disk=limits.disk, processes=PROCESSES, cpus=1.0)
    return Cgroup(f"company-{secrets.token_hex(6)}", share)


def _append(path: Path, mode: int) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    return os.open(path, mode | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
