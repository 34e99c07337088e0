"""When colleagues get round to what was said to them: a turn on the company's agenda, by their hours or at once.

A colleague takes up a conversation when their turn comes, and the agenda goes on when the turn is over. So answers
come in order, at their moment of company time, however the clock gets there.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from dayjob.company.world.hours import read_hours

if TYPE_CHECKING:
    from dayjob.company.company import Company

LONGEST_TURN = 300.0
"""Real seconds after which the agenda goes on without a colleague who has not come to an end."""


class Turn:
    """Somebody's turn: it has come when `Pacing.turn` returns it, and is over with `end`."""

    def __init__(self) -> None:
        self.came = asyncio.Event()
        self.over = asyncio.Event()

    def end(self) -> None:
        self.over.set()

    async def take(self) -> None:
        """Carried out by the agenda."""
        self.came.set()
        try:
            async with asyncio.timeout(LONGEST_TURN):
                await self.over.wait()
        except TimeoutError:
            pass  # the colleague answers late, and whatever keeps them is in the evidence


class Pacing:
    """The turns of all colleagues of one company."""

    def __init__(self, company: Company, by_hours: bool) -> None:
        self._company = company
        self._by_hours = by_hours
        self._hours = {person.username: read_hours(person.more) for person in company.world.people}
        self.parked: set[asyncio.Task[object] | None] = set()
        """Who waits for their turn."""
        self.stirred = asyncio.Event()
        """Set whenever somebody begins to wait."""

    def when(self, username: str, heard: int, chance: float) -> datetime | None:
        """When they get round to what was heard then (milliseconds); None for never."""
        if not self._by_hours:
            return self._company.clock.now()
        return self._hours[username].answer_at(datetime.fromtimestamp(heard / 1000, UTC), chance)

    async def turn(self, username: str, at: datetime) -> Turn:
        """Wait for their turn at that moment."""
        agenda = self._company.agenda
        turn = Turn()
        if not agenda.begun:
            return turn  # before the work begins nobody keeps anybody waiting
        due = agenda.add(at, f"answer {username}", turn.take, owed=True)
        task = asyncio.current_task()
        self.parked.add(task)
        self.stirred.set()
        try:
            await turn.came.wait()
        except BaseException:
            agenda.drop(due)
            turn.end()
            raise
        finally:
            self.parked.discard(task)
        return turn
