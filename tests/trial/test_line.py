"""The work of a trial with everything around it played: what the examinee is given, and how its work may end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.agent import AgentError, Assignment
from dayjob.agent.trajectory import Trajectory
from dayjob.task import Task
from dayjob.trial.company_process import CompanyLost
from dayjob.trial.company_process.handle import Trouble
from dayjob.trial.outcome import Label, Outcome
from dayjob.trial.trial import Trial
from tests.trial.offices import task
from tests.trial.test_outcome import ended, judged

PORTS = {"chat": 3000, "forge": 8929, "board": 8091, "drive": 8092, "control": 2999}


class Company:
    """A company that notes what it is asked, in order."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.world = SimpleNamespace(
            name="Office", host="office.test", ports=PORTS, people=[],
            accounts={"drive": {"username": "office", "password": "old"}}, url=lambda name: f"http://office.test/{name}",
        )  # fmt: skip
        self.clock = SimpleNamespace(now=lambda: datetime(2026, 3, 9, 9, 5, tzinfo=UTC))
        self.page = Path("/page")
        self.control_token = "token"
        self.found = Trouble("", 0, [], [])
        self.lost = False
        self.gone = asyncio.Event()

    async def set_secrets(self, accounts: Any) -> None:
        self.asked.append(("secrets", sorted(accounts)))

    async def enter(self, phase: str) -> None:
        self.asked.append(("phase", phase))

    async def begin_work(self) -> None:
        self.asked.append("begin")

    async def now(self) -> str:
        return "2026-03-09T09:05:00.000Z"

    def note_moment(self, now: str) -> None:
        self.asked.append(("moment", now))

    async def reset(self, *names: str) -> None:
        self.asked.append(("reset", names))

    async def trouble(self) -> Trouble:
        return self.found

    async def was_asked(self, role: str) -> bool:
        return role == "nobody"

    async def until_lost(self) -> None:
        await self.gone.wait()

    async def loss(self) -> CompanyLost:
        return CompanyLost("out of memory", exhausted=True)

    async def changes(self, by_role: str | None = None) -> list[dict[str, str]]:
        return [{"words": f"changed by {by_role}"}]

    async def open(self, role: str, sockets: dict[str, socket.socket]) -> None:
        self.asked.append(("open", role, sorted(sockets)))

    async def close_doors(self) -> None:
        self.asked.append("close")

    def pause(self, still: bool) -> None:
        self.asked.append(("pause", still))

    def forward(self, ports: dict[str, int]) -> None:
        self.asked.append(("forward", ports))


class Listeners:
    def __init__(self, company: Company) -> None:
        self.company = company

    async def open(self, role: str, services: tuple[str, ...], models: Any) -> None:
        self.company.asked.append(("doors", role, services, models))

    async def close(self) -> None:
        self.company.asked.append("closed")


class Passes:
    """Passes of a trial whose every role has a model; `spent` is set by the gateway when its budget is."""

    patience = 5.0
    trouble = ""

    def __init__(self) -> None:
        self.closed: list[str] = []
        self.faults: list[Any] = []
        self.access = SimpleNamespace(on_spent=lambda: None)
        self.gateway = SimpleNamespace(app=lambda trial, roles: f"models for {roles[0]}")
        self.used: dict[str, Any] = {}

    def waits(self, role: str) -> None:
        assert role == "examinee"

    def environment(self, role: str) -> dict[str, str]:
        return {"ROLE": role}

    def of(self, role: str) -> Any:
        return self.access if role == "examinee" else None

    def close(self, *roles: str) -> None:
        self.closed += roles

    def spoilt(self, role: str) -> list[Any]:
        return self.faults if role == "examinee" else []

    def usage(self) -> dict[str, Any]:
        return self.used

    def answered(self, role: str) -> int:
        return 0


class Jobs:
    """The runner of a trial, whose jobs have ended."""

    def __init__(self) -> None:
        self.used: dict[str, float] = {}
        self.notes: list[str] = []
        self.faults: list[str] = []
        self.settled = 0
        self.waited = list[float]()

    async def wait(self, seconds: float) -> None:
        self.waited.append(seconds)

    async def settle(self) -> None:
        self.settled += 1


Work = Callable[[Assignment, Any, Trajectory], Awaitable[None]]


class Agent:
    name, is_program, repeats_task, needs_model = "agent", True, False, False

    def __init__(self, work: Work) -> None:
        self.work = work
        self.given: Assignment | None = None

    def new_trajectory(self) -> Trajectory:
        return Trajectory("agent", "1")

    async def run(self, given: Assignment, sandbox: Any, trajectory: Trajectory) -> None:
        self.given = given
        await self.work(given, sandbox, trajectory)


async def nothing(*_: Any) -> None:
    return


class Scene:
    """One trial at its work."""

    def __init__(self, folder: Path, **files: str | None) -> None:
        self.folder = folder
        self.task = Task.load(task(folder, **files))
        self.passes = Passes()
        self.runner = Jobs()
        self.company: Company | None = None

    def worked(
        self, work: Work = nothing, change: Callable[[Trial, Company], None] = lambda *_: None
    ) -> tuple[Outcome, Company, Agent]:
        agent = Agent(work)
        seen: list[Company] = []

        async def line(trial: Trial) -> None:
            company = Company()
            seen.append(company)
            trial.at.passes = cast(Any, self.passes)
            trial.at.runner = cast(Any, self.runner)
            change(trial, company)
            await trial._work(
                self.task, cast(Any, agent), cast(Any, company), cast(Any, None), cast(Any, Listeners(company))
            )
            trial._judge([judged(2, 2)])

        return ended(self.folder, line), seen[0], agent


def test_the_work_begins_with_doors_open_and_ends_with_them_closed(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    outcome, company, agent = scene.worked()
    assert outcome.label is Label.RESOLVED
    assert company.asked == [
        ("phase", "work"),
        ("doors", "examinee", ("chat", "forge", "board", "drive"), "models for examinee"),
        "begin",
        "closed",
        ("phase", "grade"),
        ("moment", "2026-03-09T09:05:00.000Z"),
    ]
    assert scene.passes.closed == ["examinee"]
    given = agent.given
    assert given is not None
    told = "\n\nIt is Monday, 9 March 2026, 09:05 (UTC) at Office; `company-wait 45m` lets time pass there.\n"
    assert given.instruction == scene.task.instruction.rstrip() + told
    assert given.seconds == scene.task.settings.timeouts.work
    assert given.environment == {"ROLE": "examinee"}
    assert given.access is scene.passes.access  # type: ignore[comparison-overlap]  # a stand-in
    assert given.services == {name: f"http://office.test/{name}" for name in ("chat", "forge", "board", "drive")}
    assert (given.account, given.seed) == (None, "0")
    assert given.left is not None
    assert given.left() <= given.seconds
    assert (outcome.ended, outcome.stopped, outcome.waited_for_model) == ("done", "", 0.0)


def test_jobs_end_with_the_work_and_are_told_of(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.runner.used, scene.runner.notes = {"jobs": 2, "seconds": 1.5}, ["a note"]
    outcome, _, _ = scene.worked()
    assert (scene.runner.settled, outcome.label) == (1, Label.RESOLVED)
    assert outcome.resources["ci"] == {"jobs": 2, "seconds": 1.5}
    assert "a note" in outcome.notes


def test_a_machine_that_cannot_run_jobs_leaves_no_score(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.runner.faults = ["no room", "no room either"]
    outcome, _, _ = scene.worked()
    assert (outcome.label, outcome.reason) == (Label.INFRA_ERROR, "CI could not run: no room; no room either")


def test_a_task_may_have_a_service_out_of_order_and_leave_the_time_untold(tmp_path: Path) -> None:
    scene = Scene(tmp_path, task__toml='format = 1\ndown = ["plane", "chat"]\ntell_time = false\n')
    _, company, agent = scene.worked()
    assert ("doors", "examinee", ("forge", "drive"), "models for examinee") in company.asked
    assert agent.given is not None
    assert set(agent.given.services) == {"forge", "drive"}
    assert agent.given.instruction == scene.task.instruction


def test_an_examinee_is_told_less_time_and_another_seed_where_the_spec_says_so(tmp_path: Path) -> None:
    def change(trial: Trial, _: Company) -> None:
        trial.spec = replace(trial.spec, seconds=7.0, seed="9")

    _, _, agent = Scene(tmp_path).worked(change=change)
    assert agent.given is not None
    assert (agent.given.seconds, agent.given.seed) == (7.0, "9")


def test_when_the_time_is_up_the_work_is_graded_as_it_is(tmp_path: Path) -> None:
    async def forever(*_: Any) -> None:
        await asyncio.Event().wait()

    def change(trial: Trial, _: Company) -> None:
        trial.spec = replace(trial.spec, seconds=0.01)

    outcome, company, _ = Scene(tmp_path).worked(forever, change)
    assert (outcome.label, outcome.ended) == (Label.RESOLVED, "timeout")
    assert outcome.stopped == "the examinee's time was up after 0.01 s"
    assert outcome.notes == [outcome.stopped]
    assert company.asked[-3:-1] == ["closed", ("phase", "grade")]


@pytest.mark.parametrize(
    ("patient", "waited", "sentence"),
    [
        (False, 0.0, "kept waiting by its model's provider for more than 5 s"),
        (True, 0.4, "the examinee's time was up after 60 s"),
        (True, 0.5, "the examinee's time was up after 60 s, and 0 s of waiting for its model"),
        (True, 90.0, "the examinee's time was up after 60 s, and 90 s of waiting for its model"),
    ],
)
def test_waiting_for_a_provider_is_told_from_working(
    tmp_path: Path, patient: bool, waited: float, sentence: str
) -> None:
    async def line(trial: Trial) -> None:
        clock = SimpleNamespace(out_of_patience=not patient, patience=5.0, waited=waited, seconds=60.0)
        trial._time_up(cast(Any, clock))
        trial._judge([judged(2, 2)])

    outcome = ended(tmp_path, line)
    assert outcome.label is (Label.RESOLVED if patient else Label.INFRA_ERROR)
    assert (outcome.stopped == sentence) if patient else (sentence in outcome.reason)


def test_a_spent_budget_ends_the_work_and_it_is_graded(tmp_path: Path) -> None:
    scene = Scene(tmp_path)

    async def spend(*_: Any) -> None:
        scene.passes.access.on_spent()
        await asyncio.Event().wait()

    outcome, _, _ = scene.worked(spend)
    assert (outcome.label, outcome.ended) == (Label.RESOLVED, "budget")
    assert outcome.stopped == "the examinee's budget was spent"
    assert outcome.notes == ["the examinee's budget was spent"]


def test_a_company_that_is_lost_ends_the_work_without_points(tmp_path: Path) -> None:
    def change(_: Trial, company: Company) -> None:
        company.gone.set()

    async def forever(*_: Any) -> None:
        await asyncio.Event().wait()

    outcome, _, _ = Scene(tmp_path).worked(forever, change)
    assert (outcome.label, outcome.ended, outcome.result) == (Label.FAILED, "exhausted", 0)
    assert outcome.reason == "exhausted its company: out of memory"


def test_an_agent_that_cannot_work_is_not_a_failure_at_the_task(tmp_path: Path) -> None:
    async def fail(*_: Any) -> None:
        raise AgentError("no key")

    outcome, company, _ = Scene(tmp_path).worked(fail)
    assert (outcome.label, outcome.reason) == (Label.INFRA_ERROR, "no key")
    assert company.asked[-1] == "closed"


def test_what_an_agent_said_as_it_stopped_is_kept(tmp_path: Path) -> None:
    async def stop(_: Any, __: Any, trajectory: Trajectory) -> None:
        trajectory.stopped = "it is done"

    assert Scene(tmp_path).worked(stop)[0].stopped == "it is done"


def fault(label: str, sentence: str) -> Any:
    return SimpleNamespace(label=label, sentence=sentence)


SPENT = "run_budget_spent"


@pytest.mark.parametrize(
    ("found", "spoilt", "label", "reason"),
    [
        (Trouble("", 0, [], ["a note"]), [], Label.RESOLVED, ""),
        (Trouble("", 0, [("x", "a"), ("x", "a"), ("y", "b")], []), [], Label.INFRA_ERROR, "a colleague failed: a; b"),
        (Trouble("", 0, [], []), [fault("down", "c")], Label.INFRA_ERROR, "the examinee's model failed: c"),
        (Trouble("", 0, [(SPENT, "a")], []), [], Label.CANCELLED, "a colleague failed: a"),
        (Trouble("", 0, [(SPENT, "a"), ("down", "b")], []), [], Label.INFRA_ERROR, "a colleague failed: a; b"),
        (Trouble("", 0, [], []), [fault(SPENT, "c")], Label.CANCELLED, "the examinee's model failed: c"),
        (Trouble("the disk is full", 0, [], []), [], Label.INFRA_ERROR, "the disk is full"),
        (Trouble("", 3, [], []), [], Label.FAILED, "exhausted its company: 3 changes did not fit into its journal"),
    ],
)  # fmt: skip
def test_what_went_wrong_without_the_examinees_doing_leaves_no_score(
    tmp_path: Path, found: Trouble, spoilt: list[Any], label: Label, reason: str
) -> None:
    scene = Scene(tmp_path)
    scene.passes.faults = spoilt

    def change(_: Trial, company: Company) -> None:
        company.found = found

    outcome, _, _ = scene.worked(change=change)
    assert (outcome.label, outcome.reason) == (label, reason)
    assert outcome.notes == found.notes


def test_calls_that_could_not_be_written_down_leave_no_score(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    scene.passes.trouble = "models.jsonl: no space"
    outcome, _, _ = scene.worked()
    assert (outcome.label, outcome.reason) == (Label.INFRA_ERROR, "models.jsonl: no space")
