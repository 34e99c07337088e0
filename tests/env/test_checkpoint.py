"""An environment kept in a folder is the same company again, here and in another process; a spoilt folder is told."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.env import Env, EnvError, SyncEnv
from tests.env.conftest import EXAMPLE, Driver
from tests.trial.offices import office, task
from tests.trial.three_days import SOLUTION, three_days

CONTINUED = """
import json, sys
from dayjob.env import SyncEnv

with SyncEnv.restore(sys.argv[1]) as env:
    before = env.state(secrets=True)
    heard = env.wait("2h").text
    env.call("drive_write", {"path": "/after.txt", "content": "after"})
    print(json.dumps([before, heard, env.state(), env.http("chat", "GET", "/api/v1/me").json()["username"]]))
"""


async def worked(env: Env) -> None:
    """Something of everything."""
    await env.reset()
    for name, arguments in (
        ("chat_post", {"room": "#launch", "text": "Good morning"}),
        ("chat_post", {"room": "@tomas.okafor", "text": "Hello Tomas"}),
        ("drive_write", {"path": "/note.txt", "content": "a note"}),
        ("board_projects", {}),
    ):
        assert not (await env.call(name, arguments)).failed
    made = {"name": "mine", "path": "mine", "initialize_with_readme": True}
    assert (await env.http("forge", "POST", "/api/v4/projects", json=made)).status == 201
    await env.exec("cd /workspace && echo one > a && ln a b && ln -s a c && mkdir -m 700 d; rm -rf /etc/apt")
    await env.exec("setsid sleep 7654 > /dev/null 2>&1 & sleep 0.01")


def test_what_is_restored_is_the_same_to_the_last_secret_and_goes_on_alike(driver: Driver, tmp_path: Path) -> None:
    place = tmp_path / "kept" / "one"

    async def main() -> tuple[Any, ...]:
        async with driver.env(EXAMPLE, seed=3) as env:
            await worked(env)
            await env.checkpoint(place)
            known = await env.state(secrets=True)
            async with await Env.restore(place, workshop=driver.workshop) as again:
                assert await again.state(secrets=True) == known
                assert (await again.exec("ls /etc/apt; cat /workspace/b; stat -c %a /workspace/d")).output == (
                    "one\n700\nls: cannot access '/etc/apt': No such file or directory\n"
                )
                assert "sleep 7654" not in (await again.exec("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).output
                marks = (await again.grade()).checkpoints
                await again.exec("echo other > /workspace/a")
                await again.wait("1d")
            assert await env.state(secrets=True) == known
            assert (await env.grade()).checkpoints == marks
            heard = (await env.wait("2h")).text
            await env.call("drive_write", {"path": "/after.txt", "content": "after"})
            return known, heard, await env.state(), "sam.reed"

    here = driver.run(main())
    environment = {**os.environ, "DAYJOB_CACHE": str(driver.cache)}
    command = [sys.executable, "-c", CONTINUED, str(place)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == list(here)
    assert "Tell me when the report is on the drive" in here[1]


def test_only_its_user_may_look_into_it_and_it_is_there_whole_or_not(driver: Driver, tmp_path: Path) -> None:
    async def main() -> None:
        async with driver.small(tmp_path) as env:
            with pytest.raises(EnvError, match="is not open yet"):
                await env.checkpoint(tmp_path / "early")
            await env.reset()
            await env.checkpoint(tmp_path / "kept")
            with pytest.raises(EnvError, match="is there already; name a folder that is not"):
                await env.checkpoint(tmp_path / "kept")
            await env._at.company.stop()
            with pytest.raises(EnvError, match="The company was lost"):
                await env.checkpoint(tmp_path / "late")

    driver.run(main())
    kept = tmp_path / "kept"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700
    assert {one.name for one in kept.iterdir()} == {"checkpoint.json", "company.tar", "files.tree"}
    assert [one.name for one in tmp_path.iterdir() if "early" in one.name or "late" in one.name] == []


def test_an_environment_steps_back_as_often_as_one_likes(driver: Driver, tmp_path: Path) -> None:
    async def main() -> None:
        async with driver.small(tmp_path, seed=5) as env:
            await env.reset()
            await env.checkpoint(tmp_path / "first")
            began = await env.state(secrets=True)
            await env.call("write_file", {"path": "/workspace/answer.txt", "content": "shipshape\n"})
            await env.call("finish", {"summary": "done"})
            await env.checkpoint(tmp_path / "second")
            ended = await env.state(secrets=True)
            for place, state, marks, finished in (
                ("first", began, 0, None),
                ("second", ended, 2, "done"),
                ("first", began, 0, None),
            ):
                await env.step_back(tmp_path / place)
                assert await env.state(secrets=True) == state
                assert ((await env.grade()).result, env.finished) == (marks, finished)
            # What was done before counts for those who read it, and another seed's environment becomes this one.
            assert "write_file" not in env._trajectory.for_evaluators()
            async with driver.small(tmp_path, seed=6) as other:
                await other.step_back(tmp_path / "second")
                assert await other.state(secrets=True) == ended
                assert 'write_file {"path": "/workspace/answer.txt"' in other._trajectory.for_evaluators()
                await other.reset()
                assert await other.state() == await reset_state(env)

    async def reset_state(env: Env) -> dict[str, str]:
        await env.reset()
        return await env.state()

    driver.run(main())


def test_what_is_to_happen_happens_after_a_restore(driver: Driver, tmp_path: Path) -> None:
    world, path = three_days(tmp_path)
    first, second = textwrap.dedent(SOLUTION).split('news = wait("2d")')
    tools = first.split("me = ask")[0]

    async def main() -> None:
        async with driver.env(path, world=str(world), seed=5) as env:
            await env.reset()
            await env.write_file("/workspace/first.py", first)
            await env.write_file("/workspace/second.py", tools + 'news = wait("2d")' + second)
            assert (await env.exec("python_default /workspace/first.py")).ok
            await env.checkpoint(tmp_path / "kept")
            async with await Env.restore(tmp_path / "kept", workshop=driver.workshop) as again:
                for one in (env, again):
                    done = await one.exec("python_default /workspace/second.py")
                    assert done.ok, done.output
                assert await env.state() == await again.state()
                assert (await again.grade()).resolved

    driver.run(main())


@pytest.fixture(scope="module")
def kept(driver: Driver, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("office")

    async def main() -> None:
        async with driver.small(folder) as env:
            await env.reset()
            await env.checkpoint(folder / "kept")

    driver.run(main())
    return folder / "kept"


def spoilt(kept: Path, folder: Path, how: str) -> str:
    """A copy with one thing wrong; returns what is to be said of it."""
    place = folder / "copy"
    shutil.copytree(kept, place)
    manifest = place / "checkpoint.json"
    facts = json.loads(manifest.read_text("utf-8"))
    name, _, act = how.partition(" ")
    if act == "cut":
        (place / name).write_bytes((place / name).read_bytes()[:-1])
    elif act == "changed":
        content = bytearray((place / name).read_bytes())
        content[len(content) // 2] ^= 1
        (place / name).write_bytes(content)
    elif act == "gone":
        (place / name).unlink()
    elif act == "newer":
        manifest.write_text(json.dumps({**facts, "format": 2}), "utf-8")
        return "is a checkpoint of format 2, and this dayjob reads 1; update dayjob."
    elif act == "otherwise":
        manifest.write_text(json.dumps({**facts, "image": "another"}), "utf-8")
        return "does not fit: the task, its world or dayjob has changed since it was kept."
    if name == "checkpoint.json":
        return "is no checkpoint: there is no checkpoint.json" if act == "gone" else "checkpoint.json cannot be read"
    return f"is damaged: {name} is not what was written there. Make the checkpoint anew."


@pytest.mark.parametrize(
    "how",
    [
        *(f"{name} {act}" for name in ("company.tar", "files.tree") for act in ("cut", "changed", "gone")),
        "checkpoint.json cut", "checkpoint.json gone", "checkpoint.json newer", "checkpoint.json otherwise",
    ],
)  # fmt: skip
def test_a_damaged_folder_is_one_sentence_and_leaves_the_environment_usable(
    driver: Driver, tmp_path: Path, kept: Path, how: str
) -> None:
    sentence = spoilt(kept, tmp_path, how)

    async def main() -> None:
        with pytest.raises(EnvError) as told:
            await Env.restore(tmp_path / "copy", workshop=driver.workshop)
        assert sentence in str(told.value)
        assert "\n" not in str(told.value)
        async with driver.small(kept.parent) as env:
            with pytest.raises(EnvError):
                await env.step_back(tmp_path / "copy")
            await env.reset()
            assert (await env.grade()).total == 2

    driver.run(main())


def test_a_folder_of_another_task_is_refused_and_a_task_may_have_moved(
    driver: Driver, tmp_path: Path, kept: Path
) -> None:
    async def main() -> None:
        async with driver.env(EXAMPLE) as env:
            with pytest.raises(EnvError, match="was kept of another task"):
                await env.step_back(kept)
        moved = task(tmp_path)
        async with await Env.restore(kept, task=moved, workshop=driver.workshop) as env:
            assert (await env.grade()).total == 2
        with pytest.raises(EnvError, match="There is no task at"):
            await Env.restore(kept, task=tmp_path / "nowhere", workshop=driver.workshop)

    driver.run(main())


def test_the_plain_twin_keeps_and_restores(cache: Path, tmp_path: Path) -> None:
    with SyncEnv(task(tmp_path), world=str(office(tmp_path)), cache=cache) as env:
        env.reset()
        env.write_file("/workspace/answer.txt", "shipshape\n")
        env.checkpoint(tmp_path / "kept")
        env.write_file("/workspace/answer.txt", "otherwise\n")
        env.step_back(tmp_path / "kept")
        assert env.grade().resolved
    with SyncEnv.restore(tmp_path / "kept", cache=cache) as again:
        assert again.grade().resolved
    with pytest.raises(EnvError, match="is no checkpoint"):
        SyncEnv.restore(tmp_path)


def acts(name: str, **values: Any) -> st.SearchStrategy[tuple[str, dict[str, Any]]]:
    """Calls of one tool, with any of these values."""
    return st.tuples(st.just(name), st.fixed_dictionaries(values))


ACTS = st.one_of(
    acts("chat_post", room=st.sampled_from(["#launch", "@tomas.okafor"]), text=st.text("abc ?", min_size=1)),
    acts("drive_write", path=st.sampled_from(["/a.txt", "/b.txt"]), content=st.text("xyz", max_size=5)),
    acts("shell", command=st.sampled_from(["date >> t", "rm -f t", "mkdir d"])),
    acts("wait", length=st.sampled_from(["5m", "3h"])),
)


@settings(max_examples=6)
@given(before=st.lists(ACTS, max_size=4), after=st.lists(ACTS, max_size=4))
def test_any_acts_before_and_after_a_restore_are_as_without_it(
    driver: Driver, tmp_path_factory: pytest.TempPathFactory, before: list[Any], after: list[Any]
) -> None:
    place = tmp_path_factory.mktemp("kept") / "one"

    async def act(env: Env, calls: list[Any]) -> list[str]:
        return [(await env.call(name, arguments)).text for name, arguments in calls]

    async def main() -> None:
        async with driver.env(EXAMPLE, seed=1) as env:
            await env.reset()
            await act(env, before)
            await env.checkpoint(place)
            async with await Env.restore(place, workshop=driver.workshop) as again:
                assert await act(again, after) == await act(env, after)
                assert await again.state() == await env.state()
                assert (await again.grade()).checkpoints == (await env.grade()).checkpoints

    driver.run(main())
