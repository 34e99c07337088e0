"""A room for a test: `in_room(cache, work)` starts one, awaits `work(room)` in it and stops it, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from dayjob.sandbox.embedded.sandbox import EmbeddedSandbox
from dayjob.sandbox.embedded.site import EmbeddedSite

T = TypeVar("T")


def in_room(cache: Path, work: Callable[[EmbeddedSandbox], Awaitable[T]], **options: Any) -> T:
    async def main() -> T:
        async with EmbeddedSite(cache) as site:
            room = EmbeddedSandbox(site, await site.base(), name="test", **options)
            await room.start()
            try:
                return await work(room)
            finally:
                await room.stop()

    return asyncio.run(main())


def said(cache: Path, command: str | list[str], **options: Any) -> str:
    """What a command prints in a fresh room, both streams."""

    async def work(room: EmbeddedSandbox) -> str:
        done = await room.exec(command)
        return done.text + done.error_text

    return in_room(cache, work, **options)
