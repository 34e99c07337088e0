"""Move or copy: choose a folder step by step, and say what happens to names that are taken there."""

from __future__ import annotations

from urllib.parse import urlencode

from starlette.responses import Response
from starlette.types import ASGIApp

from dayjob.company.drive.errors import BadRequest, DriveError
from dayjob.company.drive.names import free_name, join, name_of
from dayjob.company.drive.pages.acting import require_movable
from dayjob.company.drive.pages.listing import trail_to
from dayjob.company.drive.pages.page import FILES, Page, folder_address, page, path_of, see_other
from dayjob.company.drive.pages.reading import chosen
from dayjob.company.drive.rows import CREATE, Place
from dayjob.company.drive.store.view import View


def _address(folder: str, names: list[str], to: str) -> str:
    return f"{FILES}/transport?{urlencode([('dir', folder), *(('files[]', one) for one in names), ('to', to)])}"


def _ask(
    page: Page, view: View, folder: str, places: list[Place], to: str, *, problem: str = "", taken: str = "",
    moving: bool = True,
) -> Response:  # fmt: skip
    names = [name_of(one.seen) for one in places]
    target = view.need(to)
    inside = [one for one in view.entries(target) if one.node is not None and one.node.is_folder]
    moved = {one.seen for one in places}
    return page.show(
        "transport.html",
        400 if problem else 200,
        folder=folder,
        names=names,
        to=target.seen,
        here=name_of(target.seen) or "All files",
        may_add=bool(target.permissions & CREATE),
        trail=trail_to(target.seen, "All files", lambda path: _address(folder, names, path)),
        inside=[(name_of(one.seen), _address(folder, names, one.seen)) for one in inside if one.seen not in moved],
        problem=problem,
        taken=taken,
        moving=moving,
        back=folder_address(folder),
    )


@page("GET", "/apps/files/transport")
async def choose(page: Page) -> ASGIApp:
    view, folder = page.view(), path_of(page.query.get("dir", "/"))
    places = _places(view, folder, page.query.getlist("files[]"))
    return _ask(page, view, folder, places, path_of(page.query.get("to", folder)))


def _places(view: View, folder: str, names: list[str]) -> list[Place]:
    if not names:
        raise BadRequest("Name what to move or copy.")
    return chosen(view, view.need(folder), names)


@page("POST", "/apps/files/transport")
async def transport(page: Page) -> ASGIApp:
    """`do` is move or copy; `conflict` is empty (ask), both or replace."""
    form = await page.form()
    view, folder, to = page.view(), path_of(form.get("dir", "/")), path_of(form.get("to", "/"))
    places = _places(view, folder, form.all("files[]"))
    moving, conflict = form.get("do") != "copy", form.get("conflict", "")
    taken = {name_of(one.seen) for one in view.entries(view.need(to))}
    clashes = [name_of(one.seen) for one in places if name_of(one.seen) in taken]
    same = to == folder
    if moving and same:
        return _ask(page, view, folder, places, to, problem="It is in this folder already. Choose another one.")
    if clashes and conflict not in ("both", "replace") and not same:
        said = f"“{clashes[0]}” is" if len(clashes) == 1 else f"{len(clashes)} of these names are"
        return _ask(page, view, folder, places, to, taken=f"{said} in this folder already.", moving=moving)
    try:
        with page.drive.transaction():
            for place in places:
                name = name_of(place.seen)
                if conflict != "replace" or same:
                    name = free_name(name, taken)
                taken.add(name)
                _carry(view, place, join(to, name), moving=moving)
    except DriveError as error:
        return _ask(page, view, folder, places, to, problem=str(error))
    said = f"“{name_of(places[0].seen)}” was" if len(places) == 1 else f"{len(places)} things were"
    return see_other(folder_address(to), f"{said} {'moved' if moving else 'copied'} here.")


def _carry(view: View, place: Place, target: str, *, moving: bool) -> None:
    if moving:
        require_movable(view, place)
    require_movable(view, view.locate(target))
    if moving:
        view.move(place.seen, target)
    else:
        view.copy(place.seen, target)
