"""Who the examinee's root is outside: never root. A whole range of ordinary uids when we are root, else ourselves."""

from __future__ import annotations

import os
from dataclasses import dataclass

# High, and clear of the ranges that distributions hand to people, containers and dynamic users.
FIRST_UID = 1_900_000_000
RANGE = 65_536


@dataclass(frozen=True, slots=True)
class Identity:
    """Inside uid 0… is `first`… outside; gids likewise."""

    first: int
    count: int

    @property
    def separate(self) -> bool:
        """Whether there is more than one uid to hand out."""
        return self.count > 1

    def outside(self, uid: int, gid: int) -> tuple[int, int]:
        """The outside owner for an inside one; ids the room does not have become its root."""
        if not self.separate:
            return -1, -1
        return tuple(self.first + (one if 0 <= one < self.count else 0) for one in (uid, gid))  # type: ignore[return-value]  # two in, two out


def of_this_user() -> Identity:
    return Identity(FIRST_UID, RANGE) if os.geteuid() == 0 else Identity(os.geteuid(), 1)
