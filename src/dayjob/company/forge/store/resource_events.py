"""The traces that changes of label, milestone, state or weight leave on an issue or a merge request."""

from __future__ import annotations

from dayjob.company.forge.rows.items import ResourceEvent
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store.base import Store


def add(store: Store, actor: User, item_type: str, item_id: int, kind: str, action: str, value: str | None) -> None:
    store.insert(
        "resource_events", kind=kind, item_type=item_type, item_id=item_id, user_id=actor.id, action=action,
        value=value, created_at=store.now(),
    )  # fmt: skip


def of(store: Store, item_type: str, item_id: int, kind: str) -> list[ResourceEvent]:
    return store.all(ResourceEvent, "item_type=? AND item_id=? AND kind=? ORDER BY id", item_type, item_id, kind)


def find(store: Store, item_type: str, item_id: int, kind: str, event_id: int) -> ResourceEvent:
    return store.required(
        ResourceEvent, "item_type=? AND item_id=? AND kind=? AND id=?", item_type, item_id, kind, event_id
    )
