"""A container's network, by descriptors and by streams, with sidecars that are processes of this machine."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from dayjob.sandbox.docker import site as site_module
from dayjob.sandbox.docker.network import DescriptorNetwork, DescriptorsStay, Networks
from dayjob.sandbox.docker.streams import StreamNetwork
from dayjob.sandbox.sandbox import SandboxError
from tests.sandbox.docker.fake_docker import FakeDocker, run


async def spoken(sock: socket.socket) -> bytes:
    """What somebody who connects to a listening socket hears from us, seen from their side."""
    loop = asyncio.get_running_loop()
    sock.setblocking(False)
    accepting = asyncio.ensure_future(loop.sock_accept(sock))
    near, _ = await accepting
    with near:
        await loop.sock_sendall(near, b"from the host")
    return b""


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@pytest.mark.parametrize("kind", ["descriptors", "streams"])
def test_a_network_has_ports_of_ours_and_leads_to_those_inside(fake: FakeDocker, kind: str) -> None:
    fake.has_networks()

    async def main() -> tuple[str, int]:
        ways = Networks(kind == "descriptors")
        port = free_port()
        network, sockets = await ways.open("box", "image:1", ["--label", "x"], [port], {"office.test": "127.0.0.1"})
        try:
            assert isinstance(network, DescriptorNetwork if kind == "descriptors" else StreamNetwork)
            assert list(sockets) == [port]
            assert port in await network.ports()
            answering = asyncio.create_task(spoken(sockets[port]))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await reader.read(13) == b"from the host"
            writer.close()
            await answering

            async def inside(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                writer.write(b"heard " + await reader.readline())
                writer.close()

            server = await asyncio.start_server(inside, "127.0.0.1", 0)
            there = server.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection(sock=await network.connect(there))
            writer.write(b"hello\n")
            assert await reader.read() == b"heard hello\n"
            writer.close()
            server.close()
            with pytest.raises(ConnectionRefusedError):
                await network.connect(free_port())
        finally:
            await network.stop()
            for sock in sockets.values():
                sock.close()
        with pytest.raises(SandboxError, match="not running"):
            await network.ports()
        return network.container, port

    container, port = run(main())
    assert container == "box-network"
    call = fake.asked()[0]
    alike = ["--name", "box-network", "--label", "x", "--network", "none", "--add-host", "office.test:127.0.0.1"]
    safe = ["--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--memory"]
    if kind == "descriptors":
        assert call[:2] == ["run", "-d"]
        assert call[2 : 2 + len(alike) + len(safe)] == alike + safe
        rest = call[2 + len(alike) + len(safe) :]
        assert rest[:4] == ["64m", "--pids-limit", "16", "-v"]
        assert rest[4].endswith(":/run/dayjob")
        assert rest[6].endswith("sidecar.py:/sidecar.py:ro")
        assert rest[7:] == [
            "--entrypoint",
            "",
            "image:1",
            "python_default",
            "/sidecar.py",
            "/run/dayjob/host.sock",
            str(port),
        ]
    else:
        assert call[:2] == ["run", "-i"]
        assert call[2 : 2 + len(alike) + len(safe)] == alike + safe
        rest = call[2 + len(alike) + len(safe) :]
        assert rest[:5] == ["128m", "--pids-limit", "16", "--log-driver", "none"]
        assert rest[5:10] == ["--entrypoint", "", "image:1", "python_default", "-c"]
        assert rest[11:] == [str(port)]
    assert ["rm", "-f", "-v", "box-network"] in fake.asked()


def test_where_descriptors_do_not_travel_streams_carry_from_then_on(fake: FakeDocker) -> None:
    fake.has_networks()
    script = (fake.folder / "on-run").read_text()
    fake.on("run", f'case "$*" in *sidecar.py*) echo 1 > "$FAKE_DOCKER/sidecar"; exit 0 ;; esac\n{script}')
    fake.on("wait", "exit 0\n")
    fake.on("rm", "true\n")

    async def main() -> Networks:
        ways = Networks()
        for _ in range(2):
            network, sockets = await ways.open("box", "image:1", [], [], {})
            assert isinstance(network, StreamNetwork)
            assert sockets == {}
            await network.stop()
        return ways

    assert run(main()).descriptors is False
    assert [call[1] for call in fake.asked() if call[0] == "run"] == ["-d", "-i", "-i"]


def test_a_sidecar_that_does_not_start_says_why(fake: FakeDocker) -> None:
    fake.on("run", "echo no such image >&2; exit 125\n")

    async def main() -> None:
        await Networks(descriptors=False).open("box", "image:1", [], [], {})

    with pytest.raises(SandboxError, match="the sidecar did not start: no such image"):
        run(main())
    assert fake.asked()[-1] == ["rm", "-f", "-v", "box-network"]


def test_a_network_that_never_calls_leaves_no_folder(fake: FakeDocker) -> None:
    fake.on("wait", "exit 0\n")

    async def main() -> Path:
        network = DescriptorNetwork("box", "image:1", [])
        with pytest.raises(DescriptorsStay):
            await network.start([], {})
        await network.stop()
        return network._folder

    assert not run(main()).exists()


def test_the_base_image_comes_with_the_checkout() -> None:
    assert (site_module.base_image_folder() / "Dockerfile").is_file()
