"""A company as its driver holds it, without a company: what is asked, whose doing its loss is, what it unpacks."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import socket
import subprocess
import sys
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.llm.faults import Label, ModelFault
from dayjob.trial.company_process import handle, processes, serving
from dayjob.trial.company_process.channel import Channel, ChannelClosed, Operation, Refused
from dayjob.trial.company_process.handle import CompanyError, CompanyLost, TrialCompany, Trouble
from tests.trial.test_channel import echo, run


class Group:
    """A control group that notes its end."""

    def __init__(self, ran_out: bool = False) -> None:
        self.ran_out = ran_out
        self.removed = 0

    def ran_out_of_memory(self) -> bool:
        return self.ran_out

    def used(self) -> dict[str, int]:
        return {"memory": 5}

    def remove(self) -> None:
        self.removed += 1


class Other:
    """The company's end: notes what it is asked, and answers from a table."""

    def __init__(self, sock: socket.socket, answers: dict[str, Any]) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answers = answers
        self.channel = Channel(sock, self._takes, descriptors=True)

    def _takes(self, name: str) -> Operation | None:
        async def does(**given: Any) -> Any:
            fds = given.pop("fds", [])
            for fd in fds:
                os.close(fd)
            self.asked.append((name, {**given, **({"fds": len(fds)} if fds else {})}))
            answer = self.answers.get(name)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return does


@asynccontextmanager
async def company(group: Group | None = None, **answers: Any) -> AsyncIterator[tuple[TrialCompany, Other]]:
    ours, theirs = socket.socketpair()
    clock: Any = SimpleNamespace(paused=[], pause=lambda still: clock.paused.append(still), stamp=lambda: "")
    found = TrialCompany(ours, cast(Any, SimpleNamespace(info="the world")), clock, cast(Any, group), Path("/nowhere"))
    other = Other(theirs, answers)
    try:
        yield found, other
    finally:
        await found.stop()
        other.channel.close()


def test_a_handle_asks_for_just_what_it_is_told() -> None:
    trouble = {"trouble": "t", "unseen": "3", "faults": [["a", "b"]], "notes": ["n"]}
    answers: dict[str, Any] = {
        "ready": ["chat"],
        "asked": 1,
        "changes": [{"a": 1}],
        "trouble": trouble,
        "arrive": {"usernames": []},
    }

    async def main() -> None:
        async with company(**answers) as (one, other):
            assert one.world == "the world"  # type: ignore[comparison-overlap]  # a stand-in
            assert await one.not_ready(("chat", "drive")) == ["chat"]
            await one.reset("chat")
            await one.enter("grade")
            assert one.phase == "grade"
            assert await one.was_asked("examinee") is True
            assert await one.changes() == await one.changes("grader") == [{"a": 1}]
            assert await one.trouble() == Trouble("t", 3, [("a", "b")], ["n"])
            await one.set_secrets({"chat": {"password": "p"}})
            first = one.control_token
            await one.set_secrets({})
            assert len({first, one.control_token, ""}) == 3
            with socket.socket() as sock:
                await one.open("examinee", {"chat": sock, "control": sock})
                await one.open("runner", {"forge": sock}, "job")
            await one.close_doors("job")
            await one.close_doors()
            assert await one.bring_colleagues({"x": 1}, None) == {"usernames": []}
            await one.bring_colleagues({}, cast(Any, echo))
            with open(os.devnull, "wb") as out:  # noqa: ASYNC230  # a descriptor to hand over
                await one.pack(out.fileno())
            one.pause(True)
            one.pause(False)
            await asyncio.gather(*one._telling)
            await one.begin_work()
            assert one.clock.paused == [True, False]  # type: ignore[attr-defined]  # a stand-in
            assert other.asked == [
                ("ready", {"names": ["chat", "drive"]}),
                ("reset", {"names": ["chat"]}),
                ("phase", {"phase": "grade"}),
                ("asked", {"role": "examinee"}),
                ("changes", {"by_role": None}),
                ("changes", {"by_role": "grader"}),
                ("trouble", {}),
                ("secrets", {"token": first, "accounts": {"chat": {"password": "p"}}}),
                ("secrets", {"token": one.control_token, "accounts": {}}),
                ("open", {"role": "examinee", "names": ["chat", "control"], "door": "", "fds": 2}),
                ("open", {"role": "runner", "names": ["forge"], "door": "job", "fds": 1}),
                ("close", {"door": "job"}),
                ("close", {"door": ""}),
                ("arrive", {"scenarios": {"x": 1}, "model": False}),
                ("arrive", {"scenarios": {}, "model": True}),
                ("pack", {"fds": 1}),
                ("pause", {"still": True}),
                ("pause", {"still": False}),
                ("begin", {}),
            ]

    run(main)


def test_what_a_company_says_no_to_is_an_error_and_not_its_loss() -> None:
    async def main() -> None:
        async with company(reset=Refused("x", "no such service")) as (one, _):
            with pytest.raises(CompanyError, match=r"^no such service$"):
                await one.reset("x")
            assert not one.lost

    run(main)


BROKEN = {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGSYS}


@pytest.mark.parametrize(
    ("code", "ran_out", "exhausted", "sentence"),
    [
        (-9, True, True, "it needed more memory than a company may have"),
        (0, True, True, "it needed more memory than a company may have"),
        (-9, False, False, "its process was ended from outside (-9)"),
        (-15, False, False, "its process was ended from outside (-15)"),
        (0, False, False, "its process was ended from outside (0)"),
        (1, False, True, "its process broke down (exit code 1)"),
        (3, False, True, "its process broke down (exit code 3)"),
        *((-one, False, True, f"its process broke down ({one.name})") for one in sorted(BROKEN)),
    ],
)
def test_whose_doing_a_lost_company_is(code: int, ran_out: bool, exhausted: bool, sentence: str) -> None:
    async def main() -> None:
        async with company(Group(ran_out)) as (one, other):
            other.channel.close()
            one.ended.set_result(code)
            await one.until_lost()
            with pytest.raises(CompanyLost) as loss:
                await one.not_ready(())
            assert (str(loss.value), loss.value.exhausted) == (sentence, exhausted)
            assert await one.loss() is loss.value
            assert one.lost

    run(main)


def test_a_company_that_closes_its_channel_and_stays_is_exhausted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handle, "_LAST_WORDS", 0.01)

    async def main() -> None:
        async with company() as (one, other):
            other.channel.close()
            await one.until_lost()
            loss = await one.loss()
            assert (str(loss), loss.exhausted) == ("its process closed the channel and did not end", True)

    run(main)


def test_a_company_that_was_stopped_is_not_lost_and_its_group_is_gone() -> None:
    async def main() -> None:
        group = Group()
        async with company(group) as (one, _):
            assert one.used() == {"memory": 5}
            await one.stop()
            assert not one.lost
            assert group.removed == 1
            assert one.used() == {}
            one.pause(True)  # nobody hears it, and nothing is raised
            await asyncio.sleep(0.01)
        assert group.removed == 1

    run(main)


def test_what_a_company_tells_is_kept_and_what_it_asks_is_answered() -> None:
    async def complete(body: dict[str, Any]) -> dict[str, Any]:
        if body == {"fail": True}:
            raise ModelFault(Label.RUN_BUDGET_SPENT, "spent")
        return {"said": body}

    async def main() -> None:
        async with company() as (one, other):
            begun = asyncio.create_task(one.begin(os.getpid()))
            await other.channel.call("hello", missing=["a limit", 1])
            await begun
            one.pid = 0  # this very process is not to be ended
            assert one.missing == ["a limit", "1"]
            await other.channel.call("beat")
            await other.channel.call("log", text="a line")
            assert one.log.parts == ["a line"]
            models = serving._Models(other.channel)
            with pytest.raises(ModelFault, match="No model is configured for colleagues") as fault:
                await models.complete({})
            assert fault.value.label is Label.UNCONFIGURED
            one.complete = complete
            assert await models.complete({"a": 1}) == {"said": {"a": 1}}
            with pytest.raises(ModelFault, match="spent") as fault:
                await models.complete({"fail": True})
            assert fault.value.label is Label.RUN_BUDGET_SPENT
            with pytest.raises(Refused, match="there is no 'other' here"):
                await other.channel.call("other")

    run(main)


def test_a_company_that_ends_before_its_first_word_is_lost() -> None:
    async def main() -> None:
        async with company() as (one, other):
            one.ended.set_result(1)
            other.channel.close()
            with pytest.raises(CompanyLost, match="exit code 1"):
                await one.begin(os.getpid())
            one.pid = 0

    run(main)


def test_the_driver_looks_every_second_and_waits_a_little_for_last_words() -> None:
    assert (handle._LOOK_EVERY, handle._LAST_WORDS, serving._BEAT) == (1.0, 5.0, 1.0)
    assert (processes.MEMORY, processes.PROCESSES, processes.OPEN_FILES) == (768 << 20, 256, 4096)


def test_the_process_that_companies_are_forked_from_knows_no_variable_and_no_folder_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[tuple[list[str], dict[str, Any]]] = []

    class Process:
        def __init__(self, command: list[str], **options: Any) -> None:
            started.append((command, options))
            self.stdin = io.BytesIO()

        def poll(self) -> int | None:
            return None

    monkeypatch.setattr("subprocess.Popen", Process)
    warm = processes._Warm()
    warm.sock.close()
    ((command, options),) = started
    descriptor = command.pop()
    assert command[:3] == [sys.executable, "-I", "-c"]
    assert "sys.path[:] = json.load(sys.stdin)" in command[3]
    assert options == {
        "env": {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/"},
        "cwd": "/",
        "stdin": subprocess.PIPE,
        "stdout": 2,
        "pass_fds": (int(descriptor),),
        "start_new_session": True,
    }
    assert warm.usable
    warm.owner += 1
    assert not warm.usable


class Warm:
    """A process that companies are forked from, which lives or not."""

    def __init__(self, usable: bool) -> None:
        self.usable = usable
        self.ended = 0
        self.sock, self.theirs = socket.socketpair()

    def end(self) -> None:
        self.ended += 1
        self.sock.close()


def test_an_idle_process_that_lives_is_used_again_and_dead_ones_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    first, alive, dead, gone = Warm(False), Warm(True), Warm(False), Warm(False)
    idle: list[Any] = [first, alive, dead, gone]
    monkeypatch.setattr(processes, "_idle", idle)

    async def main() -> None:
        companies = processes.CompanyProcesses()
        channel = companies._begin()
        assert companies._begin() is channel
        assert companies._warm is alive  # type: ignore[comparison-overlap]  # a stand-in
        assert [one.ended for one in (first, alive, dead, gone)] == [0, 0, 1, 1]
        assert idle == [first]
        company: Any = SimpleNamespace(ended=asyncio.get_running_loop().create_future())
        companies._companies[7] = company
        ended = companies._operation("ended")
        assert ended is not None
        assert companies._operation("other") is None
        for pid in (8, 7, 7):
            await ended(pid=pid, code=-9)
        assert company.ended.result() == -9
        assert companies._companies == {}
        await companies.__aexit__()
        assert idle == [first, alive]
        alive.sock.close()

    run(main)
    for one in (first, alive, dead, gone):
        one.sock.close()
        one.theirs.close()


def test_a_company_whose_origin_has_ended_is_lost_by_no_fault_of_its_own(tmp_path: Path) -> None:
    class Gone:
        async def call(self, *_: Any, **__: Any) -> Any:
            raise ChannelClosed

    class Ended(processes.CompanyProcesses):
        def _begin(self) -> Any:
            return Gone()

    async def main() -> None:
        snapshot: Any = SimpleNamespace(info=SimpleNamespace(now=datetime.now(UTC)), path=tmp_path, key="k")
        place: dict[str, Any] = {"journal": tmp_path / "journal", "colleagues": None}
        with pytest.raises(CompanyLost, match="the process that companies are forked from has ended") as loss:
            await Ended().open(snapshot, tmp_path / "company", seed="0", phase="work", **place)
        assert loss.value.exhausted is False

    run(main)


# -- what a company unpacks -------------------------------------------------------------------------------------------


def tar_of(*entries: tuple[str, bytes, bytes]) -> int:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, kind, content in entries:
            entry = tarfile.TarInfo(name)
            entry.type, entry.size, entry.mode, entry.linkname = kind, len(content), 0o777, "/etc"
            tar.addfile(entry, io.BytesIO(content))
    reading, writing = os.pipe()
    os.write(writing, out.getvalue())
    os.close(writing)
    return reading


def test_a_kept_company_is_unpacked_as_plain_files_that_only_it_may_read(tmp_path: Path) -> None:
    source = tar_of(
        (".", tarfile.DIRTYPE, b""),
        ("git/hooks", tarfile.DIRTYPE, b""),
        ("git/hooks/run", tarfile.REGTYPE, b"#!"),
        ("link", tarfile.SYMTYPE, b""),
        ("pipe", tarfile.FIFOTYPE, b""),
    )
    serving._unpack(source, tmp_path / "deep" / "state")
    found = {str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*")}
    assert found == {"deep", *(f"deep/state{one}" for one in ("", "/git", "/git/hooks", "/git/hooks/run"))}
    run_file = tmp_path / "deep/state/git/hooks/run"
    assert run_file.read_bytes() == b"#!"
    assert oct(run_file.stat().st_mode) == "0o100700"


@pytest.mark.parametrize("name", ["../out", "/etc/out", "a/../../out"])
def test_a_kept_company_cannot_be_unpacked_elsewhere(tmp_path: Path, name: str) -> None:
    with pytest.raises(Refused, match="would leave the company's folder"):
        serving._unpack(tar_of((name, tarfile.REGTYPE, b"x")), tmp_path / "state")
    assert [one.name for one in tmp_path.iterdir()] == ["state"]
