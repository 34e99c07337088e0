"""What gathers around an item: comments, links, relations to other items, files."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from dayjob.company.board import markup
from dayjob.company.board.errors import Invalid, NotThere
from dayjob.company.board.rows import Attachment, Comment, Item, Link, Relation
from dayjob.company.board.store import items as item_store
from dayjob.company.board.store import outside
from dayjob.company.board.store.activity import note
from dayjob.company.board.store.base import Store, required
from dayjob.company.board.store.lists import Listing, by
from dayjob.company.rows import by_id, find, first, insert, update

# -- comments ----------------------------------------------------------------------------------------------------


def comment(db: sqlite3.Connection, item: str, id: str) -> Comment:
    return required(db, Comment, "WHERE id = ? AND issue = ?", (id, item))


def comments(item: str) -> Listing[Comment]:
    return Listing(Comment, "issue = ?", (item,), by("created_at", "updated_at"))


def add_comment(store: Store, item: Item, facts: dict[str, Any]) -> str:
    """A new comment; `created_by` and `created_at` may say whose and when, as importers do."""
    db = store.db
    outside.refuse_second(db, "comments", "Work item comment", item.project, facts)
    values = {
        **store.birth(), "workspace": item.workspace, "project": item.project, "issue": item.id, **_written(facts),
    }  # fmt: skip
    values["actor"] = values["created_by"]
    insert(db, "comments", values)
    id, text = str(values["id"]), values.get("comment_html", "<p></p>")
    note(
        store, item, "created a comment", verb="created", field="comment", new=text, new_id=id, issue_comment=id,
        actor=values["actor"],
    )  # fmt: skip
    return id


def edit_comment(store: Store, item: Item, comment: Comment, facts: dict[str, Any]) -> None:
    outside.refuse_clash(store.db, "comments", "Work item comment", item.project, comment, facts)
    values = {**_written(facts), **store.touch()}
    if values.get("comment_html", comment.comment_html) != comment.comment_html:
        values["edited_at"] = store.now
        note(
            store, item, "updated a comment", field="comment", old=comment.comment_html, new=values["comment_html"],
            old_id=comment.id, new_id=comment.id, issue_comment=comment.id,
        )  # fmt: skip
    update(store.db, "comments", comment.id, values)


def remove_comment(store: Store, item: Item, comment: Comment) -> None:
    store.db.execute("DELETE FROM comments WHERE id = ?", (comment.id,))
    note(store, item, "deleted the comment", verb="deleted", field="comment")


def _written(facts: dict[str, Any]) -> dict[str, Any]:
    facts = dict(facts)
    if "comment_html" in facts:
        facts["comment_html"] = markup.clean(facts["comment_html"])
        facts["comment_stripped"] = markup.plain(facts["comment_html"])
    return facts


# -- links -------------------------------------------------------------------------------------------------------


def link(db: sqlite3.Connection, item: str, id: str) -> Link:
    return required(db, Link, "WHERE id = ? AND issue = ?", (id, item))


def links(item: str) -> Listing[Link]:
    return Listing(Link, "issue = ?", (item,), by("created_at", "updated_at"))


def add_link(store: Store, item: Item, facts: dict[str, Any]) -> str:
    _refuse_same_url(store.db, item, facts["url"], None)
    values = {**store.birth(), "workspace": item.workspace, "project": item.project, "issue": item.id, **facts}
    insert(store.db, "links", values)
    id = str(values["id"])
    note(store, item, "created a link", verb="created", field="link", new=facts["url"], new_id=id)
    return id


def edit_link(store: Store, item: Item, link: Link, facts: dict[str, Any]) -> None:
    if "url" in facts:
        _refuse_same_url(store.db, item, facts["url"], link.id)
        if facts["url"] != link.url:
            note(
                store, item, "updated a link", field="link", old=link.url, new=facts["url"], old_id=link.id,
                new_id=link.id,
            )  # fmt: skip
    update(store.db, "links", link.id, {**facts, **store.touch()})


def remove_link(store: Store, item: Item, link: Link) -> None:
    store.db.execute("DELETE FROM links WHERE id = ?", (link.id,))
    note(store, item, "deleted the link", verb="deleted", field="link", old=link.url, new="")


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


def relate(store: Store, item: Item, kind: str, others: Sequence[str]) -> list[Item]:
    """Relate an item to others of its workspace; two items have one relation at most, the first."""
    db, related = store.db, []
    for id in dict.fromkeys(others):
        other = by_id(db, Item, id)
        if other is None or other.workspace != item.workspace or other.id == item.id:
            continue
        related.append(other)
        if relation_between(db, item.id, other.id):
            continue
        left, right, stored = (item, other, kind) if kind in _STORED else (other, item, INVERSE[kind])
        values = {**store.birth(), "workspace": item.workspace, "project": item.project, "issue": left.id}
        insert(db, "relations", {**values, "related_issue": right.id, "relation_type": stored})
        for one, end, word in ((item, other, kind), (other, item, INVERSE[kind])):
            name = item_store.named(db, end)
            note(store, one, f"added {word} relation", field=word, old="", new=name, old_id=one.id, new_id=end.id)
    return related


def relation_between(db: sqlite3.Connection, one: str, other: str) -> list[Relation]:
    return find(
        db,
        Relation,
        "WHERE (issue = ? AND related_issue = ?) OR (issue = ? AND related_issue = ?)",
        (one, other, other, one),
    )


def unrelate(store: Store, item: Item, other: str) -> None:
    db = store.db
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
                    store, one, f"deleted {word} relation", verb="deleted", field=word, old=name, new="",
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
    return required(db, Attachment, "WHERE id = ? AND project = ?", (id, project))


def attachments(item: str) -> Listing[Attachment]:
    """The files of an item that were sent."""
    return Listing(Attachment, "issue = ? AND is_uploaded", (item,), by("created_at"))


def attachment_at(db: sqlite3.Connection, asset: str) -> Attachment | None:
    """The file that lies under this name in the file store."""
    return first(db, Attachment, "WHERE asset = ?", (asset,))


def keep_content(db: sqlite3.Connection, asset: str, blob: str) -> None:
    """Say where the content is that was sent for a file."""
    db.execute("UPDATE attachments SET blob = ? WHERE asset = ?", (blob, asset))


def announce_attachment(store: Store, item: Item, facts: dict[str, Any]) -> Attachment:
    """A file that is about to be uploaded."""
    outside.refuse_second(store.db, "attachments", "Issue", item.project, facts)
    name = facts["attributes"]["name"]
    asset = f"{item.workspace}/{store.ids.hex()}-{name}"
    values = {
        **store.birth(), "workspace": item.workspace, "project": item.project, "issue": item.id, "asset": asset,
        **facts,
    }  # fmt: skip
    insert(store.db, "attachments", values)
    made = by_id(store.db, Attachment, str(values["id"]))
    assert made is not None
    return made


def confirm_attachment(store: Store, item: Item, attachment: Attachment) -> None:
    if not attachment.is_uploaded:
        update(store.db, "attachments", attachment.id, {"is_uploaded": True, **store.touch()})
        note(
            store, item, "created an attachment", verb="created", field="attachment", new=attachment.asset,
            new_id=attachment.id,
        )  # fmt: skip


def remove_attachment(store: Store, item: Item, attachment: Attachment) -> None:
    store.db.execute("DELETE FROM attachments WHERE id = ?", (attachment.id,))
    note(store, item, "deleted the attachment", verb="deleted", field="attachment")
