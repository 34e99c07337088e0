"""Comments, links and relations around an item, and what is brought from outside."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.board.rows import Comment, Link, Project
from dayjob.company.board.store import cycles, modules, talk
from tests.company.board.offices import Office, refused, told


def test_comments_and_links_leave_their_lines(office: Office, project: Project) -> None:
    item, other = office.item(project), office.item(project)
    made = talk.add_comment(office.store, item, {"comment_html": "<p>hi <script>x</script></p>"})
    comment = talk.comment(office.db, item.id, made)
    assert isinstance(comment, Comment)
    assert "script" not in comment.comment_html
    assert office.db.execute("SELECT trim(comment_stripped) FROM comments").fetchone() == ("hi",)
    assert refused(talk.comment, office.db, other.id, made)
    talk.edit_comment(office.store, item, comment, {"comment_html": comment.comment_html})
    talk.edit_comment(office.store, item, comment, {"comment_html": "<p>ho</p>"})
    talk.remove_comment(office.store, item, comment)
    link = talk.link(office.db, item.id, talk.add_link(office.store, item, {"url": "http://a.test"}))
    assert isinstance(link, Link)
    assert refused(talk.add_link, office.store, item, {"url": "http://a.test"})
    talk.add_link(office.store, other, {"url": "http://a.test"})
    second = talk.link(office.db, item.id, talk.add_link(office.store, item, {"url": "http://b.test"}))
    assert refused(talk.edit_link, office.store, item, second, {"url": "http://a.test"})
    talk.edit_link(office.store, item, second, {"url": "http://b.test", "title": "B"})
    talk.edit_link(office.store, item, second, {"url": "http://c.test"})
    talk.remove_link(office.store, item, link)
    assert [one[0] for one in told(office, item)] == [None, *["comment"] * 3, *["link"] * 4]
    assert refused(talk.link, office.db, item.id, link.id)


SIDES = [  # how a relation reads from either side
    ("blocked_by", "blocking"), ("blocking", "blocked_by"), ("relates_to", "relates_to"), ("duplicate", "duplicate"),
    ("start_before", "start_after"), ("start_after", "start_before"), ("finish_before", "finish_after"),
    ("finish_after", "finish_before"), ("implemented_by", "implements"), ("implements", "implemented_by"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "inverse"), SIDES)
def test_a_relation_reads_the_other_way_round_from_the_other_side(
    office: Office, project: Project, kind: str, inverse: str
) -> None:
    assert set(talk.RELATIONS) == {name for name, _ in SIDES}
    item, other = office.item(project), office.item(project)
    assert [one.id for one in talk.relate(office.store, item, kind, [other.id, other.id, item.id, "none"])] == [
        other.id
    ]
    talk.relate(office.store, other, "relates_to", [item.id])
    assert {name: ids for name, ids in talk.relations(office.db, item.id).items() if ids} == {kind: [other.id]}
    assert {name: ids for name, ids in talk.relations(office.db, other.id).items() if ids} == {inverse: [item.id]}
    assert told(office, item)[1:] == [(kind, "", "GARDE-2")]
    assert told(office, other)[1:] == [(inverse, "", "GARDE-1")]
    talk.unrelate(office.store, other, item.id)
    assert told(office, item)[2:] == [(kind, "GARDE-2", "")]
    assert told(office, other)[2:] == [(inverse, "GARDE-1", "")]
    assert refused(talk.unrelate, office.store, other, item.id)


@pytest.mark.parametrize("table", ["comments", "cycles", "modules"])
def test_what_was_brought_from_outside_is_brought_once(office: Office, project: Project, table: str) -> None:
    item = office.item(project)
    other = office.project("Other", cycle_view=True)
    elsewhere = office.item(other)
    make: Any = {
        "comments": lambda place, facts: talk.add_comment(office.store, elsewhere if place is other else item, facts),
        "cycles": lambda place, facts: cycles.create(office.store, place, {"name": "x", **facts}),
        "modules": lambda place, facts: modules.create(office.store, place, {"name": str(facts), **facts}),
    }[table]
    facts = {"external_source": "jira", "external_id": "1"}
    make(project, facts)
    assert refused(make, project, facts)
    for place, changed in ((project, {"external_id": "2"}), (project, {"external_source": "hub"}), (other, {})):
        assert not refused(make, place, {**facts, **changed}), changed
