"""A server that stops: whatever state its connections are in, every listener is closed."""

from __future__ import annotations

import asyncio
import socket

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send
from websockets.client import ClientProtocol
from websockets.uri import parse_uri

from dayjob.http.server import Server, bind


def says_much(heard: asyncio.Event) -> ASGIApp:
    """Sends more than any buffer of the kernel holds, and tells when its peer has said goodbye."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        await send({"type": "websocket.send", "bytes": bytes(32 * 2**20)})
        while (await receive())["type"] != "websocket.disconnect":
            pass
        heard.set()
        await asyncio.Event().wait()

    return app


async def _send(protocol: ClientProtocol, sock: socket.socket) -> None:
    for piece in protocol.data_to_send():
        await asyncio.get_running_loop().sock_sendall(sock, piece)


async def _closing_and_not_gone(address: tuple[str, int]) -> socket.socket:
    """A client that says goodbye and reads nothing more."""
    sock = socket.socket()
    sock.setblocking(False)
    await asyncio.get_running_loop().sock_connect(sock, address)
    protocol = ClientProtocol(parse_uri(f"ws://{address[0]}:{address[1]}/"), max_size=None)
    protocol.send_request(protocol.connect())
    await _send(protocol, sock)
    protocol.receive_data(await asyncio.get_running_loop().sock_recv(sock, 4096))
    protocol.send_close(1000)
    await _send(protocol, sock)
    return sock


def test_a_websocket_that_is_closing_does_not_keep_the_other_listeners_open() -> None:
    async def main() -> None:
        first, second = bind(), bind()
        addresses = [first.getsockname(), second.getsockname()]
        async with asyncio.timeout(30), Server() as server:
            heard = asyncio.Event()
            await server.listen(says_much(heard), first)
            await server.listen(says_much(heard), second)
            sock = await _closing_and_not_gone(addresses[0])
            await heard.wait()
        sock.close()
        for address in addresses:
            with pytest.raises(ConnectionRefusedError), socket.create_connection(address):
                pass

    asyncio.run(main())
