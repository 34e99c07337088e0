"""The interface of an agent: a name, a version, a way to get ready, and a way to work until done or told to stop.

`run` gets the task's text, the sandbox and the moment it must be done, and fills the trajectory as it goes: when its
time is up it is cancelled, and what it has written down so far is what it did.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dayjob.agent.trajectory import Trajectory
from dayjob.sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from dayjob.llm.gateway import Pass


async def _nobody_looks() -> None:
    return


class AgentError(Exception):
    """The agent could not do its work at all (it is missing something); never the examinee's failure at the task."""


@dataclass(frozen=True, slots=True)
class Account:
    """Who the examinee is in this company."""

    username: str
    email: str
    password: str


@dataclass(frozen=True, slots=True)
class Assignment:
    """What an agent is told: the task, how many seconds it has, and the ways to its model.

    An agent that is a process in the sandbox finds the model through `environment`; one that thinks on the host asks
    through `access`, which is None when no model is configured.
    """

    instruction: str
    seconds: float
    environment: Mapping[str, str] = field(default_factory=dict)
    access: Pass | None = None
    services: Mapping[str, str] = field(default_factory=dict)
    """The company's services by name, each with its address."""
    account: Account | None = None
    """For agents that do not read the task. Everyone else finds what the task tells them in `instruction`."""
    seed: str = "0"
    left: Callable[[], float] | None = None
    """How many of the seconds are left; the clock stands still while the provider keeps the agent waiting."""
    forwarded: Callable[[Mapping[str, int]], None] = lambda ports: None
    """To be told at which ports of this machine services can be reached as well: their pages link to one another."""
    stepped: Callable[[], Awaitable[None]] = _nobody_looks
    """To be awaited after each step by an agent of this process that asks no model through `access`: where it rests is
    known then, and the score line is drawn there."""

    @property
    def model(self) -> str:
        """The model's name as the gateway takes it; empty without one."""
        return self.environment.get("LITELLM_MODEL", "")


class Agent(ABC):
    """One examinee's driver, made anew for each trial."""

    name: str
    version: str = "1"
    install: tuple[str, ...] = ()
    """Shell lines that put it into an image: they become a cached layer on top of the task's, so a trial needs no way
    out. What they install is below /opt/agents, and so out of the system's own places, which graders use."""

    is_program: bool = False
    """It is a program, in the sandbox or here: one that fails before it has done anything is not graded."""
    needs_model: bool = False
    """It cannot work without a model."""
    repeats_task: bool = False
    """Its words are the task's on purpose, to prove that graders do not fall for them: they are left as they are."""

    def new_trajectory(self) -> Trajectory:
        return Trajectory(self.name, self.version)

    def check(self) -> None:
        """Raise `AgentError` for what is missing on this machine, as far as that is known before any trial."""
        return

    async def setup(self, sandbox: Sandbox) -> None:
        """Get ready inside the sandbox; does not count against the time to work."""
        return

    @abstractmethod
    async def run(self, assignment: Assignment, sandbox: Sandbox, trajectory: Trajectory) -> None:
        """Work. Returning means done."""
