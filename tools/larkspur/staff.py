"""The folder People: salaries, contracts of employment, the org chart. Only Hana, Felix and Ines see it."""

from __future__ import annotations

from datetime import date
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from tools.larkspur.containers import document, saved, sheet, table, workbook
from tools.larkspur.facts import Person, facts, people, person, slug
from tools.larkspur.pictures import png

FOLDER = "drive/files/People"
SALARIES = {  # gross, a month
    "ines.carvalho": 6900, "mara.lindqvist": 4650, "noor.haddad": 3050, "tomas.okafor": 4800, "beatriz.ramos": 3300,
    "hana.sato": 4350, "felix.brandt": 3500, "priya.nair": 4700, "yusuf.demir": 3850, "luca.moretti": 4400,
    "aoife.byrne": 3100, "marek.nowak": 3450, "jana.weber": 3350, "jonas.weber": 5600, "lena.fischer": 4600,
    "arjun.mehta": 4250, "chidi.eze": 4550, "sofia.papadaki": 3900, "mateo.vargas": 3600, "ewa.kowalska": 4000,
    "sam.reed": 2950,
}  # fmt: skip
NEXT_HIRE = 4050
EMPLOYER = 1.27  # what a gross salary costs the company
_CONTRACTS = ("sam.reed", "mateo.vargas", "jana.weber", "sofia.papadaki")


def personnel(day: date) -> float:
    """What everyone who works here that day costs in a month."""
    return round(sum(pay for name, pay in SALARIES.items() if person(name).since <= day) * EMPLOYER, 2)


def files() -> dict[str, bytes]:
    book = workbook("Salaries 2026")
    sheet(
        book, "Salaries", ("username", "name", "title", "team", "since", "gross_monthly_eur"),
        [(one.username, one.name, one.title, one.team, one.since, SALARIES[one.username]) for one in people()],
        above=["Confidential. Only Hana gives out what is in this file, and to each person only their own line."],
    )  # fmt: skip
    found = {f"{FOLDER}/salaries-2026.xlsx": saved(book), f"{FOLDER}/org-chart.png": _chart()}
    for name in _CONTRACTS:
        one = person(name)
        found[f"{FOLDER}/Contracts/{one.since}-contract-{name.replace('.', '-')}.docx"] = saved(
            _contract(one, SALARIES[name])
        )
    hire = facts()["next_hire"]
    nele = Person(hire["username"], hire["name"], hire["title"], hire["team"], hire["lead"], hire["starts"], "Ghent")
    found[f"{FOLDER}/Contracts/{nele.since}-contract-{slug(nele.name)}.docx"] = saved(_contract(nele, NEXT_HIRE))
    found[f"{FOLDER}/Contracts/contract-template.docx"] = saved(_contract(None, None))
    return found


def _contract(one: Person | None, salary: int | None) -> Any:
    name, title = (one.name, one.title.split(",")[0]) if one else ("[name]", "[title]")
    start = f"{one.since.day} {one.since:%B %Y}" if one else "[first day]"
    pay = f"{salary:,} EUR" if salary else "[salary] EUR"
    place = (one.located if one else None) or "[place]"
    lead = person(one.lead).name if one and one.lead else "[lead]"
    made = document(f"Contract of employment, {name}", "Hana Sato")
    made.add_heading("Contract of employment", 0)
    made.add_paragraph(f"between Larkspur, Kraanlei 12, 9000 Gent, represented by Ines Carvalho, and {name}.")
    for heading, text in (
        ("1. Work", f"{name} works as {title.lower()} and reports to {lead}."),
        ("2. Beginning and place", f"It begins on {start} and has no end date. The place of work is {place}."),
        ("3. Hours", "38 hours a week, Monday to Friday. Core hours are 10:00 to 16:00, Ghent time."),
        ("4. Pay", f"{pay} gross a month, paid on the 25th, and a thirteenth month in December."),
        ("5. Holidays", "25 days a year and the public holidays of the place of work."),
        ("6. Notice", "The notice periods of the Belgian law of 26 December 2013 apply."),
        ("7. Confidentiality", "What is learned about customers and colleagues stays in the company."),
    ):  # fmt: skip
        made.add_heading(heading, 2)
        made.add_paragraph(text)
    made.add_paragraph(f"Signed in Ghent: Ines Carvalho for Larkspur; {name}.")
    if one:
        table(made, ("field", "value"), [("employee", name), ("username", one.username), ("since", one.since)])
    return made


def _chart() -> bytes:
    """Ines on top, her six leads below, and under each lead the team."""
    leads = [one for one in people() if one.lead == "ines.carvalho"]
    picture = Image.new("RGB", (1450, 880), "#FBFAF5")
    draw = ImageDraw.Draw(picture)

    def box(x: int, y: int, one: Person, fill: str) -> None:
        draw.rounded_rectangle((x, y, x + 220, y + 70), 10, fill=fill, outline="#2F6B4F", width=2)
        draw.text((x + 12, y + 12), one.name, fill="#1B1B1B", font=ImageFont.load_default(20))
        draw.text((x + 12, y + 42), one.title, fill="#444444", font=ImageFont.load_default(15))

    draw.text((40, 24), "Larkspur, March 2026", fill="#2F6B4F", font=ImageFont.load_default(28))
    box(616, 70, person("ines.carvalho"), "#CFE3D4")
    draw.line((110 + 24, 190, 110 + 24 + 237 * (len(leads) - 1), 190), fill="#2F6B4F", width=2)
    draw.line((726, 140, 726, 190), fill="#2F6B4F", width=2)
    for n, lead in enumerate(leads):
        x = 24 + n * 237
        draw.line((x + 110, 190, x + 110, 220), fill="#2F6B4F", width=2)
        box(x, 220, lead, "#E4F0E6")
        for m, one in enumerate(each for each in people() if each.lead == lead.username):
            box(x, 310 + m * 84, one, "#FFFFFF")
    return png(picture)
