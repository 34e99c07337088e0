"""What a store function works with: the board's database, its ids, the time and who is acting.

One ledger lives for one request (or one compilation of a world), so everything done in it carries one moment.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from dayjob.company.ids import Ids


@dataclass(slots=True)
class Ledger:
    db: sqlite3.Connection
    ids: Ids
    now: str
    """A stored moment (`payloads.stored_moment`)."""
    actor: str
    """The id of the user who acts."""

    def birth(self) -> dict[str, Any]:
        """The columns every new row begins with."""
        return {
            "id": self.ids.uuid(),
            "created_at": self.now,
            "updated_at": self.now,
            "created_by": self.actor,
            "updated_by": self.actor,
        }

    def touch(self) -> dict[str, Any]:
        """The columns every change sets."""
        return {"updated_at": self.now, "updated_by": self.actor}
