"""The docker sandbox, with a real daemon: the same interface, the same trials, the same refusals."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dayjob.sandbox.docker.sandbox import DockerSandbox
from dayjob.sandbox.docker.site import DockerSite
from dayjob.sandbox.sandbox import Frozen, Limits
from dayjob.task import Task
from dayjob.task.dockerfile import parse_dockerfile
from dayjob.trial.local_driver import run_trials
from dayjob.trial.outcome import Label
from dayjob.trial.proof import claims
from tests.trial.offices import attempt, task

# One daemon, one worker: the daemon is the expensive part.
pytestmark = [pytest.mark.xdist_group("docker"), pytest.mark.usefixtures("daemon")]


def containers() -> list[str]:
    said = subprocess.run(["docker", "ps", "-aq", "--filter", "label=dayjob=1"], capture_output=True, text=True)
    return said.stdout.split()


def test_a_container_keeps_the_sandboxes_promises(tmp_path: Path) -> None:
    async def main() -> None:
        async with DockerSite() as site:
            folder = task(tmp_path)
            image = await site.build(folder, parse_dockerfile("FROM dayjob/task-base:1\n"), within=300)
            room = site.sandbox(image, name="test", listen=[3000], hosts={"office.test": "127.0.0.1"},
                                limits=Limits(processes=60, memory=200 * 1024 * 1024))  # fmt: skip
            started = await room.start()
            try:
                await promises(room, tmp_path)
                server = await asyncio.start_server(_greet, sock=started.listeners[3000])
                ask = "import socket; print(socket.create_connection(('office.test', 3000), 5).recv(99).decode())"
                assert (await room.exec(["python_default", "-c", ask])).text == "hello from outside\n"
                server.close()
            finally:
                await room.stop()
        assert containers() == []

    asyncio.run(main())


def _greet(_: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
    out.write(b"hello from outside")
    out.close()


def test_a_workbenchs_disk_has_room_beside_what_the_examinee_left_and_an_end(tmp_path: Path) -> None:
    left = tmp_path / "frozen" / "workspace"
    left.mkdir(parents=True)
    (left / "big").write_bytes(b"x" * (30 << 20))

    async def main() -> None:
        async with DockerSite() as site:
            image = await site.build(task(tmp_path), parse_dockerfile("FROM dayjob/task-base:1\n"), within=300)
            frozen = Frozen(tmp_path / "frozen", ("/workspace",))
            room = site.sandbox(
                image, name="test", limits=Limits(disk=20 << 20), frozen=frozen, kind="workbench", listen=None
            )
            await room.start()
            try:
                done = await room.exec("sleep 2; stat -c %s /workspace/big", within=30)
                assert (done.text, done.exit_code) == (f"{30 << 20}\n", 0), done.error_text
                wrote = "dd if=/dev/zero of=/workspace/more bs=1M count=100; sleep 30"
                done = await room.exec(wrote, within=60)
                assert "the sandbox stands still" in done.error_text
                assert not done.timed_out
            finally:
                await room.stop()

    asyncio.run(main())


BOMB = """
import os, time
try:
    for n in range(500):
        os.fork() or (time.sleep(2), os._exit(0))
except OSError:
    print(n)
"""


async def promises(room: DockerSandbox, tmp_path: Path) -> None:
    done = await room.exec("echo out; echo err >&2; echo $WORD; pwd; cat; exit 7", env={"WORD": "w"}, stdin=b"typed")
    assert (done.text, done.error_text, done.exit_code) == ("out\nw\n/workspace\ntyped", "err\n", 7)
    assert (await room.exec("sleep 77.25 & sleep 77.25", within=1)).timed_out
    assert "77.25" not in (await room.exec("cat /proc/[0-9]*/cmdline | tr '\\0' ' '")).text.replace("cat", "")
    await room.put(b"text", "/workspace/deep/file.txt")
    await room.exec(
        "ln -s /utils/evaluator.py /workspace/sly; ln -s deep/file.txt /workspace/fine; mkfifo /workspace/p"
    )
    frozen = await room.snapshot(tmp_path / "frozen", ("/workspace", "/home"))
    assert (frozen.folder / "workspace/deep/file.txt").read_text() == "text"
    assert frozen.replaced_links == ("/workspace/sly -> /utils/evaluator.py",)
    assert os.readlink(frozen.folder / "workspace/fine") == "deep/file.txt"
    assert not (frozen.folder / "workspace/p").exists()
    reach = "import socket; print([socket.socket().connect_ex(a) for a in (('192.0.2.1', 80), ('172.17.0.1', 22))])"
    assert (await room.exec(["python3", "-c", reach])).text == "[101, 101]\n"
    raw = "import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)"
    assert not (await room.exec(["python3", "-c", raw])).ok
    assert int((await room.exec(["python3", "-c", BOMB])).text) < 60
    await room.exec("mkdir -p '/srv/a[1]*/b' /srv/a1 && touch '/srv/a[1]*/b/c' '/srv/a[1]*/d' /srv/a1/e")
    await room.remove("/utils/", "/workspace/deep", "/srv/a[1]*/", "/never/there")
    assert (await room.exec("ls -A /utils; ls -A /workspace; find /srv | sort")).text.split() == [
        *("fine", "p", "sly"),
        *("/srv", "/srv/a1", "/srv/a1/e", "/srv/a[1]*"),
    ]


def test_the_example_is_proven_here_too(tmp_path: Path) -> None:
    example = Task.load(Path(__file__).parents[3] / "tasks" / "example")
    found = claims(example, tmp_path, sandbox="docker")
    outcomes = run_trials([claim.spec for claim in found], parallel=2)
    assert {one.sentence: one.verdict(outcome) for one, outcome in zip(found, outcomes, strict=True)} == {
        one.sentence: None for one in found
    }
    assert len(example.mutants) >= 3
    assert containers() == []


def test_what_was_left_running_is_reached_and_init_works(tmp_path: Path) -> None:
    solution = """
        import subprocess, time, urllib.request
        assert open("/workspace/made.txt").read() == "by init\\n"
        open("/workspace/answer.txt", "w").write("shipshape")
        subprocess.Popen(["python3", "-m", "http.server", "8080"], cwd="/workspace", start_new_session=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                urllib.request.urlopen("http://localhost:8080/")
                break
            except OSError:
                time.sleep(0.02)
        """
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_server():
            return requests.get("http://localhost:8080/answer.txt", timeout=10).text == "shipshape"
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_server()))])
        """
    init = "open('/workspace/made.txt', 'w').write('by init\\n')\n"
    path = task(tmp_path, solution__py=solution, evaluator__py=evaluator, populate_data__py=init)
    tried = attempt(tmp_path / "cache", tmp_path, path, sandbox="docker", gradings=2)
    assert tried.outcome.label is Label.RESOLVED, tried.outcome.reason


def test_the_image_works_by_hand(tmp_path: Path) -> None:
    """`docker run`, `bash /utils/init.sh`, `python_default /utils/eval.py`, without any of our machinery."""
    path = task(tmp_path, dependencies__yml="", pre_init__sh="echo first\n", post_init__py="print('last')\n")

    async def build() -> str:
        async with DockerSite() as site:
            image = await site.build(path, parse_dockerfile("FROM dayjob/task-base:1\n"), within=300)
            return str(image.key)

    tag = asyncio.run(build())
    script = (
        "bash /utils/init.sh && echo shipshape > answer.txt && "
        "python_default /utils/eval.py --trajectory_path /dev/null --output_path /tmp/r.json 2>/dev/null && "
        "cat /tmp/r.json"
    )
    done = subprocess.run(
        ["docker", "run", "--rm", "--network", "none", tag, "bash", "-c", script], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    said = done.stdout
    assert said.index("first") < said.index("last") < said.index("init: done")
    assert json.loads(said[said.index("{") :])["final_score"] == {"total": 2, "result": 2}
    config = json.loads(subprocess.run(["docker", "inspect", tag], capture_output=True, text=True).stdout)[0]["Config"]
    assert (config["Entrypoint"], config["WorkingDir"]) == (None, "/workspace")


def test_the_image_command_builds_and_names_what_does_not_build(tmp_path: Path) -> None:
    good, bad = task(tmp_path / "good"), task(tmp_path / "bad", Dockerfile="FROM dayjob/task-base:1\nRUN exit 9\n")
    command = [sys.executable, "-c", "from dayjob.cli import main; main()", "image", "build"]
    done = subprocess.run([*command, str(good)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "dayjob-task/small-task:latest" in done.stdout
    done = subprocess.run([*command, str(bad)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "does not build" in done.stderr


def test_a_service_that_does_not_come_up_fails_init_by_name(tmp_path: Path) -> None:
    path = task(tmp_path)

    async def build() -> str:
        async with DockerSite() as site:
            image = await site.build(path, parse_dockerfile("FROM dayjob/task-base:1\n"), within=300)
            return str(image.key)

    done = subprocess.run(
        ["docker", "run", "--rm", "--network", "none", "-e", "DAYJOB_INIT_TRIES=2", "-e", "DAYJOB_INIT_PAUSE=0.1",
         asyncio.run(build()), "bash", "/utils/init.sh"],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "the service 'owncloud' did not become ready" in done.stderr


def test_what_is_left_running_may_go_on_printing(tmp_path: Path) -> None:
    """A server that logs each request lives on after the command that started it, as it does in the other sandbox."""
    chatty = (
        "i=0; while echo line $i >&2 && echo line $i; do "
        "echo $i > /workspace/part; mv /workspace/part /workspace/alive; i=$((i+1)); sleep 0.02; done"
    )

    async def main() -> None:
        async with DockerSite() as site:
            image = await site.build(task(tmp_path), parse_dockerfile("FROM dayjob/task-base:1\n"), within=300)
            room = site.sandbox(image, name="chatty")
            await room.start()
            try:
                begun = await room.exec(f"setsid sh -c '{chatty}' & echo begun; exit 3")
                assert "begun" in begun.text
                assert begun.exit_code == 3
                seen = [int((await room.exec("cat /workspace/alive")).text) for _ in range(4)]
                assert seen == sorted(set(seen))
                assert (await room.exec("echo all of it; head -c 300000 /dev/zero")).stdout.count(b"\0") == 300000
            finally:
                await room.stop()

    asyncio.run(main())
