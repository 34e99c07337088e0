"""Fourteen applications for the position of support engineer: what each of them says, and who meets the job ad.

Half are docx, half PDF. `shortlist()` is the answer by the ad's own rules; the world does not hold it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from tools.larkspur.containers import document, lines, pdf, saved, table, wrapped
from tools.larkspur.facts import slug

FOLDER = "drive/files/People/Hiring/Support engineer"
START_BY = date(2026, 5, 1)
YEARS = 2
_LEVELS = ("A1", "A2", "B1", "B2", "C1", "C2", "mother tongue")


@dataclass(frozen=True, slots=True)
class Candidate:
    name: str
    city: str
    years: float
    languages: dict[str, str]
    skills: tuple[str, ...]
    start: date
    jobs: tuple[tuple[str, str, str], ...]
    study: str
    about: str

    def speaks(self, language: str, level: str) -> bool:
        return _LEVELS.index(self.languages.get(language, "A1")) >= _LEVELS.index(level)

    @property
    def meets_all(self) -> bool:
        """The four must-haves of the ad."""
        return (
            self.years >= YEARS
            and self.speaks("German", "B2")
            and self.speaks("English", "B2")
            and "SQL" in self.skills
            and self.start <= START_BY
        )

    @property
    def points(self) -> int:
        """The ad's nice-to-haves: two for Dutch or French from B1, two for Linux, one for horticulture."""
        tongue = self.speaks("Dutch", "B1") or self.speaks("French", "B1")
        return 2 * tongue + 2 * ("Linux" in self.skills) + ("Horticulture" in self.skills)


def _one(name: str, city: str, years: float, languages: str, skills: str, start: str, study: str, about: str,
         *jobs: tuple[str, str, str]) -> Candidate:  # fmt: skip
    spoken = dict(pair.split(": ") for pair in languages.split(", "))
    return Candidate(
        name, city, years, spoken, tuple(skills.split(", ")), date.fromisoformat(start), jobs, study, about
    )


CANDIDATES = (
    _one("Lotte Vandenbroeck", "Ghent", 4, "Dutch: mother tongue, English: C1, German: B2",
         "SQL, Linux, Python, Zendesk", "2026-04-15", "Bachelor in applied computer science, Howest, 2021",
         "I like the moment when a vague complaint becomes three steps that anybody can repeat.",
         ("2022-02 to today", "Second-line support", "Polderzicht Software, Bruges")),
    _one("Thomas Aerts", "Mechelen", 5.5, "Dutch: mother tongue, English: B2, German: C1",
         "SQL, Linux, Excel, Horticulture", "2026-05-01", "Bachelor in agro- and biotechnology, Mechelen, 2019",
         "Six springs in my parents' nursery, five years on a help desk: I know both ends of the telephone.",
         ("2020-09 to today", "Application support", "Veldmuis Data, Mechelen")),
    _one("Amira Benali", "Brussels", 3, "French: mother tongue, German: B2, English: C1", "SQL, Postman, Jira",
         "2026-04-01", "Bachelor in business informatics, Brussels, 2022",
         "I answer in the language I am asked in.",
         ("2023-02 to today", "Support engineer", "Canal Apps, Brussels")),
    _one("Wout Claeys", "Ghent", 1.5, "Dutch: mother tongue, English: C1, German: B2", "SQL, Linux, Docker",
         "2026-04-01", "Bachelor in computer science, Ghent, 2024",
         "Young, quick, and I read the manual.",
         ("2024-09 to today", "Junior support engineer", "Torenhof IT, Ghent")),
    _one("Katrien Maertens", "Aalst", 9, "Dutch: mother tongue, English: B2, German: B2", "Zendesk, Excel, Training",
         "2026-04-01", "Bachelor in office management, Aalst, 2015",
         "Nine years of customers, and most of them still send cards.",
         ("2017-03 to today", "Customer support lead", "Dender Retail Systems, Aalst")),
    _one("Jeroen Willemsen", "Antwerp", 6, "Dutch: mother tongue, English: C1, German: B2",
         "SQL, Linux, Bash, Monitoring",
         "2026-07-01", "Bachelor in networks, Antwerp, 2019",
         "I am bound to my present contract until the end of June.",
         ("2020-01 to today", "Operations engineer", "Scheldekabel, Antwerp")),
    _one("Marta Kruger", "Cologne", 4, "German: mother tongue, English: C1, Dutch: A2", "SQL, Linux, Python",
         "2026-04-15", "Bachelor in informatics, Cologne, 2021",
         "My Dutch is improving every week, I promise.",
         ("2022-01 to today", "Technical support", "Rheinbogen Software, Cologne")),
    _one("Bram De Smet", "Ghent", 2, "Dutch: mother tongue, English: B2, German: B1", "SQL, Excel, HTML",
         "2026-03-30", "Bachelor in communication, Ghent, 2022",
         "I moved from writing manuals to answering the people who had not read them.",
         ("2024-03 to today", "Product support", "Leiebrug Media, Ghent")),
    _one("Nadia Rahimi", "Leuven", 3.5, "Dutch: C1, English: C2, German: B2", "SQL, Linux, Grafana, Horticulture",
         "2026-04-20", "Bachelor in bioscience engineering, Leuven, 2021",
         "Between greenhouse sensors and their dashboards I always ended up explaining both.",
         ("2022-08 to today", "Field support engineer", "Serrescan, Leuven")),
    _one("Olivier Lambert", "Lille", 7, "French: mother tongue, English: B2, Dutch: B1", "SQL, Linux, ITIL, Training",
         "2026-04-01", "Licence in informatics, Lille, 2018",
         "Seven years of second line, two of them as a trainer.",
         ("2019-01 to today", "Support analyst", "Nord Logiciels, Lille")),
    _one("Sanne Bakker", "Breda", 2.5, "Dutch: mother tongue, English: C1, German: B2", "SQL, Python, Git",
         "2026-05-01", "Bachelor in data science, Breda, 2023",
         "I write the query before I write the apology.",
         ("2023-09 to today", "Data support", "Mark Analytics, Breda")),
    _one("Pieter Goethals", "Bruges", 12, "Dutch: mother tongue, English: B1, German: B2",
         "SQL, Linux, Oracle, Windows", "2026-04-01", "Graduate in informatics, Bruges, 2012",
         "Twelve years of servers and the people in front of them.",
         ("2014-02 to today", "System administrator", "Havenbedrijf Noord, Zeebrugge")),
    _one("Elif Yildiz", "Ghent", 3, "Dutch: C2, English: C1, Turkish: mother tongue, German: A2",
         "SQL, Linux, Python, Figma", "2026-04-13", "Bachelor in multimedia, Ghent, 2022",
         "I draw the bug before I describe it.",
         ("2023-03 to today", "Customer care", "Spinnewiel Apps, Ghent")),
    _one("Joris Van Acker", "Deinze", 4.5, "Dutch: mother tongue, English: B2, German: B2", "SQL, Linux, PHP",
         "2026-05-04", "Bachelor in applied computer science, Ghent, 2021",
         "My notice period ends on Sunday 3 May; the next morning I am yours.",
         ("2021-10 to today", "Web support engineer", "Kasteelhoeve Digital, Deinze")),
)  # fmt: skip


def shortlist() -> list[Candidate]:
    """Those who meet all must-haves: most points first, then most years, then by name."""
    return sorted((one for one in CANDIDATES if one.meets_all), key=lambda one: (-one.points, -one.years, one.name))


def _sections(one: Candidate) -> list[tuple[str, list[str]]]:
    years = f"{one.years:g} years in support and similar work"
    return [
        ("Profile", [one.about, f"Experience: {years}."]),
        ("Work", [f"{when}: {what}, {where}" for when, what, where in one.jobs]),
        ("Education", [one.study]),
        ("Languages", [f"{language}: {level}" for language, level in one.languages.items()]),
        ("Skills", [", ".join(one.skills)]),
        ("Available", [f"from {one.start.day} {one.start:%B %Y}"]),
    ]


def _docx(one: Candidate) -> bytes:
    made = document(f"Curriculum vitae, {one.name}", one.name)
    made.add_heading(one.name, 0)
    made.add_paragraph(f"{one.city} · {slug(one.name)}@example.com")
    for heading, texts in _sections(one):
        made.add_heading(heading, 2)
        for text in texts:
            made.add_paragraph(text, style="List Bullet" if len(texts) > 1 else None)
    return saved(made)


def _pdf(one: Candidate) -> bytes:
    def draw(canvas: Any) -> None:
        y = lines(canvas, 60, 780, [one.name], size=22, font="Helvetica-Bold")
        y = lines(canvas, 60, y, [f"{one.city}  ·  {slug(one.name)}@example.com"], size=10) - 10
        for heading, texts in _sections(one):
            y = lines(canvas, 60, y, [heading], size=13, font="Helvetica-Bold")
            y = lines(canvas, 72, y, [part for text in texts for part in wrapped(text)], size=11) - 12

    return pdf(f"Curriculum vitae, {one.name}", draw, one.name)


def _ad() -> bytes:
    made = document("Support engineer", "Felix Brandt")
    made.add_heading("Support engineer (38 hours, Ghent)", 0)
    made.add_paragraph(
        "Garden centres in four countries plan their week with Trellis. When something does not fit, they call us. "
        "You find out what happened, help at once where you can, and hand engineering a report that they can repeat."
    )
    made.add_heading("You must have", 2)
    for text in (
        "at least two years of work in support or something close to it",
        "German and English, both at B2 or better",
        "SQL: you can answer a question with a query of your own",
        "a first day on 1 May 2026 at the latest",
    ):
        made.add_paragraph(text, style="List Number")
    made.add_heading("What counts on top", 2)
    table(
        made, ("what", "points"),
        [("Dutch or French at B1 or better", 2), ("Linux", 2), ("a background in horticulture", 1)],
    )  # fmt: skip
    made.add_paragraph("Whoever has all four must-haves is compared by points, then by years of experience.")
    made.add_heading("We offer", 2)
    made.add_paragraph(
        "A team that answers, 25 days of holidays, a bicycle, an office by the canal, and a plant on every desk."
    )
    made.add_paragraph("Applications to Felix Brandt, jobs@larkspur.test, until Friday 13 March 2026.")
    return saved(made)


def files() -> dict[str, bytes]:
    found = {f"{FOLDER}/job-ad-support-engineer.docx": _ad()}
    for n, one in enumerate(CANDIDATES):
        kind, make = ("docx", _docx) if n % 2 == 0 else ("pdf", _pdf)
        found[f"{FOLDER}/Applications/cv-{slug(one.name)}.{kind}"] = make(one)
    return found
