"""What happened, for activity feeds: one row for each opened issue, push, comment, merge."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import packed


def happened(
    store: Store,
    author: User,
    project_id: int | None,
    action: str,
    kind: str | None = None,
    target_id: int | None = None,
    iid: int | None = None,
    title: str | None = None,
    push: dict[str, Any] | None = None,
) -> None:
    now = store.now()
    store.insert(
        "events",
        project_id=project_id,
        author_id=author.id,
        action=action,
        target_type=kind,
        target_id=target_id,
        target_iid=iid,
        target_title=title,
        push=packed(push) if push else None,
        created_at=now,
    )
    store.update("users", author.id, last_activity_on=now[:10])
    if project_id is not None:
        store.update("projects", project_id, last_activity_at=now, updated_at=now)
    facts = {
        "project_id": project_id,
        "author": author.username,
        "action": action,
        "kind": kind,
        "iid": iid,
        "title": title,
    }
    store.company.tell("forge.event", facts)
