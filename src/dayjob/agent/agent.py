"""The interface of an agent: a name, a version, a way to get ready, and a way to work until done or told to stop.

`run` gets the task's text, the sandbox and the moment it must be done, and fills the trajectory as it goes: when its
time is up it is cancelled, and what it has written down so far is what it did.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

from dayjob.agent.trajectory import Trajectory
from dayjob.sandbox.sandbox import Sandbox


class AgentError(Exception):
    """The agent could not do its work at all (it is missing something); never the examinee's failure at the task."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """What an agent is told: the task, how many seconds it has, and the environment that leads to its model."""

    instruction: str
    seconds: float
    environment: Mapping[str, str] = field(default_factory=dict)


class Agent(ABC):
    """One examinee's driver, made anew for each trial."""

    name: str
    version: str = "1"

    def new_trajectory(self) -> Trajectory:
        return Trajectory(self.name, self.version)

    async def setup(self, sandbox: Sandbox) -> None:
        """Get ready inside the sandbox; does not count against the time to work."""
        return

    @abstractmethod
    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        """Work. Returning means done."""
