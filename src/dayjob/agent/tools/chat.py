"""Chat as tools: who and what is there, reading a room, posting to one."""

from __future__ import annotations

import json
from typing import Any

from dayjob.agent.tools.tool import Parameter, Tool, ToolError
from dayjob.agent.tools.web import Web

_ROOM = "#channel for a channel or private group, @username for a direct message"


class Chat:
    """Chat as one account sees it."""

    def __init__(self, web: Web, username: str) -> None:
        self._web = web
        self._username = username

    def tools(self) -> list[Tool]:
        return [
            Tool("chat_rooms", "The channels, groups and direct messages you are in.", self.rooms),
            Tool("chat_people", "Everybody who has an account, by user name and name.", self.people),
            Tool(
                "chat_read",
                "The newest messages of a room, oldest first.",
                self.read,
                {"room": Parameter("string", _ROOM), "count": Parameter("integer", "how many (20)", needed=False)},
            ),
            Tool(
                "chat_post",
                "Post a message.",
                self.post,
                {"room": Parameter("string", _ROOM), "text": Parameter("string", "the message, in Markdown")},
                reads=False,
            ),
        ]

    async def _ask(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        found: dict[str, Any] = await self._web.json(method, f"/api/v1{path}", **options)
        return found

    async def rooms(self) -> str:
        lines = [f"#{one['name']}" for one in (await self._ask("GET", "/channels.list.joined?count=0"))["channels"]]
        lines += [f"#{one['name']} (private)" for one in (await self._ask("GET", "/groups.list?count=0"))["groups"]]
        for one in (await self._ask("GET", "/im.list?count=0"))["ims"]:
            lines += [f"@{name}" for name in one.get("usernames", []) if name != self._username]
        return "\n".join(lines) or "You are in no room."

    async def people(self) -> str:
        users = (await self._ask("GET", "/users.list?count=0"))["users"]
        return "\n".join(f"@{one['username']}: {one.get('name') or ''}" for one in users)

    async def read(self, room: str, count: int = 20) -> str:
        kind, number = await self._find(room)
        messages = (await self._ask("GET", f"/{kind}.history", params={"roomId": number, "count": count}))["messages"]
        rows = [
            {"at": one["ts"], "from": one["u"]["username"], "text": one.get("msg", "")} for one in reversed(messages)
        ]
        return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) or "Nobody has written there yet."

    async def post(self, room: str, text: str) -> str:
        if room[:1] not in ("#", "@"):
            raise ToolError(f"'{room}' is not {_ROOM}.")
        await self._ask("POST", "/chat.postMessage", json={"channel": room, "text": text})
        return f"Posted to {room}."

    async def _find(self, room: str) -> tuple[str, str]:
        """The kind of a room in the wire's words, and its id. Looking does not make a room."""
        name = room[1:]
        if room.startswith("@"):
            for one in (await self._ask("GET", "/im.list?count=0"))["ims"]:
                if set(one.get("usernames", [])) == {name, self._username}:
                    return "im", one["_id"]
            raise ToolError(f"You have no direct messages with {room} yet.")
        if room.startswith("#"):
            for one in (await self._ask("GET", "/groups.list?count=0"))["groups"]:
                if one["name"] == name:
                    return "groups", one["_id"]
            return "channels", (await self._ask("GET", "/channels.info", params={"roomName": name}))["channel"]["_id"]
        raise ToolError(f"'{room}' is not {_ROOM}.")
