"""An item's history: one line for every change of it, in the words Plane uses."""

from __future__ import annotations

from dayjob.company.board.ledger import Ledger
from dayjob.company.board.records import Item
from dayjob.company.board.rows import insert
from dayjob.company.clock import moment


def note(
    ledger: Ledger,
    item: Item,
    comment: str,
    *,
    verb: str = "updated",
    field: str | None = None,
    old: str | None = None,
    new: str | None = None,
    old_id: str | None = None,
    new_id: str | None = None,
    issue_comment: str | None = None,
    actor: str | None = None,
) -> None:
    """Write one line to the item's history."""
    insert(
        ledger.db,
        "activities",
        {
            "id": ledger.ids.uuid(), "created_at": ledger.now, "updated_at": ledger.now, "workspace": item.workspace,
            "project": item.project, "issue": item.id, "verb": verb, "field": field, "old_value": old,
            "new_value": new, "comment": comment, "issue_comment": issue_comment, "actor": actor or ledger.actor,
            "old_identifier": old_id, "new_identifier": new_id, "epoch": int(moment(ledger.now).timestamp()),
        },
    )  # fmt: skip
