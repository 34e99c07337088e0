"""What all that bring a deliverable to its place have in common; the table of them is in `delivery.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

from dayjob.task.paraphrases import Act, Deliverable

if TYPE_CHECKING:
    from dayjob.trial.delivery import Desk


class NotDelivered(Exception):
    """A service said no, or there is no such place; the sentence says which."""


def done(answer: httpx.Response, what: str) -> Any:
    if answer.is_success:
        return answer.json() if "json" in answer.headers.get("content-type", "") else None
    raise NotDelivered(f"{what}: {answer.request.url.path} answered {answer.status_code}: {answer.text[:200]}")


class Courier:
    """Brings one deliverable to its place. What is brought again takes the place of what was there, unless it says."""

    def __init__(self, desk: Desk, what: Deliverable) -> None:
        self.desk = desk
        self.what = what

    async def do(self, act: Act) -> None:
        await self.bring(act)

    async def bring(self, act: Act) -> None:
        raise NotImplementedError
