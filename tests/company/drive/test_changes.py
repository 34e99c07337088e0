"""What the journal and the difference say about the drive, as data and in words."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from tests.company.drive.client import Client
from tests.company.serving import Served


def words(served: Served) -> list[str]:
    return [one.words for one in served.call(served.company.changes, "drive")]


def nodes(served: Served) -> list[Any]:
    return [one for one in served.call(served.company.changes, "drive") if one.table == "nodes"]


def test_a_new_file_is_one_difference_with_its_path_and_owner(larkspur: Served, sam: Client) -> None:
    sam.put("/Operations/over-budget.md", "x" * 1234)
    assert words(larkspur) == ["sam.reed added /Operations/over-budget.md (1.2 kB)"]
    (found,) = nodes(larkspur)
    assert (found.op, found.by) == ("added", "sam.reed")
    assert (found.after["path"], found.after["owner"], found.after["size"]) == (
        "/Operations/over-budget.md", "larkspur", 1234,
    )  # fmt: skip
    assert "etag" not in found.after


def test_changes_are_told_in_words(larkspur: Served, sam: Client) -> None:
    sam.put("/Company/press-kit.md", "short")
    sam.mkcol("/mine")
    sam.transport("MOVE", "/notes.md", "/mine/notes.md")
    sam.dav("DELETE", "/Company/Policies/holidays.md")
    sam.share("/mine", 0, shareWith="mara.lindqvist", permissions=15)
    sam.share("/mine/notes.md", 3)
    said = words(larkspur)
    assert "sam.reed added the folder /mine/" in said
    assert "sam.reed moved /notes.md to /mine/notes.md" in said
    assert "sam.reed deleted /Company/Policies/holidays.md" in said
    assert "sam.reed shared /mine with mara.lindqvist (edit)" in said
    assert "sam.reed shared /mine/notes.md by public link (read)" in said
    assert any(one.startswith("sam.reed changed /Company/press-kit.md (") and one.endswith("→ 5 B)") for one in said)
    assert len(said) == 6


def test_what_was_made_and_taken_back_is_no_difference(larkspur: Served, sam: Client) -> None:
    sam.put("/a.txt")
    sam.dav("DELETE", "/a.txt")
    original = sam.get("/notes.md")
    sam.put("/notes.md", "other")
    sam.put("/notes.md", original)
    sam.transport("MOVE", "/notes.md", "/b.md")
    sam.transport("MOVE", "/b.md", "/notes.md")
    assert words(larkspur) == []


def test_moving_a_folder_says_so_for_everything_in_it(larkspur: Served, sam: Client) -> None:
    sam.mkcol("/a")
    sam.put("/a/x.txt")
    sam.transport("MOVE", "/a", "/b")
    assert {one.after["path"] for one in nodes(larkspur)} == {"/b", "/b/x.txt"}


def test_reading_changes_nothing_and_is_seen(larkspur: Served, sam: Client) -> None:
    sam.get("/Company/handbook.md")
    sam.names("/Operations")
    assert words(larkspur) == []
    journal = larkspur.company.journal
    assert journal.accessed("drive", "/remote.php/webdav/Company/handbook.md", account="sam.reed")
    assert journal.accessed("drive", "/remote.php/webdav/Operations", method="PROPFIND")
    assert not journal.accessed("drive", "/remote.php/webdav/Finance")


def test_no_secret_reaches_the_journal(larkspur: Served, sam: Client) -> None:
    made = sam.share("/notes.md", 3, password="very secret word")
    company = Client(larkspur.url("drive"), "larkspur", "admin-of-larkspur-drive")
    company.add_user("new.one", "another secret")
    company.ocs("PUT", "/cloud/users/new.one", data={"key": "password", "value": "third secret"})
    journal = larkspur.company.journal
    rows = [asdict(one) for one in journal.requests()]
    changes = [(one.before, one.after) for one in journal.changes()]
    text = json.dumps([rows, changes])
    for secret in ("very secret word", "another secret", "third secret", "sam-reed-first-day", "password"):
        assert secret not in text, secret
    assert made["token"] not in json.dumps(changes)


def test_a_failed_request_leaves_no_change(larkspur: Served, sam: Client) -> None:
    sam.put("/notes.md", "x", OC_Checksum="SHA1:wrong")
    sam.transport("MOVE", "/notes.md", "/nowhere/notes.md")
    sam.put("/nowhere/at/all.txt")
    assert words(larkspur) == []


def test_a_reset_puts_the_drive_back(larkspur: Served, sam: Client) -> None:
    sam.put("/new.txt")
    sam.dav("DELETE", "/notes.md")
    larkspur.call(larkspur.company.reset, "drive")
    assert "new.txt" not in sam.names()
    assert sam.get("/notes.md").startswith(b"# Notes")
