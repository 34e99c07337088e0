"""The company's time as a tool: let it pass, and hear what is new."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from dayjob.agent.tools.tool import Parameter, Tool, ToolError, WrongCall
from dayjob.agent.tools.web import Web

LONGEST_SECONDS = 1800.0
"""What is under way, such as a pipeline, ends before time is skipped."""

Waiting = Callable[[Mapping[str, str]], Awaitable[str]]
"""Lets time pass as the control API is asked to: `for` or `until`, or neither."""


def wait_tool(waiting: Waiting) -> Tool:
    async def wait(length: str = "", until: str = "") -> str:
        if length and until:
            raise WrongCall("wait takes 'length' or 'until', not both.")
        return await waiting({"for": length} if length else {"until": until} if until else {})

    return Tool(
        "wait",
        "Let the company's time pass, which takes no time of yours, and get what is new: messages, to-dos, shares. "
        "Without arguments it only says what time it is and what is new.",
        wait,
        {
            "length": Parameter("string", "how long, as 45m, 2h or 1d", needed=False),
            "until": Parameter(
                "string", "until when instead, as 17:00, Tue 09:00 or 2026-03-10 14:00 (UTC)", needed=False
            ),
        },
        reads=False,
    )


class Clock:
    """The control API of a running company."""

    def __init__(self, web: Web) -> None:
        self._web = web

    def tools(self) -> list[Tool]:
        return [wait_tool(self._wait)]

    async def _wait(self, asked: Mapping[str, str]) -> str:
        answer = await self._web.send("POST", "/clock/wait", json=dict(asked), timeout=LONGEST_SECONDS)
        told = answer.json()
        if not answer.is_success:
            raise ToolError(str(told.get("error", answer.text)))
        return str(told["text"])
