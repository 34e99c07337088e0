"""What is done to files from a listing: new folder, new text file, rename, delete, star, and many at once."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from starlette.responses import Response
from starlette.types import ASGIApp

from dayjob.company.drive.checksums import HASH_LIMIT, ContentWriter
from dayjob.company.drive.errors import BadRequest, Conflict
from dayjob.company.drive.names import join, name_of, name_problem, parent_of
from dayjob.company.drive.pages.page import FILES, HOME, Page, address, folder_address, page, path_of, see_other
from dayjob.company.drive.pages.reading import chosen, send
from dayjob.company.drive.rows import Place
from dayjob.company.drive.store.view import View
from dayjob.company.pages import local

_NEW = {"folder": "New folder", "file": "New text file"}


def require_movable(view: View, place: Place) -> None:
    """Nothing locks a thing or what lies in it. What others shared only changes its place in one's own drive."""
    if not place.is_mount:
        view.require_unlocked(place, deep=True, membership=True)


def write_text(view: View, path: str, text: bytes) -> None:
    """Put a short text at a path, as an upload would."""
    place = view.check_write(path)
    view.require_unlocked(place, membership=place.node is None)
    writer = ContentWriter(view.drive.company.blobs.writer(HASH_LIMIT), None, len(text))
    writer.write(text)
    view.put(path, writer.finish())


def free_place(view: View, folder: str, name: str) -> str:
    """Where something new of this name goes; refuses names that are bad or taken."""
    if problem := name_problem(name):
        raise BadRequest(f"{problem[0].upper()}{problem[1:]}.")
    path = path_of(join(folder, name))
    if view.locate(path).node is not None:
        raise Conflict(f"“{name}” is there already.")
    return path


# -- making -------------------------------------------------------------------------------------------------------


@page("GET", "/apps/files/new/{what}")
async def new_form(page: Page, what: str) -> ASGIApp:
    page.user()
    return _new_form(page, what, path_of(page.query.get("dir", "/")))


def _new_form(page: Page, what: str, folder: str, name: str = "", problem: str = "") -> Response:
    if what not in _NEW:
        raise BadRequest("A folder or a text file can be made here.")
    return page.show(
        "new.html", 400 if problem else 200, what=what, heading=_NEW[what], folder=folder, name=name, problem=problem,
        back=folder_address(folder),
    )  # fmt: skip


@page("POST", "/apps/files/new/{what}")
async def make(page: Page, what: str) -> ASGIApp:
    form = await page.form()
    view, folder, name = page.view(), path_of(form.get("dir", "/")), form.line("name")
    if what == "file" and name and "." not in name:
        name = f"{name}.txt"
    try:
        path = free_place(view, folder, name)
    except (BadRequest, Conflict) as error:
        return _new_form(page, what, folder, name, str(error))
    if what == "folder":
        view.require_unlocked(view.locate(path), membership=True)
        view.make_folder(path)
        return see_other(folder_address(folder), f"Folder “{name}” made.")
    write_text(view, path, b"")
    return see_other(address("edit", path))


# -- one thing ----------------------------------------------------------------------------------------------------


@page("GET", "/apps/files/rename/{path:rest}")
async def rename_form(page: Page, path: str) -> ASGIApp:
    place = page.view().need(path_of(path))
    return _rename_form(page, place.seen, name_of(place.seen))


def _rename_form(page: Page, path: str, name: str, problem: str = "") -> Response:
    return page.show(
        "rename.html", 400 if problem else 200, path=path, action=address("rename", path), old=name_of(path),
        name=name, problem=problem, back=folder_address(parent_of(path)),
    )  # fmt: skip


@page("POST", "/apps/files/rename/{path:rest}")
async def rename(page: Page, path: str) -> ASGIApp:
    form = await page.form()
    view, name = page.view(), form.line("name")
    place = view.need(path_of(path))
    folder = parent_of(place.seen)
    if name == name_of(place.seen):
        return see_other(folder_address(folder))
    try:
        target = free_place(view, folder, name)
    except (BadRequest, Conflict) as error:
        return _rename_form(page, place.seen, name, str(error))
    require_movable(view, place)
    view.move(place.seen, target)
    return see_other(folder_address(folder), f"“{name_of(place.seen)}” is called “{name}”.")


@page("GET", "/apps/files/delete/{path:rest}")
async def delete_form(page: Page, path: str) -> ASGIApp:
    place = page.view().need(path_of(path))
    return page.show(
        "delete.html", action=address("delete", place.seen), name=name_of(place.seen), shared=place.is_mount,
        back=folder_address(parent_of(place.seen)),
    )  # fmt: skip


@page("POST", "/apps/files/delete/{path:rest}")
async def delete(page: Page, path: str) -> ASGIApp:
    await page.form()
    view = page.view()
    place = view.need(path_of(path))
    _remove(view, place)
    said = "no longer among your files" if place.is_mount else "in the trash"
    return see_other(folder_address(parent_of(place.seen)), f"“{name_of(place.seen)}” is {said}.")


def _remove(view: View, place: Place) -> None:
    require_movable(view, place)
    view.remove(place.seen)


@page("POST", "/apps/files/favorite/{path:rest}")
async def favorite(page: Page, path: str) -> ASGIApp:
    """Star or unstar: `starred` says which."""
    form = await page.form()
    view = page.view()
    place = view.need(path_of(path))
    assert place.node is not None
    starred = form.get("starred") == "1"
    page.drive.properties.set_favorite(place.node.id, view.username, starred)
    said = "is among your favourites" if starred else "is no longer among your favourites"
    back = local(form.line("back"), folder_address(parent_of(place.seen)))
    return see_other(back, f"“{name_of(place.seen)}” {said}.")


# -- many ---------------------------------------------------------------------------------------------------------


@page("POST", "/apps/files/selected")
async def selected(page: Page) -> ASGIApp:
    """What is done with the ticked rows of a folder: `do` is delete, download or transport."""
    form = await page.form()
    view, folder = page.view(), path_of(form.get("dir", "/"))
    names = form.all("files[]")
    if not names:
        return see_other(folder_address(folder), "Tick some files or folders first.")
    what = form.get("do")
    if what == "transport":
        return see_other(f"{FILES}/transport?{urlencode([('dir', folder), *(('files[]', one) for one in names)])}")
    places = chosen(view, view.need(folder), names)
    if what == "download":
        return send(page, view, places, name_of(places[0].seen if len(places) == 1 else folder) or "files")
    if what != "delete":
        raise BadRequest("Rows can be deleted, downloaded, moved or copied.")
    with page.drive.transaction():
        for place in places:
            _remove(view, place)
    said = f"“{name_of(places[0].seen)}” is" if len(places) == 1 else f"{len(places)} things are"
    return see_other(f"{HOME}?dir={quote(folder)}", f"{said} deleted.")
