"""Small rules of a trial at their edges: clocks, claims, folders, doors, and what grading again replaces."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.http.server import Server, bind
from dayjob.task import Task
from dayjob.trial import listeners, liveness
from dayjob.trial.extra_folders import extra_folders, restore
from dayjob.trial.grade import Verdict
from dayjob.trial.listeners import Gates, Listeners
from dayjob.trial.liveness import Liveness
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.proof import Claim
from dayjob.trial.regrade import _judge, _replace
from dayjob.trial.spec import TrialSpec
from dayjob.trial.work_clock import WorkClock
from tests.trial.offices import TASK, write

# -- clocks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("silent", "busy", "stuck"),
    [
        (2.0, 100.0, None),
        (2.1, 10.0, None),
        (2.1, 10.1, "for 2 s (10 s of CPU time)"),
        (120.0, 0.0, None),
        (120.1, 0.0, "for 120 s (0 s of CPU time)"),
        (120.1, 10.0, "for 120 s (10 s of CPU time)"),
    ],
)
def test_a_process_is_stuck_after_ten_seconds_of_cpu_or_two_minutes_of_silence(
    monkeypatch: pytest.MonkeyPatch, silent: float, busy: float, stuck: str | None
) -> None:
    now = [1000.0, 50.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(liveness, "cpu_seconds", lambda _: now[1])
    life = Liveness(1)
    now[:] = [1000.0 + silent, 50.0 + busy]
    assert life.stuck() == stuck
    life.beat()
    assert life.stuck() is None


def test_cpu_time_is_a_processs_own_and_nobodys_is_none() -> None:
    program = "import os\nwhile sum(os.times()[:2]) < 0.3: pass\nprint('done', flush=True)\ninput()\n"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        used = liveness.cpu_seconds(process.pid)
        process.communicate(b"\n")
    assert 0.25 <= used <= 5
    assert liveness.cpu_seconds(2**30) == 0.0


def test_without_a_model_the_clock_of_work_never_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("dayjob.trial.work_clock.time", SimpleNamespace(monotonic=lambda: now[0]))
    clock = WorkClock(10, None, 5)
    now[0] = 103.0
    assert (clock.waited, clock.left()) == (0.0, 7.0)

    async def main() -> None:
        told = list[bool]()
        short = WorkClock(0, None, 5, told.append)
        with pytest.raises(TimeoutError):
            async with short.limited():
                await asyncio.Event().wait()
        assert not short.out_of_patience
        assert told == []

    asyncio.run(asyncio.wait_for(main(), 30))


# -- claims -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "label", "result", "touched", "why"),
    [
        (None, Label.RESOLVED, 3, [], None),
        (None, Label.PARTIAL, 2, [], "the solution got 2 of 3"),
        (None, Label.RESOLVED, 3, ["a", "b", "c", "d"], "grading changed the company: a; b; c"),
        (0, Label.FAILED, 0, [], None),
        (0, Label.PARTIAL, 1, [], "got 1 of 3, and 0 was expected"),
        (2, Label.PARTIAL, 2, [], None),
        (3, Label.RESOLVED, 3, [], None),
        (2, Label.FAILED, 0, [], "got 0 of 3, and 2 was expected"),
        (0, Label.FAILED, 0, ["a"], "grading changed the company: a"),
        (0, Label.INFRA_ERROR, 0, [], "infra_error: a reason"),
        (None, Label.UNGRADED, 3, [], "ungraded: a reason"),
    ],
)
def test_a_claim_holds_or_says_why_not(
    expected: int | None, label: Label, result: int, touched: list[str], why: str | None
) -> None:
    outcome = Outcome("t", "a", 1, label, "a reason", result=result, total=3, touched=touched)
    assert Claim("it holds", TrialSpec("t", "a", "o"), expected).verdict(outcome) == why


# -- grading again ----------------------------------------------------------------------------------------------------

RESULT = {"checkpoints": [{"total": 2, "result": 1}], "final_score": {"total": 2, "result": 1}}


def verdict(result: Any = RESULT, *faults: str, notes: tuple[str, ...] = ()) -> Verdict:
    return Verdict(result, [{"sentence": one} for one in faults], "log", 0.0, notes)


def test_a_new_verdict_replaces_the_score_and_adds_its_notes() -> None:
    after = Outcome("t", "a", 1, Label.FAILED, notes=["old"])
    _judge(after, verdict(notes=("old", "new")))
    assert (after.label, after.result, after.total, after.checkpoints) == (Label.PARTIAL, 1, 2, RESULT["checkpoints"])
    assert after.notes == ["old", "new"]
    _judge(after, verdict(RESULT, "down", "down", "slow"))
    assert (after.label, after.reason) == (Label.UNGRADED, "while grading: down; slow")
    assert [one["sentence"] for one in after.faults] == ["down", "down", "slow"]
    after.label = Label.FAILED
    _judge(after, verdict(None))
    assert after.label is Label.UNGRADED


@pytest.mark.parametrize(
    ("label", "said", "has_result"),
    [
        (Label.PARTIAL, verdict(), True),
        (Label.UNGRADED, verdict(), False),
        (Label.UNGRADED, verdict(None, "down"), False),
        (Label.FAILED, verdict(None), False),
        (Label.GRADER_ERROR, None, False),
    ],
)
def test_what_a_new_grading_replaces_is_kept_aside(
    tmp_path: Path, label: Label, said: Verdict | None, has_result: bool
) -> None:
    write(tmp_path, {"outcome.json": "old", "result.json": "old", "logs/grade.log": "old", "logs/grade-2.log": "two"})
    write(tmp_path, {"logs/work.log": "work"})
    after = Outcome("t", "a", 1, label)
    _replace(tmp_path, after, said, "the new log")
    aside = {
        str(one.relative_to(tmp_path / "earlier/1")) for one in (tmp_path / "earlier/1").rglob("*") if one.is_file()
    }
    assert aside == {"outcome.json", "result.json", "logs/grade.log", "logs/grade-2.log"}
    assert (tmp_path / "earlier/1/outcome.json").read_text() == "old"
    assert (tmp_path / "logs/grade.log").read_text() == "the new log"
    assert Outcome.from_json((tmp_path / "outcome.json").read_text()) == after
    assert (tmp_path / "result.json").exists() is has_result
    if has_result:
        assert json.loads((tmp_path / "result.json").read_text()) == RESULT


# -- folders ----------------------------------------------------------------------------------------------------------


def tree(folder: Path) -> dict[str, str]:
    return {
        str(one.relative_to(folder)): f"-> {os.readlink(one)}" if one.is_symlink() else one.read_text()
        for one in folder.rglob("*")
        if one.is_symlink() or one.is_file()
    }


def test_what_an_image_held_is_put_back_over_anything_and_what_was_added_stays(tmp_path: Path) -> None:
    pristine, frozen, outside = tmp_path / "p", tmp_path / "f", tmp_path / "o"
    write(outside, {"kept": "kept"})
    write(pristine, {"same": "ours", "folder/in": "ours", "was-file": "ours", "was-folder/in": "ours", "gone": "ours"})
    (pristine / "link").symlink_to("ours")
    (pristine / "through").mkdir()
    (pristine / "through" / "kept").write_text("ours")
    write(frozen, {"same": "theirs", "folder/in": "theirs", "folder/added": "theirs", "was-file/in": "theirs"})
    write(frozen, {"was-folder": "theirs", "added": "theirs"})
    (frozen / "link").symlink_to("theirs")
    (frozen / "through").symlink_to(outside)
    restore(pristine, frozen)
    assert tree(frozen) == {
        "same": "ours",
        "folder/in": "ours",
        "folder/added": "theirs",
        "was-file": "ours",
        "was-folder/in": "ours",
        "gone": "ours",
        "added": "theirs",
        "link": "-> ours",
        "through/kept": "ours",
    }
    assert tree(outside) == {"kept": "kept"}


@pytest.mark.parametrize(
    ("grader", "said", "found"),
    [
        ("'/data/a'", "Put it into /data.", ("/data",)),
        ('"/data"', "Put it into /data/out please", ("/data",)),
        ("'/data/a'", "Put it into /database", ()),
        ("'/data/a'", "http://x/data", ()),
        ("'/data/a'", "nothing", ()),
        ("'/Data/a'", "/Data", ()),
        ("'/workspace/a' '/tmp/b' '/usr/x' '/proc/1'", "/workspace /tmp /usr /proc", ()),
        ("'/opt/a'", "in /opt", ("/opt",)),
        ("'/b/x' '/a/x'", "/a and /b", ("/a", "/b")),
        ("/data/a", "/data", ()),
    ],
)
def test_a_further_folder_is_named_by_grader_and_task(
    tmp_path: Path, grader: str, said: str, found: tuple[str, ...]
) -> None:
    path = write(tmp_path / "task", {**TASK, "task.md": said, "post_init.py": f"# {grader}\n"})
    assert extra_folders(Task.load(path)) == found


# -- doors ------------------------------------------------------------------------------------------------------------


class Office:
    """A company that notes which doors it is asked to open."""

    def __init__(self) -> None:
        self.world = SimpleNamespace(ports={"chat": 3000, "control": 2999})
        self.asked: list[Any] = []

    async def open(self, role: str, sockets: dict[str, Any]) -> None:
        self.asked.append((role, sockets))

    async def close_doors(self) -> None:
        self.asked.append("close")


def test_doors_open_for_a_role_with_the_control_and_close_once() -> None:
    async def main() -> None:
        office: Any = Office()
        chat, control, models = bind(), bind(), bind()
        async with Server() as host:
            found = Listeners(host, office, {3000: chat, 2999: control, 4000: models})
            await found.close()
            await found.open("examinee", ("chat",))
            await found.open("init", ())
            await found.close()
            await found.close()
            await found.give_up()
        assert office.asked == [
            ("examinee", {"chat": chat, "control": control}),
            ("init", {"control": control}),
            "close",
        ]
        assert found.sockets == {}
        assert {one.fileno() for one in (chat, control, models)} == {-1}

    asyncio.run(main())


def answering(how: Callable[[Any], Any]) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await how(scope)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})

    return app


async def ask(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    try:
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize("late", [False, True])
def test_closed_means_that_no_request_is_still_at_work(monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    monkeypatch.setattr(listeners, "_LAST_WORDS", 0.01 if late else 30)

    async def main() -> list[str]:
        seen, inside, go_on = list[str](), asyncio.Event(), asyncio.Event()

        async def how(_: Any) -> None:
            inside.set()
            try:
                await go_on.wait()
                seen.append("ended")
            except asyncio.CancelledError:
                seen.append("cancelled")
                raise

        sock = bind()
        port = sock.getsockname()[1]
        async with Server() as host:
            gates = Gates(host)
            await gates.answer(sock, answering(how))
            asked = asyncio.create_task(ask(port))
            await inside.wait()
            closing = asyncio.create_task(gates.close())
            if not late:
                await asyncio.sleep(0)
                go_on.set()
            await closing
            assert len(seen) == 1
            await asked
            with pytest.raises(OSError, match=r"refused|reset|Connect call failed"):
                await asyncio.open_connection("127.0.0.1", port)
        return seen

    assert asyncio.run(asyncio.wait_for(main(), 60)) == ["cancelled" if late else "ended"]


def test_models_answer_at_their_own_port_while_doors_are_open() -> None:
    async def main() -> tuple[bytes, list[Any]]:
        office: Any = Office()
        models = bind()

        async def how(_: Any) -> None:
            return

        async with Server() as host:
            found = Listeners(host, cast(Any, office), {2999: bind(), 4000: models})
            await found.open("examinee", (), answering(how))
            answer = await ask(models.getsockname()[1])
            await found.close()
            assert models.fileno() != -1
            await found.give_up()
        return answer, office.asked

    answer, asked = asyncio.run(asyncio.wait_for(main(), 60))
    assert answer.endswith(b"ok")
    assert asked[-1] == "close"
