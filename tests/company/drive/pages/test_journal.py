"""Whoever reads a file through a page has read it for graders too, under the one address every other way has."""

from __future__ import annotations

import io
import zipfile

from tests.company.drive.client import Client
from tests.company.drive.pages.finding import FILES, sams
from tests.company.serving import Served

DAV = "/remote.php/webdav"


def saw(office: Served, path: str, **where: str) -> bool:
    found: bool = office.call(lambda: office.company.journal.accessed("drive", f"{DAV}{path}", **where))
    return found


def test_a_preview_the_editor_and_downloads_count_as_reading_the_file(office: Served) -> None:
    sam = sams(office)
    assert not saw(office, "/Finance/README.md")
    sam.raw("GET", f"{FILES}/?dir=/Finance")
    assert saw(office, "/Finance", method="PROPFIND", account="sam.reed")
    assert not saw(office, "/Finance/README.md")
    sam.raw("GET", f"{FILES}/view/Finance/README.md")
    assert saw(office, "/Finance/README.md", method="GET", account="sam.reed")
    sam.raw("GET", f"{FILES}/edit/Company/handbook.md")
    assert saw(office, "/Company/handbook.md", method="GET")
    sam.raw("GET", f"{FILES}/raw/Marketing/Logo/larkspur-mark.png")
    assert saw(office, "/Marketing/Logo/larkspur-mark.png", method="GET")


def test_a_zip_counts_for_every_file_in_it(office: Served) -> None:
    sam = sams(office)
    answer = sam.raw("GET", f"{FILES}/ajax/download.php?dir=/Finance&files[]=Budgets&files[]=README.md")
    inside = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert "Budgets/2026-q1-budget.xlsx" in inside
    assert saw(office, "/Finance/Budgets/2026-q1-budget.xlsx", method="GET")
    assert saw(office, "/Finance/README.md", method="GET")
    assert not saw(office, "/Finance/price-sheet.xlsx")


def test_what_a_link_shows_is_noted_by_the_owners_path_and_a_refusal_is_not(office: Served) -> None:
    sam = sams(office)
    sam.mkcol("/out")
    sam.put("/out/open.md", "x")
    open_link = sam.share("/out", 3)
    closed = sam.share("/out", 3, password="pw")
    nobody = Client(office.url("drive"), None)
    nobody.raw("GET", f"/s/{closed['token']}?path=/open.md")
    sam.raw("GET", f"{FILES}/view/no/such/file.md")
    nobody.raw("GET", f"{FILES}/view/out/open.md")
    assert not saw(office, "/out/open.md", method="GET")
    assert not saw(office, "/no")
    nobody.raw("GET", f"/s/{open_link['token']}?path=/open.md")
    assert saw(office, "/out/open.md", method="GET", account=f"link:{open_link['id']}")
