"""The company's time as an MCP tool: let it pass, and hear what is new."""

from __future__ import annotations

from dayjob.agent.mcp.server import Parameter, Tool, ToolError
from dayjob.agent.mcp.web import Web

LONGEST_SECONDS = 1800.0
"""What is under way, such as a pipeline, ends before time is skipped."""


class Clock:
    """The control API of a running company."""

    def __init__(self, url: str) -> None:
        self._web = Web(url)

    def tools(self) -> list[Tool]:
        return [
            Tool(
                "wait",
                "Let the company's time pass, which takes no time of yours, and get what is new. Without arguments "
                "it only says what time it is there and what is new.",
                self.wait,
                {
                    "length": Parameter("string", "how long, as 45m, 2h or 1d", needed=False),
                    "until": Parameter("string", "until when, as 17:00 or Tue 09:00 (UTC)", needed=False),
                },
                reads=False,
            )
        ]

    def wait(self, length: str = "", until: str = "") -> str:
        if length and until:
            raise ToolError("wait takes 'length' or 'until', not both.")
        asked = {"for": length} if length else {"until": until} if until else {}
        return str(self._web.json("POST", "/clock/wait", json=asked, timeout=LONGEST_SECONDS)["text"])
