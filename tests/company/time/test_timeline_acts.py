"""What people do by a timeline: every kind of act, as that person, once."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from dayjob.company.acting import Doer
from dayjob.company.company import Company
from dayjob.company.world import Snapshot
from tests.company.time.offices import at_desk, company_of, compiled, run

TIMELINE = """
- {at: day 1 09:30, who: Mara Lind, post: {in: "#launch", text: Tomorrow at ten.}}
- {at: day 1 09:40, who: Mara Lind, edit: {in: "#launch", was: Tomorrow, text: Tomorrow at eleven.}}
- {at: day 1 09:45, who: Mara Lind, post: {in: Omar Diaz, text: Between us.}}
- {at: day 1 09:46, who: Mara Lind, edit: {in: Omar Diaz, was: Between, text: Only between us.}}
- {at: day 1 10:00, who: Omar Diaz, status: away}
- at: day 1 10:10
  who: Omar Diaz
  push:
    project: office/site
    message: Rework
    files:
      README.md: "# New\\n"
      pages/one.md: one
- {at: day 1 10:11, who: Omar Diaz, push: {project: office/site, message: Drop it, files: {pages/one.md: null}}}
- at: day 1 10:12
  who: Omar Diaz
  push: {project: office/site, branch: idea, message: An idea, files: {idea.md: yes it is}}
- at: day 1 10:20
  who: Omar Diaz
  open: {project: office/site, merge_request: An idea, source: idea, reviewers: [Sam Reed], description: Look.}
- {at: day 1 10:21, who: Mara Lind, comment: {project: office/site, merge_request: An idea, text: Nice.}}
- {at: day 1 10:21, who: Mara Lind, review: {project: office/site, merge_request: An idea, text: Shorter please.}}
- {at: day 1 10:21, who: Mara Lind, approve: {project: office/site, merge_request: An idea}}
- {at: day 1 10:21, who: Mara Lind, assign: {project: office/site, merge_request: An idea, assignees: [Omar Diaz]}}
- {at: day 1 10:22, who: Mara Lind, merge: {project: office/site, merge_request: An idea}}
- at: day 1 10:30
  who: Mara Lind
  open: {project: office/site, issue: A second one, labels: [bug], assignees: [Omar Diaz]}
- {at: day 1 10:31, who: Mara Lind, comment: {project: office/site, issue: 1, text: Still there?}}
- {at: day 1 10:32, who: Omar Diaz, close: {project: office/site, issue: 1}}
- {at: day 1 10:33, who: Omar Diaz, close: {project: office/site, issue: A second one}}
- {at: day 1 10:34, who: Omar Diaz, reopen: {project: office/site, issue: 1}}
- {at: day 1 11:00, who: Mara Lind, move: {card: OPS-2, to: Done}}
- {at: day 1 11:00, who: Mara Lind, assign: {card: OPS-2, assignees: [Omar Diaz]}}
- {at: day 1 11:01, who: Omar Diaz, comment: {card: OPS-2, text: "White & <b>dry</b>"}}
- {at: day 1 12:00, who: Mara Lind, upload: {path: /Plans/launch.txt, content: Friday}}
- {at: day 1 12:01, who: Mara Lind, upload: {path: /Plans/seats.csv, file: seats.csv}}
- {at: day 1 12:02, who: Mara Lind, share: {path: /Plans, with: Sam Reed, may: edit}}
- {at: day 1 12:03, who: Mara Lind, share: {path: /Plans/launch.txt, with: Omar Diaz}}
- {at: day 1 12:03, who: Mara Lind, rename: {path: /Plans/seats.csv, to: /Plans/rows.csv}}
- {at: day 1 12:05, who: Mara Lind, channel: {name: party, members: [Omar Diaz], private: true}}
- {at: day 1 12:06, who: Mara Lind, invite: {in: "#party", with: Sam Reed}}
- {at: day 1 12:04, who: Mara Lind, unshare: {path: /Plans/launch.txt, with: Omar Diaz}}
- {at: day 1 12:10, who: Mara Lind, share: {path: /Plans, with: Sam Reed, may: read}}
"""
LINES = 31


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return compiled(tmp_path_factory.mktemp("world") / "office", TIMELINE, **{"timeline/seats.csv": "row,seat\n1,a\n"})


async def seen(company: Company, service: str, path: str, who: str = "sam.reed", **query: Any) -> Any:
    return await Doer(company, who, "company").read(service, path, **query)


def test_every_act_is_done_by_its_person_through_the_services_own_rules(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            await desk.wait(until="13:00")
            assert company.timeline is not None
            assert company.timeline.refused == []
            assert (await desk.said())[-1][1:] == ("mara.lind", "Tomorrow at eleven.")
            between = await seen(company, "chat", "/api/v1/im.list", "omar.diaz")
            assert between["ims"][0]["lastMessage"]["msg"] == "Only between us."
            omar = await seen(company, "chat", "/api/v1/users.info", username="omar.diaz")
            assert omar["user"]["status"] == "away"
            party = await seen(company, "chat", "/api/v1/groups.members", "mara.lind", roomName="party")
            assert {one["username"] for one in party["members"]} == {"mara.lind", "omar.diaz", "sam.reed"}
            await check_forge(company)
            await check_board(company)
            await check_drive(company)
            rows = [row for row in company.journal.changes() if row.role == "timeline"]
            assert {row.service for row in rows} == {"chat", "forge", "board", "drive"}
            assert {row.account for row in rows} == {"mara.lind", "omar.diaz"}
            assert company.changes() == []

    run(work())


async def check_forge(company: Company) -> None:
    site = "/api/v4/projects/office%2Fsite"
    commits = await seen(company, "forge", f"{site}/repository/commits", ref_name="main")
    titles = [(one["title"], one["author_name"], one["created_at"][:16]) for one in commits]
    assert ("Rework", "Omar Diaz", "2026-03-09T10:10") in titles
    tree = await seen(company, "forge", f"{site}/repository/tree", recursive="true")
    assert [one["path"] for one in tree if one["type"] == "blob"] == ["README.md", "idea.md"]
    request = await seen(company, "forge", f"{site}/merge_requests/1")
    assert (request["state"], request["author"]["username"], request["merged_by"]["username"]) == (
        "merged", "omar.diaz", "mara.lind",
    )  # fmt: skip
    assert [one["username"] for one in request["assignees"]] == ["omar.diaz"]
    approvals = await seen(company, "forge", f"{site}/merge_requests/1/approvals")
    assert [one["user"]["username"] for one in approvals["approved_by"]] == ["mara.lind"]
    threads = await seen(company, "forge", f"{site}/merge_requests/1/discussions")
    open_notes = [note["body"] for one in threads for note in one["notes"] if note.get("resolvable")]
    assert open_notes == ["Shorter please."]
    issues = {one["title"]: one for one in await seen(company, "forge", f"{site}/issues", scope="all")}
    assert {title: one["state"] for title, one in issues.items()} == {
        "The door squeaks": "opened", "A second one": "closed",
    }  # fmt: skip
    assert issues["A second one"]["assignees"][0]["username"] == "omar.diaz"
    notes = await seen(company, "forge", f"{site}/issues/1/notes", sort="asc")
    assert "Still there?" in [one["body"] for one in notes]


async def check_board(company: Company) -> None:
    card = await seen(company, "board", "/api/v1/workspaces/office/work-items/OPS-2/", "mara.lind")
    place = f"/api/v1/workspaces/office/projects/{card['project']}"
    states = await seen(company, "board", f"{place}/states/", "mara.lind")
    listed = states["results"] if isinstance(states, dict) else states
    assert {one["id"]: one["name"] for one in listed}[card["state"]] == "Done"
    members = {one["id"]: one["email"] for one in await seen(company, "board", f"{place}/members/", "mara.lind")}
    assert [members[one] for one in card["assignees"]] == ["omar.diaz@office.test"]
    comments = await seen(company, "board", f"{place}/work-items/{card['id']}/comments/", "mara.lind")
    assert comments["results"][0]["comment_html"] == "<p>White &amp; &lt;b&gt;dry&lt;/b&gt;</p>"


async def check_drive(company: Company) -> None:
    from dayjob.company.drive.service import Drive

    drive = company.service("drive")
    assert isinstance(drive, Drive)
    content = {}
    for name in ("launch.txt", "rows.csv"):
        node = drive.tree.get("mara.lind", f"/Plans/{name}")
        assert node is not None
        content[name] = company.blobs.path(str(node.blob)).read_text()
    assert content == {"launch.txt": "Friday", "rows.csv": "row,seat\n1,a\n"}
    (received,) = drive.shares.received("sam.reed")
    assert (received[0].path, received[0].permissions) == ("/Plans", 1)
    assert drive.shares.received("omar.diaz") == []


def test_every_line_happens_once_whatever_is_looked_at_and_waited_for(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            for until in ("09:35", "10:11", "10:11", "10:35"):
                await desk.wait(until=until)
                await desk.said()
            company.begin_time()
            await desk.wait(until="13:00")
            await desk.wait(**{"for": "2d"})
            marks = [mark for name in ("chat", "forge", "board", "drive") for mark in done(company.database(name))]
            assert len(marks) == LINES
            assert [text for _, who, text in await desk.said() if who == "mara.lind"] == [
                "We launch on Thursday.", "Tomorrow at eleven.",
            ]  # fmt: skip

    run(work())


def done(db: sqlite3.Connection) -> list[str]:
    return [mark for (mark,) in db.execute("SELECT mark FROM timeline_done ORDER BY mark")]


def test_what_the_examinee_made_impossible_is_told_and_not_tried_again(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            root = Doer(company, "root", "examinee")
            removed = await root.do("forge", "DELETE", "/api/v4/projects/office%2Fsite")
            assert removed.ok
            await desk.wait(until="10:15")
            assert company.timeline is not None
            assert [one.split(": ")[0] for one in company.timeline.refused] == [
                "timeline.yml:6", "timeline.yml:14", "timeline.yml:15",
            ]  # fmt: skip
            assert company.timeline.refused[0].startswith("timeline.yml:6: omar.diaz could not push: omar.diaz sees no")
            await desk.wait(until="10:16")
            assert len(company.timeline.refused) == 3

    run(work())


def test_what_the_drive_refuses_is_a_note_of_one_sentence(tmp_path: Path) -> None:
    line = "- {at: day 1 10:00, who: Mara Lind, rename: {path: /Plans/launch.txt, to: /Plans/when.txt}}"

    async def work() -> None:
        company = company_of(compiled(tmp_path / "office", line))
        async with at_desk(company) as desk:
            mara = Doer(company, "mara.lind", "examinee")
            assert (await mara.do("drive", "PUT", "/remote.php/webdav/Plans/when.txt", raw=b"x")).ok
            await desk.wait(until="11:00")
            assert company.timeline is not None
            (note,) = company.timeline.refused
            assert note.startswith("timeline.yml:1: mara.lind could not rename: 412 ")
            assert "\n" not in note
            assert "<" not in note

    run(work())


def test_a_service_that_is_put_back_to_its_start_is_brought_up_to_the_clock_again(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            await desk.wait(until="09:35")
            before = await desk.said()
            company.reset("chat")
            await desk.sign_in()
            after = await desk.said()
            assert [one[1:] for one in after] == [one[1:] for one in before]
            assert done(company.database("chat")) == ["line 1"]

    run(work())


EVENTS = """
- id: first
  after: {message: {in: "#launch", by: Sam Reed, saying: "done|finished"}}
  delay: 20m
  who: Mara Lind
  post: {in: "#launch", text: Thanks.}
- {after: first, who: Omar Diaz, post: {in: "#launch", text: Me too.}}
- after: {message: {in: Mara Lind, by: Sam Reed}}
  who: Mara Lind
  post: {in: Sam Reed, text: I am here.}
- {after: {issue: {project: office/site, title: help}}, delay: 1h, who: Omar Diaz, post: {in: "#launch", text: Coming.}}
- {after: {file: {path: report.txt}}, who: Mara Lind, post: {in: "#launch", text: I see the report.}}
- {after: {push: {project: office/site}}, who: Mara Lind, post: {in: "#launch", text: Somebody pushed.}}
"""


def test_what_follows_an_event_comes_its_delay_later_and_once(tmp_path: Path) -> None:
    snapshot = compiled(tmp_path / "office", EVENTS)

    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            await desk.post("#launch", "not yet")
            await desk.wait(**{"for": "1h"})
            assert len(await desk.said()) == 2
            await desk.post("#launch", "It is done.")
            await desk.post("#launch", "It is finished.")
            await desk.post("@mara.lind", "hello?")
            await desk.wait(**{"for": "19m"})
            assert [text for *_, text in await desk.said()][-1] == "It is finished."
            await desk.wait(**{"for": "2h"})
            assert [text for *_, text in await desk.said()][4:] == ["Thanks.", "Me too."]
            sam = Doer(company, "sam.reed", "examinee")
            issue = await sam.do("forge", "POST", "/api/v4/projects/office%2Fsite/issues", {"title": "I need help"})
            assert issue.ok
            assert (await sam.do("drive", "PUT", "/remote.php/webdav/report.txt", raw=b"all fine")).ok
            body = {"branch": "b", "start_branch": "main", "commit_message": "x", "actions": [
                {"action": "create", "file_path": "x", "content": "x"}]}  # fmt: skip
            pushed = await sam.do("forge", "POST", "/api/v4/projects/office%2Fsite/repository/commits", body)
            assert pushed.ok
            await desk.wait(**{"for": "1d"})
            assert [text for *_, text in await desk.said()][6:] == ["I see the report.", "Somebody pushed.", "Coming."]
            direct = await seen(company, "chat", "/api/v1/im.list")
            assert direct["ims"][0]["lastMessage"]["msg"] == "I am here."

    run(work())
