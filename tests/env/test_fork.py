"""A fork is the same company and the same files, twice; from then on neither sees the other."""

from __future__ import annotations

import os
import textwrap
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dayjob.env import Env, Marks
from dayjob.sandbox.sandbox import MIB, Limits
from dayjob.trial.company_process import processes
from tests.env.conftest import EXAMPLE, Driver
from tests.trial.three_days import SOLUTION, three_days


async def post(env: Env, text: str, channel: str = "#launch") -> None:
    answer = await env.http("chat", "POST", "/api/v1/chat.postMessage", json={"channel": channel, "text": text})
    assert answer.ok, answer.text


async def texts(env: Env) -> list[str]:
    found = await env.http("chat", "GET", "/api/v1/channels.history", params={"roomId": await room(env), "count": 5})
    return [one["msg"] for one in found.json()["messages"]]


async def room(env: Env) -> str:
    found = await env.http("chat", "GET", "/api/v1/channels.info", params={"roomName": "launch"})
    return str(found.json()["channel"]["_id"])


def test_a_fork_has_the_same_state_to_the_last_secret_and_so_has_its_own_fork(driver: Driver) -> None:
    async def main() -> None:
        async with driver.env(EXAMPLE, seed=3) as env:
            await env.reset()
            await post(env, "Good morning")
            await post(env, "Hello Tomas", "@tomas.okafor")
            await env.http("drive", "PUT", "/remote.php/webdav/note.txt", content="a note")
            await env.http("board", "GET", "/api/v1/users/me/")
            asked = {"name": "mine", "path": "mine", "initialize_with_readme": True}
            assert (await env.http("forge", "POST", "/api/v4/projects", json=asked)).status == 201
            await env.exec("cd /workspace && echo one > a && ln a b && ln -s a c && mkdir -m 700 d && mkfifo p")
            async with await env.fork() as child, await child.fork() as grandchild:
                known = await env.state(secrets=True)
                assert {"chat", "forge", "board", "drive", "blobs", "own", "journal", "memory", "files"} < set(known)
                assert await child.state(secrets=True) == known
                assert await grandchild.state(secrets=True) == known
                assert (await child.exec("ls -l /workspace")).output.count("\n") == 5  # a pipe does not travel
                # Who was signed in still is, and what an answer was owed for is answered, in each by itself.
                for one in (env, grandchild):
                    assert (await one.http("chat", "GET", "/api/v1/me")).json()["username"] == "sam.reed"
                    assert "Tell me when the report is on the drive" in (await one.wait("2h")).text
                assert await env.state() == await grandchild.state()

    driver.run(main())


def test_neither_sees_what_the_other_does(driver: Driver) -> None:
    async def main() -> None:
        async with driver.env(EXAMPLE) as env:
            await env.reset()
            await env.exec("echo shared > /workspace/both; echo old > /etc/motd-of-mine; rm -rf /etc/apt")
            async with await env.fork() as other:
                for one, name in ((env, "left"), (other, "right")):
                    await post(one, f"I am {name}")
                    await one.http("drive", "PUT", "/remote.php/webdav/who.txt", content=name)
                    await one.exec(f"echo {name} > /workspace/who; echo {name} >> /workspace/both")
                    asked = {"name": name, "path": name, "initialize_with_readme": True}
                    assert (await one.http("forge", "POST", "/api/v4/projects", json=asked)).status == 201
                await env.wait("1d")
                for one, name, stranger in ((env, "left", "right"), (other, "right", "left")):
                    said = await texts(one)
                    assert f"I am {name}" in said
                    assert f"I am {stranger}" not in said
                    assert (await one.http("drive", "GET", "/remote.php/webdav/who.txt")).text == name
                    files = "cat /workspace/who /workspace/both /etc/motd-of-mine; test ! -e /etc/apt && echo gone"
                    assert (await one.exec(files)).output.split() == [name, "shared", name, "old", "gone"]
                    mine = f"/api/v4/projects/sam.reed%2F{name}/repository/files/README.md?ref=main"
                    theirs = f"/api/v4/projects/sam.reed%2F{stranger}"
                    assert (await one.http("forge", "GET", mine)).status == 200
                    assert (await one.http("forge", "GET", theirs)).status == 404
                times = [(await one.exec("date +%F")).output.strip() for one in (env, other)]
                assert times == ["2026-03-10", "2026-03-09"]

    driver.run(main())


def test_a_fork_outlives_its_parent(driver: Driver, tmp_path: Path) -> None:
    async def main() -> Marks:
        env = driver.small(tmp_path)
        await env.reset()
        async with await env.fork() as other:
            await env.close()
            await other.write_file("/workspace/answer.txt", "shipshape\n")
            return await other.grade()

    assert driver.run(main()).resolved


def test_a_model_from_a_file_begins_anew_with_a_reset_and_goes_on_in_a_fork(driver: Driver, tmp_path: Path) -> None:
    model = tmp_path / "model.yml"
    replies = [f"{{json: {{action: speak, message: {one}, facts: []}}, once: true}}" for one in ("One.", "Two.")]
    model.write_text("rules:\n" + "".join(f"- {one}\n" for one in replies), "utf-8")

    async def answer(env: Env) -> str:
        await post(env, "What is the budget?", "@tomas.okafor")
        return (await env.wait("3h")).text.rpartition(": ")[2].strip()

    async def main() -> None:
        async with driver.env(EXAMPLE, npc_model=f"script:{model}") as env:
            for _ in range(2):
                await env.reset()
                assert await answer(env) == "One."
            async with await env.fork() as other:
                assert [await answer(one) for one in (env, other)] == ["Two.", "Two."]

    driver.run(main())


@pytest.mark.parametrize("what", ["minimal", "full"])
def test_a_forks_evidence_stays_below_its_parents(driver: Driver, tmp_path: Path, what: Any) -> None:
    out = tmp_path / "kept"

    async def main() -> None:
        async with driver.small(tmp_path, evidence=what, out=out) as env:
            await env.reset()
            await (await env.fork()).close()
            async with await env.fork() as late:
                await env.reset()
                await late.http("drive", "PUT", "/remote.php/webdav/late.txt", content="a note")

    driver.run(main())
    assert sorted(path.name for path in out.iterdir() if path.is_dir() and path.name != "logs") == (
        ["earlier", "fork-1", "fork-2"]
    )
    assert "late.txt" in (out / "fork-2" / "journal.jsonl").read_text("utf-8")
    for folder in (out, out / "fork-1", out / "fork-2"):
        assert {"spec.json", "journal.jsonl", "trajectory.json", "changes.json"} <= {
            path.name for path in folder.iterdir()
        }


def test_a_company_whose_disk_is_full_has_room_for_a_copy(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are in memory, and it may have no more than that."""
    monkeypatch.setattr(processes, "MEMORY", 256 * MIB)
    monkeypatch.setattr(processes, "Limits", partial(Limits, disk=320 * MIB))

    async def main() -> None:
        async with driver.env(EXAMPLE) as env:
            await env.reset()
            for name in "abc":
                place = f"/remote.php/webdav/{name}.bin"
                assert (await env.http("drive", "PUT", place, content=os.urandom(95_000_000))).ok
            assert (await env.grade()).result == 0
            async with await env.fork() as other:
                assert (await other.http("drive", "GET", "/remote.php/webdav/c.bin")).ok

    driver.run(main())


def test_processes_do_not_travel(driver: Driver, tmp_path: Path) -> None:
    async def main() -> None:
        async with driver.small(tmp_path) as env:
            await env.reset()
            await env.exec("setsid sleep 7654 > /dev/null 2>&1 & sleep 0.01")
            async with await env.fork() as other:
                count = "ls -d /proc/[0-9]* | while read p; do tr '\\0' ' ' < $p/cmdline 2>/dev/null; echo; done"
                assert "sleep 7654" in (await env.exec(count)).output
                assert "sleep 7654" not in (await other.exec(count)).output

    driver.run(main())


def test_a_pipeline_runs_in_each_by_its_own_runner(driver: Driver) -> None:
    async def main() -> None:
        async with driver.env(EXAMPLE) as env:
            await env.reset()
            asked = {"name": "mine", "path": "mine", "initialize_with_readme": True}
            assert (await env.http("forge", "POST", "/api/v4/projects", json=asked)).status == 201
            commit = {
                "branch": "main",
                "commit_message": "Try it",
                "actions": [
                    {"action": "create", "file_path": ".gitlab-ci.yml", "content": "try:\n  script: [exit 0]\n"}
                ],
            }
            mine = "/api/v4/projects/sam.reed%2Fmine"
            assert (await env.http("forge", "POST", f"{mine}/repository/commits", json=commit)).status == 201
            async with await env.fork() as other:
                assert await other.state(secrets=True) == await env.state(secrets=True)
                commit["actions"][0]["action"] = "update"  # type: ignore[index]  # a list of one object
                commit["actions"][0]["content"] = "try:\n  script: [exit 1]\n"  # type: ignore[index]  # likewise
                assert (await other.http("forge", "POST", f"{mine}/repository/commits", json=commit)).status == 201
                found = [(await one.http("forge", "GET", f"{mine}/pipelines")).json() for one in (env, other)]
            assert [[one["status"] for one in pipelines] for pipelines in found] == [["success"], ["failed", "success"]]

    driver.run(main())


def test_what_is_to_happen_happens_in_both_halves_of_three_days(driver: Driver, tmp_path: Path) -> None:
    """The timeline's two days are half over when it is forked; both halves end alike, and as without a fork."""
    world, task = three_days(tmp_path)
    program = textwrap.dedent(SOLUTION)
    first, second = program.split('news = wait("2d")')
    tools = first.split("me = ask")[0]

    async def whole(fork: bool) -> list[tuple[dict[str, str], Marks]]:
        async with driver.env(task, world=str(world), seed=5) as env:
            await env.reset()
            await env.write_file("/workspace/first.py", first)
            await env.write_file("/workspace/second.py", tools + 'news = wait("2d")' + second)
            done = await env.exec("python_default /workspace/first.py")
            assert done.ok, done.output
            halves = [env, *([await env.fork()] if fork else [])]
            found = []
            for half in halves:
                done = await half.exec("python_default /workspace/second.py")
                assert done.ok, done.output
                found.append((await half.state(), await half.grade()))
            for half in halves[1:]:
                await half.close()
            return found

    (forked, twin), (alone,) = driver.run(whole(True)), driver.run(whole(False))
    assert forked[1].resolved
    assert twin[1].checkpoints == forked[1].checkpoints
    assert twin[0] == forked[0] == alone[0]
