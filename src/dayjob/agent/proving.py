"""Agents that prove a task rather than solve it: the oracle, its mutants, one that does nothing and one that echoes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dayjob.agent.agent import Agent, Assignment
from dayjob.agent.trajectory import Step, ToolCall, Trajectory
from dayjob.sandbox.sandbox import Finished, Sandbox

_PLACE = "/tmp/.dayjob-solution"


class Script(Agent):
    """Runs a script of the task as the examinee: its solution (`oracle`), or a wrong one (`mutant:NAME`).

    `beside` lies next to it while it runs: the solution, so that a mutant can import it and do one thing otherwise, and
    the values of a variant.
    """

    def __init__(self, name: str, script: Path, beside: Sequence[Path] = ()) -> None:
        self.name = name
        self.script = script
        self.beside = beside

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        path = f"{_PLACE}/{self.script.name}"
        await sandbox.put(self.script, path, mode=0o644)
        for file in self.beside:
            await sandbox.put(file, f"{_PLACE}/{file.name}", mode=0o644)
        call = ToolCall("run", {"command": " ".join(self.command(self.script.name))})
        trajectory.steps.append(Step("agent", tool_calls=[call]))
        try:
            done = await sandbox.exec(self.command(path))
        finally:
            await sandbox.remove(_PLACE)
        call.observation = done.text + done.error_text
        trajectory.steps[-1].extra["exit_code"] = done.exit_code
        trajectory.stopped = f"{self.script.name} ended with {done.exit_code}{_last_line(done)}"

    def command(self, path: str) -> list[str]:
        """What runs the script at this place."""
        return ["bash" if self.script.suffix == ".sh" else "python_default", path]


class Undelivered(Script):
    """Runs the solution without what its functions of these names do: everything but the answer, which may then be
    given in other words."""

    def __init__(self, script: Path, without: tuple[str, ...], beside: Sequence[Path] = ()) -> None:
        super().__init__("undelivered", script, beside)
        self.without = without

    def command(self, path: str) -> list[str]:
        return ["python_default", "-c", _WITHOUT, path, *self.without]


_WITHOUT = """
import ast, os, sys
path, names = sys.argv[1], sys.argv[2:]
tree = ast.parse(open(path, encoding="utf-8").read(), path)
for node in ast.walk(tree):
    if isinstance(node, ast.FunctionDef) and node.name in names:
        node.body = [ast.copy_location(ast.Pass(), node)]
        names.remove(node.name)
if names:
    sys.exit(f"there is no function {', '.join(names)} to leave out")
sys.argv, sys.path[0] = [path], os.path.dirname(path)
__file__ = path
exec(compile(tree, path, "exec"))
"""


def _last_line(done: Finished) -> str:
    """What a script that failed said last: mostly the exception that ended it."""
    lines = [line.strip() for line in (done.text + done.error_text).splitlines() if line.strip()]
    return f": {lines[-1][:300]}" if done.exit_code and lines else ""


class Nop(Agent):
    """Does nothing. A task that gives it a point gives points for nothing."""

    name = "nop"

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        return


class Echo(Agent):
    """Repeats the task's text and does nothing. A task that gives it a point looks for its own words."""

    name = "echo"
    repeats_task = True

    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        trajectory.steps.append(Step("agent", assignment.instruction))
