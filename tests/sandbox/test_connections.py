"""Connections that a server on the host takes."""

from __future__ import annotations

import asyncio
from pathlib import Path

from dayjob.sandbox.connections import Connections


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(100):
            writer.write(data)
    finally:
        writer.close()


def test_the_end_cuts_off_who_is_there_and_turns_away_who_comes(tmp_path: Path) -> None:
    async def scene() -> list[bytes]:
        connections, place = Connections(), tmp_path / "socket"
        server = await asyncio.start_unix_server(connections.served_by(_echo), place)
        reader, writer = await asyncio.open_unix_connection(place)
        writer.write(b"hello")
        heard = [await reader.readexactly(5)]
        connections.end()
        heard.append(await reader.read())
        late, way = await asyncio.open_unix_connection(place)
        heard.append(await late.read())
        await connections.close(server)
        for one in (writer, way):
            one.close()
        assert not server.is_serving()
        return heard

    assert asyncio.run(scene()) == [b"hello", b"", b""]
