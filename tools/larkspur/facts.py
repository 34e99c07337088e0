"""facts.toml, typed: the people, customers, prices and days that every generator agrees on."""

from __future__ import annotations

import functools
import tomllib
import unicodedata
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
WORLD = HERE.parents[1] / "worlds" / "larkspur"
TODAY = date(2026, 3, 9)
LAUNCH = date(2026, 3, 16)


@dataclass(frozen=True, slots=True)
class Person:
    username: str
    name: str
    title: str
    team: str
    lead: str | None
    since: date
    located: str


@functools.cache
def facts() -> dict[str, Any]:
    return tomllib.loads((HERE / "facts.toml").read_text("utf-8"))


@functools.cache
def people() -> tuple[Person, ...]:
    return tuple(
        Person(one["username"], one["name"], one["title"], one["team"], one.get("lead"), one["since"], one["located"])
        for one in facts()["people"]
    )


@functools.cache
def person(username: str) -> Person:
    return next(one for one in people() if one.username == username)


def staff_on(day: date) -> list[Person]:
    """Who works at Larkspur that day."""
    return [one for one in people() if one.since <= day]


def monthly_fee(sites: int, people: int) -> int:
    """What a customer pays a month at the price before the launch: each site has room for five people."""
    prices = facts()["prices"]
    further = max(0, people - prices["people_included"] * sites)
    return int(sites * prices["today"] + further * prices["further_person"])


def holidays() -> dict[date, str]:
    return {date.fromisoformat(day): name for day, name in facts()["holidays"].items()}


def days(first: date, last: date) -> list[date]:
    return [first + timedelta(n) for n in range((last - first).days + 1)]


def weekdays(first: date, last: date) -> list[date]:
    return [day for day in days(first, last) if day.weekday() < 5]


def month(year: int, number: int) -> tuple[date, date]:
    """The first and the last day of a month."""
    after = date(year + number // 12, number % 12 + 1, 1)
    return date(year, number, 1), after - timedelta(1)


def slug(text: str) -> str:
    """A name as the naming policy writes it in a file name."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join("".join(sign if sign.isalnum() else " " for sign in plain).split())
