"""Threads of comments: on issues, merge requests (also on lines of a diff), snippets and commits."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api import notes as note_api
from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, created
from dayjob.company.forge.api.noteables import PLACES, Noteable, may_comment, may_edit
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.store import access, events, notes, visibility
from dayjob.company.forge.store.base import forbidden, not_found
from dayjob.company.forge.store.notes import Note

_TYPES = {
    "Issue": "DiscussionNote",
    "MergeRequest": "DiscussionNote",
    "Snippet": "DiscussionNote",
    "Commit": "DiscussionNote",
}


def _threads(call: Call, thing: Noteable) -> list[list[Note]]:
    where, args = thing.where()
    hidden = access.project_level(call.store, call.user, thing.project) >= access.PLANNER
    found: dict[str, list[Note]] = {}
    for note in call.store.all(Note, f"{where} ORDER BY created_at, id", *args):
        if hidden or not note.internal:
            found.setdefault(note.discussion_id, []).append(note)
    return list(found.values())


def _thread(call: Call, thing: Noteable) -> list[Note]:
    where, args = thing.where()
    found = call.store.all(
        Note, f"{where} AND discussion_id=? ORDER BY created_at, id", *args, call.path["discussion_id"]
    )
    found = [one for one in found if visibility.may_see_note(call.store, call.user, thing.project, one)]
    if not found:
        raise not_found("Discussion")
    return found


def _position(call: Call) -> dict[str, Any] | None:
    given = call.args.get("position")
    if given is None:
        return None
    if not isinstance(given, dict):
        raise bad("position is invalid")
    for name in ("base_sha", "start_sha", "head_sha", "position_type"):
        if not given.get(name):
            raise bad(f"position[{name}] is missing")
    found = {
        name: given.get(name) for name in ("base_sha", "start_sha", "head_sha", "old_path", "new_path", "position_type")
    }
    for name in ("old_line", "new_line", "width", "height", "x", "y"):
        value = given.get(name)
        if value not in (None, "") and not str(value).isdigit():
            raise bad(f"position[{name}] is invalid")
        if name in ("old_line", "new_line") or value is not None:
            found[name] = int(value) if value not in (None, "") else None
    found["line_range"] = given.get("line_range")
    return found


def _create(call: Call, thing: Noteable) -> Any:
    may_comment(call, thing)
    text = note_api.body(call)
    position = _position(call) if thing.kind in ("MergeRequest", "Commit") else None
    with call.store.transaction():
        note = notes.create(
            call.store,
            call.me,
            thing.kind,
            thing.id,
            thing.project.id,
            text,
            type="DiffNote" if position else _TYPES[thing.kind],
            position=position,
            resolvable=thing.kind == "MergeRequest",
            commit_id=thing.commit,
            internal=bool(call.boolean("internal", False)),
        )
        events.happened(call.store, call.me, thing.project.id, "commented on", "Note", note.id, thing.iid, thing.title)
    note_api.announce(call, thing, note)
    return created(shape.discussion(call, [note]))


def _reply(call: Call, thing: Noteable) -> Any:
    may_comment(call, thing)
    first = _thread(call, thing)[0]
    text = note_api.body(call)
    with call.store.transaction():
        if first.type is None:
            call.store.update("notes", first.id, type="DiscussionNote", resolvable=int(thing.kind == "MergeRequest"))
        note = notes.create(
            call.store, call.me, thing.kind, thing.id, thing.project.id, text, discussion=first.discussion_id,
            type=first.type or "DiscussionNote", position=first.place, resolvable=thing.kind == "MergeRequest",
            commit_id=thing.commit, internal=bool(first.internal),
        )  # fmt: skip
        if first.resolved:
            call.store.update(
                "notes", note.id, resolved=1, resolved_by=first.resolved_by, resolved_at=first.resolved_at
            )
    note_api.announce(call, thing, note)
    return created(shape.note(call, note_api_one(call, note.id)))


def note_api_one(call: Call, note_id: int) -> Note:
    found = call.store.one(Note, "id=?", note_id)
    assert found is not None
    return found


def _may_resolve(call: Call, thing: Noteable) -> None:
    author = (
        call.store.value("SELECT author_id FROM merge_requests WHERE id=?", thing.id)
        if thing.kind == "MergeRequest"
        else None
    )
    if call.me.id != author and access.project_level(call.store, call.me, thing.project) < access.DEVELOPER:
        raise forbidden()


def _resolve(call: Call, thing: Noteable, rows: list[Note], resolved: bool) -> None:
    _may_resolve(call, thing)
    now = call.store.now()
    for row in rows:
        if row.resolvable:
            call.store.update(
                "notes", row.id, resolved=int(resolved), resolved_by=call.me.id if resolved else None,
                resolved_at=now if resolved else None,
            )  # fmt: skip


def _change_thread(call: Call, thing: Noteable) -> Any:
    rows = _thread(call, thing)
    call.need("resolved")
    with call.store.transaction():
        _resolve(call, thing, rows, call.boolean("resolved"))
    return shape.discussion(call, _thread(call, thing))


def _note(call: Call, thing: Noteable) -> Note:
    note = note_api.find(call, thing)
    if note.discussion_id != call.path["discussion_id"]:
        raise not_found("Note")
    return note


def _change_note(call: Call, thing: Noteable) -> Any:
    note = _note(call, thing)
    if not call.has("body") and not call.has("resolved"):
        raise bad("body, resolved are missing, exactly one parameter must be provided")
    with call.store.transaction():
        if call.has("resolved"):
            _resolve(call, thing, _thread(call, thing), call.boolean("resolved"))
        else:
            may_edit(call, note, thing.project)
            call.store.update("notes", note.id, body=note_api.body(call), updated_at=call.store.now())
    return shape.note(call, _note(call, thing))


def _remove(call: Call, thing: Noteable) -> Any:
    _note(call, thing)
    return note_api.remove(call, thing)


for _place, _finder in PLACES.items():
    _base = f"{_place}/discussions"
    _one = f"{_base}/{{discussion_id}}"
    get(_base)(
        lambda call, finder=_finder: call.paged(_threads(call, finder(call)), lambda rows: shape.discussion(call, rows))
    )
    post(_base)(lambda call, finder=_finder: _create(call, finder(call)))
    get(_one)(lambda call, finder=_finder: shape.discussion(call, _thread(call, finder(call))))
    put(_one)(lambda call, finder=_finder: _change_thread(call, finder(call)))
    post(f"{_one}/notes")(lambda call, finder=_finder: _reply(call, finder(call)))
    get(f"{_one}/notes/{{note_id}}")(lambda call, finder=_finder: shape.note(call, _note(call, finder(call))))
    put(f"{_one}/notes/{{note_id}}")(lambda call, finder=_finder: _change_note(call, finder(call)))
    delete(f"{_one}/notes/{{note_id}}")(lambda call, finder=_finder: _remove(call, finder(call)))
