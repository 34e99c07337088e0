"""Stars that people give to projects; each project counts its own."""

from __future__ import annotations

from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store.base import Store


def is_starred(store: Store, user: User | None, project: Project) -> bool:
    if user is None:
        return False
    return bool(store.value("SELECT 1 FROM stars WHERE user_id=? AND project_id=?", user.id, project.id))


def star(store: Store, user: User, project: Project) -> bool:
    """Whether the star is a new one."""
    with store.transaction():
        if is_starred(store, user, project):
            return False
        store.insert("stars", user_id=user.id, project_id=project.id, at=store.now())
        store.db.execute("UPDATE projects SET star_count=star_count+1 WHERE id=?", (project.id,))
    return True


def unstar(store: Store, user: User, project: Project) -> bool:
    """Whether there was a star to take back."""
    with store.transaction():
        gone = store.db.execute("DELETE FROM stars WHERE user_id=? AND project_id=?", (user.id, project.id))
        if not gone.rowcount:
            return False
        store.db.execute("UPDATE projects SET star_count=max(0, star_count-1) WHERE id=?", (project.id,))
    return True


def of_project(store: Store, project: Project) -> list[tuple[int, str]]:
    """(user id, since when), the oldest star first."""
    return store.db.execute("SELECT user_id, at FROM stars WHERE project_id=? ORDER BY id", (project.id,)).fetchall()
