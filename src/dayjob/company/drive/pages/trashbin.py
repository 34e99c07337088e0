"""What was deleted: restore it, delete it for good, empty the trash."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import ASGIApp

from dayjob.company.drive.errors import NotFound
from dayjob.company.drive.names import free_name, join, name_of, parent_of
from dayjob.company.drive.pages.listing import modified_at
from dayjob.company.drive.pages.page import HOME, Page, page, see_other
from dayjob.company.drive.previews.kinds import kind_of
from dayjob.company.drive.rows import CREATE, Trashed
from dayjob.company.drive.store.view import View

TRASH = f"{HOME}?view=trashbin"


def show_trash(page: Page, view: View) -> Response:
    items = [
        {
            "id": one.item,
            "name": name_of(one.origin),
            "kind": kind_of(one.origin, one.is_folder),
            "origin": parent_of(view.seen_as(one.username, one.origin) or one.origin),
            "size": one.total if one.is_folder else one.size,
            "deleted": modified_at(one.deleted),
        }
        for one in reversed(page.drive.trash.items(view.username))
    ]
    return page.show("trash.html", place="trashbin", items=items)


def _find(page: Page, view: View, id: str) -> Trashed:
    if not (id.isascii() and id.isdigit() and len(id) < 19):
        raise NotFound(f"There is no {id} in the trash.")
    return page.drive.trash.get(view.username, int(id))


@page("POST", "/apps/files/trash/{id}/restore")
async def restore(page: Page, id: str) -> ASGIApp:
    """Back to where it was; to the top when that folder is gone, under a free name when its own is taken."""
    await page.form()
    view = page.view()
    found = _find(page, view, id)
    was = view.seen_as(found.username, found.origin) or f"/{name_of(found.origin)}"
    folder = view.locate(parent_of(was))
    if folder.node is None or not folder.node.is_folder or not folder.permissions & CREATE:
        folder = view.locate("/")
    taken = {name_of(one.seen) for one in view.entries(folder)}
    target = join(folder.seen, free_name(name_of(was), taken))
    page.drive.trash.restore(view, found, target)
    return see_other(TRASH, f"“{name_of(was)}” is back at {target}.")


@page("POST", "/apps/files/trash/{id}/erase")
async def erase(page: Page, id: str) -> ASGIApp:
    await page.form()
    found = _find(page, page.view(), id)
    page.drive.trash.erase(found)
    return see_other(TRASH, f"“{name_of(found.origin)}” is deleted for good.")


@page("POST", "/apps/files/trash/empty")
async def empty(page: Page) -> ASGIApp:
    """Everything the list shows, which includes what this person deleted out of other people's folders."""
    await page.form()
    view = page.view()
    with page.drive.transaction():
        for found in page.drive.trash.items(view.username):
            page.drive.trash.erase(found)
    return see_other(TRASH, "The trash is empty.")
