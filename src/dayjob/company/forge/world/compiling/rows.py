"""What all parts of the forge's compiler share: the database being filled, and who and what is already in it."""

from __future__ import annotations

import sqlite3
from typing import Any

from dayjob.company.forge.world.model import Project
from dayjob.company.rows import insert, packed
from dayjob.company.world import Build


class Rows:
    """The database, and the ids of the accounts and namespaces that are in it."""

    def __init__(self, build: Build) -> None:
        self.build = build
        self.db: sqlite3.Connection = build.db
        self.users: dict[str, int] = {}
        self.names: dict[str, str] = {}
        self.namespaces: dict[str, int] = {}
        self.spoken: list[tuple[int, str, str]] = []
        """Of each merge request its id, its project and its words, which may name issues."""

    def insert(self, table: str, /, **values: Any) -> int:
        return insert(self.db, table, values)

    def named_id(self, table: str, column: str, name: str, project: Project, project_id: int) -> int | None:
        """A label or milestone of the project or of a group above it."""
        row = self.db.execute(
            f"SELECT id FROM {table} WHERE project_id=? AND {column}=?", (project_id, name)
        ).fetchone()
        group = project.group
        while row is None and group:
            row = self.db.execute(
                f"SELECT id FROM {table} WHERE group_id=? AND {column}=?", (self.namespaces.get(group), name)
            ).fetchone()
            group = group.rpartition("/")[0]
        return row[0] if row else None

    def ids(self, usernames: list[str]) -> str:
        return packed([self.users[name] for name in dict.fromkeys(usernames)])
