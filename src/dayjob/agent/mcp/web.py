"""Requests to a service as its tools make them: a refusal is a `ToolError` in the service's own words."""

from __future__ import annotations

from typing import Any

import httpx

from dayjob.agent.mcp.server import ToolError

LONGEST = 100_000


class Web:
    """One service at one address, with the headers or account every request carries."""

    def __init__(self, url: str, *, headers: dict[str, str] | None = None, auth: tuple[str, str] | None = None) -> None:
        self.url = url.rstrip("/")
        # The company is named by its address alone: a proxy of this machine does not know it.
        self._client = httpx.Client(headers=headers, auth=auth, timeout=60, trust_env=False)

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        try:
            answer = self._client.request(method, self.url + path, **options)
        except httpx.HTTPError as error:
            raise ToolError(f"{self.url} did not answer: {error}") from error
        if answer.status_code >= 400:
            raise ToolError(f"{method} {path} was refused with {answer.status_code}: {answer.text[:500]}")
        return answer

    def json(self, method: str, path: str, **options: Any) -> Any:
        answer = self.ask(method, path, **options)
        try:
            return answer.json()
        except ValueError as error:
            raise ToolError(f"{method} {path} did not answer with JSON") from error


def text_of(answer: httpx.Response) -> str:
    """A body as text, within reason."""
    try:
        text = answer.content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ToolError(f"it is not text ({len(answer.content)} bytes); fetch it with your own tools") from error
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n[{len(text) - LONGEST} characters left out]"
