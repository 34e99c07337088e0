"""The typed tools of one environment: what models are offered everywhere, over the driver's own doors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import httpx

from dayjob.agent import Account
from dayjob.agent.tools.board import Board
from dayjob.agent.tools.chat import Chat
from dayjob.agent.tools.clock import Clock
from dayjob.agent.tools.drive import Drive
from dayjob.agent.tools.forge import Forge
from dayjob.agent.tools.hands import FINISH, Hands
from dayjob.agent.tools.tool import Tool, ToolError, WrongCall
from dayjob.agent.tools.web import Web
from dayjob.company.world.model import WorldInfo
from dayjob.env.requests import Requests
from dayjob.env.values import CallError, ToolInfo
from dayjob.sandbox.sandbox import Sandbox

LAST = FINISH.name


class _Door(Web):
    """One service through the driver's door, signed in as whoever works here."""

    def __init__(self, requests: Requests, service: str, url: str) -> None:
        self.url = url
        self._requests = requests
        self._service = service

    async def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        return await self._requests.ask(
            self._service,
            method,
            path,
            headers=options.get("headers"),
            content=options.get("content"),
            json=options.get("json"),
            params=options.get("params"),
            sign_in=True,
            within=options.get("timeout", 60.0),
        )


class Tools:
    """What can be called, by name. Services are offered where somebody works here who has an account on them."""

    def __init__(
        self,
        sandbox: Sandbox,
        environment: Mapping[str, str],
        requests: Requests,
        world: WorldInfo,
        services: tuple[str, ...],
        who: Account | None,
    ) -> None:
        hands = Hands(sandbox, environment)
        inside = [hands.shell(), hands.read_file(), hands.write_file(), hands.replace_in_file(), hands.http()]
        doors = {name: _Door(requests, name, world.url(name)) for name in (*services, "control")}
        asked = _of_services(doors, world, who) if who is not None else ()
        found = [*inside, *asked, *Clock(doors["control"]).tools(), FINISH]
        self._tools = {one.name: one for one in found}

    def told(self) -> tuple[ToolInfo, ...]:
        return tuple(ToolInfo(one.name, one.about, one.schema(), one.reads) for one in self._tools.values())

    async def call(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """What it answers, and whether that is a refusal. A call that it does not take is a `CallError`."""
        tool = self._tools.get(name)
        if tool is None:
            raise CallError(f"There is no tool '{name}' here; there are {', '.join(self._tools)}.")
        if not isinstance(arguments, Mapping):
            raise CallError(f"The arguments of {name} are an object of names and values, not {arguments!r}.")
        try:
            return await tool.call(arguments), False
        except WrongCall as error:
            raise CallError(str(error)) from error
        except ToolError as error:
            return str(error), True


def _of_services(doors: Mapping[str, Web], world: WorldInfo, who: Account) -> Iterator[Tool]:
    if "chat" in doors:
        yield from Chat(doors["chat"], who.username).tools()
    if "forge" in doors:
        yield from Forge(doors["forge"]).tools()
    if "board" in doors:
        workspace = str(world.accounts.get("board", {}).get("workspace", world.slug))
        yield from Board(doors["board"], workspace).tools()
    if "drive" in doors:
        yield from Drive(doors["drive"]).tools()
