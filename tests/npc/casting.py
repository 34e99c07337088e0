"""A cast of colleagues in a served company, and an examinee who talks to them over Rocket.Chat's REST API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvloop

from dayjob.company.company import Company
from dayjob.company.host import Host
from dayjob.company.world import Snapshot, build_snapshot
from dayjob.http.server import Listener, bind
from dayjob.npc.cast import Cast
from dayjob.task.scenario import read_scenarios
from dayjob.task.schema import schema_error

PASSWORD = "sam-reed-first-day"


class Examinee:
    """Sam Reed, signed in to chat."""

    def __init__(self, client: httpx.AsyncClient, username: str) -> None:
        self.client = client
        self.username = username

    async def call(self, method: str, name: str, **arguments: Any) -> dict[str, Any]:
        kind = "params" if method == "GET" else "json"
        found = await self.client.request(method, name, **{kind: arguments})  # type: ignore[arg-type]  # httpx's own names
        assert found.status_code == 200, found.text
        answer: dict[str, Any] = found.json()
        return answer

    async def write(self, to: str, text: str, thread: str | None = None) -> dict[str, Any]:
        """To `@username`, `#channel` or a room's id."""
        more = {"tmid": thread} if thread else {}
        message: dict[str, Any] = (await self.call("POST", "chat.postMessage", channel=to, text=text, **more))[
            "message"
        ]
        return message

    async def history(self, username: str) -> list[dict[str, Any]]:
        user = (await self.call("GET", "users.info", username=username))["user"]["_id"]
        found: list[dict[str, Any]] = (await self.call("GET", "im.history", roomId=user, count=200))["messages"]
        return found[::-1]

    async def hears(self, username: str, count: int) -> list[str]:
        """What a colleague has written to them, once there are `count` messages."""
        while True:
            said = [one["msg"] for one in await self.history(username) if one["u"]["username"] == username]
            if len(said) >= count:
                return said
            await asyncio.sleep(0.005)

    async def channel(self, name: str, after: int = 0) -> list[tuple[str, str]]:
        found = (await self.call("GET", "channels.history", roomName=name, count=200))["messages"][::-1]
        return [(one["u"]["username"], one["msg"]) for one in found if "t" not in one][after:]


class Stage:
    """A company being served on the running loop."""

    def __init__(self, host: Host, company: Company) -> None:
        self.host = host
        self.company = company
        self.listeners: dict[str, Listener] = {}
        self.ports: dict[str, int] = {}

    async def open(self, role: Any, port: int = 0) -> str:
        sock = bind(port=port)
        self.ports[role] = sock.getsockname()[1]
        self.listeners[role] = await self.host.serve(self.company, "chat", sock, role)
        return f"http://127.0.0.1:{self.ports[role]}"

    def close(self, role: str) -> None:
        self.host.forget(self.listeners.pop(role))

    @asynccontextmanager
    async def examinee(self, username: str = "sam.reed") -> AsyncIterator[Examinee]:
        chat: Any = self.company.service("chat")
        token = chat.store.accounts.mint_token(username)
        user = chat.store.accounts.named(username)
        headers = {"X-Auth-Token": token, "X-User-Id": user.id}
        url = f"http://127.0.0.1:{self.ports['examinee']}/api/v1/"
        async with httpx.AsyncClient(
            base_url=url, headers=headers, trust_env=False, timeout=20, verify=False
        ) as client:
            yield Examinee(client, username)

    def cast(self, scenarios: Mapping[str, Any], **more: Any) -> Cast:
        assert None in (schema_error("scenarios.json", scenarios), schema_error("colleagues.yml", scenarios))
        url = f"http://127.0.0.1:{self.ports['npc']}"
        return Cast.for_company(self.company, url, read_scenarios(scenarios), **more)


@asynccontextmanager
async def on_stage(snapshot: Snapshot) -> AsyncIterator[Stage]:
    company = Company(snapshot, phase="work")
    async with Host() as host:
        stage = Stage(host, company)
        await stage.open("examinee")
        await stage.open("npc")
        try:
            yield stage
        finally:
            company.close()


@asynccontextmanager
async def scene(
    snapshot: Snapshot, scenarios: Mapping[str, Any], **more: Any
) -> AsyncIterator[tuple[Stage, Cast, Examinee]]:
    """A company with its colleagues at work and the examinee signed in."""
    async with on_stage(snapshot) as stage, stage.cast(scenarios, **more) as cast, stage.examinee() as sam:
        yield stage, cast, sam


@contextmanager
def world_of(folder: Path, people: int) -> Iterator[Path]:
    """A world with Sam Reed, the examinee, and so many colleagues (Colleague One, Two, …)."""
    (folder / "people").mkdir(parents=True)
    lines = ["format = 1", 'name = "Chain"', 'host = "chain.test"', "now = 2026-03-09T09:00:00Z"]
    lines += ["[accounts.chat]", 'username = "admin"', 'password = "admin-pass-1"']
    (folder / "world.toml").write_text("\n".join(lines), "utf-8")
    (folder / "people" / "sam.yml").write_text("name: Sam Reed\nusername: sam.reed\nexaminee: true\n", "utf-8")
    for number in range(1, people + 1):
        text = f"name: Colleague Number{number}\nusername: colleague.{number}\n"
        (folder / "people" / f"c{number:04d}.yml").write_text(text, "utf-8")
    yield folder


def snapshot_of(world: Path, cache: Path) -> Snapshot:
    return build_snapshot(world, cache=cache)


def run(work: Coroutine[Any, Any, None], seconds: float = 30) -> None:
    """Run an asynchronous test to its end, on the loop the product uses; a test that hangs fails."""

    async def limited() -> None:
        async with asyncio.timeout(seconds):
            await work

    uvloop.run(limited())
