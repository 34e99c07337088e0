"""Files of a world have their days: what `drive/times.yml` says is what the drive shows, and what is wrong is named."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from dayjob.company.drive import Drive
from dayjob.company.drive.world import Section
from dayjob.company.world import build_snapshot, load_world
from dayjob.company.world.snapshot import check_world
from tests.company.drive.client import DAV, Client
from tests.company.drive.test_world import people, write
from tests.company.serving import Served, serve

TOML = 'now = 2026-03-09T09:00:00Z\n[accounts.drive]\nusername = "company"\npassword = "company-pass"\n'
FILES = {
    "world.toml": TOML,
    **people("ana"),
    "drive/files/Orders/march.csv": "tulip,40\n",
    "drive/files/Orders/Old/café.csv": "fern,12\n",
    "drive/files/Empty/.gitkeep": "",
    "drive/files/plan.md": "# Plan\n",
    "drive/people/ana/notes.md": "# Notes\n",
}


def world(folder: Path, times: str, more: dict[str, str] | None = None) -> Path:
    return write(folder, {**FILES, "drive/times.yml": times, **(more or {})})


def times(folder: Path, overlay: Path | None = None) -> dict[str, dict[str, tuple[str, str]]]:
    """Owner → path → when it was made and when it changed."""
    found = load_world(folder, overlay)
    section = Drive.load(found)
    assert isinstance(section, Section)
    assert [str(one) for one in found.problems.found] == []

    def said(moment: int) -> str:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M")

    return {
        owner: {path: (said(one.created), said(one.modified)) for path, one in spans.items()}
        for owner, spans in section.times.items()
    }


def modified(folder: Path, path: str, overlay: Path | None = None) -> str:
    return times(folder, overlay)["company"][path][1]


def test_the_nearest_rule_says_when_a_file_changed(tmp_path: Path) -> None:
    found = times(
        world(
            tmp_path,
            "files: 2025-06-02\n"
            "files/Orders: 2026-02-27\n"
            "files/Orders/march.csv: 2026-03-05T14:20:00+01:00\n"
            "files/plan.md: {created: 2025-11-03, modified: 2026-03-02T08:00:00Z}\n"
            "people: 2026-01-12\n",
        )
    )
    assert found["company"]["/Orders/march.csv"] == ("2026-03-05T13:20", "2026-03-05T13:20")
    assert found["company"]["/Orders/Old/café.csv"] == ("2026-02-27T12:00", "2026-02-27T12:00")
    assert found["company"]["/plan.md"] == ("2025-11-03T12:00", "2026-03-02T08:00")
    assert found["company"]["/Empty"] == ("2025-06-02T12:00", "2025-06-02T12:00")
    assert found["ana"]["/notes.md"] == ("2026-01-12T12:00", "2026-01-12T12:00")


def test_a_folder_has_changed_with_the_newest_thing_in_it(tmp_path: Path) -> None:
    rules = "files/Orders/march.csv: 2026-03-05\nfiles/Orders/Old: 2025-12-01\n"
    found = times(world(tmp_path / "one", rules))["company"]
    assert found["/Orders"] == ("2025-12-01T12:00", "2026-03-05T12:00")
    assert found["/Orders/Old"] == ("2025-12-01T12:00", "2025-12-01T12:00")
    assert found["/"] == ("2025-12-01T12:00", "2026-03-05T12:00")
    wider = times(world(tmp_path / "two", f"{rules}files/Orders: {{created: 2024-01-08, modified: 2026-03-06}}\n"))
    assert wider["company"]["/Orders"] == ("2024-01-08T12:00", "2026-03-06T12:00")


def test_what_no_rule_reaches_is_four_weeks_older_than_now(tmp_path: Path) -> None:
    found = times(write(tmp_path / "world", FILES))
    assert set(found["company"].values()) | set(found["ana"].values()) == {("2026-02-09T09:00", "2026-02-09T09:00")}
    timeless = times(write(tmp_path / "timeless", {**FILES, "world.toml": TOML.partition("\n")[2]}))
    assert timeless["company"]["/plan.md"] == ("2026-01-01T00:00", "2026-01-01T00:00")


def test_a_day_is_its_noon_but_never_later_than_now(tmp_path: Path) -> None:
    assert modified(world(tmp_path, "files/plan.md: 2026-03-09\n"), "/plan.md") == "2026-03-09T09:00"


def test_a_task_adds_to_the_times_of_its_world(tmp_path: Path) -> None:
    folder = world(tmp_path / "world", "files/plan.md: 2026-03-02\nfiles/Orders: 2026-02-27\n")
    overlay = tmp_path / "overlay"
    (overlay / "drive/files/Orders").mkdir(parents=True)
    (overlay / "drive/files/Orders/april.csv").write_text("rose,3\n")
    (overlay / "drive/times.yml").write_text("files/Orders/april.csv: 2026-03-06\nfiles/plan.md: 2026-03-04\n")
    found = times(folder, overlay)["company"]
    assert found["/Orders/april.csv"][1] == "2026-03-06T12:00"
    assert found["/Orders/march.csv"][1] == "2026-02-27T12:00"
    assert found["/plan.md"][1] == "2026-03-04T12:00"


def test_a_task_may_take_away_what_its_world_has_a_time_for(tmp_path: Path) -> None:
    folder = world(tmp_path / "world", "files/plan.md: 2026-03-02\nfiles/Orders/Old: 2026-02-27\n")
    overlay = tmp_path / "overlay"
    overlay.mkdir()
    (overlay / "overlay.toml").write_text('delete = ["drive/files/plan.md", "drive/files/Orders/Old"]\n')
    assert check_world(folder, overlay) == []


def test_the_worlds_own_times_are_part_of_what_a_snapshot_is_named_by(tmp_path: Path) -> None:
    overlay = tmp_path / "overlay"
    (overlay / "drive").mkdir(parents=True)
    (overlay / "drive/times.yml").write_text("files/plan.md: 2026-03-04\n")
    first = load_world(world(tmp_path / "one", "files/Orders: 2026-02-27\n"), overlay).files.key()
    second = load_world(world(tmp_path / "two", "files/Orders: 2026-02-26\n"), overlay).files.key()
    assert first != second


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("files/none.md: 2026-03-02\n", "1: There is no 'files/none.md' in drive/"),
        ("\n/plan.md: 2026-03-02\n", "2: There is no '/plan.md' in drive/. [drive-time] Write 'files/plan.md'."),
        ("people/ben: 2026-03-02\n", "1: There is no 'people/ben' in drive/"),
        ("'': 2026-03-02\n", "1: There is no '' in drive/"),
        ("files/plan.md: soon\n", "1: 'soon' is not a date"),
        ("files/plan.md:\n", "1: 'None' is not a date"),
        ("files/plan.md: 2026-02-30\n", "1: '2026-02-30' is not a date"),
        ("files/plan.md: 2026-03-10\n", "1: '2026-03-10' is after the world's now, 2026-03-09T09:00:00Z"),
        ("files/plan.md: 2026-03-09T09:00:01Z\n", "1: '2026-03-09T09:00:01Z' is after the world's now"),
        ("files/plan.md: 1969-12-31\n", "1: '1969-12-31' is before 1970"),
        ("files/plan.md: {}\n", "1: This time is empty"),
        ("files/plan.md:\n  made: 2026-03-02\n", "2: 'made' means nothing in a time"),
        ("files/plan.md:\n  created: 2026-03-02\n  modified: soon\n", "3: 'soon' is not a date"),
        ("files/plan.md: {modified: 2026-03-02, created: 2026-03-03}\n", "1: This changed before it was made"),
        ("- files/plan.md\n", "1: Times are a mapping of paths to days"),
        ("files: 2026-03-02\nfiles: 2026-03-03\n", "2: This is not valid YAML: the key 'files' stands here twice"),
    ],
)
def test_a_wrong_time_is_named_with_its_line(tmp_path: Path, text: str, expected: str) -> None:
    (found,) = check_world(world(tmp_path, text))
    assert str(found).startswith(f"drive/times.yml:{expected}")


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        ("soon", "'soon' is not a date"),
        ("2026-03-10", "'2026-03-10' is after the world's now"),
        ("2025-12-31", "'2025-12-31' is before what is shared was there"),
    ],
)
def test_a_share_cannot_be_older_than_what_is_shared_or_from_tomorrow(
    tmp_path: Path, since: str, expected: str
) -> None:
    shares = f"- path: /plan.md\n  with: public link\n  since: {since}\n"
    (found,) = check_world(world(tmp_path, "files: 2026-01-12\n", {"drive/shares.yml": shares}))
    assert str(found).startswith(f"drive/shares.yml:3: {expected}")


def test_the_wire_says_the_times_of_files_and_shares(tmp_path: Path) -> None:
    shares = "- path: /plan.md\n  with: public link\n  since: 2026-02-16\n- path: /Orders\n  with: ana\n"
    rules = "files: 2026-01-12\nfiles/Orders/march.csv: 2026-03-05T14:20:00Z\npeople: 2026-03-06\n"
    folder = world(tmp_path / "world", rules, {"drive/shares.yml": shares})
    with serve(build_snapshot(folder, cache=tmp_path / "cache")) as served:
        ana = Client(served.url("drive"), "ana", "pw")
        changed = "Thu, 05 Mar 2026 14:20:00 GMT"
        assert ana.property("/Orders/march.csv", f"{DAV}getlastmodified") == changed
        assert ana.property("/Orders", f"{DAV}getlastmodified") == changed
        assert ana.dav("GET", "/Orders/march.csv").headers["last-modified"] == changed
        assert ana.dav("GET", "/Orders/march.csv", headers={"if-modified-since": changed}).status_code == 304
        company = Client(served.url("drive"), "company", "company-pass")
        listed = company.ocs("GET", "/apps/files_sharing/api/v1/shares")["data"]
        noon = {day: int(datetime(2026, *day, 12, tzinfo=UTC).timestamp()) for day in ((1, 12), (2, 16))}
        found = {(one["path"], one["share_type"]): one["stime"] for one in listed}
        assert found["/plan.md", 3] == noon[2, 16]
        assert found["/Orders", 0] == found["/Empty", 1] == noon[1, 12]


def test_no_file_of_larkspur_is_from_just_now(larkspur: Served) -> None:
    company = Client(larkspur.url("drive"), "larkspur", "admin-of-larkspur-drive")
    now = datetime(2026, 3, 9, 9, tzinfo=UTC)
    for name in company.names("/Finance/Invoices"):
        changed = parsedate_to_datetime(company.property(f"/Finance/Invoices/{name}", f"{DAV}getlastmodified"))
        assert changed < now, name
        assert changed.date().isoformat() >= name[:10], name
