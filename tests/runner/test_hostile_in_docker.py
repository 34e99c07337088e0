"""The worst of hostile jobs once more, in containers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.runner.ci_office import office_loop
from tests.runner.test_hostile_jobs import HOSTS, packing, program


@pytest.mark.xdist_group("docker")
def test_hostile_jobs_in_containers_harm_themselves(daemon: str, cache: Path, tmp_path: Path) -> None:
    with office_loop(cache, tmp_path, "docker") as run:
        office = run.office
        ports = [*office.company.world.ports.values(), 4000, 2998, 22, 80]
        look = f"""
import socket
reached = []
for host in {HOSTS}:
    for port in {ports}:
        try:
            socket.create_connection((host, port), 0.5).close()
            reached.append((host, port))
        except OSError:
            pass
print("reached", reached)
"""
        network = run(office.script(program(look)))
        assert network.status == "success", network.log
        assert "reached []" in network.log
        forks = (
            "import os, time\nn = 0\nwhile True:\n    try:\n        if os.fork() == 0: time.sleep(600)\n"
            "        n += 1\n    except OSError:\n        print('stopped at', n); break\n"
        )
        assert "stopped at" in run(office.script(program(forks))).log
        killed = run(office.script("kill -9 -1; kill -9 1; kill -9 $$", "echo never"))
        assert killed.status == "failed"
        assert "$ echo never" not in killed.log
        forged = run(office.script(packing("ln -s /etc/shadow $last"), artifacts={"paths": ["x"]}))
        assert forged.status == "failed"
        assert run(office.script("echo fine")).status == "success"
        assert not office.runner.faults
    left = subprocess.run(["docker", "ps", "-aq", "--filter", "name=dayjob-ci-"], capture_output=True, text=True)
    assert left.stdout == ""
