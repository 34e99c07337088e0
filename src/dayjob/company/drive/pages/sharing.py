"""The sharing dialogue: people and groups, public links, what each may do and until when."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp

from dayjob.company.drive.errors import DriveError, Forbidden, NotFound
from dayjob.company.drive.names import name_of, parent_of
from dayjob.company.drive.pages.page import Form, Page, address, folder_address, page, path_of, see_other
from dayjob.company.drive.rows import CREATE, FOLDERS_ONLY, GROUP_SHARE, READ, SHARE, USER_SHARE, WRITE, Place, Share
from dayjob.company.drive.store import sharing as rules
from dayjob.company.drive.store.view import View

_MOST_NAMES = 500
_LINK_RIGHTS = {"view": READ, "upload": READ | CREATE, "edit": rules.OPEN, "drop": CREATE}
LINK_WORDS = [("view", "View and download"), ("upload", "View, download and upload"), ("edit", "Edit everything"),
              ("drop", "Upload only")]  # fmt: skip
_PEOPLE_WORDS = [("read", "Can view"), ("edit", "Can edit")]


def _right(share: Share) -> str:
    if share.is_link:
        return next((name for name, rights in _LINK_RIGHTS.items() if rights == share.permissions), "view")
    return "edit" if share.permissions & WRITE else "read"


def told_shares(page: Page, me: str, place: Place) -> list[dict[str, Any]]:
    """How a thing is shared, as far as it is one's own business: what one made or owns, and one's own way to it."""
    node = place.there
    accounts = page.drive.accounts
    found = []
    for share in page.drive.shares.on(node):
        mine = rules.rules(share, me)
        if not mine and place.owner != me and share.is_link:
            continue
        user = accounts.get(share.share_with or "") if share.kind == USER_SHARE else None
        by = accounts.get(share.initiator)
        words = dict(LINK_WORDS if share.is_link else _PEOPLE_WORDS)
        found.append(
            {
                "id": share.id,
                "link": share.is_link,
                "group": share.kind == GROUP_SHARE,
                "name": user.name if user else share.share_with or share.name or "Public link",
                "username": share.share_with,
                "label": share.name or "",
                "url": f"{page.drive.base_url()}/index.php/s/{share.token}" if share.token else "",
                "right": _right(share),
                "words": words[_right(share)],
                "resharing": bool(share.permissions & SHARE),
                "password": share.password is not None,
                "expires": share.expires or "",
                "by": by.name if by else share.initiator,
                "mine": mine,
            }
        )
    return found


def _dialogue(page: Page, view: View, place: Place, *, problem: str = "", status: int = 200) -> Response:
    node = place.there
    shares = told_shares(page, view.username, place)
    here = {one["username"] for one in shares}
    people = [
        (user.username, user.name)
        for user in page.drive.accounts.search("", _MOST_NAMES)
        if user.username not in (view.username, node.owner) and user.username not in here
    ]
    return page.show(
        "sharing.html",
        status,
        name=name_of(place.seen),
        path=place.seen,
        action=address("sharing", place.seen),
        folder=node.is_folder,
        people=[one for one in shares if not one["link"]],
        links=[one for one in shares if one["link"]],
        names=people + [(group, "Group") for group in page.drive.accounts.groups() if group not in here],
        rights=_PEOPLE_WORDS,
        link_rights=LINK_WORDS if node.is_folder else LINK_WORDS[:1],
        may_share=bool(place.permissions & SHARE),
        today=page.drive.today(),
        problem=problem,
        back=folder_address(parent_of(place.seen)),
    )


@page("GET", "/apps/files/sharing/{path:rest}")
async def show(page: Page, path: str) -> ASGIApp:
    view = page.view()
    place = view.need(path_of(path))
    if place.seen == "/":
        raise Forbidden("The top folder cannot be shared.")
    return _dialogue(page, view, place)


@page("POST", "/apps/files/sharing/{path:rest}")
async def act(page: Page, path: str) -> ASGIApp:
    """`do` is person, link, change or end; `id` names the share that is changed or ended."""
    form = await page.form()
    view = page.view()
    place = view.need(path_of(path))
    try:
        with page.drive.transaction():
            notice = _act(page, view, place, form)
    except DriveError as error:
        return _dialogue(page, view, place, problem=str(error), status=400)
    return see_other(address("sharing", place.seen), notice)


def _act(page: Page, view: View, place: Place, form: Form) -> str:
    drive, me, what = page.drive, view.username, form.get("do")
    if what == "person":
        return _share_with(page, view, place, form)
    if what == "link":
        rights = _LINK_RIGHTS.get(form.get("right", ""), READ)
        rules.share_by_link(
            drive, me, place, rights, password=form.get("password") or None, expires=form.line("expires") or None,
            name=form.line("label") or None,
        )  # fmt: skip
        return "The link is made."
    share = _share(page, view, place, form.line("id"))
    if what == "end":
        rules.end(drive, me, share)
        return "The share is removed."
    _change(page, share, place, form)
    return "The share is changed."


def _share(page: Page, view: View, place: Place, id: str) -> Share:
    number = int(id) if id.isascii() and id.isdigit() and len(id) < 19 else 0
    share = rules.involved(page.drive, view.username, number)
    if share is None or place.node is None or share.node != place.node.id or not rules.rules(share, view.username):
        raise NotFound("This share is gone already.")
    return share


def _share_with(page: Page, view: View, place: Place, form: Form) -> str:
    drive, who = page.drive, form.line("who")
    rights = _people_rights(place, form)
    user = drive.accounts.get(who)
    if user is None:
        same = [one for one in drive.accounts.search(who, 5) if one.name.casefold() == who.casefold()] if who else []
        user = same[0] if len(same) == 1 else None
    if user is None and drive.accounts.has_group(who):
        rules.share_with(drive, view.username, place, GROUP_SHARE, who, rights, None)
        return f"Shared with the group {who}."
    if user is None:
        raise NotFound(f"There is nobody called “{who}” here." if who else "Name somebody to share with.")
    rules.share_with(drive, view.username, place, USER_SHARE, user.username, rights, None)
    return f"Shared with {user.name}."


def _people_rights(place: Place, form: Form) -> int:
    rights = READ
    if form.get("right") == "edit":
        rights |= WRITE & place.permissions
    if form.get("resharing") == "1":
        rights |= SHARE & place.permissions
    if place.node is not None and not place.node.is_folder:
        rights &= ~FOLDERS_ONLY
    return rights


def _change(page: Page, share: Share, place: Place, form: Form) -> None:
    node = place.there
    link = share.is_link
    wanted = _LINK_RIGHTS.get(form.get("right", ""), share.permissions) if link else _people_rights(place, form)
    values: dict[str, str | int | None] = {
        "permissions": rules.new_rights(page.drive, share, wanted, is_folder=node.is_folder)
    }
    if link:
        values["name"] = form.line("label") or None
        expires = form.line("expires")
        # The day a link already has stays, even when it is over: only another day must lie ahead.
        values["expires"] = (
            None if not expires else expires if expires == share.expires else rules.last_day(page.drive, expires)
        )
        if form.get("open") == "1":
            values["password"] = None
        elif form.get("password"):
            values["password"] = form["password"]
    page.drive.shares.change(share, **values)
