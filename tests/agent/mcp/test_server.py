"""The protocol, message by message."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from dayjob.agent.mcp.server import VERSIONS, Server
from dayjob.agent.tools.tool import Parameter, Tool, ToolError


async def _greet(name: str, times: int = 1) -> str:
    if name == "nobody":
        raise ToolError("There is nobody.")
    return f"Hello {name}! " * times


def server() -> Server:
    parameters = {"name": Parameter("string", "whom"), "times": Parameter("integer", "how often", needed=False)}
    return Server([Tool("greet", "Greets.", _greet, parameters)])


def ask(method: str, **params: object) -> dict[str, Any]:
    answer = asyncio.run(server().answer(json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})))
    assert answer is not None
    assert answer["id"] == 7
    return answer


def call(**arguments: object) -> tuple[bool, str]:
    result = ask("tools/call", name="greet", arguments=arguments)["result"]
    return result["isError"], result["content"][0]["text"]


@pytest.mark.parametrize(("wanted", "got"), [(VERSIONS[-1], VERSIONS[-1]), ("1999-01-01", VERSIONS[0])])
def test_a_client_gets_the_version_it_asks_for_or_our_newest(wanted: str, got: str) -> None:
    assert ask("initialize", protocolVersion=wanted, capabilities={})["result"]["protocolVersion"] == got


def test_a_notification_is_not_answered() -> None:
    assert asyncio.run(server().answer('{"jsonrpc": "2.0", "method": "notifications/initialized"}')) is None


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", -32700),
        ("[]", -32600),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/fly"}', -32601),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "fly"}}', -32602),
        ('{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": [1]}', -32602),
    ],
)
def test_what_is_not_a_request_gets_json_rpcs_error(line: str, code: int) -> None:
    answer = asyncio.run(server().answer(line))
    assert answer is not None
    assert answer["error"]["code"] == code


def test_a_tool_is_described_by_a_schema_and_answers_in_text() -> None:
    [tool] = ask("tools/list")["result"]["tools"]
    assert tool["inputSchema"]["required"] == ["name"]
    assert tool["inputSchema"]["properties"]["times"]["type"] == "integer"
    assert call(name="Mara", times=2) == (False, "Hello Mara! Hello Mara! ")


def test_a_call_that_cannot_be_done_is_told_to_the_model() -> None:
    assert call() == (True, "greet needs 'name': whom.")
    assert call(name="Mara", times="two") == (True, "greet takes a 'times' of type integer: how often.")
    assert call(name="Mara", loud=True)[1].startswith("greet has no argument 'loud'")
    assert call(name="nobody") == (True, "There is nobody.")
