"""The forge of one company: who answers which request, and what the company, its host and the compiler ask of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from dayjob.company.changes import Difference
from dayjob.company.company import Company
from dayjob.company.forge import api, graphql, oauth, pages, words
from dayjob.company.forge.api.call import Json
from dayjob.company.forge.api.read_cache import ReadCache
from dayjob.company.forge.git.repositories import Repositories
from dayjob.company.forge.git.smart_http import git_path, serve_git
from dayjob.company.forge.hook_delivery import Deliveries
from dayjob.company.forge.store import accounts
from dayjob.company.forge.store.base import Store
from dayjob.company.forge.throttle import Throttle
from dayjob.company.service import Service
from dayjob.http.protocol import closed_websocket


class Forge(Service):
    """One company's forge."""

    name = "forge"
    push_limit: int = 512 * 1024 * 1024
    """The most bytes one push may bring."""

    def __init__(self, company: Company) -> None:
        super().__init__(company)
        self.repositories = Repositories(self)
        self.store = Store(self)
        self.deliveries = Deliveries(self)
        self.throttle = Throttle()
        self.read_cache = ReadCache()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if await closed_websocket(scope, send):
            return
        path: str = scope["path"]
        if path == "/api/graphql":
            response = await graphql.answer(self, Request(scope, receive))
        elif path == oauth.PATH:
            response = await oauth.answer(self, Request(scope, receive))
        elif path.startswith("/api/"):
            response = await api.answer(self, Request(scope, receive))
        elif (place := git_path(path)) is not None:
            await serve_git(self, place, scope, receive, send)
            return
        else:
            response = await pages.answer(self, Request(scope, receive))
        await response(scope, receive, send)

    def failure(self, status: int, message: str) -> Response:
        return Json({"message": f"{status} {message}" if not message.startswith(str(status)) else message}, status)

    def describe(self, difference: Difference) -> str:
        return words.describe(self.store, difference)

    def set_secrets(self, account: Mapping[str, Any]) -> None:
        accounts.set_secrets(self.store, str(account["username"]), account.get("password"), account.get("token"))

    def on_reset(self) -> None:
        self.repositories.forget()
        self.store.forget()
        self.read_cache.forget()
        self.throttle = Throttle()
