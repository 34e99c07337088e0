"""Reactions to issues, merge requests and comments."""

from __future__ import annotations

from collections.abc import Collection

from dayjob.company.forge.errors import forbidden, not_found, refused
from dayjob.company.forge.rows.items import Award
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import placeholders


def of(store: Store, kind: str, awardable_id: int) -> list[Award]:
    return store.all(Award, "awardable_type=? AND awardable_id=? ORDER BY id", kind, awardable_id)


def find(store: Store, kind: str, awardable_id: int, award_id: int) -> Award:
    return store.required(Award, "awardable_type=? AND awardable_id=? AND id=?", kind, awardable_id, award_id)


def votes(store: Store, kind: str, awardable_ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """(thumbs up, thumbs down) of each that anybody reacted to."""
    rows = store.db.execute(
        "SELECT awardable_id, sum(name='thumbsup'), sum(name='thumbsdown') FROM award_emoji WHERE awardable_type=? "
        f"AND awardable_id IN ({placeholders(awardable_ids)}) GROUP BY awardable_id",
        (kind, *awardable_ids),
    )
    return {awardable_id: (up, down) for awardable_id, up, down in rows}


def add(store: Store, user: User, kind: str, awardable_id: int, name: str) -> Award:
    """React to something; once with each emoji."""
    if not name.replace("_", "").replace("-", "").replace("+", "").isalnum():
        raise refused(400, {"name": ["is not a valid emoji name"]})
    if store.value(
        "SELECT 1 FROM award_emoji WHERE awardable_type=? AND awardable_id=? AND name=? AND user_id=?",
        kind, awardable_id, name, user.id,
    ):  # fmt: skip
        raise not_found("Award Emoji Name has already been taken")
    award_id = store.insert(
        "award_emoji", awardable_type=kind, awardable_id=awardable_id, name=name, user_id=user.id,
        created_at=store.now(),
    )  # fmt: skip
    return find(store, kind, awardable_id, award_id)


def remove(store: Store, user: User, award: Award) -> None:
    """Take a reaction back: one's own, or anybody's for an administrator."""
    if award.user_id != user.id and not user.admin:
        raise forbidden()
    store.delete("award_emoji", award.id)
