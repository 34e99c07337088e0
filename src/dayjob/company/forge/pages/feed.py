"""Events as sentences: who did what to what, where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from dayjob.company.forge.pages.visit import Visit, picture
from dayjob.company.forge.rows.items import Event, Note
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project


@dataclass(frozen=True, slots=True)
class Told:
    """One event of a feed."""

    who: User | None
    face: str | None
    verb: str
    what: str
    href: str
    more: str
    project: Project | None
    at: str


def told(visit: Visit, events: list[Event]) -> list[Told]:
    """Events that the visitor may see, with their people and places; what is gone has no link."""
    people = visit.store.by_ids(User, [one.author_id for one in events])
    homes = visit.store.by_ids(Project, [one.project_id for one in events])
    notes = visit.store.by_ids(Note, [one.target_id for one in events if one.target_type == "Note"])
    return [
        _told(one, people.get(one.author_id), homes.get(one.project_id or 0), notes.get(one.target_id or 0))
        for one in events
    ]


def _told(event: Event, who: User | None, home: Project | None, note: Note | None) -> Told:
    base = f"/{home.full_path}/-" if home else ""
    push: dict[str, Any] = event.push_data or {}
    what, href, more = event.target_title or "", "", ""
    if push:
        what = str(push.get("ref") or "")
        kind = "tags" if push.get("ref_type") == "tag" else "commits"
        href = f"{base}/{kind}/{quote(what)}" if push.get("commit_to") and kind == "commits" else f"{base}/{kind}"
        more = str(push.get("commit_title") or "")
    elif event.target_type == "Issue":
        what, href = f"#{event.target_iid} {what}", f"{base}/issues/{event.target_iid}"
    elif event.target_type == "MergeRequest":
        what, href = f"!{event.target_iid} {what}", f"{base}/merge_requests/{event.target_iid}"
    elif event.target_type == "Note":
        page, sign = ("merge_requests", "!") if note and note.noteable_type == "MergeRequest" else ("issues", "#")
        what = f"{sign}{event.target_iid} {what}"
        href = f"{base}/{page}/{event.target_iid}#note_{event.target_id}" if note else ""
        more = " ".join(note.body.split())[:160] if note else ""
    face = picture(who) if who else None
    return Told(who, face, event.action, what.strip(), href if home else "", more, home, event.created_at)
