"""Comments and threads on what can be commented on: issues, merge requests, snippets and commits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.errors import forbidden, not_found
from dayjob.company.forge.rows.items import MergeRequest, Note
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, events, merge_requests, notes, visibility
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import placeholders


@dataclass(slots=True)
class Noteable:
    """Something to comment on."""

    kind: str
    id: int
    project: Project
    locked: bool = False
    commit: str | None = None
    iid: int | None = None
    title: str = ""

    def where(self) -> tuple[str, list[object]]:
        """The condition for its notes."""
        if self.commit is not None:
            return "noteable_type='Commit' AND project_id=? AND commit_id=?", [self.project.id, self.commit]
        return "noteable_type=? AND noteable_id=?", [self.kind, self.id]


def noteable_snippet(store: Store, user: User | None, project: Project, snippet_id: int) -> Noteable:
    """A snippet of the project, if it is there for somebody."""
    seen = f"SELECT id FROM snippets WHERE id=? AND project_id=? AND {visibility.snippets(user)}"
    if store.value(seen, snippet_id, project.id) is None:
        raise not_found("Snippet")
    return Noteable("Snippet", snippet_id, project)


# -- who may -----------------------------------------------------------------------------------------------------


def check_comment(store: Store, user: User, noteable: Noteable) -> None:
    """Refuse a comment on what is locked to those who are no members."""
    if noteable.locked and access.project_level(store, user, noteable.project) < access.GUEST:
        raise forbidden()


def check_edit(store: Store, user: User, note: Note, project: Project) -> None:
    """Authors edit their own; maintainers anyone's."""
    if note.system or (note.author_id != user.id and access.project_level(store, user, project) < access.MAINTAINER):
        raise forbidden()


def sees_internal(store: Store, user: User | None, noteable: Noteable) -> bool:
    """Whether internal notes are there for somebody."""
    return access.project_level(store, user, noteable.project) >= access.PLANNER


# -- reading -----------------------------------------------------------------------------------------------------


def find_note(store: Store, user: User | None, noteable: Noteable, note_id: int) -> Note:
    where, args = noteable.where()
    note = store.one(Note, f"id=? AND {where}", note_id, *args)
    if note is None or not visibility.may_see_note(store, user, noteable.project, note):
        raise not_found("Note")
    return note


def threads(store: Store, user: User | None, noteable: Noteable) -> list[list[Note]]:
    """The notes of each discussion in their order, as far as somebody may see them."""
    where, args = noteable.where()
    internal = "" if sees_internal(store, user, noteable) else " AND internal=0"
    found: dict[str, list[Note]] = {}
    for note in store.all(Note, f"{where}{internal} ORDER BY created_at, id", *args):
        found.setdefault(note.discussion_id, []).append(note)
    return list(found.values())


def thread(store: Store, user: User | None, noteable: Noteable, discussion_id: str) -> list[Note]:
    where, args = noteable.where()
    rows = store.all(Note, f"{where} AND discussion_id=? ORDER BY created_at, id", *args, discussion_id)
    seen = [note for note in rows if visibility.may_see_note(store, user, noteable.project, note)]
    if not seen:
        raise not_found("Discussion")
    return seen


def unresolved(store: Store, requests: Sequence[MergeRequest]) -> set[int]:
    """The ids of those merge requests that have a thread which is not resolved."""
    marks = placeholders(requests)
    rows = store.values(
        f"SELECT DISTINCT noteable_id FROM notes WHERE noteable_type='MergeRequest' AND noteable_id IN ({marks}) "
        "AND resolvable=1 AND resolved=0",
        *(request.id for request in requests),
    )
    return set(rows)


# -- writing -----------------------------------------------------------------------------------------------------


def comment(store: Store, author: User, noteable: Noteable, text: str, **more: Any) -> Note:
    """Write a comment that begins a discussion; `more` is what `notes.create` takes."""
    note = notes.create(store, author, noteable.kind, noteable.id, noteable.project.id, text, **more)
    events.happened(
        store, author, noteable.project.id, "commented on", "Note", note.id, noteable.iid, noteable.title
    )  # fmt: skip
    return note


def start(
    store: Store, author: User, noteable: Noteable, text: str, *, position: dict[str, Any] | None, internal: bool
) -> Note:
    """Begin a thread, also on a line of a diff (`position`). Those of merge requests can be resolved."""
    return comment(
        store, author, noteable, text, type="DiffNote" if position else "DiscussionNote", position=position,
        resolvable=noteable.kind == "MergeRequest", commit_id=noteable.commit, internal=internal,
    )  # fmt: skip


def reply(store: Store, author: User, noteable: Noteable, first: Note, text: str) -> Note:
    """Answer in a thread; a comment that stood alone becomes one. An answer is as resolved as its thread."""
    resolvable = noteable.kind == "MergeRequest"
    if first.type is None:
        store.update("notes", first.id, type="DiscussionNote", resolvable=int(resolvable))
    note = notes.create(
        store, author, noteable.kind, noteable.id, noteable.project.id, text, discussion=first.discussion_id,
        type=first.type or "DiscussionNote", position=first.place, resolvable=resolvable, commit_id=noteable.commit,
        internal=bool(first.internal),
    )  # fmt: skip
    if first.resolved:
        store.update("notes", note.id, resolved=1, resolved_by=first.resolved_by, resolved_at=first.resolved_at)
    return notes.get(store, note.id)


def resolve(store: Store, user: User, noteable: Noteable, thread: Iterable[Note], resolved: bool) -> None:
    """Mark a thread as resolved or open: for developers up, and for the author of the merge request."""
    own = noteable.kind == "MergeRequest" and merge_requests.get(store, noteable.id).author_id == user.id
    if not own and access.project_level(store, user, noteable.project) < access.DEVELOPER:
        raise forbidden()
    now = store.now()
    for note in thread:
        if note.resolvable:
            store.update(
                "notes", note.id, resolved=int(resolved), resolved_by=user.id if resolved else None,
                resolved_at=now if resolved else None,
            )  # fmt: skip
