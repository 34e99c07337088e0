"""The agent that is a command line: it is run in the sandbox, told its task and its model, and what it prints is kept.

The line is split into words the way a shell would, and then filled in word by word; no shell reads it unless the line
itself names one. `{instruction}`, `{instruction_file}`, `{workspace}`, `{model}`, `{seconds}` and `{deadline}` (an
ISO 8601 moment) can be used anywhere; the environment says the same as `DAYJOB_…`, beside what leads to the model.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import PurePosixPath

from dayjob.agent.agent import Agent, AgentError, Assignment
from dayjob.agent.trajectory import Step, ToolCall, Trajectory
from dayjob.agent.transcript import Transcript
from dayjob.sandbox.sandbox import Sandbox

INSTRUCTION_FILE = "/instruction/task.md"
WORKSPACE = "/workspace"
PREFIX = "command:"
_PLACE = re.compile(r"\{(instruction|instruction_file|workspace|model|seconds|deadline)\}")
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")

Reader = Callable[[str], list[Step]]
"""Turns what an agent wrote about itself into steps; `ValueError` when it is nothing of the kind."""


def words_of(line: str) -> tuple[str, ...]:
    """The words of a command line; `AgentError` says what is wrong with it."""
    try:
        words = tuple(shlex.split(line))
    except ValueError as error:
        raise AgentError(f"the command line '{line}' cannot be split into words: {error}") from error
    if not words:
        raise AgentError("command: needs a command line, as in -a 'command:python agent.py {instruction_file}'")
    if PurePosixPath(words[0]).name in _SHELLS and any("{instruction}" in word for word in words):
        raise AgentError(
            'a shell would read the task\'s text as code; use {instruction_file}, or "$DAYJOB_INSTRUCTION"'
        )
    return words


def fill(words: tuple[str, ...], facts: Mapping[str, str]) -> list[str]:
    """Each word with its places filled in, once: a task that says `{model}` stays as it is."""
    return [_PLACE.sub(lambda found: facts[found[1]], word) for word in words]


class Command(Agent):
    """Any command line."""

    def __init__(self, line: str, *, name: str = "command", version: str = "1") -> None:
        self.name = name
        self.version = version
        self.words = words_of(line)

    def environment(self, assignment: Assignment, facts: Mapping[str, str]) -> dict[str, str]:
        """What the command finds in its environment."""
        own = {f"DAYJOB_{key.upper()}": value for key, value in facts.items()}
        return {**assignment.environment, **own}

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        trajectory.model = assignment.model or None
        facts = facts_of(assignment)
        await sandbox.put(assignment.instruction.encode(), INSTRUCTION_FILE)
        await self._find(sandbox)
        trajectory.steps.append(Step("user", assignment.instruction))
        call = ToolCall("run", {"command": shlex.join(self.words)})
        step = Step("agent", tool_calls=[call])
        trajectory.steps.append(step)
        printed = Transcript(secrets=secrets_of(assignment))
        try:
            done = await sandbox.exec(
                fill(self.words, facts),
                env=self.environment(assignment, facts),
                cwd=WORKSPACE,
                on_output=lambda _, data: printed.add(data),
                keep=4096,
            )
        finally:
            # Also when its time is up: what it had printed by then is what it did.
            call.observation = printed.text()
        step.extra["exit_code"] = done.exit_code
        if done.exit_code != 0:
            trajectory.notes = f"the command ended with {done.exit_code}"

    async def _find(self, sandbox: Sandbox) -> None:
        """A program that is not there is a fault of the set-up; asked before, as an exit code proves nothing."""
        look = ["/bin/sh", "-c", 'command -v -- "$1"', "sh", self.words[0]]
        if not (await sandbox.exec(look, cwd=WORKSPACE)).ok:
            raise AgentError(
                f"the sandbox has no program '{self.words[0]}'; install it in the task's Dockerfile, or use a preset"
            )


def facts_of(assignment: Assignment) -> dict[str, str]:
    """What can be filled in."""
    deadline = datetime.now(UTC) + timedelta(seconds=assignment.seconds)
    return {
        "instruction": assignment.instruction,
        "instruction_file": INSTRUCTION_FILE,
        "workspace": WORKSPACE,
        "model": assignment.model,
        "seconds": f"{assignment.seconds:g}",
        "deadline": deadline.isoformat(timespec="seconds"),
    }


def secrets_of(assignment: Assignment) -> set[str]:
    """The pass to the model, which must not be read in the evidence."""
    return {value for name, value in assignment.environment.items() if name.endswith("_API_KEY")}
