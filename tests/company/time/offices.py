"""A small office whose people act by a timeline, and companies of it: what the tests of time are made of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import uvloop

from dayjob.company.clock import Clock
from dayjob.company.company import Company
from dayjob.company.host import Host
from dayjob.company.world import Snapshot
from dayjob.http.server import bind
from dayjob.service_names import NAMES
from tests.company.serving import snapshot_of
from tests.trial.offices import write

NOW = datetime(2026, 3, 9, 9, tzinfo=UTC)  # a Monday
PASSWORD = "sam-first-day"

OFFICE = {
    "world.toml": """
        format = 1
        name = "Office"
        slug = "office"
        host = "office.test"
        now = 2026-03-09T09:00:00Z
        [accounts.chat]
        username = "office.admin"
        password = "password-in-the-world"
        [accounts.forge]
        username = "root"
        password = "password-in-the-world"
        token = "token-in-the-world"
        [accounts.board]
        workspace = "office"
        email = "admin@office.test"
        password = "password-in-the-world"
        api_key = "plane_api_in_the_world"
        [accounts.drive]
        username = "office"
        password = "password-in-the-world"
        """,
    "people/sam.reed.yml": """
        name: Sam Reed
        username: sam.reed
        password: sam-first-day
        examinee: true
        """,
    "people/mara.lind.yml": """
        name: Mara Lind
        username: mara.lind
        hours: 09:00-17:00
        answers: 5m
        """,
    "people/omar.diaz.yml": """
        name: Omar Diaz
        username: omar.diaz
        hours: 10:00-18:00
        away: [2026-03-10]
        answers: 10m-20m
        """,
    "chat/channels/launch.yml": """
        name: launch
        members: [Sam Reed, Mara Lind, Omar Diaz]
        messages:
          - from: Mara Lind
            at: 2026-03-06T10:00:00Z
            text: We launch on Thursday.
        """,
    "forge/groups.yml": """
        - path: office
          name: Office
          members:
            Mara Lind: maintainer
            Omar Diaz: maintainer
            Sam Reed: developer
        """,
    "forge/projects/office/site/project.yml": """
        name: Site
        """,
    "forge/projects/office/site/history.yml": """
        - author: Mara Lind
          at: 2026-03-02T09:00:00Z
          message: Begin
          files:
            README.md: |
              # Site
        """,
    "forge/projects/office/site/issues.yml": """
        - title: The door squeaks
          author: Mara Lind
          at: 2026-03-03T09:00:00Z
          assignees: [Sam Reed]
        """,
    "board/projects/ops.yml": """
        name: Operations
        identifier: OPS
        members: [Sam Reed, Mara Lind, Omar Diaz]
        items:
          - name: Order chairs
            assignees: [Sam Reed]
          - name: Paint the wall
            assignees: [Mara Lind]
        """,
    "drive/people/mara.lind/Plans/launch.txt": "Thursday\n",
}


def office(folder: Path, timeline: str = "", **files: str) -> Path:
    """The office's files, with a timeline and other files (`world__toml="…"` for world.toml)."""
    given = {name.replace("__", "."): text for name, text in files.items()}
    return write(folder, {**OFFICE, **given, **({"timeline.yml": timeline} if timeline else {})})


def compiled(folder: Path, timeline: str = "", **files: str) -> Snapshot:
    return snapshot_of(office(folder, timeline, **files))


class Desk:
    """Sam Reed's requests to a company that is served on this loop."""

    def __init__(self, company: Company, ports: dict[str, int], client: httpx.AsyncClient) -> None:
        self.company = company
        self.ports = ports
        self.client = client
        self.headers: dict[str, str] = {}

    async def ask(self, service: str, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {**self.headers, **more.pop("headers", {})}
        return await self.client.request(
            method, f"http://127.0.0.1:{self.ports[service]}{path}", headers=headers, **more
        )

    async def sign_in(self) -> None:
        """In chat; the other services take accounts with every request."""
        given = {"user": "sam.reed", "password": PASSWORD}
        found = (await self.ask("chat", "POST", "/api/v1/login", json=given)).json()["data"]
        self.headers = {"x-auth-token": found["authToken"], "x-user-id": found["userId"]}

    async def wait(self, **asked: str) -> dict[str, Any]:
        answer = await self.ask("control", "POST", "/clock/wait", json=asked)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def said(self, channel: str = "launch") -> list[tuple[str, str, str]]:
        """When, who and what, oldest first."""
        found = await self.ask("chat", "GET", f"/api/v1/channels.history?roomName={channel}&count=200")
        return [(one["ts"], one["u"]["username"], one["msg"]) for one in found.json()["messages"][::-1]]

    async def post(self, channel: str, text: str) -> None:
        answer = await self.ask("chat", "POST", "/api/v1/chat.postMessage", json={"channel": channel, "text": text})
        assert answer.status_code == 200, answer.text


@asynccontextmanager
async def at_desk(company: Company, *, begin: bool = True) -> AsyncIterator[Desk]:
    """Serve a company to its examinee on this loop."""
    async with Host() as host, httpx.AsyncClient() as client:
        ports = {}
        for name in (*NAMES, "control"):
            sock = bind()
            ports[name] = sock.getsockname()[1]
            await host.serve(company, name, sock, "examinee")
        desk = Desk(company, ports, client)
        await desk.sign_in()
        if begin:
            company.begin_time()
        yield desk


def company_of(snapshot: Snapshot, *, stepped: bool = True, **more: Any) -> Company:
    return Company(snapshot, phase="work", clock=Clock(snapshot.info.now, stepped=stepped), **more)


def run(work: Coroutine[Any, Any, None]) -> None:
    async def within() -> None:
        async with asyncio.timeout(60):
            await work

    uvloop.run(within())
