"""A trial's company lives in a process of its own: what it may see and use, how it is lost, and what is left of it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import tarfile
import termios
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from dayjob import owned
from dayjob.company.clock import Clock
from dayjob.company.world import build_snapshot
from dayjob.http.server import bind
from dayjob.sandbox.cgroups import available, groups
from dayjob.sandbox.sandbox import MIB, Limits
from dayjob.trial import liveness
from dayjob.trial.company_process import CompanyLost, CompanyProcesses, TrialCompany, processes
from dayjob.trial.company_process.channel import Channel, ChannelClosed, Operation
from dayjob.trial.company_process.log import MOST_LOGGED, Kept, ToDriver
from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, office, task

ADMIN = {"password": "for-this-test", "username": "office"}


@contextlib.asynccontextmanager
async def opened(cache: Path, folder: Path, **options: Any) -> AsyncIterator[TrialCompany]:
    async with CompanyProcesses() as companies:
        yield await begin(companies, cache, folder, **options)


async def begin(companies: CompanyProcesses, cache: Path, folder: Path, **options: Any) -> TrialCompany:
    snapshot = build_snapshot(office(folder), cache=cache)
    return await companies.open(
        snapshot,
        folder / "written",
        seed="0",
        journal=folder / "journal.jsonl",
        colleagues=folder / "colleagues.jsonl",
        phase="work",
        **options,
    )


@contextlib.asynccontextmanager
async def drive(company: TrialCompany) -> AsyncIterator[httpx.AsyncClient]:
    """The drive behind a door of this test's own, as its administrator."""
    await company.set_secrets({"drive": ADMIN})
    with bind() as sock:
        await company.open("examinee", {"drive": sock})
        url = f"http://127.0.0.1:{sock.getsockname()[1]}/remote.php/webdav"
        async with httpx.AsyncClient(base_url=url, auth=("office", ADMIN["password"]), timeout=30) as client:
            yield client


def status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def is_there(path: str) -> bool:
    return Path(path).exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a company an uid of its own")
def test_two_companies_share_no_uid_with_each_other_or_the_host(cache: Path, tmp_path: Path) -> None:
    async def main() -> list[set[str]]:
        async with CompanyProcesses() as companies:
            both = [await begin(companies, cache, tmp_path / name) for name in "ab"]
            return [set(status(one.pid)["Uid"].split()) for one in both]

    first, second = asyncio.run(main())
    assert len(first) == len(second) == 1
    assert first != second
    assert "0" not in first | second


def test_a_company_has_no_power_and_a_filter_for_system_calls(cache: Path, tmp_path: Path) -> None:
    async def main() -> dict[str, str]:
        async with opened(cache, tmp_path) as company:
            return status(company.pid)

    found = asyncio.run(main())
    assert {int(found[name], 16) for name in ("CapEff", "CapPrm", "CapInh", "CapAmb")} == {0}
    assert found["NoNewPrivs"] == "1"
    assert found["Seccomp"] == "2"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may look into another user's process")
def test_a_company_sees_programs_its_snapshot_and_its_own_disk_and_no_more_of_the_host(
    cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret.txt").write_text("secret")

    async def main() -> tuple[set[str], bool, bool, set[str]]:
        async with opened(cache, tmp_path) as company:
            root = f"/proc/{company.pid}/root"
            own = os.stat(f"/proc/{company.pid}/ns/net").st_ino != os.stat("/proc/self/ns/net").st_ino
            return set(os.listdir(root)), own, is_there(f"{root}{tmp_path}/secret.txt"), set(os.listdir(f"{root}/host"))

    top, own_network, sees_secret, host = asyncio.run(main())
    assert {"company", "snapshot", "usr"} <= top
    assert not {"proc", "sys", "run", "var", "boot"} & top
    assert own_network
    assert not sees_secret
    assert not host


def test_no_variable_of_the_driver_reaches_a_company(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-the-real-key")
    monkeypatch.setattr(processes, "_idle", [])  # one that was started before the key was there would prove nothing

    def environment(pid: int) -> bytes:
        return Path(f"/proc/{pid}/environ").read_bytes()

    async def main() -> bytes:
        async with CompanyProcesses() as companies:
            company = await begin(companies, cache, tmp_path)
            assert companies._warm is not None
            return environment(companies._warm.process.pid) + environment(company.pid)

    assert b"sk-the-real-key" not in asyncio.run(main())


def test_files_beyond_the_companys_disk_are_refused_and_it_goes_on(cache: Path, tmp_path: Path) -> None:
    async def main() -> tuple[int, int, int]:
        async with opened(cache, tmp_path, limits=Limits(disk=8 * MIB)) as company, drive(company) as client:
            small = await client.put("/small.bin", content=b"x" * MIB)
            large = await client.put("/large.bin", content=os.urandom(16 * MIB))
            after = await client.get("/small.bin")
            return small.status_code, large.status_code, after.status_code

    assert asyncio.run(main()) == (201, 507, 200)


@pytest.mark.skipif(not available(), reason="memory is limited by control groups, and there are none here")
def test_a_company_that_swells_is_ended_and_another_does_not_notice(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> tuple[CompanyLost, int]:
        async with CompanyProcesses() as companies:
            with monkeypatch.context() as patch:
                # Its files are in memory: with less memory than disk, they are what it swells with.
                patch.setattr(processes, "MEMORY", -80 * MIB)
                swelling = await begin(companies, cache, tmp_path / "a", limits=Limits(disk=128 * MIB))
            other = await begin(companies, cache, tmp_path / "b")
            async with drive(swelling) as client:
                with contextlib.suppress(httpx.HTTPError):  # it dies in the middle of a request
                    for number in range(12):
                        await client.put(f"/{number}.bin", content=os.urandom(10 * MIB))
            async with drive(other) as client:
                answer = await client.get("/Notes/plan.txt")
            return await swelling.loss(), answer.status_code

    loss, answered = asyncio.run(asyncio.wait_for(main(), 120))
    assert loss.exhausted
    assert "memory" in str(loss)
    assert answered == 200


def test_a_company_that_somebody_else_kills_is_a_fault_of_the_machinery(cache: Path, tmp_path: Path) -> None:
    async def main() -> CompanyLost:
        async with opened(cache, tmp_path) as company:
            os.kill(company.pid, signal.SIGKILL)
            with pytest.raises(CompanyLost) as lost:
                await company.changes()
            return lost.value

    assert not asyncio.run(main()).exhausted


def test_a_company_that_breaks_down_is_the_examinees_doing(cache: Path, tmp_path: Path) -> None:
    async def main() -> CompanyLost:
        async with opened(cache, tmp_path) as company:
            os.kill(company.pid, signal.SIGSEGV)
            with pytest.raises(CompanyLost) as lost:
                await company.changes()
            return lost.value

    assert asyncio.run(main()).exhausted


STUCK = """
import json, socket, struct, sys
sock = socket.socket(fileno=int(sys.argv[1]))
for do, given in (("hello", {"missing": []}), ("beat", {})):
    data = json.dumps({"do": do, "with": given}).encode()
    sock.sendall(struct.pack("!IB", len(data), 0) + data)
while True:
    pass
"""


def test_a_loop_that_does_not_turn_is_noticed_by_the_cpu_time_it_burns(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "CPU", 0.5)
    snapshot = build_snapshot(office(tmp_path), cache=cache)
    ours, theirs = socket.socketpair()
    with theirs, subprocess.Popen([sys.executable, "-c", STUCK, str(theirs.fileno())], pass_fds=(theirs.fileno(),),
                                  start_new_session=True) as process:  # fmt: skip
        theirs.close()

        async def main() -> CompanyLost:
            company = TrialCompany(ours, snapshot, Clock(), None, Path("/nowhere"))
            await company.begin(process.pid)
            await company.until_lost()
            found = await company.loss()
            await company.stop()
            return found

        loss = asyncio.run(asyncio.wait_for(main(), 120))
        assert process.wait(30) == -signal.SIGKILL
    assert loss.exhausted
    assert "kept it from answering" in str(loss)


def test_nothing_is_left_of_a_company_that_was_stopped(cache: Path, tmp_path: Path) -> None:
    def ours() -> list[Path]:
        return [path for path, owner in groups().items() if owner == owned.mark() and "company-" in path.name]

    async def main() -> tuple[int, list[Path]]:
        before = ours()
        async with CompanyProcesses() as companies:
            company = await begin(companies, cache, tmp_path)
            assert len(ours()) > len(before) or not available()
            await company.stop()
            await asyncio.wait_for(asyncio.shield(company.ended), 30)
            return company.pid, [path for path in ours() if path not in before]

    pid, left = asyncio.run(main())
    assert not Path(f"/proc/{pid}").exists()
    assert not left


def test_companies_end_when_their_driver_is_killed(cache: Path, tmp_path: Path) -> None:
    program = f"""
import asyncio
from pathlib import Path
from tests.trial.test_company_process import begin
from dayjob.trial.company_process import CompanyProcesses
async def main():
    async with CompanyProcesses() as companies:
        company = await begin(companies, Path({str(cache)!r}), Path({str(tmp_path)!r}))
        print(company.pid, flush=True)
        await asyncio.sleep(600)
asyncio.run(main())
"""
    top = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=top, text=True) as driver:
        assert driver.stdout is not None
        pid = int(driver.stdout.readline())
        driver.kill()
    ends = time.monotonic() + 60
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < ends, "the company's process outlived its driver"
        time.sleep(0.02)


def test_the_warm_process_is_started_again_when_it_was_killed(cache: Path, tmp_path: Path) -> None:
    async def main() -> list[str]:
        async with CompanyProcesses() as companies:
            first = await begin(companies, cache, tmp_path / "a")
            assert companies._warm is not None
            companies._warm.process.kill()
            await first.until_lost()
            second = await begin(companies, cache, tmp_path / "b")
            return await second.not_ready(("chat", "drive"))

    assert asyncio.run(main()) == []


def test_a_paused_clock_stands_still_in_both_processes(cache: Path, tmp_path: Path) -> None:
    async def main() -> tuple[str, str, str]:
        async with opened(cache, tmp_path) as company:
            company.pause(True)
            await company.not_ready(("drive",))
            before = company.clock.stamp()
            async with drive(company) as client:
                await client.put("/now.txt", content=b"now")
            seen = json.loads((tmp_path / "journal.jsonl").read_text().splitlines()[-1])["time"]
            return before, seen, company.clock.stamp()

    before, seen, after = asyncio.run(main())
    assert before[:19] == seen[:19] == after[:19]


# -- the channel ------------------------------------------------------------------------------------------------------


def refuse(_: str) -> Operation | None:
    return None


@pytest.mark.parametrize(
    "sent",
    [
        b"\xff\xff\xff\xff\x00",
        b"\x00\x00\x00\x02\x00{}",
        b"\x00\x00\x00\x04\x00null",
        b"\x00\x00\x00\x05\x00[1,2]",
        b"\x00\x00\x00\x03\x00\xff\xfe\xfd",
        b"\x00\x00\x07\xd0\x00" + b"[" * 2000,
        b"\x00\x00\x00\x14\x00" + b'{"do": 1, "with": 2}',
    ],
)
def test_bytes_that_are_no_message_close_the_channel(sent: bytes) -> None:
    async def main() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            channel = Channel(ours, refuse)
            theirs.sendall(sent)
            await asyncio.wait_for(channel.closed.wait(), 30)
            with pytest.raises(ChannelClosed):
                await channel.call("anything")

    asyncio.run(main())


def test_a_company_cannot_hand_its_driver_descriptors() -> None:
    async def main() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            channel = Channel(ours, refuse)
            socket.send_fds(theirs, [b"\x00\x00\x00\x02\x01{}"], [0])
            await asyncio.wait_for(channel.closed.wait(), 30)

    asyncio.run(main())


def test_whoever_has_had_enough_of_a_packed_company_is_no_fault_of_it(cache: Path, tmp_path: Path) -> None:
    async def main() -> list[str]:
        async with CompanyProcesses() as companies:
            company = await begin(companies, cache, tmp_path)
            reading, writing = os.pipe()
            full = fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 8192)
            packing = asyncio.create_task(company.pack(writing))
            # Near the end of a block of the tar, which leaves the rest of it in the writer's own buffer.
            await asyncio.to_thread(until_held, reading, full)
            os.close(reading)
            await packing
            os.close(writing)
            return await company.not_ready(("drive",))

    assert asyncio.run(main()) == []


def until_held(pipe: int, size: int) -> None:
    ends = time.monotonic() + 60
    while struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0] < size:
        assert time.monotonic() < ends, "nothing is written"
        time.sleep(0.01)


# -- what it logs -------------------------------------------------------------------------------------------------


def broken(cache: Path, folder: Path) -> Path:
    """A cache with a snapshot whose drive has lost a table, so that every request for a file fails."""
    snapshot = build_snapshot(office(folder), cache=cache)
    with contextlib.closing(sqlite3.connect(snapshot.path / "drive.db", isolation_level=None)) as db:
        for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("PRAGMA foreign_keys=OFF")
        db.execute("DROP TABLE nodes")
    return snapshot.path


def test_what_goes_wrong_in_a_service_is_in_the_trial_s_evidence(tmp_path: Path) -> None:
    broken(tmp_path / "cache", tmp_path)
    solution = """
        import base64, urllib.request, urllib.error
        head = {"Authorization": "Basic " + base64.b64encode(b"sam.reed:sam-first-day").decode()}
        url = "http://office.test:8092/remote.php/webdav/a.txt"
        for _ in range(3):
            try:
                urllib.request.urlopen(urllib.request.Request(url, headers=head))
            except urllib.error.HTTPError as error:
                print("STATUS", error.code)
        """
    tried = attempt(tmp_path / "cache", tmp_path, task(tmp_path, solution__py=solution))
    assert "STATUS 500" in tried.text("trajectory.json")
    log = tried.log("company")
    assert log.count("ERROR dayjob.company: drive GET /remote.php/webdav/a.txt failed") == 3
    assert "sqlite3.OperationalError: no such table" in log
    assert "sam-first-day" not in log


def test_a_company_says_no_more_than_there_is_room_for_from_any_thread(tmp_path: Path) -> None:
    async def main() -> list[str]:
        ours, theirs = socket.socketpair()
        kept, full = Kept(), asyncio.Event()

        async def hear(text: str) -> None:
            kept.add(text)
            if kept.parts[-1].endswith("more]\n"):
                full.set()

        driver, company = Channel(ours, {"log": hear}.get), Channel(theirs, lambda _: None)
        told = ToDriver(company)
        logger = logging.Logger("dayjob.company")
        logger.addHandler(told)
        logger.info("nobody hears this")
        await asyncio.to_thread(logger.warning, "from a thread")
        for number in range(100):
            logger.error("%d %s", number, "x" * 20_000)
            await asyncio.sleep(0)
        await full.wait()
        company.close()
        logger.error("and nobody is there any more")
        await asyncio.sleep(0)
        driver.close()
        return kept.parts

    parts = asyncio.run(asyncio.wait_for(main(), 60))
    assert parts[0] == "WARNING dayjob.company: from a thread\n"
    assert parts[1].startswith("ERROR dayjob.company: 0 xxx")
    assert parts[1].endswith("xxx […]\n")
    assert sum(map(len, parts)) < MOST_LOGGED + 20_000


def test_a_driver_keeps_no_more_than_it_has_room_for_whatever_it_is_told() -> None:
    kept = Kept()
    for _ in range(20):
        kept.add("x" * (MOST_LOGGED // 10 + 1))
    assert sum(map(len, kept.parts)) <= MOST_LOGGED + 100
    assert kept.parts[-1] == "\n[there is no room for more]\n"


EXHAUSTING = """
    import base64, os, pathlib, urllib.request
    pathlib.Path("/workspace/notes.txt").write_text("so far")
    auth = "Basic " + base64.b64encode(b"sam.reed:sam-first-day").decode()
    for number in range(30):
        url = f"http://office.test:8092/remote.php/webdav/{number}.bin"
        body = os.urandom(10 << 20)
        asked = urllib.request.Request(url, data=body, method="PUT", headers={"Authorization": auth})
        urllib.request.urlopen(asked, timeout=60)
    """


@pytest.mark.skipif(not available(), reason="memory is limited by control groups, and there are none here")
def test_a_trial_that_exhausts_its_company_fails_and_keeps_what_was_made(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "MEMORY", 64 * MIB - Limits().disk)
    tried = attempt(cache, tmp_path, task(tmp_path, solution__py=EXHAUSTING))
    assert (tried.outcome.label, tried.outcome.ended, tried.outcome.result, tried.outcome.total) == (
        Label.FAILED, "exhausted", 0, 2,
    )  # fmt: skip
    assert "exhausted its company: it needed more memory" in tried.outcome.reason
    with tarfile.open(tried.folder / "workspace.tar.gz") as archive:
        kept = archive.extractfile("notes.txt")
        assert kept is not None
        assert kept.read() == b"so far"
    assert tried.outcome.resources["memory_peak"] > 0
