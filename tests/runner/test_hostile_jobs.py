"""Jobs that mean harm: whatever they do ends in their own room, and the next job finds everything as it was."""

from __future__ import annotations

import base64
import io
import json
import os
import socket
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from dayjob import owned
from dayjob.sandbox.cgroups import available, groups
from tests.runner.ci_office import Loop, office_loop


@pytest.fixture(scope="module")
def run(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    with office_loop(cache, tmp_path_factory.mktemp("office")) as found:
        yield found


@pytest.fixture(autouse=True)
def _the_next_job_is_fine(run: Loop) -> Iterator[None]:
    """After every attack: no fault, nothing left in a control group, and a job that has what it needs."""
    yield
    assert not run.office.runner.faults
    assert not [path for path, owner in groups().items() if owner == owned.mark() and "ci-job" in path.name]
    job = run(run.office.script("ls -A .. | sort | tr '\\n' ' '", "echo fine"))
    assert job.status == "success", job.log


# Ourselves, the company, and where gateways, hosts and the world usually are.
HOSTS = (
    "127.0.0.1", "::1", "office.test", "localhost", "10.0.0.1", "172.17.0.1", "192.168.0.1", "169.254.169.254",
    "1.1.1.1",
)  # fmt: skip


def packing(instead: str) -> str:
    """Replace the room's Python by a program that does something else when it is to pack artifacts."""
    text = f"#!/bin/sh\\nfor last; do case $last in *.tmp/packed) {instead};; esac; done\\n"
    return f"printf '{text}' > /tmp/p; chmod +x /tmp/p; cp /tmp/p /usr/bin/python3.13"


def program(text: str) -> str:
    """A Python program as one command."""
    packed = base64.b64encode(text.encode()).decode()
    return f"""python3 -c 'import base64; exec(base64.b64decode("{packed}"))'"""


@pytest.mark.skipif(not available(), reason="needs control groups")
def test_a_fork_bomb_ends_at_its_rooms_limit(run: Loop) -> None:
    bomb = program(
        "import os, time\nn = 0\nwhile True:\n    try:\n        if os.fork() == 0: time.sleep(600)\n"
        "        n += 1\n    except OSError:\n        print('stopped at', n); break\n"
    )
    job = run(run.office.script(bomb))
    stopped = int(job.log.partition("stopped at ")[2].split()[0])
    assert 10 < stopped <= 256


@pytest.mark.skipif(not available(), reason="needs control groups")
def test_ten_gigabytes_of_memory_are_not_had(run: Loop) -> None:
    job = run(run.office.script(program("x = bytearray(10 * 1024**3)\nfor i in range(0, len(x), 4096): x[i] = 1")))
    assert (job.status, job.reason) == ("failed", "script_failure")


def test_ten_gigabytes_of_files_are_not_had(run: Loop) -> None:
    fill = "for i in 1 2 3 4 5 6 7 8; do head -c 2G /dev/zero > /builds/f$i || true; done; df -k / | tail -1"
    job = run(run.office.script(fill, "exit 4", artifacts={"paths": ["/builds/f1", "f*"], "when": "always"}))
    assert job.status == "failed"
    used = int(job.log.rpartition("$ exit 4")[0].splitlines()[-2].split()[2])
    assert used < 600 * 1024


def test_endless_output_costs_its_job_its_log_and_nobody_else(run: Loop) -> None:
    before = time.process_time()
    began = time.monotonic()
    job = run(run.office.script("yes 'a line without an end'", timeout="5 seconds"))
    assert job.reason == "job_execution_timeout"
    assert len(job.log) < 4_000_000 + 8192
    assert "Job's log exceeded limit of 4000000 bytes." in job.log
    # This process has read, masked and sent it: with a rest, or it would have been busy all the time.
    assert time.process_time() - before < 0.7 * (time.monotonic() - began)


def test_there_is_no_network_at_all(run: Loop) -> None:
    with socket.socket() as ours:
        ours.bind(("127.0.0.1", 0))
        ours.listen()
        ports = [*run.office.company.world.ports.values(), 4000, 2998, 22, 80, ours.getsockname()[1]]
        job = run(
            run.office.script(
                program(
                    f"""
import socket, os
reached = []
for host in {HOSTS}:
    for port in {ports}:
        try:
            socket.create_connection((host, port), 0.5).close()
            reached.append((host, port))
        except OSError:
            pass
print("reached", reached)
print("links", sorted(os.listdir("/sys/class/net")) if os.path.isdir("/sys/class/net") else "")
print("listening", [line.split()[1] for line in open("/proc/net/tcp").readlines()[1:] if line.split()[3] == "0A"])
"""
                )
            )
        )
    assert job.status == "success", job.log
    assert "reached []" in job.log
    assert "listening []" in job.log


def test_a_job_sees_no_other_job_and_nothing_of_the_host(run: Loop, tmp_path: Path) -> None:
    secret = tmp_path / "host-secret"
    secret.write_text("of the host")
    ci = json.dumps(
        {
            "first": {"script": ["echo first-jobs-words > /builds/left; echo first-jobs-words > /tmp/left; sleep 2"]},
            "second": {
                "script": [
                    "sleep 0.5; ls -d /builds/left /tmp/left /builds/*/* 2>/dev/null || true",
                    f"cat {secret} /proc/1/environ 2>/dev/null || echo not there",
                    "ps -e -o args | grep -c 'sleep 2' || true",
                    "id -u; cat /proc/self/uid_map",
                ]
            },
        }
    )
    jobs = run(run.office.run(ci))
    assert {name: job.status for name, job in jobs.items()} == {"first": "success", "second": "success"}
    log = jobs["second"].log
    assert "/builds/left" not in log.partition("not there")[0].rpartition("$ sleep 0.5")[2].partition("\n")[2]
    assert "of the host" not in log
    assert "not there" in log
    if os.geteuid() == 0:
        assert int(log.split("uid_map")[-1].split()[2 if "\x1b" in log.split("uid_map")[-1].split()[0] else 1]) >= 0


def test_a_job_that_kills_everything_it_can_harms_itself(run: Loop) -> None:
    job = run(run.office.script("kill -9 -1; kill -9 1; kill -9 $$", "echo never"))
    assert (job.status, job.reason) == ("failed", "script_failure")
    assert "$ echo never" not in job.log


def test_what_a_job_leaves_running_ends_with_it(run: Loop) -> None:
    job = run(run.office.script("setsid sleep 4321 > /dev/null 2>&1 < /dev/null & disown; echo left"))
    assert job.status == "success"
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            assert b"sleep\x004321" not in path.read_bytes()
        except OSError:
            continue  # it ended while we looked


def test_a_hostile_repository_runs_nothing_when_it_is_checked_out(run: Loop) -> None:
    files = {
        ".gitattributes": "* filter=evil diff=evil merge=evil\n*.bin filter=lfs diff=lfs merge=lfs -text\n",
        ".gitmodules": '[submodule "x"]\n path = x\n url = ext::sh -c touch% /tmp/owned\n update = !touch /tmp/owned\n',
        ".gitconfig": '[filter "evil"]\n smudge = touch /tmp/owned\n[core]\n hooksPath = hooks\n',
        "hooks/post-checkout": "#!/bin/sh\ntouch /tmp/owned\n",
        "large.bin": "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n",
    }
    variables = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "hooks"}
    variables |= {"GIT_SUBMODULE_STRATEGY": "recursive", "BASH_ENV": "/builds/x", "GIT_TRACE": "1"}
    job = run(
        run.office.script(
            "test ! -e /tmp/owned", "git status --short", "cat large.bin", files=files, variables=variables
        )
    )
    assert job.status == "success", job.log
    assert "git-lfs.github.com" in job.log


def bomb() -> str:
    """A zip whose one file is a gigabyte, made of a few kilobytes, as a command writes it."""
    return program(
        "import zipfile\nwith zipfile.ZipFile('bomb.zip', 'w', zipfile.ZIP_DEFLATED) as z:\n"
        "    with z.open('big', 'w', force_zip64=True) as f:\n        [f.write(bytes(1 << 20)) for _ in range(1024)]\n"
    )


def test_artifacts_that_lead_elsewhere_or_swell_end_in_the_room_that_needs_them(run: Loop) -> None:
    """The packing Python is the room's own: a job may replace it, and send any bytes as its archive."""
    evil = io.BytesIO()
    link = zipfile.ZipInfo("out")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(evil, "w") as packed:
        packed.writestr("../../../tmp/owned", "1")
        packed.writestr("/tmp/owned", "1")
        packed.writestr(link, "/tmp")
        packed.writestr("out/owned", "1")
    forged = base64.b64encode(evil.getvalue()).decode()
    forging = packing("cp /builds/forged $last")
    ci = {
        "stages": ["one", "two"],
        "leads": {
            "stage": "one",
            "script": [f"echo {forged} | base64 -d > /builds/forged", forging],
            "artifacts": {"paths": ["x"]},
        },
        "swells": {
            "stage": "one",
            "script": [bomb(), "mv bomb.zip /builds/forged", forging],
            "artifacts": {"paths": ["x"]},
        },
        "after-leads": {"stage": "two", "needs": ["leads"], "script": ["test ! -e /tmp/owned", "ls -la"]},
        "after-swells": {"stage": "two", "needs": ["swells"], "script": ["echo not reached"]},
    }
    jobs = run(run.office.run(json.dumps(ci)))
    statuses = {name: job.status for name, job in jobs.items()}
    assert statuses.get("after-leads") in ("success", "skipped"), jobs["after-leads"].log
    assert statuses.get("after-swells") in ("failed", "skipped")


def test_an_archive_that_is_a_link_or_too_large_is_not_taken(run: Loop) -> None:
    trick = packing("ln -s /etc/shadow $last")
    job = run(run.office.script(trick, artifacts={"paths": ["x"]}))
    assert job.status == "failed"
    assert "what was packed is no file" in job.log
    large = run(run.office.script("head -c 120M /dev/urandom > large", artifacts={"paths": ["large"]}))
    assert large.status == "failed"
    assert "too large" in large.log


def test_forged_sections_and_escapes_are_only_text_of_its_own_log(run: Loop) -> None:
    forged = r"printf '\033[0Ksection_start:1:step_script\r\033[0KJob succeeded\n\033]0;title\007\033[2J'"
    job = run(run.office.script(forged, "exit 5"))
    assert (job.status, job.reason) == ("failed", "script_failure")
    assert job.log.rstrip().endswith("ERROR: Job failed: exit code 5\x1b[0;m")
