"""A trial's network in docker, both ways: descriptors that travel, and streams where they cannot."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from dayjob.sandbox.docker import network
from dayjob.sandbox.docker.sandbox import DockerSandbox
from dayjob.sandbox.docker.site import DockerSite
from dayjob.task.dockerfile import parse_dockerfile
from dayjob.trial import workshop
from dayjob.trial.outcome import Label
from tests.trial.offices import attempt, task

pytestmark = [pytest.mark.xdist_group("docker"), pytest.mark.usefixtures("daemon")]

ECHO = """
import socket, threading
server = socket.create_server(("127.0.0.1", 8080))
def echo(one):
    while data := one.recv(65536):
        one.sendall(data)
    one.close()
print("listening", flush=True)
while True:
    threading.Thread(target=echo, args=(server.accept()[0],), daemon=True).start()
"""
ASK = """
import socket, sys
total = 0
for _ in range(3):
    with socket.create_connection(("office.test", 3000), 20) as one:
        one.sendall(b"how many?")
        one.shutdown(socket.SHUT_WR)
        while data := one.recv(65536):
            total += len(data)
print(total)
"""


@pytest.mark.parametrize("descriptors", [True, False])
def test_connections_go_both_ways(tmp_path: Path, descriptors: bool) -> None:
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.read())
        writer.write(b"y" * 1_000_000)
        await writer.drain()
        writer.close()

    async def work(room: DockerSandbox, listener: socket.socket) -> None:
        server = await asyncio.start_server(answer, sock=listener)
        assert (await room.exec(["python_default", "-c", ASK])).text == "3000000\n"
        assert asked == [b"how many?"] * 3
        serving = asyncio.create_task(room.exec(["python_default", "-c", ECHO]))
        while 8080 not in await room.open_ports():  # noqa: ASYNC110  # it happens in the container
            await asyncio.sleep(0.05)
        reader, writer = await asyncio.open_connection(sock=await room.connect(8080))
        sent = bytes(range(256)) * 8000
        writer.write(sent)
        writer.write_eof()
        assert await reader.read() == sent
        writer.close()
        with pytest.raises(OSError, match="answers"):
            await room.connect(8081)
        serving.cancel()
        server.close()

    async def main() -> None:
        async with DockerSite(descriptors=descriptors) as site:
            image = await site.build(task(tmp_path), parse_dockerfile("FROM dayjob/task-base:1\n"), within=300)
            room = site.sandbox(image, name="net", listen=[3000], hosts={"office.test": "127.0.0.1"})
            started = await room.start()
            try:
                await work(room, started.listeners[3000])
            finally:
                await room.stop()
            assert site.ways.descriptors == descriptors

    asyncio.run(main())


def test_a_trial_goes_over_streams_when_descriptors_do_not_travel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sidecar that cannot reach its mounted socket, as in a virtual machine: the trial works all the same."""
    mute = tmp_path / "mute.py"
    mute.write_text("import sys\nsys.exit('connect: not supported here')\n")
    monkeypatch.setattr(network, "_SIDECAR", mute)
    sites: list[DockerSite] = []

    def make(*_: object) -> DockerSite:
        sites.append(DockerSite())
        return sites[-1]

    monkeypatch.setattr(workshop, "make_site", make)
    solution = """
        import subprocess, time, requests
        assert requests.get("http://office.test:8092/status.php").status_code == 200
        open("/workspace/answer.txt", "w").write("shipshape")
        subprocess.Popen(["python3", "-m", "http.server", "8080"], cwd="/workspace", start_new_session=True)
        while True:
            try:
                requests.get("http://localhost:8080/")
                break
            except requests.RequestException:
                time.sleep(0.05)
        """
    evaluator = """
        from common import *
        from scoring import Checkpoint, Result
        @grader
        def grade_all():
            left = requests.get("http://localhost:8080/answer.txt").text
            return left == "shipshape" and check_file_in_owncloud_directory("plan.txt", "Notes")
        def grade_checkpoints(trajectory=""):
            return Result([Checkpoint(1, int(grade_all()))])
        """
    path = task(tmp_path, solution__py=solution, evaluator__py=evaluator)
    tried = attempt(tmp_path / "cache", tmp_path, path, sandbox="docker")
    assert tried.outcome.label is Label.RESOLVED, tried.outcome.reason
    assert [site.ways.descriptors for site in sites] == [False]
