"""What gathers around an item: comments, links, relations to other items, files."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from dayjob.company.board import markup
from dayjob.company.board.ledger import Ledger
from dayjob.company.board.records import Attachment, Comment, Item, Link, Relation
from dayjob.company.board.refusals import Invalid, NotThere
from dayjob.company.board.rows import by_id, find, first, insert, update
from dayjob.company.board.store import items as item_store
from dayjob.company.board.store import outside
from dayjob.company.board.store.activity import note

# -- comments ----------------------------------------------------------------------------------------------------


def comment(db: sqlite3.Connection, item: str, id: str) -> Comment:
    found = first(db, Comment, "WHERE id = ? AND issue = ?", (id, item))
    if found is None:
        raise NotThere
    return found


def add_comment(ledger: Ledger, item: Item, facts: dict[str, Any]) -> str:
    """A new comment; `created_by` and `created_at` may say whose and when, as importers do."""
    db = ledger.db
    outside.refuse_second(db, "comments", "Work item comment", item.project, facts)
    values = {
        **ledger.birth(), "workspace": item.workspace, "project": item.project, "issue": item.id, **_written(facts),
    }  # fmt: skip
    values["actor"] = values["created_by"]
    insert(db, "comments", values)
    id, text = str(values["id"]), values.get("comment_html", "<p></p>")
    note(
        ledger, item, "created a comment", verb="created", field="comment", new=text, new_id=id, issue_comment=id,
        actor=values["actor"],
    )  # fmt: skip
    return id


def edit_comment(ledger: Ledger, item: Item, comment: Comment, facts: dict[str, Any]) -> None:
    outside.refuse_clash(ledger.db, "comments", "Work item comment", item.project, comment, facts)
    values = {**_written(facts), **ledger.touch()}
    if values.get("comment_html", comment.comment_html) != comment.comment_html:
        values["edited_at"] = ledger.now
        note(
            ledger, item, "updated a comment", field="comment", old=comment.comment_html, new=values["comment_html"],
            old_id=comment.id, new_id=comment.id, issue_comment=comment.id,
        )  # fmt: skip
    update(ledger.db, "comments", comment.id, values)


def remove_comment(ledger: Ledger, item: Item, comment: Comment) -> None:
    ledger.db.execute("DELETE FROM comments WHERE id = ?", (comment.id,))
    note(ledger, item, "deleted the comment", verb="deleted", field="comment")


def _written(facts: dict[str, Any]) -> dict[str, Any]:
    facts = dict(facts)
    if "comment_html" in facts:
        facts["comment_html"] = markup.clean(facts["comment_html"])
        facts["comment_stripped"] = markup.plain(facts["comment_html"])
    return facts


# -- links -------------------------------------------------------------------------------------------------------


def link(db: sqlite3.Connection, item: str, id: str) -> Link:
    found = first(db, Link, "WHERE id = ? AND issue = ?", (id, item))
    if found is None:
        raise NotThere
    return found


def add_link(ledger: Ledger, item: Item, facts: dict[str, Any]) -> str:
    _refuse_same_url(ledger.db, item, facts["url"], None)
    values = {**ledger.birth(), "workspace": item.workspace, "project": item.project, "issue": item.id, **facts}
    insert(ledger.db, "links", values)
    id = str(values["id"])
    note(ledger, item, "created a link", verb="created", field="link", new=facts["url"], new_id=id)
    return id


def edit_link(ledger: Ledger, item: Item, link: Link, facts: dict[str, Any]) -> None:
    if "url" in facts:
        _refuse_same_url(ledger.db, item, facts["url"], link.id)
        if facts["url"] != link.url:
            note(
                ledger, item, "updated a link", field="link", old=link.url, new=facts["url"], old_id=link.id,
                new_id=link.id,
            )  # fmt: skip
    update(ledger.db, "links", link.id, {**facts, **ledger.touch()})


def remove_link(ledger: Ledger, item: Item, link: Link) -> None:
    ledger.db.execute("DELETE FROM links WHERE id = ?", (link.id,))
    note(ledger, item, "deleted the link", verb="deleted", field="link", old=link.url, new="")


def _refuse_same_url(db: sqlite3.Connection, item: Item, url: str, own: str | None) -> None:
    same = first(db, Link, "WHERE issue = ? AND url = ?", (item.id, url))
    if same is not None and same.id != own:
        raise Invalid({"error": "URL already exists for this Issue"})


# -- relations ---------------------------------------------------------------------------------------------------

# How each relation reads from the other side. The left one of a pair is what is stored.
_PAIRS = (
    ("blocked_by", "blocking"),
    ("relates_to", "relates_to"),
    ("duplicate", "duplicate"),
    ("start_before", "start_after"),
    ("finish_before", "finish_after"),
    ("implemented_by", "implements"),
)
INVERSE = {**dict(_PAIRS), **{right: left for left, right in _PAIRS}}
RELATIONS = tuple(INVERSE)
_STORED = frozenset(left for left, _ in _PAIRS)


def relate(ledger: Ledger, item: Item, kind: str, others: Sequence[str]) -> list[Item]:
    """Relate an item to others of its workspace; two items have one relation at most, the first."""
    db, related = ledger.db, []
    for id in dict.fromkeys(others):
        other = by_id(db, Item, id)
        if other is None or other.workspace != item.workspace or other.id == item.id:
            continue
        related.append(other)
        if relation_between(db, item.id, other.id):
            continue
        left, right, stored = (item, other, kind) if kind in _STORED else (other, item, INVERSE[kind])
        values = {**ledger.birth(), "workspace": item.workspace, "project": item.project, "issue": left.id}
        insert(db, "relations", {**values, "related_issue": right.id, "relation_type": stored})
        for one, end, word in ((item, other, kind), (other, item, INVERSE[kind])):
            name = item_store.named(db, end)
            note(ledger, one, f"added {word} relation", field=word, old="", new=name, old_id=one.id, new_id=end.id)
    return related


def relation_between(db: sqlite3.Connection, one: str, other: str) -> list[Relation]:
    return find(
        db,
        Relation,
        "WHERE (issue = ? AND related_issue = ?) OR (issue = ? AND related_issue = ?)",
        (one, other, other, one),
    )


def unrelate(ledger: Ledger, item: Item, other: str) -> None:
    db = ledger.db
    found = relation_between(db, item.id, other)
    if not found:
        raise NotThere
    for relation in found:
        db.execute("DELETE FROM relations WHERE id = ?", (relation.id,))
        kind = relation.relation_type if relation.issue == item.id else INVERSE[relation.relation_type]
        end = by_id(db, Item, other)
        for one, far, word in ((item, end, kind), (end, item, INVERSE[kind])):
            if one is not None and far is not None:
                name = item_store.named(db, far)
                note(
                    ledger, one, f"deleted {word} relation", verb="deleted", field=word, old=name, new="",
                    old_id=far.id,
                )  # fmt: skip


def relations(db: sqlite3.Connection, item: str) -> dict[str, list[str]]:
    """The ids of related items, by how the relation reads from this one."""
    found: dict[str, list[str]] = {kind: [] for kind in RELATIONS}
    for one in find(db, Relation, "WHERE issue = ? OR related_issue = ? ORDER BY created_at DESC", (item, item)):
        if one.issue == item:
            found[one.relation_type].append(one.related_issue)
        else:
            found[INVERSE[one.relation_type]].append(one.issue)
    return found


# -- files -------------------------------------------------------------------------------------------------------


def attachment(db: sqlite3.Connection, project: str, id: str) -> Attachment:
    found = first(db, Attachment, "WHERE id = ? AND project = ?", (id, project))
    if found is None:
        raise NotThere
    return found


def announce_attachment(ledger: Ledger, item: Item, facts: dict[str, Any]) -> Attachment:
    """A file that is about to be uploaded."""
    outside.refuse_second(ledger.db, "attachments", "Issue", item.project, facts)
    name = facts["attributes"]["name"]
    asset = f"{item.workspace}/{ledger.ids.hex()}-{name}"
    values = {
        **ledger.birth(), "workspace": item.workspace, "project": item.project, "issue": item.id, "asset": asset,
        **facts,
    }  # fmt: skip
    insert(ledger.db, "attachments", values)
    made = by_id(ledger.db, Attachment, str(values["id"]))
    assert made is not None
    return made


def confirm_attachment(ledger: Ledger, item: Item, attachment: Attachment) -> None:
    if not attachment.is_uploaded:
        update(ledger.db, "attachments", attachment.id, {"is_uploaded": True, **ledger.touch()})
        note(
            ledger, item, "created an attachment", verb="created", field="attachment", new=attachment.asset,
            new_id=attachment.id,
        )  # fmt: skip


def remove_attachment(ledger: Ledger, item: Item, attachment: Attachment) -> None:
    ledger.db.execute("DELETE FROM attachments WHERE id = ?", (attachment.id,))
    note(ledger, item, "deleted the attachment", verb="deleted", field="attachment")
