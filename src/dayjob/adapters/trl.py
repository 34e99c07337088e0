"""Tasks as TRL's environments: `GRPOTrainer(…, environment_factory=environment_factory("example"))`.

TRL makes one object for each rollout under way, and takes its methods as tools: their names, type hints and
docstrings are what the model is told. So this makes a class whose methods are the tools of the task. It needs nothing
of TRL itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dayjob.adapters.episode import Episode
from dayjob.env import SyncWorkshop, ToolInfo

_TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}


class OfficeEnvironment:
    """What TRL asks of an environment; the tools are methods of the classes below it."""

    def __init__(self, task: str | Path, **options: Any) -> None:
        self._episode = Episode(task, rewarded="end", **options)

    def reset(self, **row: Any) -> str:
        """Begin anew; returns the instruction. `seed` and `variant` may be columns of the dataset."""
        return self._episode.reset(seed=row.get("seed"), variant=row.get("variant")).instruction

    def get_reward(self) -> float:
        """The share of points that the work is worth as it is left."""
        return self._episode.env.grade().share

    def _close(self) -> None:
        self._episode.close()


def environment_factory(task: str | Path, **options: Any) -> type[OfficeEnvironment]:
    """A class of environments for a task; `options` are those of `dayjob.env.Env`. Looks at the task's tools once."""
    workshop = options.pop("workshop", None) or SyncWorkshop(options.pop("cache", None))

    def begin(self: OfficeEnvironment) -> None:
        OfficeEnvironment.__init__(self, task, workshop=workshop, **options)

    looking = Episode(task, workshop=workshop, **options)
    try:
        looking.reset()
        tools = looking.tools()
    finally:
        looking.close()
    methods: dict[str, Any] = {tool.name: _method(tool) for tool in tools}
    return type("OfficeOfTask", (OfficeEnvironment,), {"__init__": begin, **methods})


def _method(tool: ToolInfo) -> Callable[..., str]:
    """A tool as a method: with names, types and words where transformers looks for them."""

    def use(self: OfficeEnvironment, *given: Any, **arguments: Any) -> str:
        arguments = {**dict(zip(hints, given, strict=False)), **arguments}
        return self._episode.step(tool.name, {key: one for key, one in arguments.items() if one is not None}).text

    needed = tool.parameters["required"]
    told: list[str] = []
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    hints: dict[str, Any] = {}
    for name, one in sorted(tool.parameters["properties"].items(), key=lambda pair: pair[0] not in needed):
        kind = _TYPES.get(one.get("type", ""), str)
        hints[name] = kind if name in needed else kind | None
        default = inspect.Parameter.empty if name in needed else None
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=hints[name])
        )
        told.append(f"    {name}: {one['description']}")
    use.__name__ = use.__qualname__ = tool.name
    use.__doc__ = "\n".join(
        [tool.description, "", *(["Args:", *told, ""] if told else []), "Returns:", "    Its answer."]
    )
    use.__annotations__ = {**hints, "return": str}
    use.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]  # Python reads it
    return use
