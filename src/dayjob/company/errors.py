"""How every service says no: a status and a body in the words of its own wire, raised wherever a rule is broken."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """An answer that ends a request; whatever it had changed is undone. `str()` is the sentence a person reads."""

    def __init__(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        super().__init__(_sentence(status, body))
        self.status = status
        self.body = body
        self.headers = headers or {}


def _sentence(status: int, body: Any) -> str:
    if isinstance(body, dict):
        return str(body.get("message") or body.get("error") or body.get("detail") or status)
    return str(body)
