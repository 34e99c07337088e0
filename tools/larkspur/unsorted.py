"""What the scanner and other people left in Operations: ten files whose names break the naming policy, two alike.

`RIGHT` says what the policy would call each; the two alike are one document.
"""

from __future__ import annotations

import random
from typing import Any

from PIL import Image, ImageDraw

from tools.larkspur.containers import csv_text, document, lines, pdf, saved, sheet, workbook
from tools.larkspur.facts import facts
from tools.larkspur.pictures import jpg, logo, png

FOLDER = "drive/files/Operations/To sort"
RIGHT = {
    "Delivery note VERDANT 27.01.2026.PDF": "2026-01-27-delivery-note-verdant-couriers.pdf",
    "Delivery note VERDANT 27.01.2026 (copy).PDF": "2026-01-27-delivery-note-verdant-couriers.pdf",
    "Firedrill_26-02-2026_FINAL.docx": "2026-02-26-fire-drill.docx",
    "IMG_0231 desks returned 2026-02-05.JPEG": "2026-02-05-desks-returned.jpg",
    "Keys_new_NH.xlsx": "keys.xlsx",
    "Besuch Gärtnerei Lindner 03.03.2026.txt": "2026-03-03-besuch-gartnerei-lindner.txt",
    "Q1 2026 water & coffee.csv": "2026-q1-water-coffee.csv",
    "Stamp Logo.PNG": "stamp-logo.png",
    "february 2026 Cleaning hours.csv": "2026-02-cleaning-hours.csv",
    "Room plan_v2_final.md": "room-plan.md",
}
_VISIT = """Gärtnerei Lindner, 3 March 2026, Marek on a visit.
Two houses, twenty people. Wants to see 2.0 after Easter.
"""


def _note() -> bytes:
    def draw(canvas: Any) -> None:
        y = lines(canvas, 60, 780, ["Verdant Couriers", "Delivery note"], size=16, font="Helvetica-Bold")
        lines(canvas, 60, y - 10, ["Date: 2026-01-27", "To: Larkspur, Kraanlei 12, 9000 Gent", "12 parcels, samples",
                                   "Received: Noor Haddad"])  # fmt: skip

    return pdf("Delivery note", draw, "Verdant Couriers")


def _drill() -> bytes:
    made = document("Fire drill", "Noor Haddad")
    made.add_heading("Fire drill, Thursday 26 February 2026", 0)
    made.add_paragraph("Alarm at 11:00:00. Last person in the yard at 11:03:10. Last time: four minutes.")
    made.add_paragraph("Better next time: the door of the Attic sticks; the list of visitors was in the kitchen.")
    return saved(made)


def _desks() -> bytes:
    picture = Image.new("RGB", (900, 600), "#D9D2C5")
    draw = ImageDraw.Draw(picture)
    for x in (120, 500):
        draw.rectangle((x, 240, x + 300, 268), fill="#9A6B3F")
        draw.line((x + 30, 268, x + 18, 470), fill="#444444", width=12)
        draw.line((x + 270, 268, x + 285, 470), fill="#444444", width=12)
    return jpg(picture)


def _keys() -> bytes:
    book = workbook("Keys")
    holders = ("Ines Carvalho", "Mara Lindqvist", "Noor Haddad", "Jonas Weber", "Chidi Eze", "Tomas Okafor")
    sheet(book, "Keys", ("key", "with"), [*enumerate(holders, 1), (18, "Sam Reed, from 9 March 2026")])
    return saved(book)


def files() -> dict[str, bytes]:
    dice = random.Random("larkspur cleaning")
    note = _note()
    contents = (
        note, note, _drill(), _desks(), _keys(),
        _VISIT.encode(),
        csv_text(("month", "water_bottles", "coffee_kg"), [("2026-01", 96, 11), ("2026-02", 84, 12)]),
        png(logo(300, words=False)),
        csv_text(("date", "hours"), [(f"2026-02-{day:02}", dice.choice((2, 2.5, 3))) for day in range(3, 28, 4)]),
        ("# Rooms\n\n" + "".join(f"- {name}: {what}\n" for name, what in facts()["rooms"].items())).encode(),
    )  # fmt: skip
    return {f"{FOLDER}/{name}": content for name, content in zip(RIGHT, contents, strict=True)}
