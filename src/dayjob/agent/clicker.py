"""An agent that clicks about: signs in everywhere, follows links, sends forms at random. It must never earn a point."""

from __future__ import annotations

import json
from pathlib import Path

from dayjob.agent import clicker_program
from dayjob.agent.agent import Agent, AgentError, Assignment
from dayjob.agent.trajectory import Step, ToolCall, Trajectory
from dayjob.sandbox.sandbox import Sandbox

STEPS = 40
_SCRIPT = Path(clicker_program.__file__).read_text("utf-8")


class Clicker(Agent):
    """Wanders through the pages of the task's services; the same seed wanders the same way."""

    name = "clicker"

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        account = assignment.account
        if account is None:
            raise AgentError("the clicker has nobody to sign in as: no one in this world's people/ has a password")
        given = {
            "seed": assignment.seed,
            "steps": STEPS,
            "services": dict(assignment.services),
            "username": account.username,
            "password": account.password,
            "email": account.email,
        }
        call = ToolCall("wander", {"seed": assignment.seed, "steps": STEPS})
        trajectory.steps.append(Step("agent", tool_calls=[call]))
        command = ["python_default", "-c", _SCRIPT]
        done = await sandbox.exec(command, stdin=json.dumps(given).encode())
        call.observation = done.text + done.error_text
        if not done.ok:
            raise AgentError(f"the clicker stumbled: {done.error_text.strip()[-300:]}")
