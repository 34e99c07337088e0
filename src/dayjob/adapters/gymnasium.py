"""Tasks as Gymnasium environments: `gymnasium.make("dayjob.adapters.gymnasium:dayjob/example-v0")`.

Importing this module registers every task that comes with dayjob as `dayjob/NAME-v0`. An action is the JSON of a tool's
call; with `actions`, a number in a list of prepared calls. An observation is text. The reward is `Episode`'s.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, SupportsFloat

from dayjob.adapters.episode import Episode, Turn
from dayjob.adapters.missing import needs
from dayjob.adapters.sharing import give_back, take
from dayjob.task.find import own_tasks

with needs("gymnasium"):
    import gymnasium
    from gymnasium import spaces

LONGEST = 1_000_000
_MOST_STEPS = 200
_SAMPLED = 80
Call = tuple[str, Mapping[str, Any]]


class Words(spaces.Text):
    """Any text: what people and programs write has more letters than could be listed."""

    def __init__(self, longest: int) -> None:
        super().__init__(longest, charset=string.printable)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        length = int(self.np_random.integers(1, _SAMPLED))
        return "".join(self.np_random.choice(list(string.printable), length))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str) and len(x) <= self.max_length


class DayjobEnv(gymnasium.Env[str, Any]):
    """A task to act in. `options` are those of `dayjob.env.Env`; all environments of a process share a workshop."""

    def __init__(
        self, task: str, *, actions: Sequence[Call] | None = None, cache: Path | None = None, **options: Any
    ) -> None:
        self.observation_space = Words(LONGEST)
        self.action_space = Words(LONGEST) if actions is None else spaces.Discrete(len(actions))
        self._actions = actions
        self._cache = cache
        self._closed = False
        workshop = take(cache)
        try:
            self._episode = Episode(task, workshop=workshop, **options)
        except BaseException:
            give_back(cache)
            raise

    @property
    def episode(self) -> Episode:
        return self._episode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """`options` may name a `variant` of a family. Without a seed, one is drawn."""
        super().reset(seed=seed)
        drawn = seed if seed is not None else int(self.np_random.integers(2**31))
        start = self._episode.reset(seed=drawn, variant=(options or {}).get("variant"))
        return start.instruction[:LONGEST], {
            "time": start.time,
            "tools": [tool.function for tool in self._episode.tools()],
        }

    def step(self, action: Any) -> tuple[str, SupportsFloat, bool, bool, dict[str, Any]]:
        turn = self._episode.step_text(action) if self._actions is None else self._prepared(int(action))
        return turn.text[:LONGEST], turn.reward, turn.done, False, {"time": turn.time, "failed": turn.failed}

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            try:
                self._episode.close()
            finally:
                give_back(self._cache)

    def _prepared(self, number: int) -> Turn:
        assert self._actions is not None
        name, arguments = self._actions[number]
        return self._episode.step(name, arguments)


for _task in own_tasks():
    gymnasium.register(
        f"dayjob/{_task.name}-v0",
        entry_point="dayjob.adapters.gymnasium:DayjobEnv",
        kwargs={"task": str(_task)},
        max_episode_steps=_MOST_STEPS,
    )
