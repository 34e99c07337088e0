"""The same environment without an event loop: each call waits for its answer. Any thread may call, one at a time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from dayjob.env.env import Env
from dayjob.env.values import Answer, Done, EnvError, Marks, Start, ToolInfo, Used, Waited
from dayjob.trial.workshop import Workshop

_T = TypeVar("_T")


class _Loop:
    """A thread with an event loop, which an environment and its forks, or a workshop and all who work in it, share; it
    ends with the last of them."""

    def __init__(self) -> None:
        import uvloop

        self._loop = uvloop.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="dayjob env", daemon=True)
        self._thread.start()
        self._users = 1
        self._counting = threading.Lock()

    def run(self, work: Coroutine[Any, Any, _T]) -> _T:
        if self._loop.is_closed():
            work.close()
            raise EnvError("This environment is closed; make a new one.")
        asked = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return asked.result()
        except BaseException:
            asked.cancel()  # a person's Ctrl-C ends what was asked for, too
            raise

    def join(self) -> _Loop:
        with self._counting:
            self._users += 1
        return self

    def leave(self) -> None:
        with self._counting:
            self._users -= 1
            last = self._users == 0
        if last:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


class SyncWorkshop:
    """What many environments without an event loop share: warm processes, the way to sandboxes, one loop."""

    def __init__(self, cache: Path | None = None) -> None:
        self.loop = _Loop()
        try:
            self.workshop = self.loop.run(_opened(cache))
        except BaseException:
            self.loop.leave()
            raise
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """When the environments in it are closed."""
        if not self._closed:
            self._closed = True
            try:
                self.loop.run(self.workshop.__aexit__(None, None, None))
            finally:
                self.loop.leave()


async def _opened(cache: Path | None) -> Workshop:
    return await Workshop(cache).__aenter__()


class SyncEnv:
    """A task to act in; takes what `Env` takes. `with SyncEnv("tasks/example", seed=7) as env:`"""

    def __init__(self, *given: Any, workshop: SyncWorkshop | None = None, **options: Any) -> None:
        self._env = Env(*given, workshop=workshop.workshop if workshop is not None else None, **options)
        self._loop = workshop.loop.join() if workshop is not None else _Loop()
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def reset(self, *, seed: int | str | None = None) -> Start:
        return self._loop.run(self._env.reset(seed=seed))

    def exec(self, command: str, timeout: float | None = 120.0, *, cwd: str | None = None) -> Done:
        return self._loop.run(self._env.exec(command, timeout, cwd=cwd))

    def http(
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
        timeout: float = 60.0,
    ) -> Answer:
        asked = self._env.http(
            service, method, path, json=json, content=content, params=params, headers=headers, sign_in=sign_in,
            timeout=timeout,
        )  # fmt: skip
        return self._loop.run(asked)

    def wait(self, length: str = "", *, until: str = "") -> Waited:
        return self._loop.run(self._env.wait(length, until=until))

    def read_file(self, path: str) -> bytes:
        return self._loop.run(self._env.read_file(path))

    def write_file(self, path: str, content: bytes | str, *, mode: int = 0o644) -> None:
        self._loop.run(self._env.write_file(path, content, mode=mode))

    @property
    def finished(self) -> str | None:
        return self._env.finished

    def tools(self) -> tuple[ToolInfo, ...]:
        return self._env.tools()

    def call(self, name: str, arguments: Mapping[str, Any] | None = None) -> Used:
        return self._loop.run(self._env.call(name, arguments))

    def grade(self) -> Marks:
        return self._loop.run(self._env.grade())

    def state(self, *, secrets: bool = False) -> dict[str, str]:
        return self._loop.run(self._env.state(secrets=secrets))

    def fork(self) -> SyncEnv:
        found = object.__new__(SyncEnv)
        found._env, found._loop, found._closed = self._loop.run(self._env.fork()), self._loop.join(), False
        return found

    def checkpoint(self, folder: str | Path) -> None:
        self._loop.run(self._env.checkpoint(folder))

    @classmethod
    def restore(cls, folder: str | Path, *, workshop: SyncWorkshop | None = None, **options: Any) -> SyncEnv:
        found = object.__new__(cls)
        found._loop, found._closed = workshop.loop.join() if workshop is not None else _Loop(), False
        inner = workshop.workshop if workshop is not None else None
        try:
            found._env = found._loop.run(Env.restore(folder, workshop=inner, **options))
        except BaseException:
            found._loop.leave()
            raise
        return found

    def step_back(self, folder: str | Path) -> None:
        self._loop.run(self._env.step_back(folder))

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            try:
                self._loop.run(self._env.close())
            finally:
                self._loop.leave()
