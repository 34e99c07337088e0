"""People and finding things: the directory, search, a person's page, and one's own profile."""

from __future__ import annotations

from typing import Any

from starlette.responses import RedirectResponse, Response

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.pages.page import Missing, Page, page, picture, room_path, room_title
from dayjob.company.chat.pages.shown import Showing, text_html
from dayjob.company.chat.store import Page as Part
from dayjob.company.chat.store.accounts import PEOPLE
from dayjob.company.chat.store.conditions import holding
from dayjob.company.chat.store.rooms import CHANNELS_AND_GROUPS, LISTED_CHANNELS, NOT_ARCHIVED
from dayjob.company.pages import see_other

_PER_PAGE = 50


def _number(text: str) -> int:
    return max(1, min(int(text), 100_000)) if text.isascii() and text.isdigit() and len(text) < 7 else 1


@page("GET", "/directory", "/directory/{tab}")
def directory(page: Page, tab: str = "channels") -> Response:
    if tab not in ("channels", "users"):
        raise Missing()
    store, text = page.store, page.query.get("filter", "")
    number = _number(page.query.get("page", "1"))
    part = Part((number - 1) * _PER_PAGE, _PER_PAGE)
    values: dict[str, Any] = {}
    if tab == "channels":
        found, total = store.rooms.listing(LISTED_CHANNELS & holding(text, "name", "topic"), part)
        values["rooms"] = [
            (one, room_path(store, one, page.user), store.members.find(one.id, page.user.id) is not None)
            for one in found
            if store.access.may_read(page.user, one)
        ]
    else:
        by_name = Part(part.offset, part.count, "name COLLATE NOCASE")
        people, total = store.accounts.listing(by_name, PEOPLE & holding(text, "username", "name"))
        values["people"] = [(one, picture(one)) for one in people]
    pages = max(1, -(-total // _PER_PAGE))
    return page.show("directory.html", tab=tab, filter=text, number=number, pages=pages, here="/directory", **values)


@page("GET", "/search")
def search(page: Page) -> Response:
    text = page.query.get("q", "").strip()
    store, user = page.store, page.user
    rooms, people, messages = [], [], []
    if text:
        visible = CHANNELS_AND_GROUPS & NOT_ARCHIVED
        rooms = [
            (one, room_path(store, one, user), room_title(store, one, user))
            for one in store.rooms.matching(text.removeprefix("#"), 50, visible)
            if store.access.may_read(user, one)
        ][:10]
        people = [(one, picture(one)) for one in store.accounts.matching(text.removeprefix("@"), 10)]
        for message in store.history.search_all(user, text, Part(count=30)):
            room = store.rooms.must(message.room_id)
            showing = Showing(store, user, room)
            messages.append((showing.one(message), room_title(store, room, user)))
    return page.show("search.html", search=text, text=text, rooms=rooms, people=people, messages=messages)


@page("GET", "/user/{username}")
def person(page: Page, username: str) -> Response:
    store = page.store
    found = store.accounts.named(username)
    if found is None:
        raise Missing(f"Nobody here is called {username}.")
    full = found.id == page.user.id or page.can("view-full-other-user-info")
    bio = text_html(store, page.user, found.bio) if found.bio else ""
    return page.show("user.html", person=found, picture=picture(found), bio=bio, email=found.email if full else None)


# -- oneself -----------------------------------------------------------------------------------------------------


@page("GET", "/account")
def account(page: Page) -> Response:
    return RedirectResponse("/account/profile", 302)


@page("GET", "/account/profile")
def profile(page: Page) -> Response:
    user = page.user
    given = {
        "name": user.name,
        "username": user.username,
        "email": user.email or "",
        "bio": user.bio or "",
        "nickname": user.nickname or "",
        "status": user.status_default,
        "statusText": user.status_text,
    }
    return page.show("profile.html", given=given, picture=picture(user))


@page("POST", "/account/profile")
def save_profile(page: Page) -> Response:
    fields = ("name", "username", "email", "bio", "nickname")
    with page.store.change():
        page.do("users.updateOwnBasicInfo", data={key: page.form.line(key) for key in fields if key in page.form})
        page.do("users.setStatus", message=page.form.line("statusText"), status=page.form.line("status") or None)
    return see_other("/account/profile", "Profile saved.")


@page("POST", "/account/password")
def save_password(page: Page) -> Response:
    new = page.form.get("new", "")
    if not new:
        raise ChatError("The new password is empty.")
    if new != page.form.get("again", ""):
        raise ChatError("The two new passwords are not the same.")
    try:
        page.do("users.updateOwnBasicInfo", data={"currentPassword": page.form.get("current", ""), "newPassword": new})
    except ChatError as error:
        if error.type == "error-invalid-password":
            raise ChatError("The current password is wrong.", status=403) from None
        raise
    return see_other("/account/profile", "Password changed.")


@page("POST", "/account/avatar")
async def save_avatar(page: Page) -> Response:
    if page.multipart is None or not page.multipart.files.get("image"):
        page.multipart = None
        page.do("users.resetAvatar")
        return see_other("/account/profile", "Picture removed.")
    page.multipart.fields = {}
    await page.do_upload("users.setAvatar")
    return see_other("/account/profile", "Picture changed.")
