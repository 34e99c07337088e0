"""The customers: 140 garden centres and nurseries in four countries, and those that have left.

`customers()` is the list that contracts, usage, survey and budget are made from; eleven of them signed in January 2026.
"""

from __future__ import annotations

import functools
import random
import tomllib
from dataclasses import dataclass, replace
from datetime import date, timedelta

from tools.larkspur.containers import csv_text, saved, sheet, workbook
from tools.larkspur.facts import HERE, TODAY, days, facts, monthly_fee, slug

ACTIVE = 140
LEFT = 22
SIGNED_IN_JANUARY = 11
FOLDER = "drive/files/Customers"
_SHARE = {"BE": 52, "NL": 41, "DE": 29, "FR": 18}
_LEFT = {"BE": 6, "NL": 5, "DE": 8, "FR": 3}
_NAMES = tomllib.loads((HERE / "names.toml").read_text("utf-8"))
_LANGUAGE = {"BE": "nl", "NL": "nl", "DE": "de", "FR": "fr"}
NAMED = {  # sites, people, plan, first day, contact, account manager: what conversations say about them holds
    "Greenacre Nursery": (1, 46, "yearly", "2019-10-14", "Koen Segers", "Luca Moretti"),
    "Greenacre Gardens": (3, 121, "monthly", "2022-03-07", "Joost Schouten", "Marek Nowak"),
    "Fernhill": (1, 34, "yearly", "2020-02-17", "Lies Callens", "Luca Moretti"),
    "Tuinhuis De Linde": (2, 71, "monthly", "2021-06-14", "Roos Hendriks", "Luca Moretti"),
    "Blumenhof Krause": (1, 29, "monthly", "2022-09-19", "Katrin Ziegler", "Marek Nowak"),
    "Jardins Delacroix": (2, 88, "yearly", "2023-02-06", "Yves Leroy", "Luca Moretti"),
    "Kwekerij Van Damme": (1, 52, "yearly", "2019-11-04", "Geert Goossens", "Luca Moretti"),
    "Rosenau": (4, 187, "monthly", "2023-09-11", "Anke Franke", "Luca Moretti"),
    "Serres du Lac": (2, 63, "monthly", "2024-04-08", "Agnès Durand", "Luca Moretti"),
    "Plantenrijk": (5, 214, "yearly", "2021-01-18", "Femke Willems", "Marek Nowak"),
    "Gartenwelt Sommer": (3, 140, "yearly", "2022-05-23", "Torsten Lorenz", "Marek Nowak"),
    "De Groene Vingers": (1, 12, "monthly", "2020-03-02", "Els Baert", "Marek Nowak"),
    "Orchidee & Co": (1, 18, "monthly", "2024-10-07", "Lieve Pauwels", "Marek Nowak"),
    "Pépinière Marchand": (1, 57, "yearly", "2023-05-15", "Margaux Aubert", "Luca Moretti"),
    "Hof Birkenau": (1, 41, "monthly", "2021-08-23", "Dirk Krämer", "Marek Nowak"),
    "Het Bloemenatelier": (1, 9, "monthly", "2022-12-05", "An Thys", "Luca Moretti"),
}
REASONS = ("closed the business", "too expensive", "went back to paper", "chose another product", "taken over")


@dataclass(frozen=True, slots=True)
class Customer:
    number: str
    name: str
    city: str
    country: str
    language: str
    sites: int
    people: int
    plan: str
    start: date
    end: date | None
    contact: str
    manager: str
    reason: str = ""

    @property
    def fee(self) -> int:
        return monthly_fee(self.sites, self.people)

    @property
    def email(self) -> str:
        return f"{slug(self.contact.split()[0])}@{slug(self.name)}.test"

    def active_on(self, day: date) -> bool:
        return self.start <= day and (self.end is None or self.end >= day)


@functools.cache
def customers() -> tuple[Customer, ...]:
    """All that ever signed, in order of their first day; numbers follow that order."""
    dice = random.Random("larkspur customers")
    found = [_named(one["name"], one["city"], one["country"]) for one in facts()["customers"]]
    names = {one.name for one in found}
    known = {country: sum(one.country == country for one in found) for country in _SHARE}
    for country, wanted in _SHARE.items():
        for _ in range(wanted - known[country]):
            found.append(_made(dice, _name(dice, country, names), dice.choice(_NAMES["cities"][country]), country))
    january = days(date(2026, 1, 5), date(2026, 1, 30))
    for n in dice.sample(range(16, len(found)), SIGNED_IN_JANUARY):
        found[n] = replace(found[n], start=dice.choice([day for day in january if day.weekday() < 5]))
    for country, wanted in _LEFT.items():
        for _ in range(wanted):
            one = _made(dice, _name(dice, country, names), dice.choice(_NAMES["cities"][country]), country)
            start = date(2019, 9, 2) + timedelta(dice.randrange(270) * 7 + dice.randrange(5))
            left = dice.choice(_month_ends())
            found.append(replace(one, start=start, end=left, reason=dice.choices(REASONS, (3, 5, 3, 4, 1))[0]))
    found.sort(key=lambda one: (one.start, one.name))
    return tuple(replace(one, number=f"C{n:04}") for n, one in enumerate(found, 1001))


def customer(name: str) -> Customer:
    return next(one for one in customers() if one.name == name)


def active(day: date = TODAY) -> list[Customer]:
    return [one for one in customers() if one.active_on(day)]


def revenue(last_day: date) -> int:
    """A month's fees: those of the customers of its last day."""
    return sum(one.fee for one in active(last_day))


def _name(dice: random.Random, country: str, taken: set[str]) -> str:
    while True:
        name = f"{dice.choice(_NAMES['kinds'][country])} {dice.choice(_NAMES['houses'][country])}"
        if name not in taken:
            taken.add(name)
            return name


def _named(name: str, city: str, country: str) -> Customer:
    sites, people, plan, start, contact, manager = NAMED[name]
    first = date.fromisoformat(start)
    return Customer("", name, city, country, _LANGUAGE[country], sites, people, plan, first, None, contact, manager)


def _made(dice: random.Random, name: str, city: str, country: str) -> Customer:
    sites = dice.choices((1, 2, 3, 5, 8, 12), (37, 25, 14, 11, 9, 4))[0]
    people = sum(dice.randint(12, 82) for _ in range(sites))
    start = date(2019, 6, 3) + timedelta(dice.randrange(2350))
    while start.weekday() > 4:
        start += timedelta(1)
    contact = f"{dice.choice(_NAMES['given'][country])} {dice.choice(_NAMES['family'][country])}"
    manager = dice.choices(("Luca Moretti", "Marek Nowak"), (3, 2))[0]
    plan = dice.choices(("monthly", "yearly"), (3, 2))[0]
    return Customer("", name, city, country, _LANGUAGE[country], sites, people, plan, start, None, contact, manager)


def _month_ends() -> list[date]:
    """The last days of months from January 2025 to February 2026: when a contract may end."""
    return [date(2025 + n // 12, n % 12 + 1, 1) - timedelta(1) for n in range(1, 15)]


HEADER = ("number", "name", "city", "country", "language", "sites", "people", "plan", "monthly_fee_eur", "start", "end",
          "contact", "email", "account_manager")  # fmt: skip


def _row(one: Customer) -> tuple[object, ...]:
    return (one.number, one.name, one.city, one.country, one.language, one.sites, one.people, one.plan, one.fee,
            one.start, one.end, one.contact, one.email, one.manager)  # fmt: skip


def files() -> dict[str, bytes]:
    book = workbook("Customers of Larkspur")
    sheet(book, "Customers", HEADER, map(_row, customers()))
    sheet(
        book, "Read me", ("field", "meaning"),
        [
            ("people", "everyone who is planned with Trellis, at all sites together"),
            ("plan", "how the customer pays: monthly, or yearly for twelve months at once"),
            ("monthly_fee_eur", "without VAT, at the price before 16 March 2026; a yearly plan shows a twelfth"),
            ("start", "first day of the contract"),
            ("end", "last day of the contract; empty while it runs"),
            ("countries", "BE Belgium, NL Netherlands, DE Germany, FR France"),
        ],
    )  # fmt: skip
    left = sorted((one for one in customers() if one.end), key=lambda one: (one.end or TODAY, one.number))
    return {
        f"{FOLDER}/customer-list.xlsx": saved(book),
        f"{FOLDER}/churn-reasons.csv": csv_text(
            ("number", "name", "country", "end", "reason"),
            [(one.number, one.name, one.country, one.end, one.reason) for one in left],
        ),
        f"{FOLDER}/2026-03-06-crm-export.csv": _export(),
    }


# -- the old address book ----------------------------------------------------------------------------------------

DUPLICATES = {  # the same company a second time, as somebody typed it; the key is the right name
    "Tuinhuis De Linde": "Tuinhuis de Linde BV",
    "Blumenhof Krause": "Blumenhof Krause GmbH",
    "Pépinière Marchand": "Pepiniere Marchand",
    "Gartenwelt Sommer": "Gartenwelt Sommer GmbH & Co. KG",
    "Orchidee & Co": "Orchidee en Co",
    "Kwekerij Van Damme": "Kwekerij Vandamme",
    "Greenacre Nursery": "Greenacre Nursery NV",
    "Het Bloemenatelier": "Bloemenatelier, het",
}


def _export() -> bytes:
    """Sales' own export, with eight companies in it twice; Greenacre Gardens is nobody's duplicate."""
    dice = random.Random("larkspur export")
    rows = [(one.name, one.city, one.country, one.email, one.contact) for one in active()]
    for right, typed in DUPLICATES.items():
        one = customer(right)
        rows.append(
            (typed, one.city, one.country, one.email.upper() if dice.random() < 0.4 else one.email, one.contact)
        )
    dice.shuffle(rows)
    return csv_text(
        ("id", "company", "city", "country", "email", "contact"),
        [(f"S{n:04}", *row) for n, row in enumerate(rows, 1)],
    )
