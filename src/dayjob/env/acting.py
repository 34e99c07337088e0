"""What can be done in an environment that is open: as a driver does it, and as a model does."""

from __future__ import annotations

import asyncio
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dayjob.agent import Step, ToolCall, Trajectory
from dayjob.env.failing import as_env_errors
from dayjob.env.files import absolute, content_of
from dayjob.env.requests import Requests
from dayjob.env.tools import LAST, Tools
from dayjob.env.values import Answer, Done, EnvError, ToolInfo, Used, Waited
from dayjob.sandbox.sandbox import Finished
from dayjob.trial.premises import Premises

LONGEST_WAIT = 1800.0
"""Real seconds: what is under way, such as a pipeline, ends before company time is skipped."""
_LONGEST_NOTED = 16 * 1024


class Acting(ABC):
    """The part of an environment that acts. `finished` is what the tool `finish` was called with, if it was."""

    finished: str | None = None
    _requests: Requests
    _tools: Tools
    _trajectory: Trajectory

    @abstractmethod
    def _opened(self, what: str) -> Premises:
        """Where it is done; `EnvError` when the environment is not open."""

    # -- acting --------------------------------------------------------------------------------------------------

    async def exec(
        self,
        command: str,
        timeout: float | None = 120.0,  # noqa: ASYNC109  # the name that people look for here
        *,
        cwd: str | None = None,
    ) -> Done:
        """Run a command in the sandbox's shell; what it leaves in the background runs on."""
        at = self._opened("exec")
        if not isinstance(command, str) or "\0" in command:
            raise EnvError("A command is a text without null bytes.")
        if timeout is not None and not timeout > 0:
            raise EnvError(f"A timeout is a number of seconds above 0, not {timeout}.")
        async with as_env_errors():
            env = at.passes.environment("examinee")
            done = await at.sandbox.exec(["/bin/bash", "-c", command], env=env, cwd=cwd, within=timeout)
            self._note("shell", {"command": command}, done.text + done.error_text)
            return await self._done(at, done)

    async def http(
        self,
        service: str,
        method: str,
        path: str,
        *,
        json: Any = None,
        content: bytes | str | None = None,
        params: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        sign_in: bool = True,
        timeout: float = 60.0,  # noqa: ASYNC109  # likewise
    ) -> Answer:
        """Ask a service (`chat`, `forge`, `board`, `drive`), as whoever works here unless `sign_in` is false."""
        at = self._opened("http")
        if json is not None and content is not None:
            raise EnvError("A request has 'json' or 'content', not both.")
        async with as_env_errors():
            answer = await self._requests.ask(
                service,
                method,
                path,
                headers=headers,
                content=content.encode() if isinstance(content, str) else content,
                json=json,
                params=params,
                sign_in=sign_in,
                within=timeout,
            )
            self._note("http", {"service": service, "method": method, "path": path}, answer.text)
            return Answer(answer.status_code, dict(answer.headers), answer.content, await at.company.now())

    async def wait(self, length: str = "", *, until: str = "") -> Waited:
        """Let company time pass (`45m`, `2h`, or `until="Tue 09:00"`), and hear what is new. It takes no real time."""
        self._opened("wait")
        if length and until:
            raise EnvError("A wait has a length or 'until', not both.")
        asked = {"for": length} if length else {"until": until} if until else {}
        answer = await self.http("control", "POST", "/clock/wait", json=asked, timeout=LONGEST_WAIT)
        told = answer.json()
        if not answer.ok:
            raise EnvError(str(told.get("error", answer.text)))
        return Waited(str(told["now"]), str(told["text"]), tuple(told["notices"]))

    async def read_file(self, path: str) -> bytes:
        """A file of the sandbox."""
        at = self._opened("read_file")
        absolute(path)
        with tempfile.TemporaryDirectory(dir=at.folder) as folder:
            async with as_env_errors():
                await at.sandbox.get(path, Path(folder))
                return await asyncio.to_thread(content_of, Path(folder) / Path(path).name, path)

    async def write_file(self, path: str, content: bytes | str, *, mode: int = 0o644) -> None:
        """A file of the sandbox, with the folders above it."""
        at = self._opened("write_file")
        absolute(path)
        data = content.encode() if isinstance(content, str) else content
        async with as_env_errors():
            await at.sandbox.put(data, path, mode=mode)
            self._note("write_file", {"path": path}, "")

    # -- typed tools ---------------------------------------------------------------------------------------------

    def tools(self) -> tuple[ToolInfo, ...]:
        """What a model may be offered here, with JSON schemas: the sandbox, the services, waiting, finishing."""
        self._opened("tools")
        return self._tools.told()

    async def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> Used:
        """Use one of the tools. A refusal is told; a call that it does not take is a `CallError`."""
        at = self._opened("call")
        if self.finished is not None:
            raise EnvError(f"call cannot be done: the work was finished ({self.finished!r}); grade or reset.")
        given = arguments if arguments is not None else {}
        async with as_env_errors():
            text, failed = await self._tools.call(name, given)
            if name == LAST:
                self.finished = str(given["summary"])
            self._note(name, dict(given), text)
            return Used(text, failed, await at.company.now())

    # -- inside --------------------------------------------------------------------------------------------------

    async def _done(self, at: Premises, done: Finished) -> Done:
        output = done.text + done.error_text
        return Done(done.exit_code, output, done.seconds, done.timed_out, await at.company.now())

    def _note(self, tool: str, arguments: dict[str, Any], answer: str) -> None:
        """For evaluators that read the trajectory."""
        self._trajectory.steps.append(Step("agent", tool_calls=[ToolCall(tool, arguments, answer[:_LONGEST_NOTED])]))
