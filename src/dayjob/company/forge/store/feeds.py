"""Activity feeds: the events of a person, of a project or of one's own projects, as far as somebody may see them."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.rows.items import Event
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store import access, visibility
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import placeholders

ACTIONS = {
    "approved": ("approved",),
    "closed": ("closed",),
    "commented": ("commented on",),
    "created": ("opened",),
    "destroyed": ("destroyed",),
    "expired": ("expired",),
    "joined": ("joined",),
    "left": ("left",),
    "merged": ("accepted",),
    "pushed": ("pushed to", "pushed new", "deleted"),
    "reopened": ("reopened",),
    "updated": ("updated",),
}
"""What a feed can be narrowed to → what the events say."""
LATEST = "e.created_at DESC, e.id DESC"


def events(
    viewer: User | None, *, author_id: int | None = None, project_id: int | None = None, action: str | None = None,
    target_type: str | None = None, after: str | None = None, before: str | None = None, sort: str = "desc",
) -> Listing:  # fmt: skip
    """The events of an account or a project that the viewer may see; `after` and `before` are days."""
    conditions, args = list[str](), list[Any]()
    for condition, value in (
        ("e.author_id=?", author_id),
        ("e.project_id=?", project_id),
        ("e.target_type=?", target_type),
        ("substr(e.created_at,1,10)>?", after),
        ("substr(e.created_at,1,10)<?", before),
    ):
        if value is not None:
            conditions.append(condition)
            args.append(value)
    if action is not None:
        conditions.append(f"e.action IN ({placeholders(ACTIONS[action])})")
        args += ACTIONS[action]
    return _listing([*conditions, visibility.events(viewer)], args, f"e.id {sort}")


def latest_of(store: Store, viewer: User | None, author: User, most: int) -> list[Event]:
    """What an author did last, as far as the viewer may see it."""
    return store.page(_listing(["e.author_id=?", visibility.events(viewer)], [author.id], LATEST), most, 0)


def latest_around(store: Store, viewer: User, most: int) -> list[Event]:
    """What happened last in the projects that the viewer belongs to."""
    own = f"e.project_id IN ({access.member_projects(viewer)})"
    return store.page(_listing([own, visibility.events(viewer)], [], LATEST), most, 0)


def _listing(conditions: list[str], args: list[Any], order: str) -> Listing:
    return Listing(Event, f"FROM events e WHERE {' AND '.join(conditions)}", args, order, "e")
