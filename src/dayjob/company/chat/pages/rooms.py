"""A room: its messages (newest, earlier, or around one), the panel beside them, and the page that welcomes."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.pages.entry import log_in_form
from dayjob.company.chat.pages.page import Missing, Page, others_in, page, picture, room_path, room_title
from dayjob.company.chat.pages.shown import Showing, text_html
from dayjob.company.chat.rows import Message, Room, User
from dayjob.company.chat.store import Page as Part
from dayjob.company.chat.store.access import Access
from dayjob.company.chat.store.rooms import OPEN_CHANNELS

SCREEN = 40
PANELS = {
    "channel-settings": "Room information", "members-list": "Members", "threads": "Threads", "thread": "Thread",
    "pinned-messages": "Pinned", "starred-messages": "Starred", "uploaded-files-list": "Files", "mentions": "Mentions",
}  # fmt: skip
_KINDS = {"channel": "c", "group": "p"}


@page("GET", "/", "/home")
def home(page: Page) -> Response:
    if page.somebody is None:
        return log_in_form(page, way="")
    store, user = page.store, page.user
    joined = {room.id for room in store.rooms.joined(user, "c", Part(count=0))[0]}
    found, _ = store.rooms.listing(OPEN_CHANNELS, Part(count=200))
    others = [room for room in found if room.id not in joined and store.access.may_read(user, room)]
    return page.show("home.html", others=others[:12], here="/home")


@page(
    "GET", "/channel/{name}", "/channel/{name}/{tab}", "/channel/{name}/{tab}/{what}",
)  # fmt: skip
def channel(page: Page, name: str, tab: str = "", what: str = "") -> Response:
    return _show(page, _named(page, "channel", name), tab, what)


@page("GET", "/group/{name}", "/group/{name}/{tab}", "/group/{name}/{tab}/{what}")
def group(page: Page, name: str, tab: str = "", what: str = "") -> Response:
    return _show(page, _named(page, "group", name), tab, what)


@page("GET", "/direct/{name}", "/direct/{name}/{tab}", "/direct/{name}/{tab}/{what}")
def direct(page: Page, name: str, tab: str = "", what: str = "") -> Response:
    store, user = page.store, page.user
    room = store.rooms.get(name)
    if room is not None and room.type == "d":
        return _show(page, _readable(page, room), tab, what)
    other = store.accounts.named(name) or store.accounts.get(name)
    if other is None:
        raise Missing(f"Nobody here is called {name}.")
    room = store.rooms.direct_between(user, other)
    if room is not None and store.members.find(room.id, user.id) is not None:
        return _show(page, room, tab, what)
    path = f"/direct/{quote(other.username)}"
    return page.show(
        "room.html", room=None, title=other.name, as_of="", path=path, target=f"@{other.username}", kind="direct",
        person=other, picture=picture(other), messages=[], earlier="", later="", member=None, refusal="", topic="",
        panel="", panel_title="", at="", here=path, may={"edit": False},
    )  # fmt: skip


def _named(page: Page, kind: str, name: str) -> Room:
    room = page.store.rooms.named(name) or page.store.rooms.get(name)
    if room is None or room.type != _KINDS[kind]:
        raise Missing(f"There is no {kind} called {name}, or it is not for you.")
    return _readable(page, room)


def _readable(page: Page, room: Room) -> Room:
    if not page.store.access.may_read(page.user, room):
        raise Missing("There is no such room, or it is not for you.")
    return room


def _show(page: Page, room: Room, tab: str, what: str) -> Response:
    store, user = page.store, page.user
    member = store.members.find(room.id, user.id)
    unread_from = member.last_seen if member is not None and (member.alert or member.unread) else None
    as_of = store.now()
    found, earlier, later = _stretch(page, room)
    if member is not None and not later and (member.alert or member.unread):
        store.unread.mark_read(room, user)
    showing = Showing(store, user, room)
    path = room_path(store, room, user)
    others = others_in(store, room, user) if room.type == "d" else []
    person = others[0] if len(others) == 1 else None
    return page.show(
        "room.html",
        room=room,
        title=room_title(store, room, user),
        path=path,
        target=room.id,
        as_of=as_of,
        kind={"c": "channel", "p": "group"}.get(room.type, "direct"),
        person=person,
        picture=picture(person) if person else None,
        messages=showing.all(found, unread_from),
        earlier=earlier,
        later=later,
        member=member,
        refusal=_refusal(store.access, room, user),
        topic=text_html(store, user, room.topic) if room.topic else "",
        at=page.query.get("msg", ""),
        here=path,
        may={"edit": room.type == "d" or page.can("edit-room", room)},
        **_panel(page, room, showing, tab, what),
    )


def _refusal(access: Access, room: Room, user: User) -> str:
    """Why this person cannot write here; empty when they can."""
    try:
        access.require_writing(user, room)
    except ChatError as error:
        known = {"room_is_archived": "This room is archived.", "room_is_blocked": "This conversation is blocked.",
                 "You_have_been_muted": "You have been muted here."}  # fmt: skip
        return known.get(error.sentence, error.sentence)
    return ""


def _stretch(page: Page, room: Room) -> tuple[list[Message], str, str]:
    """Messages oldest first, the cursor of what is before them, and of what comes after."""
    history = page.store.history
    before, around = page.query.get("before", ""), page.query.get("msg", "")
    middle = page.store.messages.get(around) if around else None
    if middle is not None and middle.room_id == room.id:
        top = middle if middle.thread_id is None else page.store.messages.get(middle.thread_id) or middle
        newer = history.after(room, top.at, SCREEN)
        older = history.between(room, latest=top.at, inclusive=True, count=SCREEN // 2 + 1, threads=False)
        found = [*reversed(older), *newer]
        return found, _cursor(older, SCREEN // 2 + 1), "later" if len(newer) == SCREEN else ""
    found = history.between(room, latest=before or None, count=SCREEN, threads=False)
    return found[::-1], _cursor(found, SCREEN), "later" if before else ""


def _cursor(newest_first: list[Message], full: int) -> str:
    return newest_first[-1].at if len(newest_first) == full else ""


def _panel(page: Page, room: Room, showing: Showing, tab: str, what: str) -> dict[str, Any]:
    """What stands beside the messages."""
    if tab and tab not in PANELS:
        raise Missing()
    values: dict[str, Any] = {"panel": tab, "panel_title": PANELS.get(tab, "")}
    store, user, history = page.store, page.user, page.store.history
    if tab == "thread":
        root = store.messages.get(what)
        if root is None or root.room_id != room.id:
            raise Missing("There is no such thread in this room.")
        replies, _ = history.thread(root, Part(count=0))
        values |= {"root": root, "found": [*showing.all([root], days=False), *showing.all(replies, days=False)]}
    elif tab == "members-list":
        people, total = store.members.listing(room, Part(count=200), text=page.query.get("filter", ""))
        roles = {member.user_id: member.role_list() for member, _ in store.members.holders(room.id)}
        values |= {
            "people": [(one, picture(one), roles.get(one.id, [])) for one in people],
            "total": total,
            "filter": page.query.get("filter", ""),
            "may_invite": room.type != "d"
            and (page.can("add-user-to-joined-room", room) or page.can(f"add-user-to-any-{room.type}-room")),
            "may_remove": room.type != "d" and page.can("remove-user", room),
        }
    elif tab == "uploaded-files-list":
        values["files"] = store.uploads.listing(room, Part(count=100))[0]
    elif tab == "threads":
        values["found"] = showing.all(history.threads(room, Part(count=50))[0], days=False)
    elif tab in ("pinned-messages", "starred-messages", "mentions"):
        part = Part(count=50)
        if tab == "pinned-messages":
            marked, _ = history.pinned(room, part)
        elif tab == "starred-messages":
            marked, _ = history.starred(room, user, part)
        else:
            marked, _ = history.mentioning(room, user, part)
        values["found"] = showing.all(marked, days=False)
    elif tab == "channel-settings":
        values["owner"] = store.accounts.get(room.owner_id) if room.owner_id else None
        values["about"] = text_html(store, user, room.description) if room.description else ""
        values["told"] = text_html(store, user, room.announcement) if room.announcement else ""
    return values


@page("GET", "/-/complete")
def complete(page: Page) -> Response:
    """Names for what is being typed: `@ma` people, `#ge` channels."""
    text = page.query.get("text", "")
    if page.query.get("sign") == "#":
        found = page.store.rooms.matching(text, 30, OPEN_CHANNELS)
        shown = [one for one in found if page.store.access.may_read(page.user, one)][:8]
        return JSONResponse([{"name": one.name, "title": one.topic or ""} for one in shown])
    people = page.store.accounts.matching(text, 8, without=[page.user.username])
    rows = [{"name": one.username, "title": one.name} for one in people]
    rows += [
        {"name": one, "title": "Everybody in this room"} for one in ("all", "here") if text and one.startswith(text)
    ]
    return JSONResponse(rows)
