"""Drives the GitLab MCP server from npm with the `mcp` package; run by that package's own interpreter, not by pytest.

Arguments: the forge's address, the folder with node_modules. Reads a list of [tool, arguments] as JSON from standard
input and prints the list of answers.
"""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters  # type: ignore[import-not-found]  # only in the client's environment
from mcp.client.stdio import stdio_client  # type: ignore[import-not-found]  # likewise


async def main() -> None:
    server = StdioServerParameters(
        command="node",
        args=[f"{sys.argv[2]}/node_modules/@zereight/mcp-gitlab/build/index.js"],
        env={
            "PATH": os.environ["PATH"],
            "GITLAB_PERSONAL_ACCESS_TOKEN": "root-token",
            "GITLAB_API_URL": f"{sys.argv[1]}/api/v4",
            "USE_GITLAB_WIKI": "true",
        },
    )
    answers = []
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        for tool, arguments in json.load(sys.stdin):
            found = await session.call_tool(tool, arguments)
            text = found.content[0].text if found.content else ""
            answers.append({"error": bool(found.is_error), "text": text})
    print(json.dumps(answers))


asyncio.run(main())
