"""Run by the tests of a kept company: lets time pass in it until it is killed. Given world, cache, folder, until."""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime
from pathlib import Path

from dayjob.company.state import open_kept
from dayjob.company.waiting import pass_until
from dayjob.company.world import build_snapshot


async def main(world: str, cache: str, folder: str, until: str) -> None:
    company = open_kept(build_snapshot(Path(world), cache=Path(cache)), Path(folder))
    company.begin_time()
    print("open", flush=True)
    await pass_until(company, datetime.fromisoformat(until).replace(tzinfo=UTC))
    print(company.clock.stamp(), flush=True)
    company.close()


asyncio.run(main(*sys.argv[1:]))
