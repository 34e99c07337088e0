"""Comments on issues, merge requests and their lines: reading threads, writing, answering, editing, resolving."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.text import shown
from dayjob.company.forge.pages.visit import Visit

KINDS = {"issues": "Issue", "merge_requests": "MergeRequest"}
MOST = 100


async def threads_of(visit: Visit, path: str) -> list[dict[str, Any]]:
    """The threads of an item (by its API path), oldest first, each note with its text as HTML."""
    found: list[dict[str, Any]] = []
    page = 1
    while True:
        listed = await visit.ask("GET", f"{path}/discussions", per_page=MOST, page=page)
        found += listed
        if len(listed) < MOST:
            break
        page += 1
    for thread in found:
        for note in thread["notes"]:
            note["html"] = shown(visit, note["body"])
            mine = visit.user is not None and note["author"] is not None and note["author"]["id"] == visit.user.id
            note["editable"] = not note["system"] and not visit.project.archived and (mine or visit.level >= 40)
        notes = thread["notes"]
        thread["system"] = notes[0]["system"]
        thread["resolvable"] = notes[0]["resolvable"]
        thread["resolved"] = notes[0].get("resolved", False)
        thread["resolved_by"] = next((one.get("resolved_by") for one in notes if one.get("resolved_by")), None)
        thread["position"] = notes[0].get("position")
    return found


def _item(visit: Visit) -> tuple[str, str]:
    """(the API's path of the item, the page it is on)."""
    kind, iid = visit.params["kind"], visit.number("iid")
    if kind not in KINDS:
        raise not_found()
    return visit.at_project(f"/{kind}/{iid}"), f"{visit.base}/{kind}/{iid}"


def _page(visit: Visit, page: str) -> str:
    """Where the form was: the overview, or the changes of a merge request."""
    return f"{page}/diffs" if visit.text("on") == "diffs" else page


@project("POST", "/{kind}/{iid}/notes")
async def add(visit: Visit) -> Response:
    """A comment; the same form may close or reopen what it is on."""
    path, page = _item(visit)
    body, event = visit.raw("body"), visit.text("state_event")
    anchor = ""
    if body.strip() or not event:
        internal = True if visit.ticked("internal") else None
        if visit.ticked("thread"):
            made = await visit.ask("POST", f"{path}/discussions", body=body, internal=internal)
            anchor = f"#note_{made['notes'][0]['id']}" if "notes" in made else ""
        else:
            made = await visit.ask("POST", f"{path}/notes", body=body, internal=internal)
            anchor = f"#note_{made['id']}" if "id" in made else ""
    if event:
        await visit.ask("PUT", path, state_event=event)
    notice = {"close": "Closed.", "reopen": "Reopened."}.get(event, "Comment added." if anchor else "Done.")
    return visit.back(f"{page}{anchor}", notice)


@project("POST", "/{kind}/{iid}/discussions")
async def begin(visit: Visit) -> Response:
    """A thread on a line of a merge request's changes."""
    path, page = _item(visit)
    position = {
        name: visit.text(name)
        for name in ("base_sha", "start_sha", "head_sha", "old_path", "new_path", "old_line", "new_line")
    }
    given = {"body": visit.raw("body"), "position": {**position, "position_type": "text"}}
    made = await visit.ask("POST", f"{path}/discussions", given)
    if "notes" not in made:
        return visit.back(f"{page}/diffs", "Done.")
    return visit.back(f"{page}/diffs#note_{made['notes'][0]['id']}", "Comment added.")


@project("POST", "/{kind}/{iid}/discussions/{thread}/notes")
async def answer(visit: Visit) -> Response:
    path, page = _item(visit)
    made = await visit.ask("POST", f"{path}/discussions/{visit.params['thread']}/notes", body=visit.raw("body"))
    if "id" not in made:
        return visit.back(_page(visit, page), "Done.")
    return visit.back(f"{_page(visit, page)}#note_{made['id']}", "Reply added.")


@project("POST", "/{kind}/{iid}/discussions/{thread}/resolve")
async def resolve(visit: Visit) -> Response:
    path, page = _item(visit)
    resolved = visit.ticked("resolved")
    made = await visit.ask("PUT", f"{path}/discussions/{visit.params['thread']}", resolved=resolved)
    notice = "Thread resolved." if resolved else "Thread reopened."
    return visit.back(f"{_page(visit, page)}#note_{made['notes'][0]['id']}", notice)


@project("POST", "/{kind}/{iid}/notes/{note}")
async def change(visit: Visit) -> Response:
    path, page = _item(visit)
    number = visit.number("note")
    await visit.ask("PUT", f"{path}/notes/{number}", body=visit.raw("body"))
    return visit.back(f"{_page(visit, page)}#note_{number}", "Comment changed.")


@project("POST", "/{kind}/{iid}/notes/{note}/delete")
async def remove(visit: Visit) -> Response:
    path, page = _item(visit)
    await visit.ask("DELETE", f"{path}/notes/{visit.number('note')}")
    return visit.back(_page(visit, page), "Comment deleted.")
