"""Inside a company's process: the company, its doors and its colleagues, doing what the driver asks for."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import os
import shutil
import socket
import tarfile
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from dayjob.clock_page import ClockPage
from dayjob.company.archive import write_archive
from dayjob.company.clock import Clock, moment, stamp
from dayjob.company.company import Company
from dayjob.company.control import Control
from dayjob.company.copying import digests, read_memory, recall, recall_secrets, repeatable, size_of, write_copy
from dayjob.company.host import Door, Host
from dayjob.company.journal import Phase, Role
from dayjob.company.world.model import WorldInfo
from dayjob.company.world.snapshot import Snapshot
from dayjob.http.server import bind
from dayjob.llm.faults import Label, ModelFault
from dayjob.npc.cast import Cast, CastError
from dayjob.task.scenario import ScenarioError, read_scenarios
from dayjob.trial.company_process.channel import Channel, ChannelClosed, Operation, Refused
from dayjob.trial.company_process.confine import OWN, SNAPSHOT
from dayjob.trial.company_process.log import ToDriver
from dayjob.trial.listeners import Gates

_BEAT = 1.0  # seconds between two signs of life
_MOST_TOLD = 10
_REST = 10.0  # seconds that what is under way may take before the company is copied without it
_MOST_LOOKED_AT = 128 * 1024 * 1024
"""Bytes. Nothing else happens in the company while it is copied, and the examinee waits."""
_BREATH = 0.01
_GLANCE = 0.25  # the same where the examinee is kept waiting meanwhile


def run(asked: dict[str, Any], fds: Sequence[int], missing: list[str], rooted: bool) -> None:
    """Serve one company until the driver closes the channel.

    `fds`: the channel, the journal, the colleagues' log, the page with the company's time.
    """
    import uvloop

    # What servers say about requests is caused by whoever sends them: it is for the evidence, not for a terminal.
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(silence, stream)
    channel, journal, colleagues, page = fds
    own = Path(OWN if rooted else asked["folder"])
    tempfile.tempdir = str(own / "tmp")
    os.makedirs(tempfile.tempdir, exist_ok=True)
    path = Path(SNAPSHOT if rooted else asked["snapshot"])
    info = WorldInfo.from_json((path / "world.json").read_text("utf-8"))
    snapshot = Snapshot(path, asked["key"], info)
    clock = Clock(moment(asked["now"]), asked["origin"], stepped=asked["time"]["stepped"], page=ClockPage(page))
    os.close(page)

    async def main() -> None:
        served = _Served(socket.socket(fileno=channel), asked, snapshot, own / "state", journal, colleagues, clock)
        await served.live(missing)
        # Everything is written down already; whoever is still connected hears of the end from the kernel.
        os._exit(0)

    uvloop.run(main())


@dataclass(eq=False)
class _Served:
    sock: socket.socket
    asked: Mapping[str, Any]
    snapshot: Snapshot
    folder: Path
    journal: int
    evidence: int
    clock: Clock

    def __post_init__(self) -> None:
        self._company: Company | None = None
        self._cast: Cast | None = None
        self._door_of_colleagues: str | None = None
        self._news = self._had_jobs = False
        self._loop = asyncio.get_running_loop()
        self._telling_of_jobs: asyncio.Task[None] | None = None
        self._telling: set[asyncio.Future[None]] = set()
        self._stack = AsyncExitStack()
        self.host = Host()
        self.doors: dict[str, Gates] = {}
        self.channel = Channel(self.sock, self._operation, descriptors=True)
        logging.getLogger().addHandler(ToDriver(self.channel))

    async def live(self, missing: list[str]) -> None:
        await self._stack.enter_async_context(self.host)
        with contextlib.suppress(ChannelClosed):
            await self.channel.tell("hello", missing=missing)
            while not self.channel.closed.is_set():
                await self.channel.tell("beat")
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self.channel.closed.wait(), _BEAT)

    def _operation(self, name: str) -> Operation | None:
        found: Operation | None = getattr(self, f"do_{name}", None)
        return found

    @property
    def company(self) -> Company:
        if self._company is None:
            asked = self.asked
            passing = asked["time"]
            self._company = Company(
                self.snapshot,
                seed=asked["seed"],
                folder=self.folder,
                keep=asked["kept"],
                journal=self.journal,
                phase=asked["phase"],
                clock=self.clock,
                # Less than its disk, so that services refuse what is too much before the disk itself does.
                quota=asked["allowance"]["disk"] * 15 // 16,
                begun=self.folder if asked["copied"] else None,
            )
            self._company.may_skip = timedelta(seconds=passing["longest"])
            self._company.answers_within = timedelta(seconds=passing["look"]) if passing["hours"] else timedelta()
            self._company.on_skip.append(self._moved)
            self._company.on_jobs_waiting = self._jobs_wait
            self._company.jobs_over = self.jobs_over
        return self._company

    def _moved(self, before: datetime, now: datetime) -> None:
        """Tell the driver that time was skipped: so that the two clocks fit on one axis."""
        telling = asyncio.ensure_future(self.channel.tell("moved", before=stamp(before), now=stamp(now)))
        self._telling.add(telling)
        telling.add_done_callback(self._told)

    def _told(self, telling: asyncio.Future[None]) -> None:
        self._telling.discard(telling)
        if not telling.cancelled():
            telling.exception()  # a driver that is gone needs no telling

    # -- the company ---------------------------------------------------------------------------------------------

    async def do_restore(self, fds: list[int]) -> None:
        """Begin from a tar of a company's folder instead of the snapshot alone."""
        (source,) = fds

        await asyncio.to_thread(_unpack, source, self.folder)

    async def do_ready(self, names: list[str]) -> list[str]:
        """Which of these services do not answer."""
        return [name for name in names if not self.company.ready(name)]

    async def do_reset(self, names: list[str]) -> None:
        self.company.reset(*names)

    async def do_secrets(self, token: str, accounts: dict[str, dict[str, Any]]) -> None:
        self.company.control_token = token
        for name, account in accounts.items():
            self.company.set_secrets(name, account)

    async def do_phase(self, phase: Phase) -> None:
        self.company.phase = phase
        if phase == "grade":
            await self.company.agenda.finish()  # what is not done when the work ends is not done

    async def do_pause(self, still: bool) -> None:
        self.company.pause(still)

    async def do_now(self) -> str:
        return self.clock.stamp()

    async def do_forward(self, ports: dict[str, int]) -> None:
        self.company.ports["examinee"] = ports

    async def do_asked(self, role: Role) -> bool:
        """Whether anybody has come through a door of this role."""
        return bool(self.company.journal.requests(role=role))

    async def do_changes(self, by_role: str | None) -> list[dict[str, Any]]:
        return [asdict(one) for one in self.company.changes(by_role=by_role)]

    async def do_trouble(self) -> dict[str, Any]:
        """What could not be written down, and what colleagues could not do."""
        journal = self.company.journal
        notes = [note.text for note in journal.notes]
        found: dict[str, Any] = {
            "trouble": journal.trouble,
            "unseen": journal.changes_left_out,
            "faults": [],
            "notes": notes,
        }
        if self._cast is not None:
            evidence = self._cast.evidence
            found["trouble"] = found["trouble"] or evidence.trouble
            found["faults"] = [(fault.label, fault.sentence) for fault in evidence.faults[:_MOST_TOLD]]
            found["notes"] = notes + list(dict.fromkeys(evidence.notes))[:_MOST_TOLD]
        if (timeline := self.company.timeline) is not None:
            found["notes"] += timeline.refused[:_MOST_TOLD]
        return found

    async def do_pack(self, fds: list[int]) -> None:
        """Write the company as it is now to a descriptor, as a tar."""
        (target,) = fds

        def pack() -> None:
            with contextlib.suppress(BrokenPipeError), open(target, "wb") as out:  # whoever reads has had enough
                write_archive(self.company, out, self.company.touched)

        await asyncio.to_thread(pack)

    # -- copies --------------------------------------------------------------------------------------------------

    async def do_copy(self, fds: list[int]) -> None:
        """Write a copy of the company to a descriptor: at a moment at which everybody is at rest."""
        out = _end_of_pipe(fds[0])
        with contextlib.suppress(BrokenPipeError), out:  # whoever reads and ends early tells why
            async with self._still():
                write_copy(self.company, out, self._cast.memory if self._cast is not None else None)

    async def do_look(self, fds: list[int]) -> dict[str, Any]:
        """Write a copy for graders, who need no colleagues and no future. Nobody is waited for but short requests."""
        out = _end_of_pipe(fds[0])
        with contextlib.suppress(BrokenPipeError), out:  # likewise
            ends = time.monotonic() + _GLANCE
            while at_work := set().union(*(gates.at_work for gates in self.doors.values())) - self.company.held:
                if time.monotonic() > ends:
                    break
                await asyncio.wait(at_work, timeout=_BREATH)  # some of them may come to be held meanwhile
            if (size := size_of(self.company)) > _MOST_LOOKED_AT:
                raise Refused("size", f"the company has {size >> 20} MiB by now, more than is copied beside work")
            write_copy(self.company, out, None, goes_on=False)
        return {"changed": self.company.journal.changed, "now": self.clock.stamp()}

    async def do_tell_changes(self, told: bool) -> None:
        """Whether the driver wants to look whenever the examinee has changed something."""
        self.company.after_change = self._tell_of_change if told else None

    def _tell_of_change(self) -> asyncio.Future[None]:
        async def tell() -> None:
            with contextlib.suppress(ChannelClosed, Refused):  # a driver that is gone looks at nothing
                await self.channel.call("changed")

        telling = asyncio.ensure_future(tell())
        self._telling.add(telling)
        telling.add_done_callback(self._told)
        return telling

    async def do_digests(self, secrets: bool) -> dict[str, str]:
        """A hash of each part of its state."""
        async with self._still():
            found = digests(self.company) if secrets else repeatable(self.company)
            if self._cast is not None:
                known = {**self._cast.memory, **({} if secrets else {"tokens": {}})}
                found["colleagues"] = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()
            return found

    @asynccontextmanager
    async def _still(self) -> AsyncIterator[None]:
        """Nothing is under way, as far as that can be had: a request that never ends is not waited for."""
        ends = time.monotonic() + _REST
        while True:
            at_work = set().union(*(gates.at_work for gates in self.doors.values()))
            if at_work and time.monotonic() < ends:
                await asyncio.wait(at_work, timeout=ends - time.monotonic())
            async with self.company.passing:
                await self.company.settle()
                async with self.company.agenda.at_rest():
                    if self._cast is None or self._cast.resting or time.monotonic() > ends:
                        yield
                        return

    async def do_go_on(self, scenarios: dict[str, Any], model: bool, fds: list[int]) -> str:
        """Become the company of which a copy arrives on a descriptor; returns its time."""
        _unpack(fds[0], self.folder)
        memory = read_memory(self.folder)
        recall_secrets(self.company, memory)
        if memory["colleagues"] is not None:
            await self._come(scenarios, model, memory["colleagues"])
        recall(self.company, self.folder, memory)
        if self._cast is not None:
            self._cast.go_on(self.company)
            await self.company.settle(jobs=False)
        return self.clock.stamp()

    # -- its doors -----------------------------------------------------------------------------------------------

    async def do_open(self, role: Role, names: list[str], fds: list[int], door: str = "") -> None:
        """Answer on these listening sockets, one for each name, in one role; `door` is what they are closed by."""
        await self.do_close(door)
        gates = self.doors[door] = Gates(self.host)
        for name, fd in zip(names, fds, strict=True):
            behind = Control(self.company) if name == "control" else self.company.service(name)
            await gates.answer(socket.socket(fileno=fd), Door(self.company, behind, role), self.clock.seconds)

    async def do_close(self, door: str = "") -> None:
        if (gates := self.doors.pop(door, None)) is not None:
            await gates.close()

    # -- CI ------------------------------------------------------------------------------------------------------

    async def do_runner_token(self) -> str:
        """What the runner of this trial takes jobs with."""
        from dayjob.company.forge.service import Forge  # late: not every company has loaded it

        forge = self.company.service("forge")
        assert isinstance(forge, Forge)
        return forge.instance_runner_token()

    def _jobs_wait(self) -> None:
        """Tell the driver, once for however many jobs there are by the time it hears of it. From any thread."""
        self._news = self._had_jobs = True
        self._loop.call_soon_threadsafe(self._tell_soon)

    def _tell_soon(self) -> None:
        if self._telling_of_jobs is None or self._telling_of_jobs.done():
            self._telling_of_jobs = asyncio.create_task(self._tell_of_jobs())

    async def _tell_of_jobs(self) -> None:
        with contextlib.suppress(ChannelClosed, Refused):  # a driver that is gone runs nothing
            while self._news:
                self._news = False
                await self.channel.call("jobs_waiting")

    async def do_jobs_told(self) -> None:
        """Return when the driver has heard of every job that waits."""
        await asyncio.sleep(0)  # what became pending a moment ago is told of first
        while self._telling_of_jobs is not None and not self._telling_of_jobs.done():
            await asyncio.wait({self._telling_of_jobs})

    async def jobs_over(self) -> None:
        """Return when no job runs or waits for the runner; asked before company time is skipped."""
        if not self._had_jobs:
            return
        await self.do_jobs_told()
        with contextlib.suppress(ChannelClosed, Refused):
            await self.channel.call("jobs_over")

    # -- colleagues ----------------------------------------------------------------------------------------------

    async def do_arrive(self, scenarios: dict[str, Any], model: bool) -> dict[str, Any]:
        """Bring everybody to chat, through a door of their own that no sandbox reaches."""
        cast = await self._come(scenarios, model, None)
        usernames = [one.persona.username for one in cast.colleagues]
        return {"usernames": usernames, "minds": cast.minds, "prompts": cast.prompts}

    async def _come(self, scenarios: dict[str, Any], model: bool, memory: dict[str, Any] | None) -> Cast:
        try:
            self._cast = await self._stack.enter_async_context(
                Cast.for_company(
                    self.company,
                    self._colleagues_door,
                    read_scenarios(scenarios),
                    access=_Models(self.channel) if model else None,
                    evidence=self.evidence,
                    memory=memory,
                    by_hours=self.asked["time"]["hours"],
                    everybody=self.asked["everybody"],
                )
            )
        except (CastError, ScenarioError) as error:
            raise Refused("colleagues", str(error)) from error
        return self._cast

    async def _colleagues_door(self) -> str:
        """Chat's address for colleagues, opened for the first who comes."""
        if self._door_of_colleagues is None:
            listener = await self.host.serve(self.company, "chat", bind(), "npc")
            self._door_of_colleagues = f"http://127.0.0.1:{listener.address[1]}"
        return self._door_of_colleagues

    async def do_begin(self) -> None:
        if self._cast is not None:
            self._cast.begin()
        self.company.begin_time()


def _end_of_pipe(target: int) -> BinaryIO:
    return open(target, "wb")


def _unpack(source: int, folder: Path) -> None:
    """Write the plain files and folders of a tar that arrives on a descriptor; nothing else, and nothing elsewhere."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(source, "rb") as stream, tarfile.open(fileobj=stream, mode="r|") as tar:
        for entry in tar:
            path = folder / entry.name
            content = tar.extractfile(entry) if entry.isreg() else None
            if ".." in path.parts or not path.is_relative_to(folder):
                raise Refused("archive", f"'{entry.name}' would leave the company's folder")
            if entry.isdir():
                path.mkdir(parents=True, exist_ok=True)
            elif content is not None:
                with path.open("wb") as file:
                    shutil.copyfileobj(content, file)
                path.chmod(0o600 | entry.mode & 0o100)


class _Models:
    """The gateway as colleagues see it from here: every call goes through the driver."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def complete(self, body: dict[str, Any]) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = await self._channel.call("complete", body=body)
        except Refused as refusal:
            known = {label.value: label for label in Label}
            raise ModelFault(known.get(refusal.kind, Label.GATEWAY_FAILED), str(refusal)) from None
        return answer
