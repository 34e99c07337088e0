"""Comments on issues, merge requests and snippets."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.api import quick_actions
from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.noteables import PLACES
from dayjob.company.forge.api.quick_actions import Ran
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import Refused, bad_request
from dayjob.company.forge.rows.items import Note
from dayjob.company.forge.shapes import issues as shape
from dayjob.company.forge.store import access, discussions, hooks, notes
from dayjob.company.forge.store.discussions import Noteable

LONGEST = 1_000_000


def body(call: Call) -> str:
    text = call.filled("body")
    if len(text) > LONGEST:
        raise Refused(400, {"message": {"note": [f"is too long (maximum is {LONGEST} characters)"]}})
    return text


def _listed(call: Call, thing: Noteable) -> Any:
    order = call.choice("order_by", ("created_at", "updated_at"), "created_at")
    sort = call.choice("sort", ("asc", "desc"), "desc")
    activity = call.choice("activity_filter", ("all_notes", "only_comments", "only_activity"), "all_notes")
    hidden = discussions.sees_internal(call.store, call.user, thing)
    listing = notes.listing(thing.kind, thing.id, order=order, sort=sort, activity=activity, hidden=hidden)
    return call.listing(listing, lambda rows: shape.notes(call, rows))


def find(call: Call, thing: Noteable) -> Note:
    return discussions.find_note(call.store, call.user, thing, call.number("note_id"))


def _create(call: Call, thing: Noteable) -> Any:
    discussions.check_comment(call.store, call.me, thing)
    text = body(call)
    internal = bool(call.boolean("internal", call.boolean("confidential", False)))
    at = call.text("created_at") if access.project_level(call.store, call.me, thing.project) >= access.OWNER else None
    with call.store.transaction():
        ran = run_quick_actions(call, thing, text)
        if not ran.text.strip():
            return only_quick_actions(ran)
        note = discussions.comment(call.store, call.me, thing, ran.text, internal=internal, created_at=at)
    announce(call, thing, note)
    return created({**shape.note(call, note), "commands_changes": ran.done})


def run_quick_actions(call: Call, thing: Noteable, text: str) -> Ran:
    """Do what the lines of a comment say; refused when nothing else is in it and none of them could be done."""
    ran = quick_actions.run(call, thing.kind, thing.id, thing.project, text)
    if not ran.text.strip() and not ran.done:
        raise bad_request(f"Could not apply {', '.join(ran.failed)} command.")
    return ran


def only_quick_actions(ran: Ran) -> Response:
    """The answer to a comment of nothing but quick actions, which leaves no comment."""
    failed = [f"Could not apply {', '.join(ran.failed)} command."] if ran.failed else []
    summary = [f"Applied {', '.join(ran.done)}.", *failed]
    return Json({"commands_changes": ran.done, "summary": summary}, 202)


def announce(call: Call, thing: Noteable, note: Note) -> None:
    facts = {
        "object_attributes": {
            "id": note.id,
            "note": note.body,
            "noteable_type": thing.kind,
            "noteable_id": thing.id,
            "author_id": note.author_id,
            "created_at": note.created_at,
            "project_id": thing.project.id,
            "action": "create",
        }
    }
    event = hooks.event_of_note(call.store, note)
    call.forge.deliveries.announce(thing.project, call.me, event, facts)


def change(call: Call, thing: Noteable) -> Any:
    note = find(call, thing)
    discussions.check_edit(call.store, call.me, note, thing.project)
    notes.edit(call.store, note, body(call))
    return shape.note(call, find(call, thing))


def remove(call: Call, thing: Noteable) -> Any:
    note = find(call, thing)
    discussions.check_edit(call.store, call.me, note, thing.project)
    with call.store.transaction():
        notes.delete(call.store, note)
    return no_content()


for _place, _finder in PLACES.items():
    if "commits" in _place:
        continue
    get(f"{_place}/notes")(lambda call, finder=_finder: _listed(call, finder(call)))
    post(f"{_place}/notes")(lambda call, finder=_finder: _create(call, finder(call)))
    get(f"{_place}/notes/{{note_id}}")(lambda call, finder=_finder: shape.note(call, find(call, finder(call))))
    put(f"{_place}/notes/{{note_id}}")(lambda call, finder=_finder: change(call, finder(call)))
    delete(f"{_place}/notes/{{note_id}}")(lambda call, finder=_finder: remove(call, finder(call)))
