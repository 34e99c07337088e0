"""Larkspur's documents came to the drive on days that fit: their names, their texts, and what people say about them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from dayjob.company.drive import Drive
from dayjob.company.drive.world import Section
from dayjob.company.world import load_world
from tests.company.world.test_larkspur import GHENT, NOW, in_chat, on_board, on_forge
from tools.larkspur import times
from tools.larkspur.facts import WORLD
from tools.larkspur.hiring import CANDIDATES

RULES = yaml.safe_load((WORLD / "drive/times.yml").read_text("utf-8"))


def spans() -> dict[str, tuple[datetime, datetime]]:
    """What the world makes of the file: path on the company's drive → when it came, when it changed."""
    section = Drive.load(load_world(WORLD))
    assert isinstance(section, Section)
    return {
        path: (datetime.fromtimestamp(span.created, UTC), datetime.fromtimestamp(span.modified, UTC))
        for path, span in section.times[section.account].items()
    }


SPANS = spans()
DOCUMENTS = {
    path: SPANS[path]
    for one in sorted((WORLD / "drive/files").rglob("*"))
    if one.is_file() and (path := f"/{one.relative_to(WORLD / 'drive/files').as_posix()}")
}


def test_every_document_has_a_line_of_its_own() -> None:
    assert len(DOCUMENTS) > 130
    assert {f"files{path}" for path in DOCUMENTS} | {"files", "people/sam.reed/notes.md"} == set(RULES)


def test_documents_come_and_change_on_working_days_at_working_hours_before_now() -> None:
    for path, span in DOCUMENTS.items():
        for moment in span:
            local = moment.astimezone(GHENT)
            assert moment < NOW, path
            assert times.works(local.date()), (path, local)
            assert 8 <= local.hour < 19, (path, local)
    assert len({moment.date() for _, moment in DOCUMENTS.values()}) > 50


def test_a_document_about_a_day_is_not_older_than_it_unless_it_was_made_for_it() -> None:
    ahead = {path for path, (_, changed) in DOCUMENTS.items() if str(changed.date()) < _about(path)}
    assert ahead == {path for path in DOCUMENTS if "/People/Contracts/20" in path} | {
        "/Marketing/2026-03-16-launch-flyer.pdf",
        "/Marketing/2026-03-16-launch-slides.pptx",
        "/Marketing/Press kit/2026-03-16-press-text.docx",
    }
    for path, (came, _) in DOCUMENTS.items():
        if "/Invoices/" in path:
            assert timedelta(0) <= came.date() - date.fromisoformat(_about(path)) <= timedelta(3), path


def _about(path: str) -> str:
    return found[0] if (found := re.match(r"\d{4}-\d\d-\d\d", Path(path).name)) else ""


def test_what_somebody_points_to_was_there_when_they_did() -> None:
    pointed = [
        (path, one)
        for one in (*in_chat(), *on_board(), *on_forge())
        for path in re.findall(r"(?<!\S)`?(/[A-Z][\w./-]*\w)", one.text)
        if "it goes to" not in one.text
    ]
    assert len({path for path, _ in pointed}) == 7
    assert [(path, one) for path, one in pointed if SPANS[path][0] > one.at] == []


@pytest.mark.parametrize(
    ("room", "says", "path", "minutes"),
    [
        ("#general", "I have put both calendars", "/Company/Holiday calendars/2026-holidays-athens.ics", 15),
        ("#product", "Notes of the visit to Tuinhuis", "/Customers/Visits/2026-01-15-visit-tuinhuis-de-linde.md", 20),
        ("#design", "It is on the drive: /Marketing/Logo", "/Marketing/Logo/larkspur-logo-one-colour.png", 10),
        ("#finance", "The vendor budgets for 2026 are on the drive", "/Finance/vendor-budgets-2026.csv", 10),
        ("#product", "Survey is closed", "/Product/Survey/2026-02-survey-answers.csv", 10),
        ("#launch", "It is there: /Customers", "/Customers/Catalogues/2026-03-catalogue-hof-birkenau.xlsx", 5),
        ("#launch", "The price sheet on the drive has both prices", "/Finance/price-sheet.xlsx", 30),
        ("#launch", "The Q1 invoices and the vendor budgets", "/Finance/vendor-invoices-q1.csv", 20),
        ("#data", "I have exported the usage of the last quarter", "/Engineering/Usage/2025-q4-usage.sqlite", 10),
        ("#launch", "Checklist is as of today", "/Operations/launch-checklist.md", 10),
        ("#people", "Ad for support is ready", "/People/Hiring/Support engineer/job-ad-support-engineer.docx", 10),
    ],
)  # fmt: skip
def test_a_file_changed_shortly_before_it_was_announced(room: str, says: str, path: str, minutes: int) -> None:
    (said,) = [one for one in in_chat() if one.where == room and says in one.text]
    assert timedelta(0) <= said.at - SPANS[path][1] <= timedelta(minutes=minutes)


def test_applications_came_as_felix_counted_them() -> None:
    came = [span[0] for path, span in DOCUMENTS.items() if "/Applications/" in path]
    for says, number in (("nine applications", 9), ("Applications for support are at 14", len(CANDIDATES))):
        (said,) = [one for one in in_chat() if one.who == "felix.brandt" and says in one.text]
        assert sum(moment < said.at for moment in came) == number
    (online,) = [one for one in in_chat() if one.text.startswith("The position in support is online")]
    assert min(came) > online.at


def test_policies_were_written_before_they_came_into_force() -> None:
    policies = [path for path in DOCUMENTS if path.startswith("/Company/Policies/")]
    assert len(policies) == 8
    for path in policies:
        text = (WORLD / f"drive/files{path}").read_text("utf-8")
        force = datetime.strptime(re.search(r"in force since (\d+ \w+ \d{4})", text, re.I)[1], "%d %B %Y")  # type: ignore[index]  # absent fails too
        assert SPANS[path][0].date() < force.date(), path


def test_a_document_without_a_day_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = [f"drive/files{path}" for path in DOCUMENTS]
    with pytest.raises(ValueError, match=r"drive/files/Company/plans\.csv came to the drive"):
        times.times([*known, "drive/files/Company/plans.csv"])
    with pytest.raises(ValueError, match="which is not in the world"):
        times.times(known[1:3])
    monkeypatch.setattr(times, "_told", lambda: {known[0]: (NOW, NOW + timedelta(1))})
    with pytest.raises(ValueError, match="cannot be from"):
        times.times(known[:1])
