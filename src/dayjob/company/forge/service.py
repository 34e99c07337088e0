"""The forge of one company: who answers which request, and what the company, its host and the compiler ask of it."""

from __future__ import annotations

import secrets
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
from dayjob.company.forge.ci.due import Due
from dayjob.company.forge.ci.following import Following
from dayjob.company.forge.git.repositories import Repositories
from dayjob.company.forge.git.smart_http import git_path, serve_git
from dayjob.company.forge.hook_delivery import Deliveries
from dayjob.company.forge.rows.ci import Job, Pipeline
from dayjob.company.forge.store import accounts, runners
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
        self.due = Due(self)
        self.queue_version = 0
        """Grows whenever a job begins to wait, or a runner may run what it could not before."""
        self._own_runner_token = ""
        self._following = Following(self)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if await closed_websocket(scope, send):
            return
        if self.due.has_come():
            await self.run_due()
        path: str = scope["path"]
        if path == "/api/graphql":
            response = await graphql.answer(self, Request(scope, receive))
        elif path == oauth.PATH:
            response = await oauth.answer(self, Request(scope, receive))
        elif path.startswith("/api/"):
            response = await api.answer(self, Request(scope, receive))
            await self._following.catch_up()
        elif (place := git_path(path)) is not None:
            await serve_git(self, place, scope, receive, send)
            await self._following.catch_up()
            return
        else:
            response = await pages.answer(self, Request(scope, receive))
            await self._following.catch_up()
        await response(scope, receive, send)

    def failure(self, status: int, message: str) -> Response:
        return Json({"message": f"{status} {message}" if not message.startswith(str(status)) else message}, status)

    def describe(self, difference: Difference) -> str:
        return words.describe(self.store, difference)

    def set_secrets(self, account: Mapping[str, Any]) -> None:
        accounts.set_secrets(self.store, str(account["username"]), account.get("password"), account.get("token"))

    # -- CI ------------------------------------------------------------------------------------------------------

    def instance_runner_token(self) -> str:
        """The token of the instance's own runner, for the host that runs jobs. It is in no table and no answer, stays
        the same as long as this company is open, and survives a reset."""
        if not self._own_runner_token:
            self._own_runner_token = runners.TOKEN_PREFIX + secrets.token_urlsafe(15)
            runners.own(self.store)
        return self._own_runner_token

    def is_own_runner(self, token: str) -> bool:
        return bool(self._own_runner_token) and secrets.compare_digest(token.encode(), self._own_runner_token.encode())

    def jobs_wait(self) -> None:
        """A job has begun to wait for a runner, or may now be run by one."""
        self.queue_version += 1
        self.company.on_jobs_waiting()

    def pipeline_moved(self, pipeline: Pipeline) -> None:
        """A pipeline has another state; what follows from it happens before the request that did it is answered."""
        self._following.pipeline(pipeline)

    def job_moved(self, job: Job) -> None:
        self._following.job(job)

    def next_due(self) -> str | None:
        """The moment at which a schedule or a delayed job starts by itself; None while nothing waits for its time."""
        return self.due.next()

    async def run_due(self) -> None:
        """Start everything whose moment has come by the company's clock: the agenda calls it, and requests do."""
        self.due.run()
        await self._following.catch_up()

    def memory(self) -> dict[str, Any]:
        token, throttle = self._own_runner_token, self.throttle.reading()
        return {"runner": token, "throttle": throttle, "planned": self.due.planned}

    def recall(self, memory: Mapping[str, Any]) -> None:
        self._own_runner_token = memory["runner"]
        self.throttle.recall(memory["throttle"])
        if memory["planned"]:
            self.due.look_again()

    @classmethod
    def has_plans(cls, section: Any) -> bool:
        return any(one.schedules for one in section.projects)

    def plan(self) -> None:
        self.due.look_again()

    def on_reset(self) -> None:
        self.due.forget()
        self._following.forget()
        self.repositories.forget()
        self.store.forget()
        self.read_cache.forget()
        self.throttle = Throttle()
