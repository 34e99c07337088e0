"""What comes before and after the work, with everything around it played: init scripts, and gradings."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.agent.trajectory import Trajectory
from dayjob.company.host import Host
from dayjob.sandbox.sandbox import Finished, Frozen, Limits
from dayjob.trial import trial as trial_module
from dayjob.trial.colleagues import NoColleagues
from dayjob.trial.grade import GraderError, GradingInputs, Verdict, grade
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.spec import TrialSpec
from dayjob.trial.trial import Trial
from dayjob.trial.workshop import Workshop
from tests.trial.test_line import Company, Listeners, Scene
from tests.trial.test_outcome import ended, judged
from tests.trial.test_verdict import RESULT, said


class Room:
    """A sandbox in which each command ends as a test says."""

    def __init__(self, *ends: Finished) -> None:
        self.ends = list(ends)
        self.ran: list[dict[str, Any]] = []

    async def exec(self, command: list[str], **facts: Any) -> Finished:
        self.ran.append({"command": command, **facts})
        return self.ends.pop(0) if self.ends else Finished(0, b"out", b"err", 0.0)


class Colleagues:
    def __init__(self, company: Company, refuses: bool = False) -> None:
        self.company = company
        self.usernames = ["mara", "sam"]
        self.minds = {"mara": "llm"}
        self.prompts: dict[str, str] = {}
        self.refuses = refuses

    async def arrive(self) -> None:
        if self.refuses:
            raise NoColleagues("nobody is called so")
        self.company.asked.append("arrive")


def initialised(folder: Path, room: Room, refuses: bool = False, **files: str) -> tuple[Outcome, Company]:
    scene, seen = Scene(folder, **files), list[Company]()

    async def line(trial: Trial) -> None:
        company = Company()
        seen.append(company)
        trial.at.passes = cast(Any, scene.passes)
        trial.at.runner = cast(Any, scene.runner)
        trial.at.colleagues = cast(Any, Colleagues(company, refuses))
        trial.at.prepared = cast(
            Any, SimpleNamespace(task=scene.task, snapshot=None, image=SimpleNamespace(withheld=()))
        )
        trial.at.company, trial.at.sandbox = cast(Any, company), cast(Any, room)
        trial.at.listeners = cast(Any, Listeners(company))
        await trial.at.init()
        trial._judge([judged(2, 2)])

    return ended(folder, line), seen[0]


def test_scripts_run_in_order_as_root_and_what_they_were_given_ends_with_them(tmp_path: Path) -> None:
    room = Room()
    outcome, company = initialised(tmp_path, room, pre_init__py="", populate_data__sh="", post_init__py="")
    assert outcome.label is Label.RESOLVED, outcome.reason
    assert company.asked == [
        ("secrets", ["drive"]),
        ("doors", "init", ("drive",), "models for npc"),
        "arrive",
        "arrive",
        "closed",
        "arrive",
        ("secrets", ["drive"]),
    ]
    assert [one["command"] for one in room.ran] == [
        ["python_default", "/utils/pre_init.py"],
        ["bash", "/utils/populate_data.sh"],
        ["python_default", "/utils/post_init.py"],
    ]
    env = room.ran[0]["env"]
    assert (env["ROLE"], env["DAYJOB_COLLEAGUES"], env["SERVER_HOSTNAME"]) == ("npc", "mara,sam", "office.test")
    assert {(one["user"], one["within"]) for one in room.ran} == {("root", 120)}
    assert outcome.made_of == {"minds": {"mara": "llm"}}
    assert (tmp_path / "out" / "logs" / "pre_init.log").read_text() == "outerr"


def test_without_scripts_nobody_is_let_in_before_the_work(tmp_path: Path) -> None:
    outcome, company = initialised(tmp_path, Room())
    assert outcome.label is Label.RESOLVED, outcome.reason
    assert company.asked == ["arrive", ("secrets", ["drive"])]


BAD, LATE = Finished(3, b"", b"", 0.0), Finished(-9, b"", b"", 0.0, timed_out=True)


@pytest.mark.parametrize(
    ("script", "ends", "runs", "reason"),
    [
        ("pre_init__py", (BAD,), 2, ""),
        ("pre_init__py", (BAD, BAD), 2, "pre_init.py ended with 3; see logs/pre_init-2.log"),
        ("pre_init__py", (LATE,), 1, "pre_init.py did not end within 120 s; see logs/pre_init.log"),
        ("post_init__py", (BAD,), 1, "post_init.py ended with 3; see logs/post_init.log"),
        ("post_init__sh", (LATE,), 1, "post_init.sh did not end within 120 s; see logs/post_init.log"),
    ],
)
def test_a_script_that_fails_is_the_tasks_fault_and_the_first_may_begin_again(
    tmp_path: Path, script: str, ends: tuple[Finished, ...], runs: int, reason: str
) -> None:
    room = Room(*ends)
    outcome, company = initialised(tmp_path, room, False, **{script: ""})
    assert (outcome.label, outcome.reason) == (Label.INIT_ERROR if reason else Label.RESOLVED, reason)
    assert len(room.ran) == runs
    resets = [one for one in company.asked if one == ("reset", ("drive",))]
    assert len(resets) == runs - 1
    assert len(outcome.notes) == runs - 1
    if runs == 2:
        assert outcome.notes == ["pre_init.py ended with 3 and was run again; see logs/pre_init.log"]


def test_colleagues_who_cannot_come_are_the_tasks_fault(tmp_path: Path) -> None:
    outcome, _ = initialised(tmp_path, Room(), refuses=True)
    assert (outcome.label, outcome.reason) == (Label.INIT_ERROR, "nobody is called so")


# -- grading ----------------------------------------------------------------------------------------------------------


def graded(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *verdicts: Verdict | GraderError,
    gradings: int = 1,
    lost: bool = False,
) -> tuple[Outcome, Company, list[tuple[dict[str, str], float]]]:
    scene, seen, asked = Scene(folder), list[Company](), list[tuple[dict[str, str], float]]()
    told = list(verdicts)

    async def play(bench: Any, env: dict[str, str], *, within: float) -> Verdict:
        asked.append((env, within))
        bench.company.lost = lost
        verdict = told.pop(0)
        if isinstance(verdict, GraderError):
            raise verdict
        return verdict

    monkeypatch.setattr(trial_module, "grade", play)

    async def line(trial: Trial) -> None:
        company = Company()
        seen.append(company)
        trial.at.passes = cast(Any, scene.passes)
        trial.spec = replace(trial.spec, gradings=gradings)
        trial.trajectory, trial.points = Trajectory("agent", "1"), 2
        await trial._grade(scene.task, cast(Any, SimpleNamespace(company=company)))

    return ended(folder, line), seen[0], asked


def test_a_grading_has_new_secrets_its_judge_and_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted = Verdict(judged(2, 2).result, [], "the log", 0.0, ("a note",))
    outcome, company, asked = graded(tmp_path, monkeypatch, noted, noted, gradings=2)
    assert outcome.label is Label.RESOLVED
    assert company.asked == [("secrets", ["drive"])] * 3
    (env, within), (again, _) = asked
    assert env["ROLE"] == "judge"
    assert env["SERVER_HOSTNAME"] == "office.test"
    assert env["OWNCLOUD_PASSWORD"] not in ("old", again["OWNCLOUD_PASSWORD"])
    assert within == 300
    assert outcome.notes == ["a note"]
    assert outcome.touched == ["changed by grader"]
    assert sorted(one.name for one in (tmp_path / "out" / "logs").iterdir()) == ["grade-2.log", "grade.log"]


@pytest.mark.parametrize(
    ("verdict", "lost", "label", "reason"),
    [
        (GraderError("it hung", "log"), False, Label.GRADER_ERROR, "it hung"),
        (GraderError("it hung", "log"), True, Label.FAILED, "exhausted its company: out of memory"),
        (judged(2, 2), True, Label.FAILED, "exhausted its company: out of memory"),
    ],
)
def test_a_grader_that_fails_is_the_tasks_fault_unless_its_company_was_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verdict: Any, lost: bool, label: Label, reason: str
) -> None:
    outcome, _, _ = graded(tmp_path, monkeypatch, verdict, lost=lost)
    assert (outcome.label, outcome.reason) == (label, reason)
    log = (tmp_path / "out" / "logs" / "grade.log").read_text()
    assert log == ("log" if isinstance(verdict, GraderError) else "")


class GraderRoom:
    """A grader's room: sockets for what it listens on, and a verdict with the nonce it was told."""

    def __init__(self, listen: list[int]) -> None:
        self.sockets = {port: socket.create_server(("127.0.0.1", 0)) for port in listen}
        self.env: dict[str, str] = {}
        self.stopped = 0

    async def start(self) -> Any:
        return SimpleNamespace(listeners=self.sockets)

    async def stop(self) -> None:
        self.stopped += 1

    async def evaluate(self, _: str, **asked: Any) -> Finished:
        self.env = asked["env"]
        return Finished(0, said(nonce=asked["stdin"].decode()), b"", 1.0)


def test_a_graders_room_hears_the_company_as_a_grader_and_what_was_left_running(tmp_path: Path) -> None:
    class Site:
        asked: dict[str, Any]
        room: GraderRoom
        forgotten: tuple[Any, int]

        def sandbox(self, image: Any, **asked: Any) -> GraderRoom:
            self.asked = asked
            self.room = GraderRoom(asked["listen"])
            return self.room

        async def forget(self, frozen: Any) -> None:
            self.forgotten = (frozen, self.room.stopped)

    class Examinee:
        async def open_ports(self) -> list[int]:
            return [4000, 8092, 5000]

    async def models(*_: Any) -> None:
        return

    async def main() -> tuple[Verdict, Site, Company]:
        site, company, limits = Site(), Company(), Limits(disk=5)
        frozen = Frozen(tmp_path, ("/workspace", "/tmp"))
        async with Host() as host:
            bench = GradingInputs(
                cast(Any, site), host, cast(Any, company), cast(Any, "image"), ("drive",), frozen,
                cast(Any, Examinee()), "it worked", models, limits,
            )  # fmt: skip
            return await grade(bench, {"A": "1"}, within=30), site, company

    verdict, site, company = asyncio.run(asyncio.wait_for(main(), 60))
    assert verdict.result == RESULT
    assert site.asked == {
        "name": "grader",
        "kind": "evaluator",
        "listen": [8092, 2999, 4000, 2998, 5000],
        "hosts": {"office.test": "127.0.0.1", "llm.test": "127.0.0.1"},
        "limits": Limits(disk=5),
        "frozen": Frozen(tmp_path, ("/workspace", "/tmp")),
        "clock": Path("/page"),
        "files": {"/utils/trajectory.txt": "it worked"},
    }
    assert company.asked == [("open", "grader", ["control", "drive"]), "close"]
    env = site.room.env
    assert (env["A"], env["DAYJOB_WORKBENCH_PORT"], env["DAYJOB_FROZEN"]) == ("1", "2998", "/workspace:/tmp")
    assert len(env["DAYJOB_WORKBENCH_TOKEN"]) == 32
    assert site.room.stopped == 1
    assert site.forgotten == (site.asked["frozen"], 1)


def test_a_workshop_that_cannot_write_its_evidence_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    async def main() -> Outcome:
        return await Workshop(tmp_path / "cache").run(TrialSpec("/tasks/t", "nop", str(tmp_path / "file" / "below")))

    outcome = asyncio.run(main())
    assert outcome.label is Label.INFRA_ERROR
    assert outcome.reason.startswith("its evidence could not be written: ")
