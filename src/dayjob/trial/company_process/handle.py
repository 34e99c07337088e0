"""A trial's company as its driver sees it: what it can be asked, and how it was lost when it is."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import tarfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dayjob.company.clock import Clock, moment
from dayjob.company.journal import Phase, Role
from dayjob.company.world.model import WorldInfo
from dayjob.company.world.snapshot import Snapshot
from dayjob.llm.faults import Label, ModelFault
from dayjob.sandbox.cgroups import Cgroup
from dayjob.trial.company_process.channel import Channel, ChannelClosed, Operation, Refused
from dayjob.trial.company_process.log import Kept
from dayjob.trial.liveness import Liveness

_LOOK_EVERY = 1.0
_LAST_WORDS = 5.0

# What a person's programs do to themselves when they go too far; anything else came from outside.
_BROKEN = {-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGILL, -signal.SIGFPE, -signal.SIGSYS}

Complete = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class CompanyError(Exception):
    """What the company says no to, such as colleagues who cannot come."""


class CompanyLost(Exception):
    """The company's process is gone. `exhausted`: by what it was made to do, not by a fault of the machinery."""

    def __init__(self, sentence: str, *, exhausted: bool) -> None:
        super().__init__(sentence)
        self.exhausted = exhausted


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong in a company while its examinee worked."""

    trouble: str
    """What could not be written down."""
    unseen: int
    """How many changes the journal had no room for: nobody can say any more what the examinee did."""
    faults: list[tuple[str, str]]
    """What colleagues could not do, by no fault of the examinee: a label and a sentence each."""
    notes: list[str]
    """What they could not do because of what the examinee did."""


@dataclass(frozen=True, slots=True)
class Looked:
    """What a company said of itself when a copy of it was made."""

    changed: int
    """How many changes there were until then, whoever made them."""
    now: str


class TrialCompany:
    """One company in a process of its own."""

    def __init__(
        self, sock: socket.socket, snapshot: Snapshot, clock: Clock, cgroup: Cgroup | None, page: Path
    ) -> None:
        self.snapshot = snapshot
        self.clock = clock
        self.page = page
        """The file its process writes its time to, for its rooms."""
        self.phase: Phase = "init"
        self.control_token = ""
        self.everybody = False
        """Whether people without a part in the task answer too."""
        self.missing: list[str] = []
        """What of its limits cannot be enforced on this machine."""
        self.complete: Complete | None = None
        """How its colleagues reach their model."""
        self.on_jobs_waiting: Callable[[], None] = lambda: None
        """Called when jobs may be waiting for a runner."""
        self.on_changed: Callable[[], Awaitable[None]] | None = None
        """Called when the examinee has changed something and waits for its answer, where `tell_changes` was asked."""
        self.jobs_over: Callable[[], Awaitable[None]] | None = None
        """Returns when no job runs or waits; None where nobody runs jobs."""
        self.moments: list[tuple[float, str, str]] = [(time.monotonic(), clock.stamp(), clock.stamp())]
        """Its start and every time its clock was taken forward: when here (monotonic), from when and to when there."""
        self.pid = 0
        self.ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        """Its exit code, once it has ended."""
        self.log = Kept()
        """What its code has logged."""
        self._cgroup = cgroup
        self._hello = asyncio.Event()
        self._life = Liveness(0)
        self._stopped = False
        self._telling: set[asyncio.Task[None]] = set()
        self._lost: CompanyLost | None = None
        self._channel = Channel(sock, self._operation, at_once=64)
        self._watching: asyncio.Task[None] | None = None

    @property
    def world(self) -> WorldInfo:
        return self.snapshot.info

    # -- life ----------------------------------------------------------------------------------------------------

    async def begin(self, pid: int) -> None:
        """Wait for its first sign of life."""
        self.pid = pid
        self._life = Liveness(pid)
        self._watching = asyncio.create_task(self._watch())
        waiting = [asyncio.ensure_future(one.wait()) for one in (self._hello, self._channel.closed)]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waiting:
                one.cancel()
        if not self._hello.is_set():
            raise await self.loss()

    async def stop(self) -> None:
        """End it and everything it has started."""
        self._stopped = True
        if self._watching is not None:
            self._watching.cancel()
        self._channel.close()
        self._kill()
        if self._cgroup is not None:
            await asyncio.to_thread(self._cgroup.remove)
            self._cgroup = None

    def _kill(self) -> None:
        if self.pid:
            for kill in (os.kill, os.killpg):
                if not self.ended.done() or kill is os.killpg:
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        kill(self.pid, signal.SIGKILL)

    async def _watch(self) -> None:
        """Notice a loop that does not turn, and end its process."""
        while not self._channel.closed.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._channel.closed.wait(), _LOOK_EVERY)
            if stuck := self._life.stuck():
                self._lost = CompanyLost(f"a request kept it from answering anybody {stuck}", exhausted=True)
                self._channel.close()
                self._kill()

    async def loss(self) -> CompanyLost:
        """Why it is gone. Waits for the process to end, which it does when its channel has closed."""
        if self._lost is None:
            self._lost = await self._diagnose()
        return self._lost

    async def _diagnose(self) -> CompanyLost:
        try:
            code = await asyncio.wait_for(asyncio.shield(self.ended), _LAST_WORDS)
        except TimeoutError:
            self._kill()
            return CompanyLost("its process closed the channel and did not end", exhausted=True)
        if self._cgroup is not None and self._cgroup.ran_out_of_memory():
            return CompanyLost("it needed more memory than a company may have", exhausted=True)
        if code in _BROKEN or code > 0:
            how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            return CompanyLost(f"its process broke down ({how})", exhausted=True)
        return CompanyLost(f"its process was ended from outside ({code})", exhausted=False)

    async def until_lost(self) -> None:
        """Return when the process is gone, or stuck and therefore ended."""
        await self._channel.closed.wait()

    @property
    def lost(self) -> bool:
        return self._channel.closed.is_set() and not self._stopped

    def used(self) -> dict[str, int]:
        """What it has used so far, as far as that is counted."""
        return self._cgroup.used() if self._cgroup is not None else {}

    # -- what it tells and asks ----------------------------------------------------------------------------------

    def _operation(self, name: str) -> Operation | None:
        known: dict[str, Operation] = {
            "hello": self._said_hello,
            "beat": self._said_beat,
            "log": self._said_log,
            "complete": self._asked_to_complete,
            "jobs_waiting": self._said_jobs_waiting,
            "jobs_over": self._asked_for_jobs_over,
            "moved": self._said_moved,
            "changed": self._said_changed,
        }
        return known.get(name)

    async def _said_hello(self, missing: list[str]) -> None:
        self.missing = [str(one) for one in missing]
        self._hello.set()

    async def _said_beat(self) -> None:
        self._life.beat()

    async def _said_moved(self, before: str, now: str) -> None:
        self.clock.skip_to(moment(now))
        self.moments.append((time.monotonic(), str(before), str(now)))

    async def _said_changed(self) -> None:
        if self.on_changed is not None:
            await self.on_changed()

    async def _said_log(self, text: str) -> None:
        self.log.add(str(text))

    async def _said_jobs_waiting(self) -> None:
        self.on_jobs_waiting()

    async def _asked_for_jobs_over(self) -> None:
        if self.jobs_over is not None:
            await self.jobs_over()

    async def _asked_to_complete(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.complete is None:
            raise Refused(Label.UNCONFIGURED, "No model is configured for colleagues (role npc).")
        try:
            return await self.complete(body)
        except ModelFault as fault:
            raise Refused(fault.label, fault.sentence) from None

    # -- what it can be asked ------------------------------------------------------------------------------------

    async def _call(self, operation: str, **arguments: Any) -> Any:
        try:
            return await self._channel.call(operation, **arguments)
        except ChannelClosed:
            raise await self.loss() from None
        except Refused as refusal:
            raise CompanyError(str(refusal)) from None

    async def restore(self, folder: Path) -> None:
        """Begin from a company's folder, as `pack` left it."""
        reading, writing = os.pipe()

        def send() -> None:
            # An error on the other side closes the pipe, and is told there.
            with (
                contextlib.suppress(BrokenPipeError),
                open(writing, "wb") as out,
                tarfile.open(fileobj=out, mode="w|") as tar,
            ):
                tar.add(folder, arcname=".")

        sending = asyncio.create_task(asyncio.to_thread(send))
        try:
            await self._call("restore", fds=[reading])
        finally:
            os.close(reading)
            await sending

    async def copy(self, out: int) -> None:
        """Write all that it is at a moment of rest to a descriptor, for `go_on` of another; it goes on itself."""
        await self._call("copy", fds=[out])

    async def look(self, out: int) -> Looked:
        """Write what graders need of it to a descriptor, for `go_on` of another, and wait for next to nothing."""
        found = await self._call("look", fds=[out])
        return Looked(int(found["changed"]), str(found["now"])[:64])

    async def tell_changes(self, told: bool) -> None:
        """Whether `on_changed` is called."""
        await self._call("tell_changes", told=told)

    async def go_on(self, copy: int, scenarios: Mapping[str, Any], complete: Complete | None) -> None:
        """Become the company that `copy` wrote, before anything else is asked of this one."""
        self.complete = complete
        now = await self._call("go_on", fds=[copy], scenarios={**scenarios}, model=complete is not None)
        self.clock.skip_to(moment(now))

    async def digests(self, *, secrets: bool) -> dict[str, str]:
        """A hash of each part of its state, at a moment of rest; of its secrets too, or of what a seed repeats."""
        found: dict[str, str] = await self._call("digests", secrets=secrets)
        return found

    async def not_ready(self, names: tuple[str, ...]) -> list[str]:
        """Which of these services do not answer."""
        found: list[str] = await self._call("ready", names=list(names))
        return found

    async def reset(self, *names: str) -> None:
        await self._call("reset", names=list(names))

    async def set_secrets(self, accounts: Mapping[str, Mapping[str, Any]]) -> None:
        """A new control token, and other secrets than the world's files say for these services' own accounts."""
        self.control_token = secrets.token_urlsafe(24)
        await self._call("secrets", token=self.control_token, accounts={**accounts})

    async def enter(self, phase: Phase) -> None:
        await self._call("phase", phase=phase)
        self.phase = phase

    def pause(self, still: bool) -> None:
        """Stop the company's clock, or let it go on; its process hears of it in a moment."""
        self.clock.pause(still)
        self._tell("pause", still=still)

    def forward(self, ports: Mapping[str, int]) -> None:
        """The examinee reaches services at these ports as well: their pages link to one another there."""
        self._tell("forward", ports={**ports})

    def _tell(self, what: str, **about: Any) -> None:
        telling = asyncio.create_task(self._channel.tell(what, **about))
        self._telling.add(telling)
        telling.add_done_callback(self._told)

    def _told(self, telling: asyncio.Task[None]) -> None:
        self._telling.discard(telling)
        if not telling.cancelled():
            telling.exception()  # a company that is gone has no clock

    async def now(self) -> str:
        """What its clock says."""
        found: str = await self._call("now")
        return found

    def note_moment(self, now: str) -> None:
        """Write down what its clock says now, beside the host's."""
        self.moments.append((time.monotonic(), now, now))

    async def was_asked(self, role: Role) -> bool:
        """Whether anybody has come through a door of this role."""
        return bool(await self._call("asked", role=role))

    async def changes(self, by_role: Role | None = None) -> list[dict[str, Any]]:
        """What is different since work began, each with a sentence that says so; `by_role` counts that role alone."""
        found: list[dict[str, Any]] = await self._call("changes", by_role=by_role)
        return found

    async def trouble(self) -> Trouble:
        found = await self._call("trouble")
        faults = [(str(label), str(sentence)) for label, sentence in found["faults"]]
        return Trouble(str(found["trouble"]), int(found["unseen"]), faults, [str(note) for note in found["notes"]])

    async def pack(self, out: int) -> None:
        """Write it as it is now to a descriptor, as a tar; a reader that closes its end ends that."""
        await self._call("pack", fds=[out])

    async def open(self, role: Role, sockets: Mapping[str, socket.socket], door: str = "") -> None:
        """Answer on these listening sockets, by the service's name, in one role.

        What was open under the same name of a door is closed before.
        """
        fds = [sock.fileno() for sock in sockets.values()]
        await self._call("open", role=role, names=list(sockets), door=door, fds=fds)

    async def close_doors(self, door: str = "") -> None:
        """Stop answering there. When this returns no request that came through it is still at work."""
        await self._call("close", door=door)

    async def runner_token(self) -> str:
        """What this trial's runner takes jobs with; nobody else is told."""
        return str(await self._call("runner_token"))

    async def jobs_told(self) -> None:
        """Return when it has said of every job that waits that it waits."""
        await self._call("jobs_told")

    async def bring_colleagues(self, scenarios: Mapping[str, Any], complete: Complete | None) -> dict[str, Any]:
        """`usernames`, `minds` and `prompts` of everybody who has come. Raises `CompanyError` when they cannot."""
        self.complete = complete
        found: dict[str, Any] = await self._call("arrive", scenarios={**scenarios}, model=complete is not None)
        return found

    async def begin_work(self) -> None:
        """The examinee begins: colleagues who write first count from now on."""
        await self._call("begin")
