"""The traces that changes of label, milestone, state or weight leave on an issue or a merge request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.forge.store.base import Store, not_found
from dayjob.company.forge.store.users import User


@dataclass(slots=True)
class ResourceEvent:
    """`kind` is what changed; `value` the label's or milestone's id, the weight, or what closed it."""

    TABLE: ClassVar[str] = "resource_events"
    id: int
    kind: str
    item_type: str
    item_id: int
    user_id: int
    action: str
    value: str | None
    created_at: str


def add(store: Store, actor: User, item_type: str, item_id: int, kind: str, action: str, value: str | None) -> None:
    store.insert(
        "resource_events", kind=kind, item_type=item_type, item_id=item_id, user_id=actor.id, action=action,
        value=value, created_at=store.now(),
    )  # fmt: skip


def of(store: Store, item_type: str, item_id: int, kind: str) -> list[ResourceEvent]:
    return store.all(ResourceEvent, "item_type=? AND item_id=? AND kind=? ORDER BY id", item_type, item_id, kind)


def find(store: Store, item_type: str, item_id: int, kind: str, event_id: int) -> ResourceEvent:
    event = store.one(
        ResourceEvent, "item_type=? AND item_id=? AND kind=? AND id=?", item_type, item_id, kind, event_id
    )
    if event is None:
        raise not_found()
    return event
