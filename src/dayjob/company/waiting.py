"""Letting company time pass: the one place where it is skipped.

The clock goes from one thing that is due to the next, each is carried out before it goes on, and nothing is skipped
while something is still busy in real time. It takes no real time of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from dayjob.company.moments import parse_when
from dayjob.company.notices import Notice, notices_for
from dayjob.durations import parse_duration, spell_duration

if TYPE_CHECKING:
    from dayjob.company.company import Company


_A_SECOND = timedelta(seconds=1)


class CannotWait(Exception):
    """A wait that is refused; nothing has moved. The sentence says why."""


@dataclass(frozen=True, slots=True)
class Waited:
    """What a wait came to."""

    began: datetime
    now: datetime
    notices: list[Notice]
    settled: bool
    """False when something was still busy after all patience, and time went on without it."""


def until_when(asked: Any, now: datetime) -> datetime:
    """The moment that the body of a request means: `for` or `until`, or neither for now."""
    if not isinstance(asked, dict):
        raise CannotWait('A wait is an object: {"for": "45m"} or {"until": "Tue 09:00"}.')
    for key in asked:
        if key not in ("for", "until"):
            raise CannotWait(f"A wait has no '{key}'; it has 'for' or 'until'.")
    if "for" in asked and "until" in asked:
        raise CannotWait("A wait has 'for' or 'until', not both.")
    if "for" in asked:
        length = parse_duration(asked["for"])
        if length is None:
            raise CannotWait(f"'{asked['for']}' is no length of time; write 45m, 1h30m or 2d.")
        return now + length
    if "until" in asked:
        found = parse_when(asked["until"], now)
        if found is None:
            raise CannotWait(f"'{asked['until']}' is no moment; write 17:00, Tue 09:00 or 2026-03-10 14:00.")
        if found < now:
            raise CannotWait(f"'{asked['until']}' is over already: it is {now:%Y-%m-%d %H:%M}. Time does not go back.")
        return found
    return now


def left(company: Company) -> timedelta | None:
    """How much time may still be skipped; None for any."""
    if company.may_skip is None:
        return None
    return max(timedelta(), company.may_skip - company.clock.skipped)


async def wait(company: Company, until: datetime, username: str | None) -> Waited:
    """Let time pass until then; returns what this person would notice. Raises `CannotWait`."""
    began = company.clock.now()
    rest = left(company)
    if rest is not None and until - began > rest:
        said = f"{spell_duration(rest)} of it is left" if rest >= _A_SECOND else "nothing of it is left"
        allowed = spell_duration(company.may_skip or timedelta())
        raise CannotWait(f"Here {allowed} may be let pass in all, and {said}. Nothing has moved.")
    settled = await pass_until(company, until)
    notices = await notices_for(company, username, began) if username is not None else []
    return Waited(began, company.clock.now(), notices, settled)


async def pass_until(company: Company, until: datetime) -> bool:
    """Go on to a moment, through everything that is due on the way, in order."""
    async with company.passing:
        settled = await company.settle()
        while True:
            at = company.agenda.next_at
            company.skip_to(until if at is None else min(at, until))
            await company.agenda.carry_out()
            settled = await company.settle() and settled
            at = company.agenda.next_at
            if company.clock.now() >= until and (at is None or at > company.clock.now()):
                return settled
