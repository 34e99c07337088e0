"""Sam, who works at Larkspur; Priya, who runs Trellis; the workspace's administrator; and what a board's tables say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page

from dayjob.company.board.store import accounts
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served

Visit = Callable[..., Visitor]
SAM = ("sam.reed@larkspur.test", "sam-reed-first-day")
ADMIN = ("admin@larkspur.test", "admin-of-larkspur-board")


class Place:
    """Trellis in one company: its addresses, and its rows by name."""

    def __init__(self, office: Served) -> None:
        self.office = office
        self.id = self.one("SELECT id FROM projects WHERE identifier = 'TREL'")
        self.at = f"/larkspur/projects/{self.id}"

    def rows(self, sql: str, *arguments: Any) -> list[tuple[Any, ...]]:
        database = self.office.company.database("board")
        found: list[tuple[Any, ...]] = self.office.call(lambda: database.execute(sql, arguments).fetchall())
        return found

    def one(self, sql: str, *arguments: Any) -> Any:
        return self.rows(sql, *arguments)[0][0]

    def item(self, number: int) -> str:
        found: str = self.one("SELECT id FROM items WHERE project = ? AND sequence_id = ?", self.id, number)
        return found

    def item_at(self, number: int) -> str:
        return f"{self.at}/issues/{self.item(number)}/"

    def fact(self, number: int, column: str) -> Any:
        return self.one(f"SELECT {column} FROM items WHERE id = ?", self.item(number))

    def state(self, number: int) -> str:
        found: str = self.one("SELECT name FROM states WHERE id = ?", self.fact(number, "state"))
        return found

    def cycle(self, name: str) -> str:
        return f"{self.at}/cycles/{self.one('SELECT id FROM cycles WHERE project = ? AND name = ?', self.id, name)}/"

    def module(self, name: str) -> str:
        return f"{self.at}/modules/{self.one('SELECT id FROM modules WHERE project = ? AND name = ?', self.id, name)}/"


@pytest.fixture
def trellis(office: Served) -> Place:
    return Place(office)


def as_person(office: Served, visit: Visit, username: str, **context: Any) -> Visitor:
    """Somebody of the company at a browser, with a session; how one comes by a session is tested in test_entry."""
    board: Any = office.company.service("board")

    def open_session() -> str:
        user = accounts.user_by_email(board.db, f"{username}@larkspur.test")
        assert user is not None
        return accounts.open_session(board.db, user.id)

    visitor = visit(office, **context)
    token: str = office.call(open_session)
    visitor.context.add_cookies([{"name": "session-id", "value": token, "url": office.url("board")}])
    return visitor


@pytest.fixture
def sam(office: Served, visit: Visit) -> Visitor:
    """Sam, a member of Trellis."""
    return as_person(office, visit, "sam.reed")


@pytest.fixture
def plain_sam(office: Served, visit: Visit) -> Visitor:
    """Sam with a browser that runs no scripts."""
    return as_person(office, visit, "sam.reed", java_script_enabled=False)


@pytest.fixture
def priya(office: Served, visit: Visit) -> Visitor:
    """Priya, an admin of Trellis and of the workspace."""
    return as_person(office, visit, "priya.nair")


def column(page: Page, name: str) -> Locator:
    """A column of the board, or a section of the list, by its heading."""
    return page.get_by_role("region", name=name, exact=True)


def notice(page: Page, words: str) -> None:
    """What the page says it did."""
    expect(page.get_by_role("status")).to_contain_text(words)
