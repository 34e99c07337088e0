"""The agent that is a command line: it is run in the sandbox, told its task and its model, and what it prints is kept.

The line is split into words the way a shell would, and then filled in word by word; no shell reads it unless the line
itself names one. `{instruction}`, `{instruction_file}`, `{workspace}`, `{model}`, `{base_url}`, `{seconds}` and
`{deadline}` (an ISO 8601 moment) can be used anywhere; the environment says the same as `DAYJOB_…`.
"""

from __future__ import annotations

import asyncio
import re
import shlex
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

from dayjob import owned
from dayjob.agent.agent import Agent, AgentError, Assignment
from dayjob.agent.trajectory import Step, ToolCall, Trajectory
from dayjob.agent.transcript import Transcript
from dayjob.sandbox.sandbox import Sandbox, SandboxError

INSTRUCTION_FILE = "/instruction/task.md"
WORKSPACE = "/workspace"
PREFIX = "command:"
_PLACE = re.compile(r"\{(instruction|instruction_file|workspace|sandbox|model|base_url|api_key|seconds|deadline)\}")
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
_LARGEST_TRAJECTORY = 64 * 1024 * 1024
_PRINTED_BESIDE_STEPS = 8000

Reader = Callable[[str], list[Step]]
"""Turns what an agent wrote about itself into steps; `ValueError` when it is nothing of the kind."""


def words_of(line: str, prefix: str = PREFIX) -> tuple[str, ...]:
    """The words of a command line; `AgentError` says what is wrong with it."""
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise AgentError(f"the command line '{line}' cannot be split into words: {error}") from error
    if not words:
        raise AgentError(f"{prefix} needs a command line, as in -a '{prefix}python agent.py {{instruction_file}}'")
    if PurePosixPath(words[0]).name in _SHELLS and any("{instruction}" in word for word in words):
        raise AgentError(
            'a shell would read the task\'s text as code; use {instruction_file}, or "$DAYJOB_INSTRUCTION"'
        )
    return words


def fill(text: str, facts: Mapping[str, str]) -> str:
    """A word with its places filled in, once: a task that says `{model}` stays as it is."""
    return _PLACE.sub(lambda found: facts.get(found[1], found[0]), text)


class Command(Agent):
    """Any command line; with a reader, one whose own record of its work becomes the trajectory."""

    is_program = True

    def __init__(
        self,
        line: str,
        *,
        name: str = "command",
        version: str = "1",
        install: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        reader: Reader | None = None,
        trajectory: str = "",
    ) -> None:
        self.name = name
        self.version = version
        self.install = install
        self.words = words_of(line)
        self._environment = environment or {}
        self._reader = reader
        self._file = trajectory
        self.needs_model = any("{model}" in word for word in self.words)

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        trajectory.model = assignment.model or None
        if not assignment.model and self.needs_model:
            raise AgentError(f"{self.name} needs a model; name one with -m")
        facts = facts_of(assignment)
        await sandbox.put(assignment.instruction.encode(), INSTRUCTION_FILE)
        await self._find(sandbox)
        call = ToolCall("run", {"command": shlex.join(self.words)})
        plain = [Step("user", assignment.instruction), Step("agent", tool_calls=[call])]
        trajectory.steps[:] = plain
        secrets = secrets_of(assignment)
        printed = Transcript(secrets=secrets)

        async def refresh() -> None:
            call.observation = printed.text()
            await self._read(sandbox, trajectory, plain, call.observation, secrets)

        trajectory.refresh = refresh
        exit_code: int | None = None
        try:
            done = await sandbox.exec(
                [fill(word, facts) for word in self.words],
                env=self._surroundings(assignment, facts),
                cwd=WORKSPACE,
                on_output=lambda _, data: printed.add(data),
                keep=4096,
            )
            exit_code = done.exit_code
        finally:
            # Also when its time is up: what it had printed and written by then is what it did.
            await refresh()
            trajectory.steps[-1].extra["exit_code"] = exit_code
        trajectory.stopped = f"{self.name} ended with {exit_code}"
        if exit_code != 0:
            trajectory.notes = f"{self.name} ended with {exit_code}"

    def _surroundings(self, assignment: Assignment, facts: Mapping[str, str]) -> dict[str, str]:
        told = {f"DAYJOB_{key.upper()}": value for key, value in facts.items() if key not in ("base_url", "api_key")}
        own = {name: fill(value, facts) for name, value in self._environment.items()}
        return {**assignment.environment, **told, **own}

    async def _find(self, sandbox: Sandbox) -> None:
        """A program that is not there is a fault of the set-up; asked before, as an exit code proves nothing."""
        look = ["/bin/sh", "-c", 'command -v -- "$1"', "sh", self.words[0]]
        if not (await sandbox.exec(look, cwd=WORKSPACE)).ok:
            raise AgentError(
                f"the sandbox has no program '{self.words[0]}'; install it in the task's Dockerfile, or use a preset"
            )

    async def _read(
        self, sandbox: Sandbox, trajectory: Trajectory, plain: list[Step], printed: str, secrets: set[str]
    ) -> None:
        """Put the agent's own record in the place of what it printed (`plain`); without one, that stays."""
        if self._reader is None:
            return
        steps, trajectory.notes = plain, ""
        try:
            text = await _text_of(sandbox, self._file) if self._file else printed
            for secret in secrets:
                text = text.replace(secret, "[secret]")
            read = self._reader(text)
        except (SandboxError, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            # The file is the examinee's to write: whatever is wrong with it must not end the trial.
            trajectory.notes = f"{self.name}'s own record could not be read ({error}); what it printed is kept instead"
        else:
            if any(step.source == "agent" for step in read):
                steps = read if any(step.source == "user" for step in read) else [plain[0], *read]
                steps[-1].extra["printed"] = printed[-_PRINTED_BESIDE_STEPS:]
        trajectory.steps[:] = steps


async def _text_of(sandbox: Sandbox, path: str) -> str:
    with tempfile.TemporaryDirectory(prefix=owned.prefix("trajectory")) as folder:
        async with asyncio.timeout(30):
            await sandbox.get(path, Path(folder), limit=_LARGEST_TRAJECTORY)
        return await asyncio.to_thread(_plain_text, Path(folder, PurePosixPath(path).name))


def _plain_text(file: Path) -> str:
    if file.is_symlink() or not file.is_file():
        raise ValueError("it is not there, or no file")
    return file.read_text("utf-8", "replace")


def facts_of(assignment: Assignment) -> dict[str, str]:
    """What can be filled in."""
    deadline = datetime.now(UTC) + timedelta(seconds=assignment.seconds)
    return {
        "instruction": assignment.instruction,
        "instruction_file": INSTRUCTION_FILE,
        "workspace": WORKSPACE,
        "model": assignment.model,
        "base_url": assignment.environment.get("OPENAI_BASE_URL", ""),
        "api_key": assignment.environment.get("OPENAI_API_KEY", ""),
        "seconds": f"{assignment.seconds:g}",
        "deadline": deadline.isoformat(timespec="seconds"),
    }


def secrets_of(assignment: Assignment) -> set[str]:
    """The pass to the model, which must not be read in the evidence."""
    return {value for name, value in assignment.environment.items() if name.endswith("_API_KEY")}
