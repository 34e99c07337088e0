"""Comments and discussions on issues, merge requests, commits and snippets; also what the forge itself notes there."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.rows.items import Note
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.access import PLANNER, project_level
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.forge.store.issue_text import discussion_id, mentioned_people
from dayjob.company.forge.store.labels import TABLES
from dayjob.company.rows import packed


def create(
    store: Store, author: User, kind: str, item_id: int, project_id: int | None, body: str, *, system: bool = False,
    discussion: str | None = None, type: str | None = None, position: dict[str, Any] | None = None,
    resolvable: bool = False, internal: bool = False, commit_id: str | None = None, created_at: str | None = None,
) -> Note:  # fmt: skip
    """Write a comment; the item counts it, and people it mentions get a to-do."""
    now = store.now()
    note_id = store.insert(
        "notes", noteable_type=kind, noteable_id=item_id, project_id=project_id, author_id=author.id, body=body,
        system=int(system), discussion_id=discussion or discussion_id(store.company.ids), type=type,
        position=packed(position) if position else None, resolvable=int(resolvable), internal=int(internal),
        commit_id=commit_id, created_at=created_at or now, updated_at=created_at or now,
    )  # fmt: skip
    if kind in TABLES and not system:
        store.db.execute(
            f"UPDATE {TABLES[kind]} SET user_notes_count=user_notes_count+1, updated_at=? WHERE id=?", (now, item_id)
        )
        mention(store, author, kind, item_id, project_id, body, internal=internal)
    return get(store, note_id)


def mention(
    store: Store, author: User, kind: str, item_id: int, project_id: int | None, body: str, *, internal: bool = False
) -> None:
    """A to-do, which repeats the text, for everyone whom it names and who may see it."""
    # Visibility stands on issues and merge requests, which stand on notes.
    from dayjob.company.forge.store import visibility

    home = store.one(Project, "id=?", project_id)
    for username in mentioned_people(body)[:20]:
        user = store.one(User, "username=? AND id<>?", username, author.id)
        if user is None or not visibility.reaches(store, user, kind, item_id, project_id):
            continue
        if internal and (home is None or project_level(store, user, home) < PLANNER):
            continue
        todo(store, user.id, author, "mentioned", kind, item_id, project_id, body)


def todo(
    store: Store, user_id: int, author: User, action: str, kind: str, item_id: int, project_id: int | None, body: str
) -> int | None:
    """Put something on someone's list; None where the same is waiting there already."""
    if store.value(
        "SELECT 1 FROM todos WHERE user_id=? AND state='pending' AND target_type=? AND target_id=? AND action=?",
        user_id, kind, item_id, action,
    ):  # fmt: skip
        return None
    now = store.now()
    return store.insert(
        "todos", user_id=user_id, project_id=project_id, author_id=author.id, action=action, target_type=kind,
        target_id=item_id, body=body[:1000], created_at=now, updated_at=now,
    )  # fmt: skip


def system(store: Store, author: User, kind: str, item_id: int, project_id: int | None, body: str) -> None:
    create(store, author, kind, item_id, project_id, body, system=True)


def delete(store: Store, note: Note) -> None:
    store.delete("notes", note.id)
    if note.noteable_type in TABLES and not note.system:
        store.db.execute(
            f"UPDATE {TABLES[note.noteable_type]} SET user_notes_count=max(0, user_notes_count-1) WHERE id=?",
            (note.noteable_id,),
        )


def get(store: Store, note_id: int) -> Note:
    return store.get(Note, note_id)


def edit(store: Store, note: Note, body: str) -> None:
    store.update("notes", note.id, body=body, updated_at=store.now())


def copy(store: Store, kind: str, item_id: int, copied_id: int, project_id: int) -> None:
    """Give the copy of an item what people said about it."""
    store.db.execute(
        "INSERT INTO notes (noteable_type, noteable_id, project_id, author_id, body, system, internal, discussion_id, "
        "type, created_at, updated_at) SELECT noteable_type, ?, ?, author_id, body, system, internal, discussion_id, "
        "type, created_at, updated_at FROM notes WHERE noteable_type=? AND noteable_id=? AND system=0 ORDER BY id",
        (copied_id, project_id, kind, item_id),
    )


def listing(
    kind: str, item_id: int, *, order: str, sort: str, activity: str = "all_notes", hidden: bool = False
) -> Listing:
    where = "FROM notes WHERE noteable_type=? AND noteable_id=?"
    if activity == "only_comments":
        where += " AND system=0"
    elif activity == "only_activity":
        where += " AND system=1"
    if not hidden:
        where += " AND internal=0"
    return Listing(Note, where, (kind, item_id), f"{order} {sort}, notes.id {sort}")
