"""A job's log on its way to the forge: masked, bounded, sent while the job runs.

What the forge answers says whether the job was cancelled meanwhile.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable, Iterator

from dayjob.runner.forge_client import ForgeClient, ForgeGone, JobOver
from dayjob.runner.masking import Masking
from dayjob.runner.payload import Job
from dayjob.runner.shell import CYAN, RESET, YELLOW

LIMIT = 4_000_000
"""How long a log may be: a little less than the forge takes, so that there is room for how the job ended."""
_OUR_OWN = 64 * 1024  # what the runner itself may say beyond the limit, so that a log tells how its job ended
_EVERY = 0.25  # seconds between two parts of a log
_LOOK_EVERY = 1.0  # seconds after which a silent job's state is asked for
_LARGEST_PART = 512 * 1024
_MOST_TRIES = 3  # for a part that the forge does not add

CANCELLED = ("canceled", "canceling", "failed")


class Trace:
    """One job's log. Use as `async with`: leaving it sends the rest."""

    def __init__(self, forge: ForgeClient, job: Job, now: Callable[[], float], secrets: Iterable[str] = ()) -> None:
        self.forge = forge
        self.job = job
        self.cancelled = asyncio.Event()
        self.state = ""
        """What the forge says the job is, once it is no longer running."""
        self.full = False
        self._now = now
        self._masking = Masking([*job.secrets(), *secrets])
        self._log = bytearray()
        self._sent = 0
        self._behind = 0
        self._sending: asyncio.Task[None] | None = None
        self._more = asyncio.Event()

    async def __aenter__(self) -> Trace:
        self._sending = asyncio.create_task(self._send_on())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.gather(self._sending, return_exceptions=True)
        self._log += self._masking.rest()
        with contextlib.suppress(ForgeGone, JobOver):
            while self._sent < len(self._log):
                await self._send_part()

    def output(self, data: bytes) -> None:
        """What the job itself prints."""
        if self.full:
            return
        self._log += self._masking.feed(data)
        if len(self._log) > LIMIT:
            self.full = True
            del self._log[LIMIT:]
            self.say(
                f"\n{YELLOW}Job's log exceeded limit of {LIMIT} bytes.\n"
                f"Job execution will continue but no more output will be collected.{RESET}"
            )
        self._more.set()

    def say(self, text: str) -> None:
        """A line of the runner's own."""
        # What the job printed before comes first, however it ends.
        self._log += self._masking.rest() if not self.full else b""
        if len(self._log) < LIMIT + _OUR_OWN:
            self._log += self._masking.feed(f"{text}\n".encode("utf-8", "replace")) + self._masking.rest()
        self._more.set()

    @contextlib.contextmanager
    def section(self, name: str, title: str) -> Iterator[None]:
        """A part of the log that pages can fold."""
        self.say(f"\x1b[0Ksection_start:{int(self._now())}:{name}\r\x1b[0K{CYAN}{title}{RESET}")
        try:
            yield
        finally:
            self._log += b"" if self.full else self._masking.rest()
            self._log += f"\x1b[0Ksection_end:{int(self._now())}:{name}\r\x1b[0K".encode()
            self._more.set()

    async def _send_on(self) -> None:
        """Send what there is, and ask after the job when there is nothing to send."""
        try:
            while True:
                # Not `wait_for`, which may take its own cancelling for an answer (Python 3.11).
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK_EVERY):
                        await self._more.wait()
                began = time.monotonic()
                self._more.clear()
                if self._sent < len(self._log):
                    await self._send_part()
                else:
                    self._heard(await self.forge.update(self.job, "running"))
                await asyncio.sleep(max(0.0, _EVERY - (time.monotonic() - began)))
        except JobOver:
            self._heard("canceled")
        except ForgeGone:
            self._heard("failed")

    async def _send_part(self) -> None:
        part = bytes(self._log[self._sent : self._sent + _LARGEST_PART])
        there, state = await self.forge.append(self.job, part, self._sent)
        self._behind = self._behind + 1 if there <= self._sent else 0
        if self._behind > _MOST_TRIES:
            raise ForgeGone(f"the log of job {self.job.id} does not grow")
        self._sent = min(there, len(self._log))
        self._heard(state)
        if self._sent < len(self._log):
            self._more.set()

    def _heard(self, state: str) -> None:
        if state in CANCELLED and not self.cancelled.is_set():
            self.state = state
            self.cancelled.set()
