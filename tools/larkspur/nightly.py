"""The file that reports are made from, as of the night to 9 March 2026: customers, sites, invoices and saved plans.

`python -m tools.larkspur.nightly FILE` writes it. What is invoiced for a month adds up to `customers.revenue`. Who left
at the end of a month was invoiced for it and has no site any more. Some invoices have a credit note.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

from tools.larkspur.customers import active, customers
from tools.larkspur.facts import TODAY

MONTHS = (date(2025, 12, 31), date(2026, 1, 31), date(2026, 2, 28))
_SCHEMA = """
CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    country TEXT NOT NULL CHECK (country IN ('BE', 'NL', 'DE', 'FR')),
    since TEXT NOT NULL
);
CREATE TABLE sites (
    id INTEGER PRIMARY KEY,
    customer INTEGER NOT NULL REFERENCES customers(id),
    city TEXT NOT NULL
);
CREATE TABLE invoices (
    number TEXT PRIMARY KEY,
    customer INTEGER NOT NULL REFERENCES customers(id),
    day TEXT NOT NULL,
    cents INTEGER NOT NULL
);
CREATE TABLE plans (
    site INTEGER NOT NULL REFERENCES sites(id),
    day TEXT NOT NULL,
    saved INTEGER NOT NULL,
    PRIMARY KEY (site, day)
);
CREATE INDEX invoices_day ON invoices(day);
"""


def _invoices(dice: random.Random) -> list[tuple[str, int, str, int]]:
    found: list[tuple[str, int, str, int]] = []
    for last in MONTHS:
        listed = active(last)
        credited = {one.number for one in dice.sample(listed, 7)}
        for one in listed:
            first = last.replace(day=dice.randint(2, 6))
            too_much = dice.randint(1, 9) * 600 if one.number in credited else 0
            amounts = [(first, one.fee * 100 + too_much)]
            if too_much:
                amounts.append((first + timedelta(dice.randint(5, 20)), -too_much))
            for day, cents in amounts:
                found.append((f"{day.year}-{len(found) + 1:04}", int(one.number[1:]), day.isoformat(), cents))
    return found


def database() -> bytes:
    """The file."""
    dice = random.Random("larkspur nightly")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nightly.sqlite"
        with sqlite3.connect(path) as db:
            db.executescript(_SCHEMA)
            for one in customers():
                if one.active_on(MONTHS[0]) or one.start > MONTHS[0]:
                    row = (int(one.number[1:]), one.name, one.country, one.start.isoformat())
                    db.execute("INSERT INTO customers VALUES (?, ?, ?, ?)", row)
            db.executemany("INSERT INTO invoices VALUES (?, ?, ?, ?)", _invoices(dice))
            sites = [(int(one.number[1:]), one.city) for one in active(TODAY) for _ in range(one.sites)]
            db.executemany("INSERT INTO sites (customer, city) VALUES (?, ?)", sites)
            plans = [(site, "2026-03-06", dice.randint(1, 4)) for site in range(1, len(sites) + 1)]
            db.executemany("INSERT INTO plans VALUES (?, ?, ?)", plans)
        db.close()
        content = bytearray(path.read_bytes())
    # Which SQLite wrote the file stands in its header; it is no part of the document.
    content[96:100] = (3_040_000).to_bytes(4, "big")
    return bytes(content)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(database())
