"""The same sandbox for a user who is not root. Run by root, these tests become somebody else first."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dayjob
from dayjob.sandbox.grader import PACKAGES

SOMEBODY = 54_321

PROGRAM = """
import asyncio, json, os, subprocess, sys
from pathlib import Path
from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite
from dayjob.sandbox.sandbox import MIB, Limits

async def main():
    place = Path(sys.argv[1])
    async with EmbeddedSite(place / "cache") as site:
        found = {"capabilities": site.capabilities.as_dict(), "uid": os.getuid()}
        limits = Limits(memory=256 * MIB, disk=16 * MIB, processes=30)
        # A person's other programs are none of the room's business, however many there are.
        others = [subprocess.Popen(["sleep", "1000"]) for _ in range(100)]
        room = EmbeddedSandbox(site, await site.base(), listen=[3000], limits=limits)
        started = await room.start()
        found["ports"] = list(started.listeners)
        async def say(command):
            done = await room.exec(command, within=30)
            return done.text + done.error_text
        found["id"] = await say("id -u; cat /proc/self/uid_map; echo hi > /workspace/file; cat /workspace/file")
        found["power"] = await say("mount -t tmpfs none /mnt; unshare -U true; cat /etc/shadow; kill -9 1")
        found["network"] = await say("cat /proc/net/dev | wc -l; ls /sys/class/net 2>/dev/null")
        found["memory"] = await say(["python3", "-c", "x = bytearray(10**9); print('had it')"])
        found["disk"] = await say("head -c 40000000 /dev/zero > /workspace/full")
        await room.exec("rm /workspace/full")
        found["bomb"] = await say(["python3", "-c", BOMB])
        frozen = await room.snapshot(place / "frozen", ("/workspace",))
        found["frozen"] = (frozen.folder / "workspace" / "file").read_text()
        await room.exec("sleep 5 & sleep 5 &")
        await room.stop()
        grader = EmbeddedSandbox(site, await site.base(), frozen=frozen, kind="evaluator")
        await grader.start()
        done = await grader.exec("cat /workspace/file; touch /workspace/new && echo wrote", user="grader", grader=True)
        found["grader"] = done.text + done.error_text
        done = await grader.exec("for one in / /etc /usr/local/bin /opt; do touch $one/x; done", grader=True)
        found["read-only"] = done.error_text.count("Read-only file system")
        await grader.stop()
        (frozen.folder / "workspace/sly").symlink_to(place)  # what is removed must be the room's own
        (place / "file").write_text("of the host")
        withheld = ("/utils/", "/etc/hostname", "/workspace/sly/file")
        bench = EmbeddedSandbox(site, await site.base(), frozen=frozen, kind="workbench", withheld=withheld)
        await bench.start()
        done = await bench.exec("ls /utils; cat /workspace/file; touch /workspace/mine /etc/x && echo wrote")
        found["workbench"] = done.text + done.error_text
        found["host"] = (place / "file").read_text()
        await bench.stop()
        for one in others:
            one.kill()
            one.wait()
    print(json.dumps(found))

BOMB = '''
import os, time
made = 0
try:
    while made < 5000:
        if os.fork() == 0:
            time.sleep(3)
            os._exit(0)
        made += 1
except OSError as error:
    print(made)
'''
asyncio.run(main())
"""


@pytest.fixture(scope="module")
def found() -> Iterator[dict[str, Any]]:
    """What an ordinary user's program found; it gets copies of what it imports, since it may not see our home."""
    place = Path(tempfile.mkdtemp(prefix="dayjob-ordinary-"))
    try:
        shutil.copytree(
            Path(dayjob.__file__).parent, place / "lib" / "dayjob", ignore=shutil.ignore_patterns("__pycache__")
        )
        for name in PACKAGES:
            for file in importlib.metadata.files(name) or ():
                if ".." not in str(file) and not str(file).endswith(".pyc"):
                    (place / "lib" / file).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(str(file.locate()), place / "lib" / file)
        (place / "home").mkdir()
        as_somebody = []
        if os.geteuid() == 0:
            subprocess.run(["chmod", "-R", "a+rX", str(place)], check=True)
            os.chown(place / "home", SOMEBODY, SOMEBODY)
            as_somebody = ["setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]
        done = subprocess.run(
            [*as_somebody, "/usr/bin/python3", "-c", PROGRAM, str(place / "home")],
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(place / "lib"), "TMPDIR": str(place / "home")},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        yield json.loads(done.stdout)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def test_an_ordinary_user_gets_a_room_with_its_listeners(found: dict[str, Any]) -> None:
    assert found["uid"] != 0
    assert found["ports"] == [3000]
    assert found["id"].splitlines()[0] == "0"
    assert found["id"].splitlines()[1].split() == ["0", str(found["uid"]), "1"]
    assert found["id"].splitlines()[2] == "hi"


def test_the_capabilities_say_what_an_ordinary_user_does_not_get(found: dict[str, Any]) -> None:
    assert found["capabilities"]["separate_uid"] is False
    assert any("ordinary user" in note for note in found["capabilities"]["notes"])
    assert found["capabilities"]["uids"] == "this user's own"
    assert any("share what the kernel counts by user: descriptors" in note for note in found["capabilities"]["notes"])


def test_root_inside_has_no_power_there_either(found: dict[str, Any]) -> None:
    for refusal in ("mount: /mnt: permission denied", "unshare failed: Operation not permitted", "No such file"):
        assert refusal in found["power"]


def test_limits_hold_as_well_as_the_machine_allows(found: dict[str, Any]) -> None:
    assert int(found["bomb"]) < 80
    assert "had it" not in found["memory"]
    assert "No space left" in found["disk"]


def test_the_frozen_copy_and_the_graders_room_work(found: dict[str, Any]) -> None:
    assert found["frozen"] == "hi\n"
    assert found["grader"] == "hi\nwrote\n"
    assert found["read-only"] == 4


def test_what_is_withheld_from_a_workbench_is_removed_there_and_nowhere_else(found: dict[str, Any]) -> None:
    assert found["workbench"] == "hi\nwrote\n"
    assert found["host"] == "of the host"
