"""The sidecar where descriptors cannot travel: carries every connection as frames over its own standard streams.

Runs inside the container as a plain script; its arguments are the ports to listen on. A frame is a stream's number, a
kind, a length and as many bytes. Numbers of connections that come from inside are odd, of those from the host even.
The host speaks with the same `Line`.
"""

import asyncio
import json
import os
import struct
import sys
from collections.abc import AsyncIterator

FRAME = struct.Struct("!IcI")
OPEN, DATA, END, GONE, READY, PORTS = b"o", b"d", b"e", b"g", b"r", b"p"


class Line:
    """One end of the frames, and the connections they belong to."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.streams: dict[int, asyncio.StreamWriter] = {}
        self.half: set[int] = set()

    async def say(self, number: int, kind: bytes, data: bytes = b"") -> None:
        self.writer.write(FRAME.pack(number, kind, len(data)) + data)
        await self.writer.drain()

    async def frames(self) -> AsyncIterator[tuple[int, bytes, bytes]]:
        """What is not for a connection that is open, until the other side is gone."""
        while True:
            try:
                number, kind, size = FRAME.unpack(await self.reader.readexactly(FRAME.size))
                data = await self.reader.readexactly(size)
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            if number in self.streams and kind in (DATA, END, GONE):
                await self.give(number, kind, data)
            else:
                yield number, kind, data

    async def carry(self, number: int, reader: asyncio.StreamReader) -> None:
        """Send what a connection says, until it has said everything."""
        try:
            while data := await reader.read(65536):
                await self.say(number, DATA, data)
            await self.say(number, END)
            self.over(number)
        except OSError:
            self.drop(number)
            await self.say(number, GONE)

    async def give(self, number: int, kind: bytes, data: bytes) -> None:
        """Hand a connection what the other side says to it."""
        writer = self.streams[number]
        try:
            if kind == DATA:
                writer.write(data)
                await writer.drain()
            elif kind == END:
                writer.write_eof()
                self.over(number)
            else:
                self.drop(number)
        except OSError:
            self.drop(number)
            await self.say(number, GONE)

    def over(self, number: int) -> None:
        """One direction has ended; with the second the connection is closed."""
        if number in self.half:
            self.drop(number)
        elif number in self.streams:
            self.half.add(number)

    def drop(self, number: int) -> None:
        self.half.discard(number)
        writer = self.streams.pop(number, None)
        if writer is not None:
            writer.close()


async def connect(line: Line, number: int, port: int) -> None:
    """A connection that the host wants to something inside."""
    for address in ("127.0.0.1", "::1"):
        try:
            reader, line.streams[number] = await asyncio.wait_for(asyncio.open_connection(address, port), 10)
        except (TimeoutError, OSError):
            continue
        await line.say(number, READY)
        await line.carry(number, reader)
        return
    await line.say(number, GONE)


def listening() -> list[int]:
    found = set()
    for name in ("tcp", "tcp6"):
        with open("/proc/net/" + name) as file:
            for entry in file.readlines()[1:]:
                fields = entry.split()
                if fields[3] == "0A":
                    found.add(int(fields[1].rpartition(":")[2], 16))
    return sorted(found)


async def main(ports: list[str]) -> None:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    pipe, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(1, "wb", 0))
    line = Line(reader, asyncio.StreamWriter(pipe, protocol, None, loop))
    numbers = iter(range(1, 1 << 32, 2))

    async def serve(port: int) -> None:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            number = next(numbers)
            line.streams[number] = writer
            await line.say(number, OPEN, str(port).encode())
            await line.carry(number, reader)

        await asyncio.start_server(accept, "127.0.0.1", port)

    for port in ports:
        await serve(int(port))
    await line.say(0, READY)
    at_work = set()
    async for number, kind, data in line.frames():
        if kind == OPEN:
            task = asyncio.ensure_future(connect(line, number, int(data)))
            at_work.add(task)
            task.add_done_callback(at_work.discard)
        elif kind == PORTS:
            await line.say(number, PORTS, json.dumps(listening()).encode())
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
