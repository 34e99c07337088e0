"""Requests to a service as its tools make them: a refusal is a `ToolError` in the service's own words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import httpx

from dayjob.agent.tools.tool import ToolError

LONGEST = 100_000


class Web(ABC):
    """One service, asked as one account. `url` is where whoever works sees it."""

    url: str

    @abstractmethod
    async def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        """One request; `options` are httpx's. Raises `ToolError` where there is no answer."""

    async def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        answer = await self.send(method, path, **options)
        if answer.status_code >= 400:
            raise ToolError(f"{method} {path} was refused with {answer.status_code}: {answer.text[:500]}")
        return answer

    async def json(self, method: str, path: str, **options: Any) -> Any:
        answer = await self.ask(method, path, **options)
        try:
            return answer.json()
        except ValueError as error:
            raise ToolError(f"{method} {path} did not answer with JSON") from error


class Address(Web):
    """A service at an address, with the headers or account every request carries."""

    def __init__(self, url: str, *, headers: dict[str, str] | None = None, auth: tuple[str, str] | None = None) -> None:
        self.url = url.rstrip("/")
        # The company is named by its address alone: a proxy of this machine does not know it.
        self._client = httpx.AsyncClient(headers=headers, auth=auth, timeout=60, trust_env=False)

    async def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            return await self._client.request(method, self.url + path, **options)
        except httpx.HTTPError as error:
            raise ToolError(f"{self.url} did not answer: {error}") from error


class ChatAddress(Address):
    """Chat at an address; signs in when first asked."""

    def __init__(self, url: str, username: str, password: str) -> None:
        super().__init__(url)
        self._account: dict[str, str] | None = {"user": username, "password": password}

    async def send(self, method: str, path: str, **options: Any) -> httpx.Response:
        if self._account is not None:
            account, self._account = self._account, None
            try:
                data = (await self.json("POST", "/api/v1/login", json=account))["data"]
            except ToolError:
                self._account = account
                raise
            self._client.headers.update({"X-Auth-Token": data["authToken"], "X-User-Id": data["userId"]})
        return await super().send(method, path, **options)


def text_of(answer: httpx.Response) -> str:
    """A body as text, within reason."""
    try:
        text = answer.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ToolError(f"it is not text ({len(answer.content)} bytes); fetch it with your own tools") from error
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[{len(text) - LONGEST} characters left out]"
