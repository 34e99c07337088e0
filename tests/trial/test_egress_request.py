"""The way out sends one request at a time, to the address and the host that were checked."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address
from typing import Any

import pytest

from dayjob.trial.addresses import Address
from dayjob.trial.egress import Proxy, policy_of
from dayjob.trial.egress_request import read_request


class Upstream:
    """A server that notes every byte of every connection and answers once, when it has seen what it waits for."""

    def __init__(self, until: bytes = b"\r\n\r\n") -> None:
        self.until = until
        self.heard: list[bytes] = []

    async def __aenter__(self) -> Upstream:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append(b"")
        number = len(self.heard) - 1
        while self.until not in self.heard[number] and (data := await reader.read(65536)):
            self.heard[number] += data
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()
        # Keeps the connection, as a server that minds nobody's "close" would, and notes what else comes.
        try:
            async with asyncio.timeout(1):
                while data := await reader.read(65536):
                    self.heard[number] += data
        except TimeoutError:
            pass
        writer.close()


def asked(request: str, *, until: bytes = b"\r\n\r\n") -> tuple[bytes, list[bytes]]:
    """What the proxy answers to bytes on one connection, and what arrived on the other side. PORT is the server's."""

    async def main() -> tuple[bytes, list[bytes]]:
        sock = socket.socket()
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        place = sock.getsockname()
        async with Upstream(until) as upstream, Proxy(policy_of(["localhost"]), sock, lambda _: True):
            reader, writer = await asyncio.open_connection(*place)
            writer.write(request.replace("PORT", str(upstream.port)).encode("latin-1"))
            answer = await asyncio.wait_for(reader.read(), 20)
            writer.close()
            return answer, upstream.heard

    return asyncio.run(main())


def test_the_request_says_close_and_names_the_host_that_was_checked() -> None:
    answer, heard = asked(
        "GET http://localhost:PORT/a?b=c#d HTTP/1.1\r\nHost: forbidden.test\r\nConnection: keep-alive, X-Drop\r\n"
        "X-Drop: 1\r\nX-Keep: 2\r\nProxy-Authorization: x\r\nUpgrade: websocket\r\n\r\n"
    )
    assert answer.endswith(b"ok")
    (text,) = heard
    lines = text.decode().split("\r\n")
    assert lines[0] == "GET /a?b=c HTTP/1.1"
    assert lines[1].startswith("host: localhost:")
    assert lines[2:] == ["x-keep: 2", "connection: close", "", ""]


def test_a_second_request_on_the_same_connection_goes_nowhere() -> None:
    second = "GET http://forbidden.test/ HTTP/1.1\r\nHost: forbidden.test\r\n\r\n"
    answer, heard = asked(f"GET http://localhost:PORT/ HTTP/1.1\r\nHost: localhost\r\n\r\n{second}{second}")
    assert answer.count(b"HTTP/1.1 200") == 1
    assert len(heard) == 1
    assert b"forbidden.test" not in heard[0]


def test_what_follows_the_announced_body_goes_nowhere() -> None:
    head = "POST http://localhost:PORT/ HTTP/1.1\r\nContent-Length: 4\r\n\r\n"
    _, heard = asked(head + "bodyGET /smuggled HTTP/1.1\r\nHost: forbidden.test\r\n\r\n", until=b"body")
    assert heard[0].endswith(b"\r\n\r\nbody")


def test_chunks_are_passed_on_to_the_last_and_nothing_after_it() -> None:
    head = "POST http://localhost:PORT/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    _, heard = asked(head + "4\r\nbody\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n", until=b"0\r\n\r\n")
    assert heard[0].endswith(b"\r\n\r\n4\r\nbody\r\n0\r\n\r\n")


@pytest.mark.parametrize("chunks", ["4;x=1\r\nbody\r\n", "+4\r\nbody\r\n", "0x4\r\nbody\r\n", "3\r\nbody\r\n0\r\n\r\n"])
def test_chunks_that_could_be_read_in_two_ways_end_the_connection(chunks: str) -> None:
    head = "POST http://localhost:PORT/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    answer, heard = asked(head + chunks + "0\r\n\r\n", until=b"never")
    assert answer == b""
    assert b"0\r\n\r\n" not in heard[0].partition(b"\r\n\r\n")[2]


@pytest.mark.parametrize(
    "head",
    [
        "GET http://a/ HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5",
        "GET http://a/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked",
        "GET http://a/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked",
        "GET http://a/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity",
        "GET http://a/ HTTP/1.0\r\nTransfer-Encoding: chunked",
        "GET http://a/ HTTP/1.1\r\nContent-Length: +4",
        "GET http://a/ HTTP/1.1\r\nContent-Length: 4, 4",
        "GET http://a/ HTTP/1.1\r\nX: 1\nInjected: 2",
        "GET http://a/ HTTP/1.1\r\nX: 1\rInjected: 2",
        "GET http://a/ HTTP/1.1\r\nX : 1",
        "GET http://a/ HTTP/1.1\r\n folded",
        "GET http://a/ HTTP/1.1\r\nX: a\0b",
        "GET http://a/ HTTP/1.1\r\nno colon",
        "GET http://a/ b HTTP/1.1",
        "GET http://a/\tb HTTP/1.1",
        "GET  http://a/ HTTP/1.1",
        "G(T http://a/ HTTP/1.1",
        "GET http://a/ HTTP/2.0",
        "GET http://a/",
        "GET https://a/ HTTP/1.1",
        "GET ftp://a/ HTTP/1.1",
        "GET http:///x HTTP/1.1",
        "GET http://a:99999/ HTTP/1.1",
        "GET http://a%00b/ HTTP/1.1",
        "CONNECT a HTTP/1.1",
        "CONNECT a:0 HTTP/1.1",
        "CONNECT a:٣ HTTP/1.1",
        "CONNECT a b:1 HTTP/1.1",
        "CONNECT a@b:1 HTTP/1.1",
        "CONNECT a/b:1 HTTP/1.1",
    ],
)
def test_a_head_that_could_be_read_in_two_ways_is_refused(head: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_request((head + "\r\n\r\n").encode("utf-8"))


@pytest.mark.parametrize(
    ("target", "host", "port"),
    [
        ("http://user:secret@b.test/", "b.test", 80),
        ("http://a.test@b.test:81/", "b.test", 81),
        ("http://[2606:4700::1111]/", "2606:4700::1111", 80),
        ("http://A.Test/", "a.test", 80),
    ],
)
def test_the_host_is_the_one_that_will_be_asked(target: str, host: str, port: int) -> None:
    request = read_request(f"GET {target} HTTP/1.1\r\nHost: other.test\r\n\r\n".encode())
    assert (request.host, request.port) == (host, port)
    assert b"other.test" not in request.head
    assert b"secret" not in request.head


def test_the_address_that_was_checked_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name may mean another machine a moment later: it is looked up once, and the answer used."""
    looked_up: list[Any] = []

    async def main() -> tuple[bytes, list[Address], str]:
        sock = socket.socket()
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        place = sock.getsockname()
        loop = asyncio.get_running_loop()
        real = loop.getaddrinfo
        checked: list[Address] = []

        async def changing(host: Any, port: Any, **options: Any) -> Any:
            if host != "rebinding.test":
                return await real(host, port, **options)
            looked_up.append(host)
            address = "127.0.0.1" if len(looked_up) == 1 else "127.0.0.2"
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

        monkeypatch.setattr(loop, "getaddrinfo", changing)

        def check(address: Address) -> bool:
            checked.append(address)
            return address == ip_address("127.0.0.1")

        async with Upstream() as upstream, Proxy(policy_of(["rebinding.test"]), sock, check):
            reader, writer = await asyncio.open_connection(*place)
            writer.write(f"GET http://rebinding.test:{upstream.port}/ HTTP/1.1\r\n\r\n".encode())
            answer = await asyncio.wait_for(reader.read(), 20)
            writer.close()
            return answer, checked, upstream.heard[0].decode()

    answer, checked, heard = asyncio.run(main())
    assert answer.endswith(b"ok")
    assert looked_up == ["rebinding.test"]
    assert checked == [ip_address("127.0.0.1")]
    assert "host: rebinding.test" in heard
