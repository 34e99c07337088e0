"""The office: its inventory, what may be ordered for it and on which form, the on-call rota, two holiday calendars."""

from __future__ import annotations

import random
from datetime import date, timedelta

from openpyxl.styles import Font  # type: ignore[import-untyped]  # openpyxl ships no types

from tools.larkspur.containers import saved, sheet, workbook
from tools.larkspur.facts import people, person

FOLDER = "drive/files/Operations"
CATALOGUE = (  # article, item, price without VAT; Kantoorland's offer for the second quarter
    ("KL-1010", "Office chair Linie", 149.00), ("KL-1024", "Standing desk frame, electric", 389.00),
    ("KL-1031", "Desk lamp, warm light", 39.90), ("KL-2005", "Monitor 27 inch", 219.00),
    ("KL-2006", "Monitor 32 inch", 319.00), ("KL-2011", "Monitor arm", 89.00), ("KL-2100", "Keyboard, quiet", 54.50),
    ("KL-2101", "Keyboard, split", 119.00), ("KL-2110", "Mouse, wireless", 29.90), ("KL-2111", "Mouse, upright", 48.00),
    ("KL-2200", "Headset, wired", 45.00), ("KL-2201", "Headset, wireless, quiet", 159.00),
    ("KL-2300", "Docking station", 129.00), ("KL-2310", "Laptop stand", 34.50), ("KL-2400", "Tablet 8 inch", 179.00),
    ("KL-2410", "Power bank", 37.00), ("KL-3001", "Whiteboard 120 x 90", 98.00),
    ("KL-3010", "Notebook A5, five", 14.90),
)  # fmt: skip
ROTA = ("chidi.eze", "lena.fischer", "arjun.mehta", "mateo.vargas", "ewa.kowalska", "jonas.weber")
FIRST_WEEK, LAST_WEEK = date(2026, 1, 5), date(2026, 3, 30)
LAUNCH_WEEK = date(2026, 3, 16)
_DESKS = ("lena.fischer", "beatriz.ramos", "chidi.eze", "jana.weber")


def _inventory() -> list[tuple[object, ...]]:
    dice = random.Random("larkspur inventory")
    rows: list[tuple[str, str, str, str, date, float]] = []  # kind, model, whose or where, vendor, bought, price
    for one in people():
        bought = max(one.since - timedelta(10), date(2022, 1, 10) + timedelta(dice.randrange(1000)))
        model, price = dice.choice((("Birke 14", 1249.0), ("Birke 16", 1549.0)))
        rows.append(("laptop", model, one.name, "Kantoorland", bought, price))
        if one.located == "Ghent":
            screen = dice.choice((("27 inch", 219.0), ("32 inch", 319.0)))
            rows.append(("screen", screen[0], one.name, "Kantoorland", bought + timedelta(3), screen[1]))
    for name in _DESKS:
        rows.append(("standing desk", "Oak 160", person(name).name, "Oakline Furniture", date(2026, 1, 19), 480.0))
    for n in range(3):
        rows.append(("chair", "Linie", ("Orangery", "Attic", "Attic")[n], "Kantoorland", date(2026, 1, 30), 149.0))
    rows.append(("tablet", "8 inch", "Arjun Mehta", "Kantoorland", date(2026, 2, 23), 179.0))
    for place in ("Orangery", "Support"):
        rows.append(("tablet", "8 inch", place, "Kantoorland", date(2025, 5, 12), 169.0))
    rows.append(("projector", "Helder 2", "Orangery", "Kantoorland", date(2021, 9, 6), 649.0))
    rows.append(("coffee machine", "Bona", "Kitchen", "Kantoorland", date(2023, 11, 20), 899.0))
    for n in (1, 2):
        rows.append(("telephone", f"on-call {n}", "Operations", "Noordzee Telecom", date(2024, 4, 29), 210.0))
    rows.sort(key=lambda row: (row[4], row[0], row[2]))
    return [
        (
            f"LK-{n:03}",
            kind,
            model,
            whose,
            vendor,
            bought,
            price,
            date(bought.year + 3, bought.month, min(28, bought.day)),
        )
        for n, (kind, model, whose, vendor, bought, price) in enumerate(rows, 1)
    ]


def _order_form() -> bytes:
    book = workbook("Equipment order")
    page = book.create_sheet("Order")
    for row in (
        ["Larkspur: equipment order"], ["Vendor", "Kantoorland"], ["Ordered by", None], ["Date", None],
        ["Purchase order", None], ["Total EUR without VAT", None], [],
        ["article", "item", "quantity", "unit_price_eur", "total_eur", "for", "cost_centre"],
    ):  # fmt: skip
        page.append(row)
    for cell in (*page[1], *page[8]):
        cell.font = Font(bold=True)
    for column, width in zip("ABCDEFG", (22, 34, 10, 16, 12, 20, 13), strict=True):
        page.column_dimensions[column].width = width
    return saved(book)


def _rota() -> bytes:
    rows: list[tuple[object, ...]] = []
    monday, n = FIRST_WEEK, 0
    while monday <= LAST_WEEK:
        week = f"{monday.isocalendar().year}-W{monday.isocalendar().week:02}"
        if monday == LAUNCH_WEEK:
            rows.append(
                (week, monday, monday + timedelta(6), None, None, "Launch of Trellis 2.0: two people, not settled")
            )
        else:
            first, second = ROTA[n % len(ROTA)], ROTA[(n + 1) % len(ROTA)]
            rows.append((week, monday, monday + timedelta(6), person(first).name, person(second).name, None))
            n += 1
        monday += timedelta(7)
    book = workbook("On-call rota 2026")
    sheet(
        book, "Rota", ("week", "from", "to", "on_call", "stands_in", "note"), rows,
        above=["From Monday 09:00 to Monday 09:00, Ghent time. One engineer a week; when there is no answer in "
               "fifteen minutes, whoever stands in is called."],
    )  # fmt: skip
    return saved(book)


CALENDARS = {
    "athens": {"2026-01-01": "New Year's Day", "2026-01-06": "Epiphany", "2026-02-23": "Clean Monday",
               "2026-03-25": "Independence Day", "2026-04-10": "Good Friday", "2026-04-13": "Easter Monday",
               "2026-05-01": "Labour Day", "2026-06-01": "Whit Monday", "2026-08-15": "Dormition",
               "2026-10-28": "Ochi Day", "2026-12-25": "Christmas Day", "2026-12-26": "Second day of Christmas"},
    "cologne": {"2026-01-01": "New Year's Day", "2026-04-03": "Good Friday", "2026-04-06": "Easter Monday",
                "2026-05-01": "Labour Day", "2026-05-14": "Ascension Day", "2026-05-25": "Whit Monday",
                "2026-06-04": "Corpus Christi", "2026-10-03": "German Unity Day", "2026-11-01": "All Saints' Day",
                "2026-12-25": "Christmas Day", "2026-12-26": "Second day of Christmas"},
}  # fmt: skip


def _calendar(place: str) -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Larkspur//Holidays//EN"]
    for day, name in CALENDARS[place].items():
        plain = day.replace("-", "")
        lines += ["BEGIN:VEVENT", f"UID:{plain}-{place}@larkspur.test", "DTSTAMP:20260113T090000Z",
                  f"DTSTART;VALUE=DATE:{plain}", f"SUMMARY:{name}", "END:VEVENT"]  # fmt: skip
    return "\r\n".join([*lines, "END:VCALENDAR", ""]).encode()


def files() -> dict[str, bytes]:
    inventory = workbook("Office inventory")
    sheet(
        inventory, "Inventory",
        ("tag", "kind", "model", "with", "vendor", "bought", "price_eur", "warranty_until"), _inventory(),
    )  # fmt: skip
    catalogue = workbook("Equipment catalogue")
    sheet(
        catalogue, "Catalogue", ("article", "item", "price_eur"), CATALOGUE,
        above=["Kantoorland for Larkspur, April to June 2026, without VAT. Delivery: free from 500 EUR, else 15 EUR."],
    )  # fmt: skip
    found = {
        f"{FOLDER}/Office/office-inventory.xlsx": saved(inventory),
        f"{FOLDER}/Office/2026-q2-equipment-catalogue.xlsx": saved(catalogue),
        f"{FOLDER}/Office/order-form-template.xlsx": _order_form(),
        f"{FOLDER}/on-call-rota-2026.xlsx": _rota(),
    }
    for place in CALENDARS:
        found[f"drive/files/Company/Holiday calendars/2026-holidays-{place}.ics"] = _calendar(place)
    return found
