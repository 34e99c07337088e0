"""One attempt after another, as a learner sees it: an instruction, calls of tools with rewards, an end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from dayjob.env import CallError, EnvError, Marks, Start, SyncEnv, ToolInfo

Rewarded = Literal["change", "end"]
"""When there is a reward: after each call, for what it changed; or with `finish`, for all of it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one call came to."""

    text: str
    reward: float
    done: bool
    """It was `finish`."""
    failed: bool
    """It was refused, or is no call that can be made; the text says why."""
    time: str
    """The company's."""


class Episode:
    """Attempts at one task, or at variants of a family. Takes what `Env` takes besides.

    Rewards of an attempt add up to the share of points that its work is worth.
    """

    def __init__(self, task: str | Path, *, rewarded: Rewarded = "change", **options: Any) -> None:
        if rewarded not in get_args(Rewarded):
            raise EnvError(f"'{rewarded}' is none of {', '.join(get_args(Rewarded))}.")
        self._task = task
        self._options = options
        self._rewarded = rewarded
        self._env = SyncEnv(task, **options)
        self._paid = 0.0
        self._time = ""
        self._reading: set[str] = set()
        self.marks: Marks | None = None
        """What the work was worth when it was last graded."""

    @property
    def env(self) -> SyncEnv:
        """The environment itself, for whoever drives it."""
        return self._env

    def reset(self, *, seed: int | str | None = None, variant: int | None = None) -> Start:
        """A new attempt; of a family, `variant` is another number than before."""
        if variant is not None and variant != self._options.get("variant"):
            env = SyncEnv(self._task, **{**self._options, "variant": variant})
            self._env.close()
            self._env, self._options = env, {**self._options, "variant": variant}
        self._paid, self.marks = 0.0, None
        start = self._env.reset(seed=seed)
        self._time, self._reading = start.time, {tool.name for tool in self._env.tools() if tool.reads}
        return start

    def tools(self) -> tuple[ToolInfo, ...]:
        return self._env.tools()

    def step(self, name: str, arguments: Mapping[str, Any]) -> Turn:
        """Use a tool. What cannot be called like this is told, as a model would be told, and changes nothing."""
        if self._env.finished is not None:
            raise EnvError("step cannot be done: the work was finished; reset for another attempt.")
        try:
            used = self._env.call(name, arguments)
        except CallError as error:
            return Turn(str(error), 0.0, False, True, self._time)
        self._time = used.time
        done = self._env.finished is not None
        worth = done or (self._rewarded == "change" and not used.failed and name not in self._reading)
        return Turn(used.text, self._reward() if worth else 0.0, done, used.failed, used.time)

    def step_text(self, text: str) -> Turn:
        """Use a tool that is named in JSON: `{"tool": "shell", "arguments": {"command": "ls"}}`."""
        try:
            asked = json.loads(text)
            name, arguments = asked["tool"], asked.get("arguments", {})
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            name, arguments = "", {}
        if not name:
            said = 'An action is JSON such as {"tool": "shell", "arguments": {"command": "ls"}}.'
            return Turn(said, 0.0, False, True, self._time)
        return self.step(str(name), arguments)

    def close(self) -> None:
        self._env.close()

    def _reward(self) -> float:
        self.marks = self._env.grade()
        reward, self._paid = self.marks.share - self._paid, self.marks.share
        return reward
