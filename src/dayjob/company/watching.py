"""Looking for answers: company time goes on to the ones that are owed soon, so that nobody waits for them in real time.

A look is a request that reads messages. An open page of chat and a realtime client that is signed in look all the time:
while there is one, time goes on by itself, as soon as whoever writes has stopped for a moment.
"""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from dayjob.company.journal import current
from dayjob.company.waiting import left, pass_until

if TYPE_CHECKING:
    from dayjob.company.company import Company

PATIENCE = 5.0
"""Real seconds that a request waits for a colleague who thinks; the answer is there for the next one."""
BURST = 0.3
"""Real seconds without a request after which somebody who writes has said it all, where a clock runs."""


class Watching:
    """Who looks at chat in one company, and time that goes on for them."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self.heard = False
        """Whether anything was said since everybody was last at rest."""
        self._news = False
        self._last = 0.0
        self._looking: asyncio.Task[bool] | None = None
        self._going_on: asyncio.Task[None] | None = None
        company.listen(self._event)
        company.agenda.on_owed = self.stir
        company.on_skip.append(lambda before, now: self.stir())

    def _event(self, topic: str, facts: dict[str, Any]) -> None:
        self.heard = self.heard or topic == "chat.message"

    @property
    def anybody(self) -> bool:
        """Whether a page or a client is open that would show an answer at once."""
        return self._company.answers_within > timedelta() and self._company.watched

    async def arrived(self, *, looks: bool) -> None:
        """Somebody who works here asks for something: what is due by now has happened when this returns."""
        self._last = time.monotonic()
        token = current.set(None)  # what happens now is not this request's doing
        try:
            await self._catch_up(looks)
        finally:
            current.reset(token)

    async def _catch_up(self, looks: bool) -> None:
        company = self._company
        if company.clock.stepped:
            # What colleagues and jobs do then comes between two requests, and never in the middle of one.
            await company.settle()
            while self.anybody and await self._look():
                pass
        if looks and company.answers_within > timedelta():
            await self._glance()
        if company.agenda.late:
            await company.agenda.carry_out()

    def stir(self) -> None:
        """An answer is owed, time was skipped, or somebody began to watch."""
        self._news = True
        if (self._going_on is None or self._going_on.done()) and self.anybody:
            self._going_on = asyncio.ensure_future(self._go_on())

    def end(self) -> None:
        for one in (self._looking, self._going_on):
            if one is not None:
                one.cancel()

    async def _glance(self) -> None:
        """Look once. On a running clock nobody waits long for it: it comes to its end by itself."""
        if self._looking is None or self._looking.done():
            if not self.heard and self._company.agenda.owed_at is None:
                return
            self._looking = asyncio.ensure_future(self._look())
        await asyncio.wait({self._looking}, timeout=None if self._company.clock.stepped else PATIENCE)

    async def _look(self) -> bool:
        """Go on to the next answer that is owed, if it is within bounds; whether time went on."""
        company = self._company
        self.heard = False
        await company.settle(jobs=False)  # whoever reads a message does not wait for jobs
        owed = company.agenda.owed_at
        if owed is None:
            return False
        ahead = owed - company.clock.now()
        rest = left(company)
        if timedelta() < ahead <= company.answers_within and (rest is None or ahead <= rest):
            await pass_until(company, owed)
            return True
        return False

    async def _go_on(self) -> None:
        """Until no answer is owed within bounds, or nobody watches any more."""
        current.set(None)
        while self._news and self.anybody:
            self._news = False
            pause = self._last + BURST - time.monotonic()
            if pause > 0 and not self._company.clock.stepped:
                await asyncio.sleep(pause)
                self._news = True
            elif await self._look():
                self._news = True
