"""One worker process of a run: trials come in as lines of JSON, steps and outcomes go out as lines of JSON.

While it works it also says every second that its loop turns, so that the run notices when it does not.

What the models of all workers may spend is decided by the driver: see `leases`.

The end of the input means: cancel what is at work, say so, and go. When the process that started it is gone, so is it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from typing import Any, BinaryIO

from dayjob.sandbox import kernel
from dayjob.trial.leases import LeasedTurns
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import Workshop

LONGEST_LINE = 64 * 1024 * 1024
BEAT = "beat"


async def _serve(out: BinaryIO) -> None:
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader(limit=LONGEST_LINE)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)

    def write(event: dict[str, Any]) -> None:
        out.write(json.dumps(event).encode() + b"\n")

    def say(event: str, spec: TrialSpec, **facts: object) -> None:
        write({"event": event, "out": spec.out, **facts})

    at_work: set[asyncio.Task[None]] = set()

    async def beat() -> None:
        while True:
            if at_work:  # nobody listens to one that has nothing to do
                write({"event": BEAT})
            await asyncio.sleep(1)

    turns = LeasedTurns(write)
    beating = loop.create_task(beat())
    async with Workshop(on_step=lambda spec, step: say("step", spec, step=step), turns=turns) as workshop:

        async def attempt(spec: TrialSpec) -> None:
            outcome = await workshop.run(spec)
            say("outcome", spec, outcome=json.loads(outcome.to_json()))

        while line := await lines.readline():
            if "turn" in (answer := json.loads(line)):
                turns.hear(answer)
                continue
            task = loop.create_task(attempt(TrialSpec.from_json(line.decode())))
            at_work.add(task)
            task.add_done_callback(at_work.discard)
        for task in at_work:
            task.cancel()
        await asyncio.gather(*at_work, return_exceptions=True)
    beating.cancel()


def main() -> None:
    import uvloop

    parent = os.getppid()
    if sys.platform == "linux":
        kernel.die_with_parent()
    if os.getppid() != parent:
        return  # it was gone before we could say so
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Whatever prints to standard output must not pass for an event.
    events = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    uvloop.run(_serve(events))


if __name__ == "__main__":
    main()
