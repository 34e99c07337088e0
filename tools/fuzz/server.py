"""The company that is fuzzed: in a process of its own, with an eye on its event loop.

A stall is measured in the processor time of the loop's own thread between two of its turns, so that a busy machine does
not look like one. What went wrong is written to standard error, one JSON object a line.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
import traceback
from collections import deque
from pathlib import Path
from typing import Any

from starlette.types import Receive, Scope, Send

from dayjob.company.company import Company
from dayjob.company.control import Control
from dayjob.company.host import Door
from dayjob.company.world import build_snapshot
from dayjob.http.server import Server, bind, run
from dayjob.service_names import NAMES

STALL = 1.0
_TURN = 0.02
_asked: deque[str] = deque(maxlen=8)


class _NotingDoor(Door):
    """A door that remembers who came last, for when the loop stalls."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        query = scope.get("query_string", b"").decode("latin-1")
        _asked.append(f"{scope.get('method', 'WS')} {scope['path'][:200]}?{query[:200]}")
        await super().__call__(scope, receive, send)


class _Failures(logging.Handler):
    """Every crash that became a 500, with where it happened."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1] is not None:
            error = record.exc_info[1]
            places = [f"{Path(one.filename).name}:{one.lineno}" for one in traceback.extract_tb(error.__traceback__)]
            _tell(failure=record.getMessage()[:300], error=f"{type(error).__name__}: {error}"[:300], at=places[-4:])


def _tell(**facts: Any) -> None:
    print(json.dumps(facts), file=sys.stderr, flush=True)


async def _watch() -> None:
    before = time.thread_time()
    while True:
        await asyncio.sleep(_TURN)
        now = time.thread_time()
        if now - before > STALL:
            _tell(stall=round(now - before, 2), asked=list(_asked))
        before = now


async def _serve(world: Path, cache: Path) -> None:
    company = Company(build_snapshot(world, cache=cache), quota=1024**3)
    async with Server() as host:
        ports = {}
        for name in (*NAMES, "control"):
            sock = bind()
            ports[name] = sock.getsockname()[1]
            behind = Control(company) if name == "control" else company.service(name)
            await host.listen(_NotingDoor(company, behind, "people"), sock)
        watching = asyncio.create_task(_watch())
        print(json.dumps({"ports": ports, "token": company.control_token}), flush=True)
        # Whoever started this holds the other end of standard input; when it closes, so does this.
        await asyncio.to_thread(sys.stdin.buffer.read)
        watching.cancel()
    company.close()


if __name__ == "__main__":
    logging.getLogger("dayjob.company").addHandler(_Failures())
    logging.getLogger("dayjob.company").propagate = False
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    run(lambda: _serve(Path(sys.argv[1]), Path(sys.argv[2])))
