"""A grader forked from a warm interpreter is in nothing but its start different from one that was started for it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite
from dayjob.sandbox.sandbox import Sandbox, SandboxError
from dayjob.task.dockerfile import parse_dockerfile
from tests.sandbox.rooms import in_room
from tests.trial.offices import TASK, attempt, task

# Everything a process is by which it could do more, or see more, than another.
PROBE = dedent("""
    import os, sys, json, resource, signal, locale, threading
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    keep = ("Umask", "Uid", "Gid", "Groups", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp",
            "Seccomp_filters", "SigBlk", "SigIgn", "SigCgt", "Threads")
    import requests, certifi, dayjob.grading.common, logging
    import random, importlib.util
    print(json.dumps({
        "status": {name: status.get(name, "").strip() for name in keep},
        "namespaces": {name: os.readlink(f"/proc/self/ns/{name}") for name in os.listdir("/proc/self/ns")},
        "cgroup": open("/proc/self/cgroup").read(),
        "descriptors": sorted(os.listdir("/proc/self/fd")),
        "limits": {one: resource.getrlimit(getattr(resource, one)) for one in dir(resource) if one[:7] == "RLIMIT_"},
        "environment": dict(os.environ),
        "cwd": os.getcwd(), "root": sorted(os.listdir("/")), "session": os.getsid(0) == os.getpid(),
        "path": sys.path, "argv": sys.argv, "executable": sys.executable, "prefix": sys.prefix,
        "isolated": sys.flags.isolated,
        "encoding": [sys.getfilesystemencoding(), sys.stdout.encoding, sys.stdin.errors],
        "meta_path": [getattr(one, "__name__", type(one).__name__) for one in sys.meta_path],
        "hooks": len(sys.path_hooks),
        "files": [requests.__file__, requests.__spec__.origin, requests.adapters.__file__, certifi.where(),
                  dayjob.grading.common.__file__, json.__file__, requests.get.__code__.co_filename],
        "certificates": os.path.isfile(certifi.where()),
        "submodule": importlib.util.find_spec("requests.help").origin,
        "handlers": len(logging.getLogger().handlers), "level": logging.getLogger().level,
        "ours": sorted(name for name in sys.modules if name.startswith("dayjob.sandbox")),
        "parent": os.getppid() == 0, "main": __name__, "timezone": os.environ.get("TZ"),
        "proc_is_ours": os.stat("/proc/self/environ").st_uid == os.getuid(),
        "stdin": sys.stdin.read(),
    }))
""")
USE = "import sys; sys.path.insert(0, '/utils')\n"


def both_ways(cache: Path, code: str, **env: str) -> tuple[dict[str, Any], dict[str, Any]]:
    async def work(room: EmbeddedSandbox) -> tuple[dict[str, Any], dict[str, Any]]:
        found = []
        assert await room.site.graders.of(room.image, {"LANG": "C.UTF-8"}) is not None
        for way in (room.evaluate, lambda *args, **rest: Sandbox.evaluate(room, *args, **rest)):
            done = await way(code, env={"HOME": "/utils", **env}, cwd="/tmp", stdin=b"the nonce", within=60)
            assert done.ok, done.error_text
            found.append(json.loads(done.stdout))
        return found[0], found[1]

    return in_room(cache, work, files=grading_set())


def grading_set() -> dict[str, str]:
    from dayjob.grading import PACKAGE, TRAVELS

    files = {f"/utils/dayjob/{name}": (PACKAGE / name).read_text() for name in TRAVELS if name.endswith(".py")}
    for path in (PACKAGE / "grading").glob("*.py"):
        files[f"/utils/dayjob/grading/{path.name}"] = path.read_text()
    return files


def test_a_warm_grader_is_confined_and_set_up_exactly_as_a_fresh_one(cache: Path) -> None:
    warm, fresh = both_ways(cache, USE + PROBE, TZ="Asia/Tokyo", ROCKETCHAT_PORT="3000")
    assert warm == fresh
    assert warm["descriptors"] == ["0", "1", "2", "3"]  # the last is the list itself
    assert warm["ours"] == []


GRADING_SET = dedent("""
    import json, sys
    from dayjob.grading import config
    import dayjob.grading.verdict, dayjob.grading.eval, common, scoring
    print(json.dumps({
        "settings": {name: str(value) for name, value in vars(config).items() if name.isupper()},
        "seen by evaluators": {name: str(value) for name, value in vars(common).items() if name.isupper()},
        "files": {name: one.__file__ for name, one in sorted(sys.modules.items()) if name[:6] == "dayjob"},
        "path": sys.path,
    }))
""")


def test_a_warm_grader_s_grading_set_is_the_one_of_its_room_with_its_own_settings(cache: Path, tmp_path: Path) -> None:
    async def main() -> list[dict[str, Any]]:
        found = []
        async with EmbeddedSite(cache) as site:
            folder = task(tmp_path)
            image = await site.build(folder, parse_dockerfile("FROM dayjob/task-base:1\n"), within=60)
            room = EmbeddedSandbox(site, image, name="test", kind="evaluator")
            await room.start()
            try:
                for port in ("3000", "3001"):
                    for way in (room.evaluate, lambda *args, **rest: Sandbox.evaluate(room, *args, **rest)):
                        done = await way(GRADING_SET, env={"ROCKETCHAT_PORT": port}, cwd="/", within=60, utils=True)
                        assert done.ok, done.error_text
                        found.append(json.loads(done.stdout))
                assert site.graders.grading == image.layers[0]
            finally:
                await room.stop()
        return found

    warm, fresh, other_warm, other_fresh = asyncio.run(main())
    assert warm == fresh
    assert other_warm == other_fresh
    assert [one["seen by evaluators"]["ROCKETCHAT_URL"][-4:] for one in (warm, other_warm)] == ["3000", "3001"]


def test_a_warm_grader_fails_as_a_fresh_one_does(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> list[tuple[int, str]]:
        found = []
        for code in ("import sys; sys.exit(7)", "raise ValueError('no')", "import os; os.kill(os.getpid(), 9)", "]"):
            for way in (room.evaluate, lambda *args, **rest: Sandbox.evaluate(room, *args, **rest)):
                done = await way(code, env={}, cwd="/", within=60)
                found.append((done.exit_code, (done.error_text.splitlines() or [""])[-1]))
        return found

    found = in_room(cache, work)
    assert found[::2] == found[1::2]
    assert [code for code, _ in found[::2]] == [7, 1, -9, 1]


def test_a_warm_grader_that_takes_too_long_is_ended(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> bool:
        return (await room.evaluate("import time; time.sleep(600)", env={}, cwd="/", within=0.5)).timed_out

    assert in_room(cache, work)


SEARCH = dedent("""
    import os, sys
    word = (os.environ["HALF"] + "-seldom-seen").encode()
    found = 0
    with open("/proc/self/mem", "rb", 0) as memory:
        for line in open("/proc/self/maps"):
            span, mode, *_ = line.split()
            start, end = (int(one, 16) for one in span.split("-"))
            if "r" not in mode or end > 1 << 63:
                continue
            try:
                memory.seek(start)
                part = memory.read(end - start)
            except OSError:
                continue
            found += part.count(word)
            del part
    print(found)
""")


def times_in_memory(pid: int, word: bytes) -> int:
    found = 0
    with open(f"/proc/{pid}/mem", "rb", 0) as memory, open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            start, end = (int(one, 16) for one in line.split()[0].split("-"))
            if "[v" in line:
                continue  # the kernel's own pages cannot be read this way
            try:
                memory.seek(start)
                found += memory.read(end - start).count(word)
            except OSError:
                continue  # a mapping without access
    return found


def test_no_grader_finds_what_another_was_told(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> tuple[int, int, int]:
        secret = "".join(("secret", "-seldom-seen"))
        options = {"cwd": "/", "within": 60}
        own = await room.evaluate(SEARCH, env={"HALF": "secret", "TOKEN": secret}, **options)  # type: ignore[arg-type]  # two plain values
        for _ in range(5):
            await room.evaluate("pass", env={"TOKEN": secret}, stdin=secret.encode(), **options)  # type: ignore[arg-type]  # likewise
        other = await room.evaluate(SEARCH, env={"HALF": "secret"}, **options)  # type: ignore[arg-type]  # likewise
        warm = await room.site.graders.of(room.image, {})
        assert warm is not None
        kept = times_in_memory(warm.pid, secret.encode())
        # The word is put together in the searching process, which therefore always holds it a few times.
        return int(own.stdout), int(other.stdout), kept

    own, other, kept = in_room(cache, work)
    assert own > other
    assert kept == 0


def test_a_warm_interpreter_that_was_killed_is_started_again(cache: Path) -> None:
    async def work(room: EmbeddedSandbox) -> str:
        warm = await room.site.graders.of(room.image, {})
        assert warm is not None
        os.kill(warm.pid, signal.SIGKILL)
        # Whoever finds it dying is told so, and is graded with another one when it was gone before they asked.
        with contextlib.suppress(SandboxError):
            await room.evaluate("pass", env={}, cwd="/", within=60)
        warm._process.wait()
        return (await room.evaluate("print('back')", env={}, cwd="/", within=60)).text

    assert in_room(cache, work) == "back\n"


SEES = TASK["evaluator.py"].replace(
    "def grade_checkpoints",
    "import {name}\n        assert {name}.MINE == 'of this task'\n\n        def grade_checkpoints",
)


def test_a_task_that_installs_a_library_is_graded_with_it(cache: Path, tmp_path: Path) -> None:
    line = (
        "RUN place=$(python_default -c 'import requests; print(requests.__path__[0])') && "
        """echo "MINE = 'of this task'" >> $place/__init__.py"""
    )
    path = task(tmp_path, Dockerfile=f"FROM dayjob/task-base:1\n{line}\n", evaluator__py=SEES.format(name="requests"))
    assert attempt(cache, tmp_path, path).outcome.label == "resolved"


@pytest.mark.parametrize("name", ["base64", "inspect"])
def test_a_task_s_own_module_comes_first_whatever_it_is_called(cache: Path, tmp_path: Path, name: str) -> None:
    hidden = (
        f"import importlib.util, sysconfig, sys\nMINE = 'of this task'\nplace = sysconfig.get_path('stdlib')\n"
        f"exec(open(place + '/{name}.py').read(), globals())\n"
    )
    path = task(tmp_path, **{f"{name}__py": hidden}, evaluator__py=SEES.format(name=name))
    (path / "Dockerfile").write_text(f"FROM dayjob/task-base:1\nCOPY {name}.py /utils/{name}.py\n")
    assert attempt(cache, tmp_path, path).outcome.label == "resolved"
