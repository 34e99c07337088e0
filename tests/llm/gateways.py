"""A gateway between a real client and a scripted model, all on real sockets of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from dayjob.http.server import Server, bind
from dayjob.llm.budget import Budget
from dayjob.llm.calls import CallLog
from dayjob.llm.cassette import Cassette
from dayjob.llm.gateway import Gateway, Pass
from dayjob.llm.obedient import Obedient
from dayjob.llm.prices import Price, package_prices
from dayjob.llm.script_file import parse_script
from dayjob.llm.scripted import ScriptedModel, serve_script
from dayjob.llm.secret import Secret
from dayjob.llm.settings import ROLES, Kind, LlmSettings, Provider, Role, RoleModel

KEY = "sk-the-real-key-0123456789"


@dataclass
class Opened:
    """A gateway being served, the scripted model behind it, and a pass with a client that uses it."""

    gateway: Gateway
    model: ScriptedModel
    access: Pass
    client: httpx.AsyncClient
    url: str

    async def chat(self, text: str = "Hello", **more: Any) -> httpx.Response:
        body = {"model": "any", "messages": [{"role": "user", "content": text}], **more}
        return await self.client.post("/v1/chat/completions", json=body)

    def client_of(self, access: Pass) -> httpx.AsyncClient:
        headers = {"authorization": f"Bearer {access.token.reveal()}"}
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=20, trust_env=False, verify=False)


@asynccontextmanager
async def open_gateway(
    rules: Sequence[Any] | Obedient,
    *,
    role: Role = "examinee",
    kind: Kind = "openai",
    trial: str = "example.1",
    cassette: Cassette | None = None,
    trial_budget: Budget | None = None,
    run_budget: Budget | None = None,
    prices: dict[str, Price] | None = None,
    also: tuple[str, ...] = (),
    log: CallLog | None = None,
    votes: int = 1,
    **limits: Any,
) -> AsyncIterator[Opened]:
    """A provider played by `rules`, or a script of one's own, for all three roles, asked through the gateway with a
    pass for `role`."""
    limits = {"backoff": 0.005, **limits}
    async with AsyncExitStack() as stack:
        script = rules if isinstance(rules, Obedient) else parse_script({"rules": list(rules)})
        model = ScriptedModel(script, Secret(KEY))
        serving = await stack.enter_async_context(serve_script(model))
        base_url = serving.base_url.removesuffix("/v1") if kind == "anthropic" else serving.base_url
        chosen = RoleModel(Provider("here", kind, base_url, Secret(KEY), **limits), "gpt-test", also, votes)
        settings = LlmSettings(
            dict.fromkeys(ROLES, chosen),
            trial_budget or Budget(),
            run_budget or Budget(),
            package_prices().extended(prices or {}),
        )
        gateway = await stack.enter_async_context(Gateway(settings, cassette=cassette))
        host = await stack.enter_async_context(Server())
        sock = bind()
        await host.listen(gateway.app(), sock)
        access = gateway.admit(trial, role, log=log)
        opened = Opened(
            gateway, model, access, httpx.AsyncClient(verify=False), f"http://127.0.0.1:{sock.getsockname()[1]}"
        )
        await opened.client.aclose()
        opened.client = await stack.enter_async_context(opened.client_of(access))
        yield opened


async def until(holds: Callable[[], object]) -> None:
    """Wait for something to become true; the test's own time limit ends a wait in vain."""
    async for _ in _moments():
        if holds():
            return


async def _moments() -> AsyncIterator[None]:
    while True:
        yield
        await asyncio.sleep(0.003)


def run(work: Coroutine[Any, Any, None]) -> None:
    """Run an asynchronous test to its end; a test that hangs fails."""

    async def limited() -> None:
        async with asyncio.timeout(30):
            await work

    asyncio.run(limited())
