"""Cookies of who is signed in. They end after a while (Max-Age), not at a date: a browser has a clock of its own."""

from __future__ import annotations

from starlette.responses import Response

_FORTNIGHT = 14 * 24 * 3600


def keep_cookie(response: Response, name: str, value: str, seconds: int = _FORTNIGHT) -> None:
    response.set_cookie(name, value, max_age=seconds, path="/", httponly=True, samesite="lax")


def end_cookie(response: Response, name: str) -> None:
    response.set_cookie(name, "", max_age=0, path="/", samesite="lax")
