"""A task is acted in step by step, and graded at each of them, without an end."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.agent import Agent, Assignment, Trajectory
from dayjob.env import Env, Marks, SyncEnv
from dayjob.sandbox import cgroups
from dayjob.sandbox.sandbox import Sandbox
from dayjob.trial.outcome import Label
from dayjob.trial.spec import TrialSpec
from tests.env.conftest import EXAMPLE, Driver
from tests.trial.offices import office, task


async def report_of(env: Env) -> str:
    """The example's report, as its solution writes it."""
    await env.write_file("/tmp/steps.py", (EXAMPLE / "solution.py").read_text("utf-8"))
    program = "import sys; sys.path.insert(0, '/tmp'); import steps; print(','.join(steps.over_budget()))"
    done = await env.exec(f'python_default -c "{program}"')
    assert done.ok, done.output
    return done.output.strip()


def test_the_example_is_solved_step_by_step_and_each_step_is_worth_more(driver: Driver) -> None:
    async def main() -> list[Marks]:
        async with driver.env(EXAMPLE, seed=7) as env:
            start = await env.reset()
            assert "Write a short report to /Operations/over-budget.md" in start.instruction
            assert start.time.startswith("2026-03-09T09:00:")
            assert start.services["chat"] == "http://larkspur.test:3000"
            assert start.account is not None
            assert start.account.username == "sam.reed"
            marks = [await env.grade()]
            vendors = await report_of(env)
            marks.append(await env.grade())
            calls = "import sys; sys.path.insert(0, '/tmp'); import steps; steps.write_report(steps.over_budget())"
            assert (await env.exec(f'python_default -c "{calls}"')).ok
            marks.append(await env.grade())
            said = {"channel": "#launch", "text": f"Over their Q1 budget: {vendors.replace(',', ', ')}."}
            assert (await env.http("chat", "POST", "/api/v1/chat.postMessage", json=said)).ok
            marks.append(await env.grade())
            told = {"channel": "@tomas.okafor", "text": "It is on the drive: /Operations/over-budget.md"}
            assert (await env.http("chat", "POST", "/api/v1/chat.postMessage", json=told)).ok
            marks += [await env.grade(), await env.grade()]
            heard = await env.wait("2h")
            assert "Thank you, Sam" in heard.text
            assert heard.time.startswith("2026-03-09T11:")
            return marks

    marks = driver.run(main())
    assert [one.result for one in marks] == [0, 0, 5, 7, 8, 8]
    assert {one.total for one in marks} == {8}
    assert (marks[-1].resolved, marks[-1].share) == (True, 1.0)
    assert [len(one.checkpoints) for one in marks] == [5] * 6
    assert marks[0].checkpoints[3].reason == "none of Sam's 0 direct messages to Tomas names over-budget.md"


def test_grading_leaves_no_trace_in_the_company_that_is_worked_in(driver: Driver) -> None:
    async def main() -> None:
        async with driver.env(EXAMPLE) as env:
            await env.reset()
            await env.http("chat", "GET", "/api/v1/me")
            before = await env.state(secrets=True)
            await env.grade()
            assert await env.state(secrets=True) == before

    driver.run(main())


def test_a_seed_and_the_same_acts_give_the_same_company_twice(driver: Driver) -> None:
    async def once(seed: int) -> dict[str, str]:
        async with driver.env(EXAMPLE, seed=seed) as env:
            await env.reset()
            for text in ("Hello Tomas", "which vendor is over?"):
                said = {"channel": "@tomas.okafor", "text": text}
                assert (await env.http("chat", "POST", "/api/v1/chat.postMessage", json=said)).ok
                await env.wait("1h")
            asked = {"title": "A door", "description": "squeaks"}
            projects = (await env.http("forge", "GET", "/api/v4/projects?membership=true")).json()
            answer = await env.http("forge", "POST", f"/api/v4/projects/{projects[0]['id']}/issues", json=asked)
            assert answer.status == 201, answer.text
            await env.http("drive", "PUT", "/remote.php/webdav/note.txt", content="a note")
            assert (await env.http("board", "GET", "/api/v1/users/me/")).ok
            await env.exec("date > /workspace/when; mkdir /workspace/d; ln -s when /workspace/d/l")
            return await env.state()

    first, again, other = (driver.run(once(seed)) for seed in (7, 7, 8))
    assert first == again
    assert {"chat", "forge", "board", "drive", "journal", "colleagues", "files", "memory", "blobs"} == set(first)
    assert first["chat"] != other["chat"]  # ids are drawn from the seed
    assert first["files"] == other["files"]


def test_a_reset_begins_anew_and_may_take_another_seed(driver: Driver, tmp_path: Path) -> None:
    async def main() -> None:
        async with driver.small(tmp_path) as env:
            await env.reset()
            began = await env.state()
            await env.write_file("/workspace/answer.txt", "shipshape\n")
            assert (await env.grade()).resolved
            assert await env.read_file("/workspace/answer.txt") == b"shipshape\n"
            await env.reset()
            assert await env.state() == began
            assert (await env.grade()).result == 0

    driver.run(main())


def test_evidence_is_kept_as_asked(driver: Driver, tmp_path: Path) -> None:
    async def leave(what: Any, folder: Path) -> None:
        async with driver.small(tmp_path, evidence=what, out=folder) as env:
            await env.reset()
            await env.http("drive", "PUT", "/remote.php/webdav/note.txt", content="a note")
            await env.grade()

    for what in ("minimal", "full"):
        driver.run(leave(what, tmp_path / what))
    minimal, full = (
        {path.name for path in (tmp_path / what).iterdir() if path.is_file()} for what in ("minimal", "full")
    )
    assert minimal == {"spec.json", "began.json", "journal.jsonl", "changes.json", "trajectory.json", "grades.jsonl"}
    assert full == minimal | {"workspace.tar.gz"}
    (graded,) = map(json.loads, (tmp_path / "full" / "grades.jsonl").read_text("utf-8").splitlines())
    assert (graded["result"], graded["total"]) == (0, 2)
    assert '"role":"grader"' not in (tmp_path / "full" / "journal.jsonl").read_text("utf-8")


def test_the_plain_twin_does_the_same_without_a_loop_and_leaves_nothing(cache: Path, tmp_path: Path) -> None:
    mark = owned.mark()
    before, held = companies(mark), groups(mark)
    with SyncEnv(task(tmp_path), world=str(office(tmp_path)), cache=cache) as env:
        env.reset()
        other = env.fork()
        env.write_file("/workspace/answer.txt", b"shipshape\n")
        assert env.exec("cat /workspace/answer.txt").output == "shipshape\n"
        assert (env.grade().result, other.grade().result) == (2, 0)
        assert groups(mark) - held or not cgroups.available()
        other.close()
    env.close()
    assert groups(mark) <= held
    assert companies(mark) <= before


def groups(mark: str) -> set[str]:
    """The control groups of this process; other tests may hold some."""
    return {str(group) for group, owner in cgroups.groups().items() if owner == mark}


def companies(mark: str) -> set[str]:
    """The folders of a process's companies. Other tests keep some for as long as it runs."""
    names = (one.name for one in Path(tempfile.gettempdir()).iterdir())
    return {name for name in names if owned.mark_in(name) == mark and "-company" in name}


class Writer(Agent):
    """An agent that is an object of the caller's."""

    name = "writer"

    def __init__(self) -> None:
        self.told = ""

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        self.told = assignment.instruction
        await sandbox.put(b"shipshape\n", "/workspace/answer.txt")


def test_an_agent_may_be_an_object(driver: Driver, tmp_path: Path) -> None:
    agent = Writer()
    spec = TrialSpec(str(task(tmp_path)), "writer", str(tmp_path / "out"), world=str(office(tmp_path)))
    outcome = driver.run(driver.workshop.run(spec, agent))
    assert (outcome.label, outcome.agent) == (Label.RESOLVED, "writer")
    assert agent.told.startswith("Write the word")
