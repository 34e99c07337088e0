"""Connecting to a port inside a sandbox's own network, whichever of the two loopback addresses it listens on."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable

_PATIENCE = 10.0  # seconds a listener inside may take to accept


async def connected(make: Callable[[bool], Awaitable[socket.socket]], port: int) -> socket.socket:
    """A connection to the port; `make(six)` gives a socket made inside the network, not yet connected."""
    loop = asyncio.get_running_loop()
    for six, address in ((False, "127.0.0.1"), (True, "::1")):
        sock = await make(six)
        try:
            async with asyncio.timeout(_PATIENCE):
                await loop.sock_connect(sock, (address, port))
        except OSError:  # a TimeoutError among them
            sock.close()
        else:
            return sock
    raise ConnectionRefusedError(f"nothing answers at port {port}")
