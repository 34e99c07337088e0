"""What clients hang on a file: properties of their own making, and a personal star."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dayjob.company.drive.rows import Node
from dayjob.company.rows import columns, placeholders

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive


class Properties:
    """Dead properties (name in Clark's notation, value as its XML) and favorites."""

    def __init__(self, drive: Drive) -> None:
        self.drive = drive

    def of_all(self, nodes: list[int]) -> dict[int, dict[str, str]]:
        """The properties of many nodes; those that have none are left out."""
        found: dict[int, dict[str, str]] = {}
        for start in range(0, len(nodes), 500):
            part = nodes[start : start + 500]
            for node, name, value in self.drive.db.execute(
                f"SELECT node, name, value FROM properties WHERE node IN ({placeholders(part)}) ORDER BY node, name",
                part,
            ):
                found.setdefault(node, {})[name] = value
        return found

    def set(self, node: int, name: str, value: str) -> None:
        self.drive.db.execute("INSERT OR REPLACE INTO properties VALUES (?,?,?)", (node, name, value))

    def remove(self, node: int, name: str) -> None:
        self.drive.db.execute("DELETE FROM properties WHERE node = ? AND name = ?", (node, name))

    def set_favorite(self, node: int, username: str, starred: bool) -> None:
        if starred:
            self.drive.db.execute("INSERT OR IGNORE INTO favorites VALUES (?,?)", (node, username))
        else:
            self.drive.db.execute("DELETE FROM favorites WHERE node = ? AND username = ?", (node, username))

    def favorites(self, username: str) -> list[Node]:
        rows = self.drive.db.execute(
            f"SELECT {columns(Node, 'n')} FROM favorites f JOIN nodes n ON n.id = f.node"
            " WHERE f.username = ? ORDER BY n.path",
            (username,),
        )
        return [Node(*row) for row in rows]
