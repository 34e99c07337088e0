"""The agent that is a command line on the host: it thinks out here, and acts in the sandbox through one program.

`{sandbox}` (`$DAYJOB_SANDBOX`) runs its arguments inside. The model and the task's services are reached at addresses of
this machine's loopback, carried into the sandbox's network. The process is this user's own: nothing confines it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from dayjob import owned
from dayjob.agent import sandbox_command_program
from dayjob.agent.agent import Agent, AgentError, Assignment
from dayjob.agent.command import facts_of, fill, secrets_of, words_of
from dayjob.agent.sandbox_commands import SandboxCommands
from dayjob.agent.trajectory import Step, ToolCall, Trajectory
from dayjob.agent.transcript import Transcript
from dayjob.sandbox.relay import Relay
from dayjob.sandbox.sandbox import Sandbox

PREFIX = "host-command:"
# What a program needs of its surroundings; keys and whatever else is in ours are not passed on.
_PASSED_ON = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR")

_COMMAND_PROGRAM = f"#!{sys.executable} -I\n{Path(sandbox_command_program.__file__).read_text('utf-8')}"


class HostCommand(Agent):
    """Any command line, run here for one trial in a folder of its own."""

    name = "host-command"
    is_program = True

    def __init__(self, line: str) -> None:
        self.words = words_of(line, PREFIX)
        self.needs_model = any("{model}" in word for word in self.words)

    def check(self) -> None:
        if shutil.which(self.words[0]) is None:
            raise AgentError(f"this machine has no program '{self.words[0]}'; install it, or name it by its path")

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        trajectory.model = assignment.model or None
        self.check()
        trajectory.steps.append(Step("user", assignment.instruction))
        call = ToolCall("run on the host", {"command": shlex.join(self.words)})
        trajectory.steps.append(Step("agent", tool_calls=[call]))
        printed = Transcript(secrets=secrets_of(assignment))

        async def refresh() -> None:
            call.observation = printed.text()

        trajectory.refresh = refresh
        exit_code: int | None = None
        async with AsyncExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=owned.prefix("host"))))
            surroundings = await _surroundings(stack, folder, assignment, sandbox)
            try:
                exit_code = await self._work(assignment, folder, surroundings, printed)
            finally:
                # Also when its time is up: what it had printed by then is what it did.
                await refresh()
                trajectory.steps[-1].extra["exit_code"] = exit_code
        trajectory.stopped = f"{self.name} ended with {exit_code}"
        if exit_code != 0:
            trajectory.notes = f"{self.name} ended with {exit_code}"

    async def _work(
        self, assignment: Assignment, folder: Path, surroundings: Mapping[str, str], printed: Transcript
    ) -> int:
        facts = facts_of(assignment) | {
            "instruction_file": surroundings["DAYJOB_INSTRUCTION_FILE"],
            "sandbox": surroundings["DAYJOB_SANDBOX"],
            "base_url": surroundings.get("OPENAI_BASE_URL", ""),
        }
        process = await asyncio.create_subprocess_exec(
            *(fill(word, facts) for word in self.words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=folder,
            env=dict(surroundings),
            start_new_session=True,
        )
        assert process.stdout is not None
        try:
            while data := await process.stdout.read(65536):
                printed.add(data)
            return await process.wait()
        finally:
            # Its whole group: what it started goes with it.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()


async def _surroundings(
    stack: AsyncExitStack, folder: Path, assignment: Assignment, sandbox: Sandbox
) -> dict[str, str]:
    """The environment of the command, with everything it names in place."""
    task, program = folder / "task.md", folder / "sandbox"
    task.write_text(assignment.instruction, "utf-8")
    program.write_text(_COMMAND_PROGRAM, "utf-8")
    program.chmod(0o700)
    await stack.enter_async_context(SandboxCommands(sandbox, folder / "commands.sock"))
    ports = {port for url in (*assignment.services.values(), *assignment.environment.values()) if (port := _port(url))}
    doors = {port: socket.create_server(("127.0.0.1", 0)) for port in ports}
    await stack.enter_async_context(Relay(sandbox, doors))
    here = {port: f"127.0.0.1:{door.getsockname()[1]}" for port, door in doors.items()}
    facts = facts_of(assignment)
    return {
        **{name: os.environ[name] for name in _PASSED_ON if name in os.environ},
        **{name: _moved(value, here) for name, value in assignment.environment.items()},
        **{f"DAYJOB_{name.upper()}_URL": _moved(url, here) for name, url in assignment.services.items()},
        **{f"DAYJOB_{key.upper()}": facts[key] for key in ("instruction", "workspace", "model", "seconds", "deadline")},
        "DAYJOB_INSTRUCTION_FILE": str(task),
        "DAYJOB_SANDBOX": str(program),
    }


def _port(url: str) -> int | None:
    return urlsplit(url).port if url.startswith(("http://", "https://")) else None


def _moved(url: str, here: Mapping[int, str]) -> str:
    """An address inside the sandbox as it is reached from the host."""
    port = _port(url)
    return url if port is None else urlunsplit(urlsplit(url)._replace(netloc=here[port]))
