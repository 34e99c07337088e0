"""The tools that work inside a sandbox: a shell, files, requests from its own network; and the end of the work.

Everything happens inside: requests leave from the examinee's own network, files are written by the examinee's user.
An answer is text for the model, also when it went wrong.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from dayjob.agent.tools.clock import LONGEST_SECONDS, wait_tool
from dayjob.agent.tools.tool import Parameter, Tool, shortened
from dayjob.sandbox.sandbox import Sandbox

LONGEST_ANSWER = 16_000
_DEFAULT_SECONDS = 120.0

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


_PATH = Parameter("string", "an absolute path")


class Hands:
    """What can be done in one sandbox; `environment` is added to that of its commands."""

    def __init__(self, sandbox: Sandbox, environment: Mapping[str, str] | None = None) -> None:
        self._sandbox = sandbox
        self._environment = dict(environment or {})

    def shell(self) -> Tool:
        return Tool(
            "shell",
            "Run a shell command in /workspace and get its output and exit code. Each call is a new shell.",
            self._shell,
            {
                "command": Parameter("string", "what to run"),
                "seconds": Parameter("number", f"when to give up (default {_DEFAULT_SECONDS:g})", needed=False),
            },
            reads=False,
        )

    def read_file(self) -> Tool:
        return Tool("read_file", "A text file of this computer.", self._read, {"path": _PATH})

    def write_file(self) -> Tool:
        return Tool(
            "write_file",
            "Write a whole text file, with the folders above it.",
            self._write,
            {"path": _PATH, "content": Parameter("string", "all of its text")},
            reads=False,
        )

    def replace_in_file(self) -> Tool:
        return Tool(
            "replace_in_file",
            "Replace a passage of a text file that occurs exactly once.",
            self._replace,
            {
                "path": _PATH,
                "old": Parameter("string", "the passage as it is"),
                "new": Parameter("string", "the passage as it shall be"),
            },
            reads=False,
        )

    def http(self) -> Tool:
        return Tool(
            "http",
            "Make an HTTP request and get the status, the content type and the body.",
            self._request,
            {
                "url": Parameter("string", "the address"),
                "method": Parameter("string", "GET when left out", needed=False),
                "headers": Parameter("object", "header names and values", needed=False),
                "body": Parameter("any", "text as it is; anything else is sent as JSON", needed=False),
                "user": Parameter("string", "for basic authentication", needed=False),
                "password": Parameter("string", "likewise", needed=False),
            },
            reads=False,
        )

    def wait(self) -> Tool:
        return wait_tool(self._wait)

    async def _shell(self, command: str, seconds: float = 0) -> str:
        within = min(float(seconds), LONGEST_SECONDS) if seconds > 0 else _DEFAULT_SECONDS
        return await self._run(["/bin/bash", "-c", command], within=within)

    async def _read(self, path: str) -> str:
        return await self._run(["/bin/cat", "--", path])

    async def _write(self, path: str, content: str) -> str:
        place = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1" && echo written'
        return await self._run(["/bin/sh", "-c", place, "sh", path], content.encode("utf-8", "replace"))

    async def _replace(self, **given: str) -> str:
        return await self._run(["python_default", "-c", _REPLACE], json.dumps(given).encode())

    async def _request(self, **given: Any) -> str:
        return await self._run(["python_default", "-c", _REQUEST], json.dumps(given).encode())

    async def _wait(self, asked: Mapping[str, str]) -> str:
        given = [asked["for"]] if "for" in asked else ["--until", asked["until"]] if "until" in asked else []
        return await self._run(["company-wait", *given], within=LONGEST_SECONDS)

    async def _run(self, argv: list[str], stdin: bytes = b"", within: float = _DEFAULT_SECONDS) -> str:
        if any("\0" in one for one in argv):
            raise ValueError("it has a null byte")
        done = await self._sandbox.exec(argv, stdin=stdin, env=self._environment, within=within, cwd="/workspace")
        text = done.text + done.error_text
        if done.timed_out:
            text += f"\n[given up after {within:g} s]"
        elif done.exit_code != 0:
            text += f"\n[exit code {done.exit_code}]"
        return shortened(text, LONGEST_ANSWER) or "[no output]"


async def _finish(summary: str) -> str:
    return f"Finished: {summary}"


FINISH = Tool(
    "finish",
    "Say that the task is done, or that no more can be done.",
    _finish,
    {"summary": Parameter("string", "what was done")},
    reads=False,
)
"""The driver ends the work when it is called."""
