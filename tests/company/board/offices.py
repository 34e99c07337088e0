"""A board asked without sockets: one workspace, `w`, and people with every role in it and in its projects."""

from __future__ import annotations

from typing import Any

from dayjob.company.board import Board
from dayjob.company.board.api.call import Call
from dayjob.company.board.errors import Refused
from dayjob.company.board.rows import Item, Project, State, User
from dayjob.company.board.store import accounts, items, projects
from dayjob.company.board.store.base import Store
from dayjob.company.rows import by_id, find
from tests.company.bare import Bare

ADMIN, MEMBER, GUEST = accounts.ADMIN, accounts.MEMBER, accounts.GUEST


class Office:
    """`root` administers the workspace and acts unless told otherwise."""

    def __init__(self) -> None:
        self.company = Bare("board")
        board = self.company.service("board")
        assert isinstance(board, Board)
        self.board = board
        self.db = board.db
        self.store = Store(board.db, self.company.ids, self.company.clock.stamp, "")
        self.root = self.person("root")
        self.store.actor = self.root.id
        self.db.execute(
            "INSERT INTO workspaces (id, name, slug, owner, created_at) VALUES ('w', 'W', 'w', ?, '')", (self.root.id,)
        )
        accounts.add_workspace_member(self.store, "w", self.root.id, ADMIN)

    def person(self, name: str, role: int = 0, password: str | None = None) -> User:
        """Somebody, with a role in the workspace unless it is 0."""
        made = accounts.add_user(
            self.store, username=name, email=f"{name}@bare.test", name=name.title(), password=password
        )
        if role:
            accounts.add_workspace_member(self.store, "w", made, role)
        user = by_id(self.db, User, made)
        assert user is not None
        return user

    def project(self, name: str = "Garden", **facts: Any) -> Project:
        made = projects.create(self.store, "w", {"name": name, "identifier": name[:5].upper(), **facts})
        return projects.project(self.db, "w", made)

    def join(self, project: Project, user: User, role: int) -> None:
        accounts.add_project_member(self.store, "w", project.id, user.id, role)

    def item(self, project: Project, name: str = "Weeds", **facts: Any) -> Item:
        return items.item(self.db, project.id, items.create(self.store, project, {"name": name, **facts}))

    def call(self, user: User, method: str = "GET", body: Any = None, **params: str) -> Call:
        """A request as its endpoint sees it."""
        store = Store(self.db, self.company.ids, self.company.clock.stamp, user.id)
        return Call(self.board, method, {"slug": "w", **params}, b"", user, store, "http://board.test", body)

    def may(self, what: object, *args: object) -> bool:
        """Whether the board does it; what it does is undone."""
        assert callable(what)
        self.db.execute("SAVEPOINT tried")
        try:
            what(*args)
        except Refused:
            return False
        finally:
            self.db.execute("ROLLBACK TO tried")
            self.db.execute("RELEASE tried")
        return True


def refused(what: Any, *args: Any, **more: Any) -> bool:
    try:
        what(*args, **more)
    except Refused:
        return True
    return False


def states(office: Office, project: Project) -> dict[str, State]:
    return {one.name: one for one in find(office.db, State, "WHERE project = ?", (project.id,))}


def now(office: Office) -> Store:
    """A store of this moment: each keeps the moment it first read."""
    return Store(office.db, office.company.ids, office.company.clock.stamp, office.root.id)


def told(office: Office, item: Item) -> list[tuple[str | None, str | None, str | None]]:
    """An item's history: field, old and new value."""
    return office.db.execute(
        "SELECT field, old_value, new_value FROM activities WHERE issue = ? ORDER BY rowid", (item.id,)
    ).fetchall()


def listed(office: Office, item: Item) -> bool:
    return bool(office.db.execute("SELECT listed FROM items WHERE id = ?", (item.id,)).fetchone()[0])
