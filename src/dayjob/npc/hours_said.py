"""Days and hours as people write them in chat: "Friday at 12", "the 13th, 12:00-13:00", "Wed afternoon"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from dayjob.task.colleague_sheet import Busy

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_DAY_BEGINS, _DAY_ENDS = 9 * 60, 17 * 60
_PARTS = {"morning": (8 * 60, 12 * 60), "afternoon": (13 * 60, 17 * 60), "evening": (17 * 60, 20 * 60)}
_DAY = re.compile(
    r"\b(?P<name>mon|tue|tues|wed|weds|thu|thur|thurs|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?s?\b"
    r"|\b(?P<iso>\d{4}-\d{2}-\d{2})\b"
    r"|\b(?P<number>\d{1,2})(?:st|nd|rd|th)?(?:\s+of)?\s+(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov"
    r"|dec)[a-z]*\b"
    r"|\b(?P<first>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\s+(?P<second>\d{1,2})(?:st|nd|rd|th)?\b"
    r"|\bthe\s+(?P<nth>\d{1,2})(?:st|nd|rd|th)\b"
    r"|\b(?P<relative>today|tomorrow)\b",
    re.IGNORECASE,
)
_CLOCK = (
    r"(?:(?P<{0}h>\d{{1,2}})(?:[:.h](?P<{0}m>\d{{2}}))?\s*(?P<{0}half>am|pm|a\.m\.|p\.m\.)?(?:\s*o'?clock)?"
    r"|(?P<{0}noon>noon|midday|lunch ?time))"
)
_RANGE = re.compile(
    rf"(?:\bfrom\s+|\bbetween\s+)?\b{_CLOCK.format('a')}\s*(?:-|–|—|to|until|till|and)\s*{_CLOCK.format('b')}(?!\d"
    r"|\s*(?:march|mar|april|may)\b)",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"(?P<how>\b(?:at|from|around|about|after|before|until|till|by|@|starting(?: at)?|beginning(?: at)?"
    rf"|start(?:s)? at)\s+)?(?<![\d.,:/-])\b{_CLOCK.format('a')}(?![\d/-]|\s*(?:eur|%|people|of you|person|st\b|nd\b"
    r"|th\b|rd\b|march|mar\b|minutes|min\b|days|hours|hour))",
    re.IGNORECASE,
)
_UP_TO = re.compile(r"(?:-|–|—|\bto\b|\buntil\b|\btill?\b|\bthrough\b)\s*(?:the\s+)?$", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\bbetween\s+(?:the\s+)?(?:mon|tue|wed|thu|fri|\d{1,2}(?:st|nd|rd|th)?\s+(?:and|march))", re.IGNORECASE
)
_ON = re.compile(r"\b(\d{1,2}(?::\d{2})?)\s+on\s*$", re.IGNORECASE)
_PART = re.compile(r"\b(morning|afternoon|evening)s?\b", re.IGNORECASE)

_MANY = 31
"""Who names more days than these writes a calendar, and proposes nothing."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A day, and the minutes of it that are meant; `said` is how it was written."""

    day: date
    start: int
    end: int
    said: str
    whole: bool = False
    """No hour was named."""


def proposals(text: str, today: date) -> tuple[Proposal, ...]:
    """The hours a text speaks of, each with its day; days alone as whole days; hours alone mean no day, and nothing."""
    days = _days(text, today)
    if len(days) > _MANY:
        return ()
    if any(_UP_TO.search(text[one[1] : two[0]]) for one, two in pairwise(days)) or _BETWEEN.search(text):
        return ()  # "from Tuesday to Friday" is the week that is spoken of
    found: list[Proposal] = []
    for at, (begin, end, day, said) in enumerate(days):
        until = days[at + 1][0] if at + 1 < len(days) else len(text)
        hours = _hours(text[end:until], bare=True)
        if not hours and at == 0:
            hours = _hours(text[:begin]) or _hours(_ON.sub(" at \\1 ", text[:begin]))
        if not hours and len(days) > 1 and at + 1 < len(days):
            hours = _hours(text[days[-1][1] :]) if _joined(text[end : days[at + 1][0]]) else []
        if hours:
            found += [Proposal(day, start, finish, f"{said} {shown}") for start, finish, shown in hours]
        else:
            found.append(Proposal(day, 0, 24 * 60, said, whole=True))
    return tuple(dict.fromkeys(found))


def hours_on(day: date, text: str) -> tuple[Proposal, ...]:
    """The hours of a text that names no day."""
    found = [] if _DAY.search(text) else _hours(text)
    return tuple(
        Proposal(day, start, end, f"{_DAYS[day.weekday()].capitalize()} {shown}") for start, end, shown in found
    )


_SHIFTED = re.compile(
    r"\b(?P<many>an|one|two|three|half an) hours? (?P<way>later|earlier|after|before)\b|\b(?P<soon>right|directly"
    r"|straight) (?P<side>after|before)\b",
    re.IGNORECASE,
)
_MINUTES = {"an": 60, "one": 60, "two": 120, "three": 180, "half an": 30}


def shifted(day: date, minute: int, text: str) -> tuple[Proposal, ...]:
    """ "An hour later": the hour that lies so far from one spoken of before."""
    found = _SHIFTED.search(text)
    if found is None or _DAY.search(text):
        return ()
    many = _MINUTES[found["many"].lower()] if found["many"] else 60
    start = minute + (many if (found["way"] or found["side"]).lower() in ("later", "after") else -many)
    return (Proposal(day, start, start + 60, f"{_DAYS[day.weekday()].capitalize()} at {_shown(start)}"),)


def _joined(between: str) -> bool:
    return re.fullmatch(r"[\s,]*(?:or|and|/|,)?[\s,]*", between) is not None


def _days(text: str, today: date) -> list[tuple[int, int, date, str]]:
    found: list[tuple[int, int, date, str]] = []
    named = False
    for one in _DAY.finditer(text):
        day = _date(one, today)
        if day is None:
            continue
        near = found and re.fullmatch(r"[\s,(]*(?:the\s+)?", text[found[-1][1] : one.start()])
        if near and not (one["name"] and named):
            # "Friday 13 March" is one day; where the two do not agree the date counts.
            begin, _, first, said = found[-1]
            found[-1] = (begin, one.end(), day if one["name"] is None else first, said)
            continue
        named = one["name"] is not None
        found.append((one.start(), one.end(), day, _DAYS[day.weekday()].capitalize()))
    return found


def _date(one: re.Match[str], today: date) -> date | None:
    try:
        if one["name"]:
            wanted = next(at for at, name in enumerate(_DAYS) if name.startswith(one["name"][:3].lower()))
            return today + timedelta(days=(wanted - today.weekday()) % 7)
        if one["iso"]:
            return date.fromisoformat(one["iso"])
        if one["relative"]:
            return today + timedelta(days=one["relative"].lower() == "tomorrow")
        if one["nth"]:
            return today.replace(day=int(one["nth"]))
        name, number = one["month"] or one["first"], int(one["number"] or one["second"])
        month = next(at for at, known in enumerate(_MONTHS, 1) if known.startswith(name[:3].lower()))
        return today.replace(month=month, day=number)
    except ValueError:
        return None


def _hours(text: str, bare: bool = False) -> list[tuple[int, int, str]]:
    """`bare`: a number right at the beginning is an hour too."""
    found: list[tuple[int, int, str]] = []
    rest = text
    for one in _RANGE.finditer(text):
        start, end = _clock(one, "a"), _clock(one, "b")
        if start is not None and end is not None:
            if end <= start:
                end += 12 * 60
            if start < end <= 24 * 60:
                found.append((start, end, f"{_shown(start)} to {_shown(end)}"))
                rest = rest.replace(one[0], " " * len(one[0]))
    for one in _ONE.finditer(rest):
        first = bare and not re.search(r"\w", rest[: one.start()])
        sure = one["how"] or one["am"] or one["ahalf"] or one["anoon"] or first
        start = _clock(one, "a")
        if start is None or not sure:
            continue
        how = (one["how"] or "").strip().lower()
        if how in ("after", "from"):
            found.append((start, 18 * 60, f"from {_shown(start)}"))
        elif how in ("before", "until", "till"):
            found.append((8 * 60, start, f"before {_shown(start)}"))
        else:
            found.append((start, start + 60, f"at {_shown(start)}"))
    for one in _PART.finditer(rest) if not found else ():
        start, end = _PARTS[one[1].lower()]
        found.append((start, end, one[1].lower()))
    return found


def _clock(one: re.Match[str], name: str) -> int | None:
    if one[f"{name}noon"]:
        return 12 * 60
    hour, minute = int(one[f"{name}h"]), int(one[f"{name}m"] or 0)
    half = (one[f"{name}half"] or "").lower().replace(".", "")
    if half == "pm" and hour < 12:
        hour += 12
    elif not half and 1 <= hour <= 6:
        hour += 12  # nobody meets at four in the morning
    return hour * 60 + minute if hour <= 24 and minute < 60 else None


def _shown(minutes: int) -> str:
    return f"{minutes // 60}:{minutes % 60:02}"


def covers(busy: Iterable[Busy]) -> bool:
    """Whether nothing of a working day is left."""
    at = _DAY_BEGINS
    for one in sorted(busy, key=lambda each: each.start):
        if one.start <= at:
            at = max(at, one.end)
    return at >= _DAY_ENDS


def clashes(one: Proposal, busy: Iterable[Busy]) -> list[Busy]:
    """What of somebody's week stands against it."""
    names = (one.day.isoformat(), _DAYS[one.day.weekday()][:3])
    return [b for b in busy if any(day in names for day in b.days) and b.start < one.end and one.start < b.end]
