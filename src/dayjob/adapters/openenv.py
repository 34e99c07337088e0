"""Tasks as OpenEnv serves environments: HTTP, WebSocket and MCP, each session with a company of its own.

Actions are OpenEnv's own for tools: `list_tools`, and `call_tool` with `tool_name` and `arguments`. A session is a
WebSocket, or is made over `/mcp`; each plain `POST /reset` and `POST /step` has a new company, as OpenEnv has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from dayjob.adapters.episode import Episode, Rewarded
from dayjob.adapters.missing import needs
from dayjob.env import EnvError, SyncWorkshop

with needs("openenv"):
    from openenv.core import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.mcp_types import (
        CallToolAction,
        CallToolObservation,
        ListToolsAction,
        ListToolsObservation,
        Tool,
        ToolError,
        ToolErrorType,
    )
    from openenv.core.env_server.types import ConcurrencyConfig, EnvironmentMetadata, Observation, State

SPLIT = "tasks"


@dataclass(frozen=True, slots=True)
class Offered:
    """A task that is served; of a family, one variant."""

    name: str
    task: str
    variant: int | None = None


class Told(Observation):
    """What a reset tells."""

    instruction: str
    time: str
    task: str


class OfficeState(State):
    """Where a session is."""

    task: str = ""
    time: str = ""


class Office(Environment[CallToolAction | ListToolsAction, Observation, OfficeState]):
    """One session: attempts at any of the tasks that are served."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, offered: Sequence[Offered], workshop: SyncWorkshop, rewarded: Rewarded, **options: Any) -> None:
        super().__init__()
        self._offered = offered
        self._make: Callable[[Offered], Episode] = lambda one: Episode(
            one.task, variant=one.variant, rewarded=rewarded, workshop=workshop, **options
        )
        self._at: Offered | None = None
        self._episode: Episode | None = None
        self._state = OfficeState()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, index: int = 0, split: str = SPLIT, **_: Any
    ) -> Told:
        self._begin(self.get_task(split, index)["index"])
        assert self._episode is not None
        start = self._episode.reset(seed=seed if seed is not None else 0)
        self._state = OfficeState(episode_id=episode_id, task=self._offered[index].name, time=start.time)
        return Told(instruction=start.instruction, time=start.time, task=self._state.task)

    def step(self, action: CallToolAction | ListToolsAction, timeout_s: float | None = None, **_: Any) -> Observation:
        if self._episode is None:
            self.reset()
        assert self._episode is not None
        if isinstance(action, ListToolsAction):
            told = self._episode.tools()
            tools = [Tool(name=one.name, description=one.description, input_schema=one.parameters) for one in told]
            return ListToolsObservation(tools=tools)
        given = dict(action.arguments)
        if timeout_s is not None and action.tool_name == "shell":
            given.setdefault("seconds", timeout_s)
        turn = self._episode.step(action.tool_name, given)
        self._state = self._state.model_copy(update={"step_count": self._state.step_count + 1, "time": turn.time})
        wrong = ToolError(error_type=ToolErrorType.EXECUTION_ERROR, message=turn.text) if turn.failed else None
        return CallToolObservation(
            tool_name=action.tool_name,
            result=None if turn.failed else turn.text,
            error=wrong,
            reward=turn.reward,
            done=turn.done,
        )

    @property
    def state(self) -> OfficeState:
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        names = ", ".join(one.name for one in self._offered)
        return EnvironmentMetadata(name="dayjob", description=f"A simulated company to work in. Tasks: {names}.")

    def close(self) -> None:
        if self._episode is not None:
            self._episode.close()
        self._episode = self._at = None

    # -- which tasks there are -----------------------------------------------------------------------------------

    def list_splits(self) -> list[str]:
        return [SPLIT]

    def num_tasks(self, split: str) -> int:
        return len(self.list_tasks(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        if split != SPLIT:
            raise EnvError(f"There is no split '{split}' here; there is {SPLIT}.")
        return [{"id": one.name, "index": number} for number, one in enumerate(self._offered)]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        tasks = self.list_tasks(split)
        if not 0 <= index < len(tasks):
            raise IndexError(f"There is no task {index} here; there are {len(tasks)}, from 0 on.")
        return tasks[index]

    def _begin(self, index: int) -> None:
        wanted = self._offered[index]
        if wanted != self._at:
            self.close()
            self._episode, self._at = self._make(wanted), wanted


class Serving:
    """A server's app, and the sessions behind it. `options` are those of `dayjob.env.Env`."""

    def __init__(
        self,
        offered: Sequence[Offered],
        workshop: SyncWorkshop,
        *,
        sessions: int,
        idle: float | None = None,
        rewarded: Rewarded = "change",
        **options: Any,
    ) -> None:
        """At most `sessions` at once; one that nobody has asked for `idle` seconds is ended."""
        self._offices: WeakSet[Office] = WeakSet()

        def office() -> Office:
            made = Office(offered, workshop, rewarded, **options)
            self._offices.add(made)
            return made

        self.app = create_fastapi_app(
            office, CallToolAction, CallToolObservation, env_name="dayjob", state_cls=OfficeState,
            concurrency_config=ConcurrencyConfig(max_concurrent_envs=sessions, session_timeout=idle),
            reset_observation_cls=Told,
        )  # fmt: skip

    def close(self) -> None:
        """End the sessions that nobody has ended."""
        for office in list(self._offices):
            office.close()
