"""A company on real sockets for tests: its own thread, its own event loop, any free ports on loopback."""

from __future__ import annotations

import asyncio
import functools
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvloop

from dayjob.company.company import Company
from dayjob.company.host import Host
from dayjob.company.journal import Role
from dayjob.company.world import Snapshot, build_snapshot
from dayjob.http.server import bind
from dayjob.service_names import NAMES

WORLDS = Path(__file__).parents[2] / "worlds"


class Served:
    """A company being served; `call` runs a function on its loop, where its databases may be touched."""

    def __init__(self, company: Company, loop: asyncio.AbstractEventLoop, ports: dict[str, int]) -> None:
        self.company = company
        self.loop = loop
        self.ports = ports

    def port(self, service: str) -> int:
        return self.ports[service]

    def url(self, service: str) -> str:
        return f"http://127.0.0.1:{self.ports[service]}"

    def call(self, function: Any, *args: Any) -> Any:
        async def run() -> Any:
            return function(*args)

        return asyncio.run_coroutine_threadsafe(run(), self.loop).result(60)


@functools.cache
def _cache() -> tempfile.TemporaryDirectory[str]:
    """Snapshots are named by their content and never written to, so all tests of a process share them."""
    return tempfile.TemporaryDirectory(prefix="dayjob-test-")


def snapshot_of(world: Path) -> Snapshot:
    return build_snapshot(world, cache=Path(_cache().name))


@contextmanager
def serve(world: Path | Snapshot, *, role: Role = "people", **company_options: Any) -> Iterator[Served]:
    """Serve a world's company: `with serve(WORLDS / "blank") as served: requests.get(served.url("chat"))`."""
    snapshot = world if isinstance(world, Snapshot) else snapshot_of(world)
    company = Company(snapshot, **company_options)
    started = threading.Event()
    found: list[Served] = []
    failure: list[BaseException] = []
    stop: list[asyncio.Event] = []

    async def main() -> None:
        async with Host() as host:
            ports = {}
            for name in (*NAMES, "control"):
                sock = bind()
                ports[name] = sock.getsockname()[1]
                await host.serve(company, name, sock, role)
            stop.append(asyncio.Event())
            found.append(Served(company, asyncio.get_running_loop(), ports))
            started.set()
            await stop[0].wait()

    def run() -> None:
        try:
            uvloop.run(main())
        except BaseException as error:
            failure.append(error)
            started.set()
            raise

    thread = threading.Thread(target=run, name="company", daemon=True)
    thread.start()
    started.wait(30)
    if failure:
        raise failure[0]
    try:
        yield found[0]
    finally:
        found[0].loop.call_soon_threadsafe(stop[0].set)
        thread.join(30)
        company.close()
