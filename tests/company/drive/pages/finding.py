"""How a person finds things on the drive's pages: by what they are and what they are called."""

from __future__ import annotations

from playwright.sync_api import FilePayload, Locator, Page

from tests.company.drive.client import Client
from tests.company.pages.browser import Visitor
from tests.company.serving import Served

FILES = "/index.php/apps/files"
SAM, SAMS = "sam.reed", "sam-reed-first-day"


def come_in(visitor: Visitor, path: str = "/") -> Page:
    """Sam, the newest person at Larkspur, signs in on the way to a page."""
    return visitor.sign_in("drive", SAM, SAMS, path)


def sams(office: Served) -> Client:
    """Sam's own drive by WebDAV, to prepare and to check."""
    return Client(office.url("drive"), SAM, SAMS)


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("link", name=name, exact=True))


def names(page: Page) -> list[str]:
    """The names in the list, from the top."""
    return page.locator("#listing tbody th a.plain-link").all_inner_texts()


def act(page: Page, name: str, action: str) -> None:
    """Open the menu of a row and choose."""
    page.get_by_role("button", name=f"Actions for {name}", exact=True).click()
    menu = page.locator("details.menu[open]")
    menu.get_by_role("link", name=action).or_(menu.get_by_role("button", name=action)).click()


def chosen(name: str, content: bytes) -> FilePayload:
    """A file of the visitor's own computer."""
    return {"name": name, "mimeType": "application/octet-stream", "buffer": content}
