"""Threads of comments: on issues, merge requests (also on lines of a diff), snippets and commits."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api import notes as note_api
from dayjob.company.forge.api.call import Call, created
from dayjob.company.forge.api.noteables import PLACES
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import bad, not_found
from dayjob.company.forge.rows.items import Note
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.store import discussions, notes
from dayjob.company.forge.store.discussions import Noteable


def _thread(call: Call, thing: Noteable) -> list[Note]:
    return discussions.thread(call.store, call.user, thing, call.path["discussion_id"])


def _listed(call: Call, thing: Noteable) -> Any:
    return call.paged(discussions.threads(call.store, call.user, thing), lambda rows: shape.discussion(call, rows))


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
    discussions.check_comment(call.store, call.me, thing)
    text = note_api.body(call)
    position = _position(call) if thing.kind in ("MergeRequest", "Commit") else None
    internal = bool(call.boolean("internal", False))
    with call.store.transaction():
        ran = note_api.run_quick_actions(call, thing, text)
        if not ran.text.strip():
            return note_api.only_quick_actions(ran)
        note = discussions.start(call.store, call.me, thing, ran.text, position=position, internal=internal)
    note_api.announce(call, thing, note)
    return created(shape.discussion(call, [note]))


def _reply(call: Call, thing: Noteable) -> Any:
    discussions.check_comment(call.store, call.me, thing)
    first = _thread(call, thing)[0]
    text = note_api.body(call)
    with call.store.transaction():
        ran = note_api.run_quick_actions(call, thing, text)
        if not ran.text.strip():
            return note_api.only_quick_actions(ran)
        note = discussions.reply(call.store, call.me, thing, first, ran.text)
    note_api.announce(call, thing, note)
    return created({**shape.note(call, note), "commands_changes": ran.done})


def _change_thread(call: Call, thing: Noteable) -> Any:
    rows = _thread(call, thing)
    call.need("resolved")
    with call.store.transaction():
        discussions.resolve(call.store, call.me, thing, rows, call.boolean("resolved"))
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
            discussions.resolve(call.store, call.me, thing, _thread(call, thing), call.boolean("resolved"))
        else:
            discussions.check_edit(call.store, call.me, note, thing.project)
            notes.edit(call.store, note, note_api.body(call))
    return shape.note(call, _note(call, thing))


def _remove(call: Call, thing: Noteable) -> Any:
    _note(call, thing)
    return note_api.remove(call, thing)


for _place, _finder in PLACES.items():
    _base = f"{_place}/discussions"
    _one = f"{_base}/{{discussion_id}}"
    get(_base)(lambda call, finder=_finder: _listed(call, finder(call)))
    post(_base)(lambda call, finder=_finder: _create(call, finder(call)))
    get(_one)(lambda call, finder=_finder: shape.discussion(call, _thread(call, finder(call))))
    put(_one)(lambda call, finder=_finder: _change_thread(call, finder(call)))
    post(f"{_one}/notes")(lambda call, finder=_finder: _reply(call, finder(call)))
    get(f"{_one}/notes/{{note_id}}")(lambda call, finder=_finder: shape.note(call, _note(call, finder(call))))
    put(f"{_one}/notes/{{note_id}}")(lambda call, finder=_finder: _change_note(call, finder(call)))
    delete(f"{_one}/notes/{{note_id}}")(lambda call, finder=_finder: _remove(call, finder(call)))
