"""The runner itself: sleeps until it is told that jobs wait, then takes jobs until there are none.

Nothing is asked, started or spent while nobody pushes. A job that cannot be carried out because of what it is fails in
its own log; only a room that cannot be had at all, by any job, is a fault of the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from dayjob.runner.execution import Ended, Execution, Failure, Rooms, Settings
from dayjob.runner.forge_client import ForgeClient, ForgeGone, JobOver
from dayjob.runner.images import Images
from dayjob.runner.payload import Job
from dayjob.runner.shell import RED, RESET
from dayjob.runner.trace import Trace
from dayjob.sandbox.sandbox import SandboxError

_LAST_WORDS = 10.0  # seconds to tell the forge how jobs ended that were stopped


@dataclass(frozen=True, slots=True)
class Allowance:
    """What all jobs together may have."""

    at_once: int = 2
    jobs: int = 500
    seconds: float = 7200.0


@dataclass(slots=True)
class Used:
    """What they have had so far."""

    jobs: int = 0
    seconds: float = 0.0


class Runner:
    """Use as `async with`; `wake` says that jobs may be waiting. Leaving it stops what still runs."""

    def __init__(
        self,
        forge: ForgeClient,
        images: Images,
        rooms: Rooms,
        *,
        can_have_room: Callable[[], Awaitable[bool]],
        settings: Settings | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        self.forge = forge
        self.images = images
        self.rooms = rooms
        self.can_have_room = can_have_room
        self.settings = settings or Settings()
        self.allowance = allowance or Allowance()
        self.used = Used()
        self.faults: list[str] = []
        """What went wrong by no doing of a job's, in sentences."""
        self.notes: list[str] = []
        """What whoever reads about the trial should know."""
        self._waiting = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._running: set[asyncio.Task[None]] = set()
        self._taking: asyncio.Task[None] | None = None
        self._closed = False

    async def __aenter__(self) -> Runner:
        self._taking = asyncio.create_task(self._take_on())
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def wake(self) -> None:
        """Jobs may be waiting."""
        if not self._closed:
            self._idle.clear()
            self._waiting.set()

    async def idle(self) -> None:
        """Return when no job runs, and none that this runner may take is waiting."""
        await self._idle.wait()

    async def stop(self) -> None:
        """Take nothing more, and end what runs; each such job is told to the forge as out of time."""
        self._closed = True
        ending = [one for one in (self._taking, *self._running) if one is not None and not one.done()]
        for one in ending:
            one.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        self._taking = None
        self._idle.set()

    # -- taking jobs -----------------------------------------------------------------------------------------------

    async def _take_on(self) -> None:
        while True:
            await self._waiting.wait()
            self._waiting.clear()
            try:
                while len(self._running) < self.allowance.at_once:
                    job = await self.forge.request_job()
                    if job is None:
                        break
                    self._begin(job)
            except ForgeGone as error:
                # A company that is gone is told of by its own process; one that answers nonsense is a fault.
                self.notes.append(f"the runner could not take a job: {error}")
            if not self._running and not self._waiting.is_set():
                self._idle.set()

    def _begin(self, job: Job) -> None:
        task = asyncio.create_task(self._carry_out(job))
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            # By what a job is or does, as far as anybody can know: no fault, or whoever wrote it could call for one.
            self.notes.append(f"the runner failed at a job: {type(error).__name__}: {error}"[:500])
        # There is a place again, and what waited for this job may be waiting for a runner now.
        self.wake()

    # -- one job ---------------------------------------------------------------------------------------------------

    async def _carry_out(self, job: Job) -> None:
        self.used.jobs += 1
        began = time.monotonic()
        ended = Ended("job_execution_timeout", 1, "the runner was stopped")
        try:
            async with Trace(self.forge, job, self.settings.now) as trace:
                try:
                    ended = await self._run(job, trace)
                except asyncio.CancelledError:
                    trace.say(f"{RED}ERROR: Job failed: the runner was stopped before the job had ended{RESET}")
                    raise
        except (ForgeGone, JobOver):
            return  # cancelled or erased: there is nobody to tell
        finally:
            self.used.seconds += time.monotonic() - began
            await asyncio.shield(self._tell(job, ended))

    async def _run(self, job: Job, trace: Trace) -> Ended:
        allowed = self.allowance
        if self.used.jobs > allowed.jobs or self.used.seconds > allowed.seconds:
            sentence = f"the {allowed.jobs} jobs or {allowed.seconds:g} seconds that jobs may have here are used up"
            trace.say(f"{RED}ERROR: Job failed: {sentence}{RESET}")
            return Ended("ci_quota_exceeded", 1, sentence)
        try:
            return await Execution(job, self.forge, self.images, self.rooms, self.settings).run(trace)
        except (SandboxError, OSError) as error:
            # A job can break its own room in more ways than can be listed: a fresh one tells whose fault it is.
            if not await self.can_have_room():
                self.faults.append(f"a job's room could not be had: {error}")
            sentence = " ".join(str(error).split())[:500]
            trace.say(f"{RED}ERROR: Job failed (system failure): {sentence}{RESET}")
            return Failure("runner_system_failure", sentence).ended

    async def _tell(self, job: Job, ended: Ended) -> None:
        facts = {} if ended.ok else {"failure_reason": ended.reason or "script_failure", "exit_code": ended.exit_code}
        with contextlib.suppress(ForgeGone, JobOver, TimeoutError):
            async with asyncio.timeout(_LAST_WORDS):
                await self.forge.update(job, "success" if ended.ok else "failed", **facts)
