"""An examinee that works for as long as the test says: `HOLD` in the environment of the run, not in the run itself."""

from __future__ import annotations

import asyncio
import os

from dayjob.agent import Agent, Assignment, Trajectory
from dayjob.sandbox.sandbox import Sandbox

STUBBORN = "stubborn"


class Waiting(Agent):
    """Waits with `sleep HOLD`, and when it is told to stop but stubborn, goes on; without `HOLD` it does the task."""

    name = "waiting"

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        hold = os.environ.get("HOLD")
        if not hold:
            await sandbox.exec("echo shipshape > /workspace/answer.txt")
            return
        try:
            await sandbox.exec(f"setsid sleep {hold} & sleep {hold}")
        except asyncio.CancelledError:
            if os.environ.get("MANNER") == STUBBORN:
                await sandbox.exec(f"sleep {hold}")
            raise
