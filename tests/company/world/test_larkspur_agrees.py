"""Larkspur agrees with itself and with facts.toml across chat, board, forge and the documents of the drive."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

import docx
import openpyxl  # type: ignore[import-untyped]  # openpyxl ships no types
import pytest

from tests.company.world.larkspur_texts import DRIVE, documents, found
from tests.company.world.test_larkspur import (
    BOARDS,
    EVERYTHING,
    FACTS,
    GHENT,
    LARKSPUR,
    PEOPLE,
    Said,
    day,
    in_chat,
    names,
    read,
)

FILES = DRIVE / "files"
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
MAILBOXES = {"admin", "hello", "jobs", "press"}
NAMES = {one["name"] for one in FACTS["people"]}
FORGE = LARKSPUR / "forge/projects/larkspur"


def sheets() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Every table of the drive with its heading: the place, and its rows by column."""
    for path in sorted(FILES.rglob("*.xlsx")):
        for page in openpyxl.load_workbook(path):
            rows = [row for row in page.iter_rows(values_only=True) if sum(cell is not None for cell in row) > 1]
            if rows and all(isinstance(cell, str) for cell in rows[0]):
                yield f"{path.name}, {page.title}", [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    for path in sorted(FILES.rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            yield path.name, list(csv.DictReader(file))


def cells(*columns: str) -> Iterator[tuple[str, str]]:
    for place, rows in sheets():
        for row in rows:
            for column in columns:
                if row.get(column):
                    yield place, str(row[column])


# -- people ------------------------------------------------------------------------------------------------------


def test_a_first_name_of_ours_is_followed_by_its_own_last_name() -> None:
    called = {name.split()[0]: name for name in NAMES}
    assert len(called) == len(NAMES)
    seen = list(found(rf"\b({'|'.join(called)}) [A-Z][a-z]+"))
    assert len({place for place, _ in seen}) > 25
    assert [(place, match[0]) for place, match in seen if match[0] != called[match[1]]] == []


def test_usernames_and_addresses_are_those_of_people_who_work_here() -> None:
    first = "|".join(name.split()[0].lower() for name in NAMES)
    users = list(found(rf"\b(?:{first})\.[a-z]+\b"))
    assert [(place, match[0]) for place, match in users if match[0] not in PEOPLE] == []
    mails = [(place, match[1]) for place, match in found(r"([\w.+-]+)@larkspur\.test") if not place.endswith(".ics")]
    assert {name for _, name in mails} >= {"mara.lindqvist", "press", "jobs"}
    assert [one for one in mails if one[1] not in PEOPLE and one[1] not in MAILBOXES] == []
    assert all("email" not in person for person in PEOPLE.values()), "everybody's address is their username's"


def test_tables_of_people_say_what_the_facts_say() -> None:
    told = {one["username"]: one for one in FACTS["people"]}
    told[FACTS["next_hire"]["username"]] = {**FACTS["next_hire"], "since": FACTS["next_hire"]["starts"]}
    tables = 0
    for place, rows in sheets():
        for row in rows if rows and "username" in rows[0] else []:
            for key in {"name", "title", "team", "since"} & set(row):
                said = row[key].date() if isinstance(row[key], datetime) else row[key]
                assert said == told[row["username"]][key], (place, row)
        tables += bool(rows and "username" in rows[0])
    assert tables == 4


def test_whoever_a_table_names_works_here() -> None:
    named = list(cells("owner", "asked_by", "account_manager", "on_call", "stands_in", "lead", "approved_by"))
    assert len({place for place, _ in named}) >= 6
    assert [one for one in named if one[1] not in NAMES] == []
    places = {*FACTS["rooms"], "Kitchen", "Support", "Operations"}
    assert [one for one in cells("with") if one[1].split(",")[0] not in NAMES | places] == []


def test_contracts_of_employment_say_what_the_facts_say() -> None:
    told = {one["name"]: one for one in FACTS["people"]}
    hire = FACTS["next_hire"]
    told[hire["name"]] = {**hire, "since": hire["starts"], "located": "Ghent"}
    paths = sorted((FILES / "People/Contracts").glob("20*.docx"))
    assert len(paths) == 5
    for path in paths:
        text = " ".join(part.text for part in docx.Document(str(path)).paragraphs)
        (one,) = [one for name, one in told.items() if f", and {name}." in text]
        title, lead = one["title"].split(",")[0].lower(), told[PEOPLE[one["lead"]]["name"]]["name"]
        assert f"works as {title} and reports to {lead}" in text
        assert f"begins on {one['since'].day} {one['since']:%B %Y}" in text
        assert f"place of work is {one['located']}" in text
        assert path.name.startswith(str(one["since"]))


def test_nobody_signs_for_larkspur_before_their_first_day() -> None:
    since = {one["name"]: one["since"] for one in FACTS["people"]}
    signed = [
        (name, date.fromisoformat(name.rpartition("/")[2][:10]), match[1])
        for name, text in documents().items()
        if (match := re.search(r"For Larkspur: (\w+ \w+)", text))
        or (match := re.search(r": (\w+ \w+) for Larkspur;", text))
        if re.match(r"\d{4}-", name.rpartition("/")[2])
    ]
    assert len(signed) == 16
    assert [one for one in signed if since[one[2]] > one[1]] == []


def test_repositories_are_kept_by_those_the_facts_name() -> None:
    for name, keepers in FACTS["repositories"].items():
        members = read(FORGE / name / "project.yml")["members"]
        assert set(keepers) <= {who for who, role in members.items() if role == "maintainer"}, name


# -- days --------------------------------------------------------------------------------------------------------


def test_weekdays_and_dates_belong_together() -> None:
    pattern = rf"\b({'|'.join(DAYS)}),? (\d{{1,2}})(?:th)? ({'|'.join(MONTHS)})(?: (\d{{4}}))?"
    seen = list(found(pattern))
    assert len(seen) >= 35
    for place, match in seen:
        said = date(int(match[4] or 2026), MONTHS.index(match[3]) + 1, int(match[2]))
        assert DAYS[said.weekday()] == match[1], (place, match[0])


def test_a_weekday_the_so_manyth_is_one_of_the_weeks_around() -> None:
    pattern = rf"\b({'|'.join(DAYS)}) the (\d{{1,2}})(?:st|nd|rd|th)"
    seen = [(one, *match) for one in EVERYTHING for match in re.findall(pattern, one.text)]
    assert len(seen) >= 6
    for one, weekday, number in seen:
        around = [one.at.date() + timedelta(n) for n in range(-20, 40)]
        assert any(each.day == int(number) and DAYS[each.weekday()] == weekday for each in around), one


def test_nobody_writes_commits_or_finishes_on_a_day_the_sheets_say_they_were_away() -> None:
    away = {
        (row["username"], row["date"].date())
        for place, rows in sheets()
        if "attendance" in place
        for row in rows
        if row["kind"] in ("leave", "sick", "holiday")
    }
    done = list(_deeds())
    assert (len(away) > 40, len(done) > 700) == (True, True)
    assert [(who, at, what) for who, at, what in done if (who, at.astimezone(GHENT).date()) in away] == []


def _deeds() -> Iterator[tuple[str, datetime, str]]:
    yield from ((one.who, one.at, one.where) for one in EVERYTHING)
    for board in BOARDS.values():
        for item in board["items"]:
            yield from ((who, item["completed"], item["name"]) for who in names(item.get("assignees"))
                        if "completed" in item)  # fmt: skip
    for path in sorted(FORGE.rglob("*.yml")):
        if path.name in ("history.yml", "issues.yml", "merge_requests.yml", "releases.yml"):
            for one in read(path) or []:
                yield one["author"], one["at"], f"{path.parent.name}: {one.get('message') or one.get('title')}"
                for who, at in (("closed_by", "closed"), ("done_by", "done")):
                    if who in one:
                        yield one[who], one[at], f"{path.parent.name}: {one['title']}"


def test_absences_are_announced_by_those_who_are_away() -> None:
    said = {
        "press day Hamburg, 2026-03-12": r"12 March|the 12th",
        "visits in the Netherlands, 2026-03-10 until 15:00": r"Tuesday the 10th, back at three",
        "tax adviser, 2026-03-11 in the morning": r"Wednesday the 11th in the morning",
        "leave, 2026-03-23 to 2026-03-27": r"from 23 to 27 March",
    }
    assert set(said) == set(FACTS["away"])
    for what, pattern in said.items():
        text = "\n".join(one.text for one in in_chat() if one.who in FACTS["away"][what])
        assert re.search(pattern, text), what
        for who in FACTS["away"][what]:
            assert PEOPLE[who]["name"].split()[0] in text or any(
                one.who == who and re.search(pattern, one.text) for one in in_chat()
            ), (what, who)


def test_sprints_have_the_same_days_wherever_they_are_named() -> None:
    sprints = {one["name"]: one for one in FACTS["sprints"]}
    capacity = dict(sheets())["2026-q1-capacity.csv"]
    assert {(row["sprint"], row["start"], row["end"]) for row in capacity} == {
        (name, str(one["start"]), str(one["end"])) for name, one in sprints.items()
    }
    slides = documents()["Product/2026-q1-roadmap.pptx"]
    assert "Sprint 7, 9 to 20 March" in slides
    assert "Sprint 8, 23 March to 3 April" in slides
    assert (sprints["Sprint 7"]["start"].day, sprints["Sprint 7"]["end"].day) == (9, 20)
    moved = [
        (comment["at"], cycle)
        for item in BOARDS["TREL"]["items"]
        for comment in item.get("comments", [])
        if (cycle := re.match(r"From Sprint 4 to (Sprint \d)", comment["text"])) and cycle[1] == item["cycle"]
    ]
    assert len(moved) == 2, "Priya says in #engineering that two items moved, each with its reason"


def test_the_launch_is_one_moment() -> None:
    launch = FACTS["dates"]["launch"].astimezone(GHENT)
    said = f"{launch:%A} {launch.day} {launch:%B %Y}"
    places = {place for place, _ in found(re.escape(said))}
    assert {place.partition("/")[0] for place in places} >= {"chat", "board", "drive"}
    (milestone,) = [one for one in read(LARKSPUR / "forge/groups.yml")[0]["milestones"] if "2.0" in one["description"]]
    assert day(milestone["due"]) == launch.date()
    (deploy,) = [one for one in BOARDS["TREL"]["items"] if one["name"].startswith("Deploy 2.0")]
    assert day(deploy["due"]) == launch.date()
    for place, match in found(r"(?:live|out|launch\w*)[^.\n|]{0,40}?(\d{1,2}) March(?: 2026)?[^.\n]{0,8}09:00"):
        assert int(match[1]) == launch.day, place


@pytest.mark.parametrize(
    ("channel", "who", "starts", "project", "number"),
    [
        ("support", "aoife.byrne", "I have opened an issue in timesheets", "timesheets", 4),
        ("support", "luca.moretti", "I have opened an issue in trellis", "trellis", 10),
        ("engineering", "lena.fischer", "Overbooked, the exception", "trellis", 12),
    ],
)
def test_an_issue_is_there_when_chat_says_so(channel: str, who: str, starts: str, project: str, number: int) -> None:
    (said,) = [one for one in in_chat() if (one.where, one.who) == (f"#{channel}", who) and one.text.startswith(starts)]
    assert read(FORGE / project / "issues.yml")[number - 1]["at"] <= said.at


def test_releases_and_the_branch_have_the_days_of_the_facts() -> None:
    tags = {one["tag"]: one["at"] for one in read(FORGE / "trellis/releases.yml")}
    for one in FACTS["releases"]:
        assert str(tags[one["tag"]].date()).startswith(str(one.get("day", one.get("month"))))
    cut = [one for one in in_chat() if re.match(r"(?:Release b|B)ranch is cut|release-2.0 is cut", one.text)]
    assert len(cut) == 3
    assert {one.at.date() for one in cut} == {FACTS["dates"]["release_branch_cut"]}
    assert min(cut, key=lambda one: one.at).where == "#engineering"
    assert "cut on 6 March" in read(FORGE / "trellis/issues.yml")[10]["description"]


# -- figures -----------------------------------------------------------------------------------------------------

OUTAGE = FACTS["incidents"][0]
FIGURES = {  # pattern with the figure as its group: the figure, and in how many places at least
    r"\b(\d+) (?:garden centres|customers)\b(?=.{0,60}(?:Belgium|planning|Peak))": (FACTS["company"]["customers"], 5),
    r"\b(\d+) (?:€|EUR) a month (?:per|for each) site": (FACTS["prices"]["from_launch"], 5),
    r"\b(\d+) (?:€|EUR) for each further person": (FACTS["prices"]["further_person"], 4),
    r"[Ff]ounded\W+(?:in Ghent in )?(\d{4})": (FACTS["company"]["founded"], 2),
    r"(?:\*\*People\*\*|and has) (\d+)(?: people)?": (len(FACTS["people"]), 2),
    r"one year(?: at|,) (\d+)(?:\.00)? (?:€ )?a month": (FACTS["telephone"]["one_year"], 3),
    r"(\d+) sites(?= |,)(?=.{0,80}(?:outage|loudest|212|showed no plan))": (23, 4),
    r"(\d\d:\d\d) (?:to|and) 09:47": (OUTAGE["start"], 3),
    r"09:12 (?:to|and) (\d\d:\d\d)": (OUTAGE["end"], 3),
    r"(\d+) minutes from [“\\\"]+go": (52, 2),
    r"95th percentile (\d+) ms|95 % of answers within (\d+) ms": (410, 3),
    r"holds (\d+\.\d) percent|(\d+\.\d) percent of plans are saved": (98.2, 2),
    r"(\d+ of \d+) keys are out": ("17 of 20", 2),
    r"[Hh]old for (\d\.\d) seconds|text: \"(\d\.\d)\. I tried with gloves": (0.6, 2),
}  # fmt: skip


@pytest.mark.parametrize("pattern", FIGURES)
def test_a_figure_is_the_same_wherever_it_stands(pattern: str) -> None:
    figure, least = FIGURES[pattern]
    seen = [(place, next(part for part in match.groups() if part)) for place, match in found(pattern)]
    assert len({place for place, _ in seen}) >= least, seen
    assert [one for one in seen if one[1] != str(figure)] == []


def test_invoices_that_are_talked_about_are_in_the_lists_with_their_day_vendor_and_amount() -> None:
    tables = dict(sheets())
    ledger = {row["invoice"]: row for name in ("vendor-invoices-q1.csv", "2026-q1-running-costs.csv")
              for row in tables[name]}  # fmt: skip
    talked = [
        (one, row, match[2])
        for one in in_chat()
        for match in re.finditer(r"\b([A-Z]{2}-[\d-]+\d(?:-C)?)\b[^.]*?(?:minus )?(\d+\.\d\d)", one.text)
        if (row := ledger[match[1]])
    ]
    assert len(talked) == 4
    for one, row, amount in talked:
        assert abs(float(row["amount_eur"])) == float(amount), one
        assert row["vendor"].split()[0] in one.text, one
        assert row["date"] == str(one.at.astimezone(GHENT).date()), one
    assert {row["vendor"] for row in ledger.values()} <= set(FACTS["vendors"])
    assert {vendor for _, vendor in cells("vendor") if vendor not in FACTS["vendors"]} <= {
        "Bistro Korenmarkt", "day rate", "own car", "Stadsbus Utrecht",
    }  # fmt: skip


def test_budgets_are_the_same_in_the_list_and_in_the_workbook() -> None:
    tables = dict(sheets())
    listed = {row["vendor"]: (float(row["q1_budget_eur"]), row["owner"]) for row in tables["vendor-budgets-2026.csv"]}
    assert {
        row["vendor"]: (row["budget_q1_eur"], row["owner"]) for row in tables["2026-q1-budget.xlsx, Vendors"]
    } == listed
    leads = {row["team"]: row["lead"] for row in tables["2026-q1-budget.xlsx, Teams"]}
    assert leads == {row["team"]: row["lead"] for row in tables["2026-q2-budget.xlsx, Teams"]}
    for team, lead in leads.items():
        (one,) = [one for one in FACTS["people"] if one["name"] == lead]
        assert one["team"] == team


def test_engineers_are_away_as_often_as_the_sheets_and_their_leave_say() -> None:
    rows = {(row["sprint"], row["username"]): int(row["away"]) for row in dict(sheets())["2026-q1-capacity.csv"]}
    assert {key: days for key, days in rows.items() if days} == {
        ("Sprint 4", "lena.fischer"): 3,
        ("Sprint 4", "ewa.kowalska"): 2,
        ("Sprint 6", "sofia.papadaki"): 1,
        ("Sprint 8", "sofia.papadaki"): 1,
        ("Sprint 8", "mateo.vargas"): 5,
    }


def test_the_week_with_the_most_plans_is_the_one_sofia_names() -> None:
    weeks: dict[date, int] = {}
    for row in dict(sheets())["2026-q1-hosts.csv"]:
        day_of = date.fromisoformat(row["date"])
        monday = day_of - timedelta(day_of.weekday())
        weeks[monday] = weeks.get(monday, 0) + int(row["plans_saved"])
    (said,) = [one for one in in_chat() if "had the most plans ever" in one.text]
    named = re.search(r"that of (\d+) February, had the most plans ever: ([\d,]+)", said.text)
    assert named is not None
    before = {monday: saved for monday, saved in weeks.items() if monday + timedelta(7) <= said.at.date()}
    best = max(before, key=lambda monday: before[monday])
    assert (best, before[best]) == (date(2026, 2, int(named[1])), int(named[2].replace(",", "")))


def test_what_sales_says_was_signed_in_january_is_in_the_customer_list() -> None:
    rows = [row for row in dict(sheets())["customer-list.xlsx, Customers"] if str(row["start"]) >= "2026-01-01"]
    assert len(rows) == FACTS["customer_list"]["signed_in_january"]
    said = [one for one in in_chat() if one.where == "#sales"]
    (signed,) = [match for one in said if (match := re.search(r"Signed: two sites in (\w+), from Friday", one.text))]
    (customer,) = [row for row in rows if (row["city"], row["sites"]) == (signed[1], 2)]
    assert (customer["account_manager"], DAYS[customer["start"].weekday()]) == ("Marek Nowak", "Friday")
    assert any(one.text.startswith("January: 11 signed") for one in said)
    later = [one for one in said if one.at.date() > date(2026, 2, 1) and re.search(r"\d+ signed", one.text)]
    assert later == [], "the list has no contract that begins after January"


def test_what_was_bought_is_in_the_inventory_with_the_day_it_came() -> None:
    rows = dict(sheets())["office-inventory.xlsx, Inventory"]

    def came(starts: str) -> tuple[Said, date]:
        (said,) = [one for one in in_chat() if one.text.startswith(starts)]
        return said, said.at.astimezone(GHENT).date()

    _, tablet = came("The tablet is here. @arjun.mehta")
    assert [row["bought"].date() for row in rows if row["kind"] == "tablet" and row["with"] == "Arjun Mehta"] == [
        tablet
    ]
    said, desk = came("Sam's desk is the one by the window")
    assert all(row["bought"].date() <= desk for row in rows if row["with"] == "Sam Reed")
    assert {row["kind"] for row in rows if row["with"] == "Sam Reed"} == {"laptop", "screen"}, said
    _, desks = came("Six standing desks from Oakline")
    owners = {
        row["with"].split()[0] for row in rows if row["kind"] == "standing desk" and row["bought"].date() == desks
    }
    (kept,) = [one.text for one in in_chat() if one.text.startswith("The four good standing desks stay with")]
    assert owners == set(re.findall(r"[A-Z]\w+", kept.partition(":")[2].partition(".")[0]))


def test_contracts_end_when_operations_says_so() -> None:
    (said,) = [one.text for one in in_chat() if one.text.startswith("This year's contracts by last day")]
    ends = {vendor: f"{int(number)} {month}" for vendor, number, month in re.findall(
        r"\(([\w ]+)\) (\d+) (\w+)", said)}  # fmt: skip
    assert len(ends) == 3
    for vendor, when in ends.items():
        (text,) = [text for name, text in documents().items() if f"contract-{vendor.lower().replace(' ', '-')}" in name]
        last = date.fromisoformat(re.search(r"last day \| (\S+)", text)[1])  # type: ignore[index]  # absent fails too
        assert (f"{last.day} {last:%B}", last.year) == (when, 2026), vendor
    lumen = documents()["Operations/Contracts/2025-10-01-contract-lumen-energie.docx"]
    assert "last day | 2027-09-30" in lumen
    assert any("Lumen Energie runs until 30 September 2027" in one.text for one in in_chat())
