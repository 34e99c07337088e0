"""The worker's tools: what the model is told of each, and what each does in the sandbox.

Everything happens inside: requests leave from the examinee's own network, files are written by the examinee's user.
A tool's answer is text for the model, also when it went wrong; a mistake in a call is told, never raised.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dayjob.agent.worker.browser import ACTIONS
from dayjob.agent.worker.context import shortened
from dayjob.sandbox.sandbox import Sandbox

LONGEST_ANSWER = 16_000
_DEFAULT_SECONDS = 120.0
_LONGEST_SECONDS = 1800.0

# Run inside; the arguments come as JSON on its input.
_REPLACE = """
import json, sys
given = json.load(sys.stdin)
text = open(given["path"], encoding="utf-8", newline="").read()
found = text.count(given["old"])
if found != 1:
    sys.exit(f"'old' occurs {found} times in {given['path']}; it must occur exactly once")
open(given["path"], "w", encoding="utf-8", newline="").write(text.replace(given["old"], given["new"]))
print("replaced")
"""
_REQUEST = """
import base64, json, sys, urllib.error, urllib.request
given = json.load(sys.stdin)
headers = {str(name): str(value) for name, value in (given.get("headers") or {}).items()}
if given.get("user"):
    pair = f"{given['user']}:{given.get('password', '')}".encode()
    headers["Authorization"] = "Basic " + base64.b64encode(pair).decode()
body = given.get("body")
if body is not None and not isinstance(body, str):
    body = json.dumps(body)
    headers.setdefault("Content-Type", "application/json")
data = None if body is None else body.encode()
request = urllib.request.Request(given["url"], data, headers, method=given.get("method", "GET").upper())
try:
    answer = urllib.request.urlopen(request, timeout=60)
except urllib.error.HTTPError as refused:
    answer = refused
except (OSError, ValueError) as error:
    sys.exit(f"no answer: {error}")
print(answer.status, answer.headers.get("Content-Type", ""))
sys.stdout.flush()
sys.stdout.buffer.write(answer.read(4_000_000))
"""


def _tool(name: str, description: str, needed: Mapping[str, str], **optional: str) -> dict[str, Any]:
    properties = {key: _schema(text) for key, text in {**needed, **optional}.items()}
    parameters = {"type": "object", "properties": properties, "required": list(needed)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


def _schema(text: str) -> dict[str, Any]:
    """A parameter written as `type: what it is`."""
    kind, _, description = text.partition(": ")
    return {"description": description} if kind == "any" else {"type": kind, "description": description}


TOOLS: tuple[dict[str, Any], ...] = (
    _tool(
        "shell",
        "Run a shell command in /workspace and get its output and exit code. Each call is a new shell.",
        {"command": "string: what to run"},
        seconds=f"number: when to give up (default {_DEFAULT_SECONDS:g})",
    ),
    _tool(
        "write_file",
        "Write a whole text file, with the folders above it.",
        {"path": "string: an absolute path", "content": "string: all of its text"},
    ),
    _tool(
        "replace_in_file",
        "Replace a passage of a text file that occurs exactly once.",
        {
            "path": "string: an absolute path",
            "old": "string: the passage as it is",
            "new": "string: the passage as it shall be",
        },
    ),
    _tool(
        "http",
        "Make an HTTP request and get the status, the content type and the body.",
        {"url": "string: the address"},
        method="string: GET when left out",
        headers="object: header names and values",
        body="any: text as it is; anything else is sent as JSON",
        user="string: for basic authentication",
        password="string: likewise",
    ),
    _tool(
        "wait",
        "Let the company's time pass, which takes no time of yours, and get what is new: messages, to-dos, shares. "
        "Without arguments it only says what time it is and what is new.",
        {},
        **{
            "for": "string: how long, as 45m, 2h or 1d",
            "until": "string: until when instead, as 17:00, Tue 09:00 or 2026-03-10 14:00 (UTC)",
        },
    ),
    _tool("finish", "Say that the task is done, or that no more can be done.", {"summary": "string: what was done"}),
)


def browser_tool(pictures: bool) -> dict[str, Any]:
    """The browser as the model is told of it; a model that cannot see is offered no screenshots."""
    actions = [action for action in ACTIONS if pictures or action != "screenshot"]
    return _tool(
        "browser",
        "Use a web browser that is signed in nowhere yet. Each action answers with the page's address, title and "
        "accessibility tree; its refs name the elements for click, type and select.",
        {"action": f"string: one of {', '.join(actions)}"},
        url="string: for open",
        ref="string: for click, type and select, and to read only a part: a ref of the last tree, such as e12",
        text="string: what to type (it replaces what is there), the option to select, or the key to press, as Enter",
    )


async def use(sandbox: Sandbox, name: str, arguments: Mapping[str, Any]) -> str:
    """Do what the model asks for; returns what it is told."""
    try:
        match name:
            case "shell":
                return await _run(sandbox, ["/bin/bash", "-c", str(arguments["command"])], b"", _seconds(arguments))
            case "write_file":
                place = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1" && echo written'
                content = str(arguments["content"]).encode("utf-8", "replace")
                return await _run(sandbox, ["/bin/sh", "-c", place, "sh", str(arguments["path"])], content)
            case "replace_in_file":
                given = {key: str(arguments[key]) for key in ("path", "old", "new")}
                return await _run(sandbox, ["python_default", "-c", _REPLACE], json.dumps(given).encode())
            case "wait":
                return await _wait(sandbox, arguments)
            case "http":
                given = {**arguments, "url": str(arguments["url"])}
                return await _run(sandbox, ["python_default", "-c", _REQUEST], json.dumps(given).encode())
    except KeyError as missing:
        return f"{name} needs {missing}"
    except (TypeError, ValueError, RecursionError) as error:
        return f"{name} cannot take this: {error}"  # a null byte in a command, half a character, …
    return f"there is no tool '{name}'"


async def _wait(sandbox: Sandbox, arguments: Mapping[str, Any]) -> str:
    if arguments.get("for") and arguments.get("until"):
        return "wait takes 'for' or 'until', not both"
    given = [str(arguments["for"])] if arguments.get("for") else []
    if arguments.get("until"):
        given = ["--until", str(arguments["until"])]
    return await _run(sandbox, ["company-wait", *given], b"", _LONGEST_SECONDS)


def _seconds(arguments: Mapping[str, Any]) -> float:
    wanted = arguments.get("seconds")
    return min(float(wanted), _LONGEST_SECONDS) if isinstance(wanted, int | float) and wanted > 0 else _DEFAULT_SECONDS


async def _run(sandbox: Sandbox, argv: list[str], stdin: bytes, within: float = _DEFAULT_SECONDS) -> str:
    done = await sandbox.exec(argv, stdin=stdin, within=within, cwd="/workspace")
    text = done.text + done.error_text
    if done.timed_out:
        text += f"\n[given up after {within:g} s]"
    elif done.exit_code != 0:
        text += f"\n[exit code {done.exit_code}]"
    return shortened(text, LONGEST_ANSWER) or "[no output]"
