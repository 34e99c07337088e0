"""Run with OpenEnv's own client, pointed at a server; prints what it got."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from openenv import GenericEnvClient

URL = sys.argv[1]
SOLUTION = Path(__file__).parents[2] / "tasks" / "example" / "solution.py"


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "call_tool", "tool_name": name, "arguments": arguments}


async def session(number: int, everybody: asyncio.Barrier) -> dict[str, Any]:
    async with GenericEnvClient(base_url=URL) as client:
        start = await client.reset(seed=number, episode_id=f"one-{number}", index=0)
        await everybody.wait()
        listed = await client.step({"type": "list_tools"})
        steps = [
            await client.step(tool("write_file", path="/workspace/x", content=f"{number}\n")),
            await client.step(tool("read_file", path="/workspace/x")),
            await client.step(tool("fly")),
            await client.step(tool("finish", summary="")),
        ]
        state = await client.state()
        await everybody.wait()
        return {
            "task": start.observation["task"],
            "tools": "shell" in {one["name"] for one in listed.observation["tools"]},
            "read": steps[1].observation["result"],
            "wrong": steps[2].observation["error"]["message"].partition(";")[0],
            "rewards": [one.reward for one in steps],
            "done": [one.done for one in steps],
            "steps": state["step_count"],
            "episode": state["episode_id"],
        }


async def one_too_many(everybody: asyncio.Barrier) -> str:
    """While three have a session each."""
    await everybody.wait()
    try:
        async with GenericEnvClient(base_url=URL) as client:
            await client.reset()
    except Exception as error:  # whichever it is that they raise
        return str(error)
    finally:
        await everybody.wait()
    return ""


async def solved() -> dict[str, Any]:
    async with GenericEnvClient(base_url=URL) as client:
        await client.reset(index=0)
        await client.step(tool("write_file", path="/workspace/a.py", content=SOLUTION.read_text("utf-8")))
        worked = await client.step(tool("shell", command="python3 a.py"))
        ended = await client.step(tool("finish", summary="Reported."))
        return {"reward": worked.reward, "done": ended.done}


async def main() -> None:
    everybody = asyncio.Barrier(4)
    *sessions, fourth = await asyncio.gather(*(session(n, everybody) for n in range(3)), one_too_many(everybody))
    print(json.dumps({"sessions": sessions, "fourth": fourth, "solved": await solved()}))


asyncio.run(main())
