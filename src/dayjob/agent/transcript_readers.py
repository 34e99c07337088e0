"""What well-known agents write about themselves, read into steps: one function for each format.

Each takes the whole text and returns the steps after the task's own; a line or message of an unknown kind is passed
over, because these formats grow. Text that is nothing of the kind is a `ValueError`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from dayjob.agent.trajectory import Step, ToolCall


def mini_swe_agent(text: str) -> list[Step]:
    """mini-swe-agent's trajectory file: chat messages, with each command's result as a `tool` message."""
    document = json.loads(text)
    if not isinstance(document, dict) or not isinstance(document.get("messages"), list):
        raise ValueError("there are no messages in it")
    steps: list[Step] = []
    waiting: dict[str, ToolCall] = {}
    for message in document["messages"]:
        match message.get("role"):
            case "system":
                steps.append(Step("system", _words(message.get("content"))))
            case "user":
                steps.append(Step("user", _words(message.get("content"))))
            case "assistant":
                step = Step("agent", _words(message.get("content")))
                for one in message.get("tool_calls") or []:
                    function = one.get("function") or {}
                    call = ToolCall(str(function.get("name")), _arguments(function.get("arguments")))
                    step.tool_calls.append(call)
                    waiting[str(one.get("id"))] = call
                steps.append(step)
            case "tool":
                if (found := waiting.pop(str(message.get("tool_call_id")), None)) is not None:
                    found.observation = _words(message.get("content"))
    return steps


def claude_code(text: str) -> list[Step]:
    """Claude Code's `--output-format stream-json`: messages as the model's own wire has them, one a line."""
    steps: list[Step] = []
    waiting: dict[str, ToolCall] = {}
    for event in _lines(text):
        blocks = (event.get("message") or {}).get("content")
        if event.get("type") not in ("assistant", "user") or not isinstance(blocks, list):
            continue
        said = [block["text"] for block in blocks if block.get("type") == "text" and block.get("text")]
        step = Step("agent", "\n".join(said))
        for block in blocks:
            if block.get("type") == "tool_use":
                call = ToolCall(str(block.get("name")), _arguments(block.get("input")))
                step.tool_calls.append(call)
                waiting[str(block.get("id"))] = call
            elif (found := waiting.pop(str(block.get("tool_use_id")), None)) is not None:
                found.observation = _words(block.get("content"))
        if event["type"] == "assistant" and (step.message or step.tool_calls):
            steps.append(step)
    return _some(steps)


def codex(text: str) -> list[Step]:
    """Codex's `exec --json`: items as they are completed, one a line."""
    steps: list[Step] = []
    for event in _lines(text):
        item = event.get("item")
        if event.get("type") != "item.completed" or not isinstance(item, dict):
            continue
        match item.get("type"):
            case "agent_message":
                steps.append(Step("agent", _words(item.get("text"))))
            case "command_execution":
                call = ToolCall("shell", {"command": item.get("command")}, _words(item.get("aggregated_output")))
                steps.append(Step("agent", tool_calls=[call], extra={"exit_code": item.get("exit_code")}))
            case "file_change":
                steps.append(Step("agent", tool_calls=[ToolCall("file_change", {"changes": item.get("changes")})]))
            case "mcp_tool_call":
                name = f"{item.get('server')}.{item.get('tool')}"
                steps.append(Step("agent", tool_calls=[ToolCall(name, _arguments(item.get("arguments")))]))
    return _some(steps)


def openhands(text: str) -> list[Step]:
    """OpenHands' `--headless --json`: events as JSON over many lines, each after a line that announces it."""
    steps: list[Step] = []
    waiting: dict[str, ToolCall] = {}
    for event in _announced(text, "--JSON Event--"):
        stamp = event.get("timestamp")
        before = len(steps)
        match event.get("kind"):
            case "SystemPromptEvent":
                steps.append(Step("system", _words((event.get("system_prompt") or {}).get("text"))))
            case "MessageEvent":
                source: Literal["agent", "user"] = "agent" if event.get("source") == "agent" else "user"
                steps.append(Step(source, _words((event.get("llm_message") or {}).get("content"))))
            case "ActionEvent":
                given = (event.get("tool_call") or {}).get("arguments")
                call = ToolCall(str(event.get("tool_name")), _arguments(given))
                steps.append(Step("agent", _words(event.get("thought")), [call]))
                waiting[str(event.get("tool_call_id"))] = call
            case "ObservationEvent" | "AgentErrorEvent" | "UserRejectObservation":
                if (found := waiting.pop(str(event.get("tool_call_id")), None)) is not None:
                    seen = event.get("observation")
                    found.observation = _words(seen.get("content") if isinstance(seen, dict) else event.get("error"))
        if len(steps) > before and isinstance(stamp, str):
            steps[-1].timestamp = f"{stamp}+00:00"
    return _some(steps)


def _announced(text: str, line: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder()
    for piece in text.split(line)[1:]:
        try:
            found, _ = decoder.raw_decode(piece.lstrip())
        except ValueError:
            continue  # cut off where its time was up, or where the middle of a long output was left out
        if isinstance(found, dict):
            yield found


def _some(steps: list[Step]) -> list[Step]:
    if not steps:
        raise ValueError("there are no steps in it")
    return steps


def _lines(text: str) -> Iterator[dict[str, Any]]:
    """The objects among the lines; a program's other words between them, and a line cut in two, are passed over."""
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                found = json.loads(line)
            except ValueError:
                continue
            yield found


def _arguments(given: Any) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {"text": given}
    return given if isinstance(given, dict) else {}


def _words(content: Any) -> str:
    """Content as text, whether it is one or a list of parts."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return "" if content is None else str(content)
