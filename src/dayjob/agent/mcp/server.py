"""The Model Context Protocol over standard input and output: one JSON-RPC message a line, tools and nothing else.

A tool that fails answers with `isError` and a sentence, so that the model can read it; an error of the protocol is
JSON-RPC's. Written here because the few methods that tools need are smaller than any package of them.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import IO, Any

from dayjob import __version__
from dayjob.agent.tools.tool import Tool, ToolError

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
"""Newest first: what a client gets that asks for one we do not know."""
_PARSE, _INVALID, _NO_METHOD, _BAD_PARAMS = -32700, -32600, -32601, -32602


class Server:
    """Answers messages about a set of tools."""

    def __init__(self, tools: Iterable[Tool], instructions: str = "") -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.instructions = instructions

    def serve(self, source: IO[str], sink: IO[str]) -> None:
        """Until the client closes its end."""
        with asyncio.Runner() as runner:
            for line in source:
                if line.strip() and (answer := runner.run(self.answer(line))) is not None:
                    sink.write(json.dumps(answer, ensure_ascii=False) + "\n")
                    sink.flush()

    async def answer(self, line: str) -> dict[str, Any] | None:
        """What goes back for one line; None for a notification."""
        try:
            message = json.loads(line)
        except ValueError as error:
            return _error(None, _PARSE, f"not JSON: {error}")
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            return _error(None, _INVALID, "not a JSON-RPC 2.0 message")
        if "id" not in message or not isinstance(message.get("method"), str):
            return None
        params = message.get("params") or {}
        if not isinstance(params, dict):
            return _error(message["id"], _BAD_PARAMS, "params must be an object")
        match message["method"]:
            case "initialize":
                result = self._hello(params)
            case "ping":
                result = {}
            case "tools/list":
                result = {"tools": [_described(tool) for tool in self.tools.values()]}
            case "tools/call":
                tool = self.tools.get(str(params.get("name")))
                if tool is None:
                    return _error(message["id"], _BAD_PARAMS, f"there is no tool '{params.get('name')}'")
                result = await _called(tool, params.get("arguments") or {})
            case method:
                return _error(message["id"], _NO_METHOD, f"there is no method '{method}'")
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def _hello(self, params: dict[str, Any]) -> dict[str, Any]:
        wanted = params.get("protocolVersion")
        return {
            "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": {"name": "dayjob-company", "version": __version__},
            "instructions": self.instructions,
        }


def _described(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.about,
        "inputSchema": tool.schema(),
        "annotations": {"readOnlyHint": tool.reads},
    }


async def _called(tool: Tool, arguments: Any) -> dict[str, Any]:
    try:
        if not isinstance(arguments, dict):
            raise ToolError("the arguments must be an object.")
        text, failed = await tool.call(arguments), False
    except ToolError as error:
        text, failed = str(error), True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


def _error(number: Any, code: int, sentence: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": sentence}}
