"""What cannot be done is one sentence, and nothing in the sandbox leads to what is the driver's."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from dayjob.env import Env, EnvError, SyncEnv
from dayjob.trial.company_process import TrialCompany
from dayjob.trial.company_process.handle import Trouble
from tests.env.conftest import Driver
from tests.trial.offices import task

CALLS: dict[str, Callable[[Env], Awaitable[Any]]] = {
    "exec": lambda env: env.exec("true"),
    "call": lambda env: env.call("shell", {"command": "true"}),
    "http": lambda env: env.http("chat", "GET", "/"),
    "wait": lambda env: env.wait("1h"),
    "read_file": lambda env: env.read_file("/etc/hosts"),
    "write_file": lambda env: env.write_file("/workspace/a", ""),
    "grade": lambda env: env.grade(),
    "fork": lambda env: env.fork(),
    "checkpoint": lambda env: env.checkpoint("/nowhere"),
    "state": lambda env: env.state(),
}


@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_done_before_a_reset_or_after_the_end(driver: Driver, tmp_path: Path, call: str) -> None:
    async def main() -> tuple[str, str]:
        env = driver.small(tmp_path)
        with pytest.raises(EnvError) as early:
            await CALLS[call](env)
        await env.close()
        await env.close()
        with pytest.raises(EnvError) as late:
            await CALLS[call](env)
        return str(early.value), str(late.value)

    early, late = driver.run(main())
    assert "this environment is not open yet; call reset first" in early
    assert "this environment is closed; make a new one" in late


def test_wrong_arguments_are_told_at_once(tmp_path: Path) -> None:
    path = task(tmp_path)
    for wrong, sentence in (
        (lambda: Env("tasks/no-such-task"), "There is no task at 'tasks/no-such-task'"),
        (lambda: Env(path, clock="sundial"), "'sundial' is none of stepped, running."),  # type: ignore[arg-type]  # on purpose
        (lambda: Env(path, evidence="some"), "'some' is none of full, minimal, none."),  # type: ignore[arg-type]  # on purpose
        (lambda: Env(path, sandbox="jail"), "'jail' is none of embedded, docker."),
        (lambda: Env(path, variant=3), "has no variant 3; only families have variants"),
        (lambda: Env(path, evidence="full"), "needs a folder; name one with 'out'"),
        (lambda: Env(path, out=tmp_path), "say evidence"),
        (lambda: SyncEnv(tmp_path / "nothing"), "There is no task at"),
    ):
        with pytest.raises(EnvError, match=sentence.replace("(", r"\(")):
            wrong()


def test_a_folder_that_is_no_task_and_a_world_that_is_none(driver: Driver, tmp_path: Path) -> None:
    async def main() -> None:
        (tmp_path / "empty").mkdir()
        for env in (driver.env(tmp_path / "empty"), driver.env(task(tmp_path), world="atlantis")):
            with pytest.raises(EnvError):
                await env.reset()
            await env.close()

    driver.run(main())


def test_acts_that_make_no_sense_are_refused_and_the_environment_goes_on(driver: Driver, tmp_path: Path) -> None:
    async def main() -> None:
        async with driver.small(tmp_path) as env:
            await env.reset()
            wrong: list[tuple[Awaitable[Any], str]] = [
                (env.exec("a\0b"), "without null bytes"),
                (env.exec(7), "A command is a text"),  # type: ignore[arg-type]  # on purpose
                (env.exec("true", timeout=0), "above 0"),
                (env.http("mail", "GET", "/"), "There is no service 'mail' here; there are chat, forge, board, drive"),
                (env.http("chat", "GET", "api"), "begins with a slash"),
                (env.http("chat", "POST", "/", json={}, content=b""), "not both"),
                (env.http("chat", "POST", "/", json={1, 2}), "cannot be sent"),
                (env.wait("soon"), "no length of time"),
                (env.wait("1h", until="17:00"), "not both"),
                (env.wait(until="2020-01-01 10:00"), "is over already"),
                (env.read_file("/workspace/none"), "none"),
                (env.read_file("answer.txt"), "from the root"),
                (env.read_file("/workspace"), "no file at"),
                (env.write_file("relative", ""), "from the root"),
            ]
            for asked, sentence in wrong:
                with pytest.raises(EnvError) as told:
                    await asked
                assert sentence in str(told.value)
            late = await env.exec("sleep 60", timeout=0.2)
            assert (late.ok, late.timed_out) == (False, True)
            assert (await env.exec("exit 3")).exit_code == 3
            assert (await env.grade()).result == 0

    driver.run(main())


def test_two_resets_at_once_are_one_too_many(driver: Driver, tmp_path: Path) -> None:
    async def main() -> None:
        async with driver.small(tmp_path) as env:
            first, second = await asyncio.gather(env.reset(), env.reset(), return_exceptions=True)
            assert not isinstance(first, BaseException)
            assert isinstance(second, EnvError)
            assert "is being reset already" in str(second)
            again = asyncio.ensure_future(env.reset())
            await asyncio.sleep(0)
            with pytest.raises(EnvError, match="is being reset"):
                await env.close()
            await again
            assert (await env.exec("true")).ok

    driver.run(main())


def test_a_close_that_is_given_up_while_it_is_graded_can_be_asked_for_again(driver: Driver, tmp_path: Path) -> None:
    async def main() -> None:
        env = driver.small(tmp_path)
        await env.reset()
        grading = asyncio.ensure_future(env.grade())
        await asyncio.sleep(0)
        closing = asyncio.ensure_future(env.close())
        await asyncio.sleep(0)
        closing.cancel()
        await asyncio.wait({closing})
        assert (await grading).total == 2
        assert (await env.exec("true")).ok
        folder = env._at.folder
        await env.close()
        assert not folder.exists()

    driver.run(main())


def test_a_journal_with_gaps_leaves_no_marks(driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def gaps(_: TrialCompany) -> Trouble:
        return Trouble("", 7, [], [])

    async def main() -> None:
        async with driver.small(tmp_path) as env:
            await env.reset()
            monkeypatch.setattr(TrialCompany, "trouble", gaps)
            with pytest.raises(EnvError, match="7 changes did not fit into its journal"):
                await env.grade()

    driver.run(main())


def test_a_company_that_is_lost_is_told_and_a_reset_helps(driver: Driver, tmp_path: Path) -> None:
    async def main() -> None:
        async with driver.small(tmp_path) as env:
            await env.reset()
            await env._at.company.stop()
            for call in ("grade", "fork", "http"):
                with pytest.raises(EnvError, match="The company was lost"):
                    await CALLS[call](env)
            await env.reset()
            assert (await env.grade()).total == 2

    driver.run(main())


def test_nothing_inside_leads_to_grades_and_forks(driver: Driver, tmp_path: Path) -> None:
    """No socket, file, port or address in the sandbox is the driver's, and the control API knows no such word."""

    async def main() -> None:
        async with driver.small(tmp_path) as env:
            await env.reset()
            await env.http("chat", "GET", "/api/v1/me")
            await env.grade()
            async with await env.fork() as other:
                for one in (env, other):
                    look = "find / -xdev \\( -type s -o -name 'evaluator*' -o -name references \\) 2> /dev/null"
                    assert (await one.exec(look)).output == ""
                    assert (await one.exec("grep -rl shipshape /workspace /utils /tmp /run 2>/dev/null")).output == ""
                    ports = "python_default -c \"print([l.split()[1][-4:] for l in open('/proc/net/tcp')][1:])\""
                    names = [f"{port:04X}" for port in (3000, 8929, 8091, 8092, 2999, 4000)]
                    listening = (await one.exec(ports)).output
                    assert sorted(set(eval(listening))) == sorted(names)  # a list of our own printing
                    for word in ("grade", "fork", "copy", "go_on", "digests", "api/grade", "api/fork", "api/copy"):
                        for method in ("GET", "POST"):
                            answer = await one.http("control", method, f"/{word}")
                            assert answer.status in (404, 405), word
                    snapshot = await one.http("control", "GET", "/api/snapshot")
                    assert snapshot.status == 403

    driver.run(main())
