"""Trials whose host process kills itself at a moment, and a parent that says which processes outlived it.

python -m tests.trial.killed   reads requests, one a line, as JSON: spec, cache, step, seconds, environment. For each
it prints what it saw as a line of JSON. With `acts` an environment is driven, and killed in the last of them.
"""

from __future__ import annotations

import asyncio
import ctypes
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from dayjob import owned
from dayjob.env import Env
from dayjob.trial.spec import TrialSpec
from dayjob.trial.workshop import Workshop

PATIENCE = 30.0  # seconds for the kernel to end what a killed host had started
PR_SET_CHILD_SUBREAPER = 36


def host(asked: dict[str, Any]) -> None:
    """Run the trial; at `step`, `seconds` later, be gone."""
    os.environ.update(asked["environment"])
    tempfile.tempdir = None  # as the environment says
    tempfile.gettempdir()  # Python tries it with a file of its own: no moment to be killed in
    if "acts" in asked:
        asyncio.run(drive(asked))

    async def main() -> None:
        loop = asyncio.get_running_loop()

        def on_step(_: TrialSpec, step: str) -> None:
            if step == asked["step"]:
                loop.call_later(asked["seconds"], os.kill, os.getpid(), signal.SIGKILL)

        async with Workshop(Path(asked["cache"]), on_step) as workshop:
            await workshop.run(TrialSpec(**asked["spec"]))

    asyncio.run(main())


async def drive(asked: dict[str, Any]) -> None:
    """Open an environment and do things with it, one after the other; be gone while the last is under way."""
    env = Env(asked["spec"]["task"], world=asked["spec"]["world"], cache=Path(asked["cache"]))
    known: dict[str, Callable[[], Coroutine[Any, Any, Any]]] = {
        "reset": env.reset,
        "work": lambda: env.exec("setsid sleep 7654 > /dev/null 2>&1 & echo there > /workspace/there"),
        "fork": env.fork,
        "grade": env.grade,
    }
    *before, last = asked["acts"]
    for act in before:
        await known[act]()
    doing = asyncio.ensure_future(known[last]())
    await asyncio.sleep(asked["seconds"])
    os.kill(os.getpid(), signal.SIGKILL)
    await doing


def children() -> list[int]:
    return [
        int(word)
        for thread in os.listdir("/proc/self/task")
        for word in Path("/proc/self/task", thread, "children").read_text().split()
    ]


def kill(asked: dict[str, Any]) -> dict[str, Any]:
    pid = os.fork()
    if pid == 0:
        try:
            host(asked)
        finally:
            os._exit(0)
    mark = f"{owned.mark().rsplit('.', 2)[0]}.{pid}.{owned.start_time(pid)}"
    _, status = os.waitpid(pid, 0)
    ends = time.monotonic() + PATIENCE
    while children() and time.monotonic() < ends:
        while os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG) if children() else None:
            pass
        time.sleep(0.01)
    left = [Path(f"/proc/{one}/cmdline").read_bytes().decode().replace("\0", " ") for one in children()]
    return {"killed": os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, "mark": mark, "processes": left}


def main() -> None:
    # Whatever a host leaves behind becomes a child of ours, so nothing of it can hide.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for line in sys.stdin:
        print(json.dumps(kill(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
