"""An item's history, whole: each change leaves one line, and says who changed what from what to what."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from dayjob.company.board.rows import Estimate, EstimatePoint, Item, Project
from dayjob.company.board.store import cycles, intake, items, modules, plain, projects, talk
from dayjob.company.clock import moment
from tests.company.bare import NOW, day
from tests.company.board.offices import MEMBER, Office, states

Line = tuple[str, str | None, str | None, str | None, str | None, str | None, str]


class Desk:
    """An item, `Weeds`, and things to do something with."""

    def __init__(self, office: Office, project: Project) -> None:
        self.office, self.store, self.project = office, office.store, project
        self.ann = office.person("ann", MEMBER)
        office.join(project, self.ann, MEMBER)
        self.label = projects.add_label(self.store, "w", project.id, {"name": "bug"})
        self.item, self.other = office.item(project), office.item(project, "Other")
        self.todo, self.done = (states(office, project)[name].id for name in ("Todo", "Done"))
        self.cycle = self.new_cycle("March")
        self.module = modules.module(
            office.db, project.id, modules.create(self.store, project, {"name": "Beds", "status": "planned"})
        )
        place = {"workspace": "w", "project": project.id}
        estimate = plain.add(self.store, Estimate, {**place, "name": "Size"})
        self.points = [
            plain.add(self.store, EstimatePoint, {**place, "estimate": estimate.id, "key": key, "value": value}).id
            for key, value in ((1, "S"), (2, "M"))
        ]

    def new_cycle(self, name: str) -> Any:
        return cycles.cycle(self.office.db, self.project.id, cycles.create(self.store, self.project, {"name": name}))

    def edit(self, **facts: Any) -> None:
        items.edit(self.store, self.project, self.now(), facts)

    def now(self) -> Item:
        return items.item(self.office.db, self.project.id, self.item.id)

    def lines(self, item: Item | None = None) -> list[Line]:
        rows = self.office.db.execute(
            "SELECT verb, field, old_value, new_value, old_identifier, new_identifier, comment FROM activities"
            " WHERE issue = ? ORDER BY rowid",
            ((item or self.item).id,),
        )
        return rows.fetchall()

    def after(self, do: Callable[[], Any], item: Item | None = None) -> list[Line]:
        """The lines that doing something adds."""
        before = len(self.lines(item))
        do()
        return self.lines(item)[before:]


@pytest.fixture
def desk(office: Office, project: Project) -> Desk:
    return Desk(office, project)


def test_a_line_says_when_where_and_who(desk: Desk) -> None:
    talk.add_comment(desk.store, desk.item, {"comment_html": "<p>hi</p>", "created_by": desk.ann.id})
    rows = desk.office.db.execute(
        "SELECT workspace, project, actor, created_at, updated_at, epoch, issue_comment FROM activities"
        " WHERE issue = ? ORDER BY rowid",
        (desk.item.id,),
    ).fetchall()
    written = desk.office.db.execute("SELECT id, actor FROM comments").fetchone()
    assert written[1] == desk.ann.id
    now, epoch = desk.store.now, int(NOW.timestamp())
    assert moment(now) == NOW
    assert rows == [
        ("w", desk.project.id, desk.office.root.id, now, now, epoch, None),
        ("w", desk.project.id, desk.ann.id, now, now, epoch, written[0]),
    ]


PLAIN = [
    ({"name": "Roots"}, "name", "Weeds", "Roots", "updated the name to"),
    ({"priority": "high"}, "priority", "none", "high", "updated the priority to"),
    ({"start_date": day(0)}, "start_date", "", day(0), "updated the start date to"),
    ({"target_date": day(1)}, "target_date", "", day(1), "updated the target date to"),
    ({"description_html": "<p>a</p>"}, "description", "<p></p>", "<p>a</p>", "updated the description to"),
]


@pytest.mark.parametrize(("facts", "field", "old", "new", "words"), PLAIN, ids=[one[1] for one in PLAIN])
def test_a_changed_field_is_told_once(
    desk: Desk, facts: dict[str, Any], field: str, old: str, new: str, words: str
) -> None:
    assert desk.after(lambda: desk.edit(**facts)) == [("updated", field, old, new, None, None, words)]
    assert desk.after(lambda: desk.edit(**facts)) == []


def test_dates_that_are_taken_away_are_told(desk: Desk) -> None:
    desk.edit(start_date=day(0), target_date=day(1))
    assert [line[1:4] for line in desk.after(lambda: desk.edit(start_date=None, target_date=None))] == [
        ("start_date", day(0), ""), ("target_date", day(1), ""),
    ]  # fmt: skip


def test_what_an_item_is_given_by_id_is_told_by_name_and_id(desk: Desk) -> None:
    before = desk.now().state
    small, middle = desk.points
    ann, label = desk.ann.id, desk.label
    for facts, line in (
        ({"state": desk.done}, ("state", "Backlog", "Done", before, desk.done, "updated the state to")),
        ({"parent": desk.other.id}, ("parent", "", "GARDE-2", None, desk.other.id, "updated the parent issue to")),
        ({"parent": None}, ("parent", "GARDE-2", "", desk.other.id, None, "updated the parent issue to")),
        ({"estimate_point": small}, ("estimate_point", "", "S", None, small, "updated the estimate point to ")),
        ({"estimate_point": middle}, ("estimate_point", "S", "M", small, middle, "updated the estimate point to ")),
        ({"estimate_point": None}, ("estimate_point", "M", "", middle, None, "updated the estimate point to ")),
        ({"assignees": [ann]}, ("assignees", "", "ann", None, ann, "added assignee ")),
        ({"assignees": []}, ("assignees", "ann", "", ann, None, "removed assignee ")),
        ({"labels": [label]}, ("labels", "", "bug", None, label, "added label ")),
        ({"labels": []}, ("labels", "bug", "", label, None, "removed label ")),
    ):
        assert desk.after(partial(desk.edit, **facts)) == [("updated", *line)], facts


def test_a_new_item_tells_of_whom_and_what_it_was_given(desk: Desk) -> None:
    given = desk.office.item(desk.project, assignees=[desk.ann.id], labels=[desk.label])
    assert desk.lines(given) == [
        ("created", None, None, None, None, None, "created the issue"),
        ("updated", "assignees", "", "ann", None, desk.ann.id, "added assignee "),
        ("updated", "labels", "", "bug", None, desk.label, "added label "),
    ]
    quiet = items.create(desk.store, desk.project, {"name": "x"}, history=False)
    assert desk.lines(items.item(desk.office.db, desk.project.id, quiet)) == []


def test_putting_away_and_bringing_back_is_told(desk: Desk) -> None:
    desk.edit(state=desk.done)
    assert desk.after(lambda: items.archive(desk.store, desk.now(), on=True)) == [
        ("updated", "archived_at", None, "archive", None, None, "archived the issue")
    ]
    assert desk.after(lambda: items.archive(desk.store, desk.now(), on=False)) == [
        ("updated", "archived_at", "archive", "restore", None, None, "restored the issue")
    ]
    assert desk.after(lambda: desk.edit(archived_at=day(0))) == [
        ("updated", "archived_at", None, "archive", None, None, "archived the issue")
    ]
    assert desk.after(lambda: desk.edit(archived_at=None)) == [
        ("updated", "archived_at", None, "restore", None, None, "restored the issue")
    ]


def test_cycles_are_told(desk: Desk) -> None:
    march, april = desk.cycle, desk.new_cycle("April")
    assert desk.after(lambda: cycles.put(desk.store, march, [desk.item.id, desk.item.id])) == [
        ("created", "cycles", "", "March", None, march.id, "added cycle March")
    ]
    assert desk.after(lambda: cycles.put(desk.store, april, [desk.item.id])) == [
        ("updated", "cycles", "March", "April", march.id, april.id, "updated cycle from March to April")
    ]
    left = ("deleted", "cycles", "April", "", april.id, None, "removed this issue from April")
    assert desk.after(lambda: cycles.take_out(desk.store, april, desk.item.id)) == [left]
    cycles.put(desk.store, april, [desk.item.id])
    assert desk.after(lambda: cycles.delete(desk.store, april)) == [left]


def test_modules_are_told(desk: Desk) -> None:
    beds = desk.module
    left = ("deleted", "modules", "Beds", "", beds.id, None, "removed this issue from Beds")
    assert desk.after(lambda: modules.put(desk.store, beds, [desk.item.id, desk.item.id])) == [
        ("created", "modules", "", "Beds", None, beds.id, "added module Beds")
    ]
    assert desk.after(lambda: modules.put(desk.store, beds, [desk.item.id])) == []
    assert desk.after(lambda: modules.take_out(desk.store, beds, desk.item.id)) == [left]
    modules.put(desk.store, beds, [desk.item.id])
    assert desk.after(lambda: modules.delete(desk.store, beds)) == [left]


def test_comments_are_told(desk: Desk) -> None:
    [line] = desk.after(lambda: talk.add_comment(desk.store, desk.item, {"comment_html": "<p>a</p>"}))
    id = line[5]
    assert id is not None
    assert line == ("created", "comment", None, "<p>a</p>", None, id, "created a comment")
    comment = talk.comment(desk.office.db, desk.item.id, id)
    assert comment.edited_at is None
    assert desk.after(lambda: talk.edit_comment(desk.store, desk.item, comment, {"access": "EXTERNAL"})) == []
    assert talk.comment(desk.office.db, desk.item.id, id).edited_at is None
    assert desk.after(lambda: talk.edit_comment(desk.store, desk.item, comment, {"comment_html": "<p>b</p>"})) == [
        ("updated", "comment", "<p>a</p>", "<p>b</p>", id, id, "updated a comment")
    ]
    edited = talk.comment(desk.office.db, desk.item.id, id)
    assert (edited.comment_html, edited.edited_at) == ("<p>b</p>", desk.store.now)
    assert desk.office.db.execute("SELECT trim(comment_stripped) FROM comments").fetchone() == ("b",)
    about = "SELECT count(*) FROM activities WHERE issue_comment = ?"
    assert desk.office.db.execute(about, (id,)).fetchone() == (2,)
    assert desk.after(lambda: talk.remove_comment(desk.store, desk.item, comment)) == [
        ("deleted", "comment", None, None, None, None, "deleted the comment")
    ]
    assert desk.office.db.execute("SELECT count(*) FROM comments").fetchone() == (0,)


def test_links_are_told(desk: Desk) -> None:
    [line] = desk.after(lambda: talk.add_link(desk.store, desk.item, {"url": "http://a.test", "title": "A"}))
    id = line[5]
    assert id is not None
    assert line == ("created", "link", None, "http://a.test", None, id, "created a link")
    link = talk.link(desk.office.db, desk.item.id, id)
    assert desk.after(lambda: talk.edit_link(desk.store, desk.item, link, {"title": "B"})) == []
    assert talk.link(desk.office.db, desk.item.id, id).title == "B"
    assert desk.after(lambda: talk.edit_link(desk.store, desk.item, link, {"url": "http://b.test"})) == [
        ("updated", "link", "http://a.test", "http://b.test", id, id, "updated a link")
    ]
    assert desk.after(lambda: talk.remove_link(desk.store, desk.item, link)) == [
        ("deleted", "link", "http://a.test", "", None, None, "deleted the link")
    ]


def test_relations_are_told_on_both_sides(desk: Desk) -> None:
    item, other = desk.item, desk.other

    def relate() -> None:
        talk.relate(desk.store, item, "blocking", [other.id])

    assert desk.after(relate, item) == [
        ("updated", "blocking", "", "GARDE-2", item.id, other.id, "added blocking relation")
    ]
    assert desk.lines(other)[-1] == (
        "updated", "blocked_by", "", "GARDE-1", other.id, item.id, "added blocked_by relation",
    )  # fmt: skip
    assert desk.after(lambda: talk.unrelate(desk.store, item, other.id)) == [
        ("deleted", "blocking", "GARDE-2", "", other.id, None, "deleted blocking relation")
    ]
    assert desk.lines(other)[-1] == (
        "deleted", "blocked_by", "GARDE-1", "", item.id, None, "deleted blocked_by relation",
    )  # fmt: skip


def test_files_are_told_when_they_have_come_and_when_they_go(desk: Desk) -> None:
    facts = {"attributes": {"name": "plan.txt", "size": 3, "type": "text/plain"}, "size": 3}
    made = talk.announce_attachment(desk.store, desk.item, facts)
    assert made.asset.startswith("w/")
    assert made.asset.endswith("-plan.txt")
    assert not made.is_uploaded
    assert desk.after(lambda: talk.confirm_attachment(desk.store, desk.item, made)) == [
        ("created", "attachment", None, made.asset, None, made.id, "created an attachment")
    ]
    there = talk.attachment(desk.office.db, desk.project.id, made.id)
    assert there.is_uploaded
    assert desk.after(lambda: talk.confirm_attachment(desk.store, desk.item, there)) == []
    assert desk.after(lambda: talk.remove_attachment(desk.store, desk.item, there)) == [
        ("deleted", "attachment", None, None, None, None, "deleted the attachment")
    ]
    assert desk.office.db.execute("SELECT count(*) FROM attachments").fetchone() == (0,)


def test_a_decision_on_a_suggestion_is_told_after_the_move_it_makes(desk: Desk) -> None:
    project = desk.office.project("In", intake_view=True)
    waiting = intake.suggest(desk.store, project, {"name": "Fence"})
    item = items.item(desk.office.db, project.id, waiting.issue)
    lines = desk.after(lambda: intake.decide(desk.store, project, waiting, {"status": intake.REJECTED}), item)
    assert [line[:4] for line in lines] == [
        ("updated", "state", "Triage", "Cancelled"), ("-1", "intake", "Pending", "Rejected"),
    ]  # fmt: skip
    assert lines[1][4:] == (None, None, "updated the intake status")
