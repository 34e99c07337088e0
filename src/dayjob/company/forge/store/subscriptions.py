"""Who follows an issue, a merge request or a label."""

from __future__ import annotations

from collections.abc import Collection

from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import placeholders


def choose(store: Store, user: User, kind: str, item_id: int, wanted: bool) -> bool:
    """Write somebody's choice down; False when it was theirs before."""
    if chosen(store, user, kind, [item_id]).get(item_id) is wanted:
        return False
    store.db.execute("INSERT OR REPLACE INTO subscriptions VALUES (?,?,?,?)", (user.id, kind, item_id, int(wanted)))
    return True


def chosen(store: Store, user: User | None, kind: str, item_ids: Collection[int]) -> dict[int, bool]:
    """What somebody chose for each of these; nothing of those for which they never did."""
    if user is None:
        return {}
    marks = placeholders(item_ids)
    rows = store.db.execute(
        f"SELECT item_id, subscribed FROM subscriptions WHERE user_id=? AND item_type=? AND item_id IN ({marks})",
        (user.id, kind, *item_ids),
    )
    return {item_id: bool(subscribed) for item_id, subscribed in rows}


def follows(store: Store, user: User | None, kind: str, item_id: int, author_id: int) -> bool:
    """Whether an issue or merge request is followed: by choice, else by taking part in it."""
    if user is None:
        return False
    choice = chosen(store, user, kind, [item_id]).get(item_id)
    if choice is not None:
        return choice
    return author_id == user.id or bool(
        store.value(
            "SELECT 1 FROM people WHERE user_id=? AND item_type=? AND item_id=? UNION "
            "SELECT 1 FROM notes WHERE author_id=? AND noteable_type=? AND noteable_id=?",
            user.id, kind, item_id, user.id, kind, item_id,
        )
    )  # fmt: skip
