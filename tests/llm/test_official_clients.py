"""OpenAI's and Anthropic's own libraries cannot tell the gateway from the real thing."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

from tests.clients import client_python
from tests.llm.gateways import KEY, open_gateway, run

SCRIPT = Path(__file__).with_name("official_clients.py")
WORDS = "A whole answer, in pieces or at once."


def test_the_official_libraries_work_with_nothing_but_a_pass_in_their_environment() -> None:
    python = client_python("models")
    found: dict[str, object] = {}

    async def main() -> None:
        rules = [
            {"when": {"last": "work"}, "call": {"name": "bash", "arguments": {"command": "ls"}}},
            {"when": {"last": "break"}, "fault": "half"},
            {"when": {"last": "down"}, "fault": {"status": 500}},
            {"say": WORDS, "usage": {"prompt": 12, "completion": 3}},
        ]
        async with open_gateway(rules, retries=1) as opened:
            environment = {"PATH": os.environ["PATH"], **opened.access.environment(opened.url)}
            process = await asyncio.create_subprocess_exec(
                python, "-I", str(SCRIPT), env=environment, stdout=asyncio.subprocess.PIPE
            )
            output, _ = await process.communicate()
            assert process.returncode == 0
            assert KEY not in output.decode()
            found.update(json.loads(output))
            downs = [one for one in opened.model.asked if "down" in json.dumps(one)]
            assert (
                len(downs) == 6
            )  # the gateway's two attempts and one more for each of the two; the libraries add none

    run(main())
    assert str(found.pop("broken stream")).startswith("The provider 'here' broke off its stream")
    tool = ["bash", {"command": "ls"}]
    assert found == {
        "models": ["gpt-test"],
        "chat": WORDS,
        "chat stream": WORDS,
        "chat tool": tool,
        "responses": WORDS,
        "responses stream": WORDS,
        "responses end": WORDS,
        "down": [502, "request_failed"],
        "messages": WORDS,
        "messages stream": WORDS,
        "messages tool": tool,
        "count": 12,
        "messages down": [502, "request_failed"],
    }
