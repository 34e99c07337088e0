"""What people do in rooms and with messages: forms that call the API's handlers, and the sheets they stand on."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.pages import emoji
from dayjob.company.chat.pages.page import Missing, Page, page, room_path, room_title
from dayjob.company.chat.pages.shown import Showing
from dayjob.company.chat.rows import Message, Room
from dayjob.company.chat.store import Page as Part
from dayjob.company.chat.store.accounts import ACTIVE
from dayjob.company.pages import see_other

_PEOPLE = Part(count=500, order="name COLLATE NOCASE")
_FAMILIES = {"c": "channels", "p": "groups", "d": "im"}


# -- saying something --------------------------------------------------------------------------------------------


@page("POST", "/-/post")
def post(page: Page) -> Response:
    text = page.form.get("text", "")
    if not text.strip():
        raise ChatError("There is nothing to send: write a message first.")
    done = page.do(
        "chat.postMessage", channel=page.form.line("channel"), text=text.strip("\n"),
        tmid=page.form.line("thread") or None,
    )  # fmt: skip
    return _after(page, page.store.messages.must(done["message"]["_id"]))


def _after(page: Page, message: Message) -> Response:
    """The message as it is now, for a script; for everybody else the page it is on."""
    room = page.store.rooms.must(message.room_id)
    if page.wants_part:
        showing = Showing(page.store, page.user, room)
        return page.part("message-part.html", one=showing.one(message))
    path = room_path(page.store, room, page.user)
    return page.done(f"{path}/thread/{message.thread_id}" if message.thread_id else path)


# -- messages ----------------------------------------------------------------------------------------------------


def _message(page: Page, id: str) -> tuple[Message, Room]:
    message = page.store.messages.get(id)
    room = page.store.rooms.get(message.room_id) if message is not None else None
    if message is None or room is None or not page.store.access.may_read(page.user, room):
        raise Missing("This message is gone, or it is not for you.")
    return message, room


@page("GET", "/-/messages/{id}")
def message_actions(page: Page, id: str) -> Response:
    message, room = _message(page, id)
    may = page.store.messages.offered(message, page.user)
    may["pin"] &= message.type is None
    showing = Showing(page.store, page.user, room)
    return page.show("message-actions.html", one=showing.one(message), may=may, path=showing.here)


@page("GET", "/-/messages/{id}/react")
def reaction_picker(page: Page, id: str) -> Response:
    message, room = _message(page, id)
    signs = [(name, emoji.glyph(name)) for name in emoji.PICKER]
    return page.show("react.html", id=message.id, signs=signs, path=room_path(page.store, room, page.user))


@page("GET", "/-/messages/{id}/edit")
def edit_form(page: Page, id: str) -> Response:
    message, room = _message(page, id)
    return page.show("edit.html", message=message, path=room_path(page.store, room, page.user))


@page("POST", "/-/messages/{id}/{action}")
def act_on_message(page: Page, id: str, action: str) -> Response:
    message, room = _message(page, id)
    if action == "edit":
        text = page.form.get("text", "").strip("\n")
        if not text.strip() and not message.files:
            raise ChatError("An empty message says nothing: delete it instead.")
        page.do("chat.update", roomId=room.id, msgId=id, text=text)
    elif action == "delete":
        page.do("chat.delete", roomId=room.id, msgId=id)
        if page.wants_part:
            return page.part("gone.html", id=id)
        return page.done(room_path(page.store, room, page.user), "Message deleted.")
    elif action == "react":
        page.do("chat.react", messageId=id, emoji=page.form.line("emoji"))
    elif (endpoint := _MARKS.get(action)) is not None:
        page.do(endpoint, **{"mid" if "follow" in endpoint else "messageId": id})
    else:
        raise Missing()
    return _after(page, page.store.messages.must(id))


_MARKS = {
    "pin": "chat.pinMessage", "unpin": "chat.unPinMessage", "star": "chat.starMessage", "unstar": "chat.unStarMessage",
    "follow": "chat.followMessage", "unfollow": "chat.unfollowMessage",
}  # fmt: skip


# -- rooms -------------------------------------------------------------------------------------------------------


@page("GET", "/-/rooms/new")
def room_form(page: Page) -> Response:
    return page.show("room-new.html", problem="", given={"name": "", "topic": "", "kind": "c"})


@page("POST", "/-/rooms")
def create_room(page: Page) -> Response:
    kind = "p" if page.form.line("kind") == "p" else "c"
    name = page.form.line("name").removeprefix("#").replace(" ", "-")
    invited = _people(page)
    done = page.do(
        f"{_FAMILIES[kind]}.create", name=name, members=invited, readOnly=page.form.line("readOnly") == "on",
        extraData={"topic": page.form.line("topic")} if page.form.line("topic") else None,
    )  # fmt: skip
    room = done["channel" if kind == "c" else "group"]
    return see_other(f"/{'channel' if kind == 'c' else 'group'}/{quote(room['name'])}", f"{room['name']} is open.")


def _people(page: Page) -> list[str]:
    """Usernames from a field that takes several, with or without @, apart by commas or spaces."""
    given = page.form.line("people").replace(",", " ").split()
    names = [one.removeprefix("@") for one in given]
    for name in names:
        if page.store.accounts.named(name) is None:
            raise ChatError(f"Nobody here is called {name}. Use usernames, such as {page.user.username}.")
    return names


@page("GET", "/-/direct/new")
def direct_form(page: Page) -> Response:
    return page.show("direct-new.html", people=page.store.accounts.colleagues(_PEOPLE, page.user))


@page("POST", "/-/direct")
def open_direct(page: Page) -> Response:
    names = _people(page)
    if not names:
        raise ChatError("Say with whom: give at least one username.")
    if len(names) == 1:
        return see_other(f"/direct/{quote(names[0])}")
    done = page.do("im.create", usernames=",".join(names))
    return see_other(f"/direct/{quote(done['room']['rid'])}")


@page("GET", "/-/rooms/{id}/{form}")
def room_sheet(page: Page, id: str, form: str) -> Response:
    room = _room(page, id)
    if form not in ("topic", "invite", "upload"):
        raise Missing()
    path = room_path(page.store, room, page.user)
    values: dict[str, Any] = {"room": room, "path": path, "title": room_title(page.store, room, page.user)}
    if form == "invite":
        inside = set(page.store.members.user_ids(room.id))
        found, _ = page.store.accounts.listing(_PEOPLE, ACTIVE)
        values["people"] = [one for one in found if one.id not in inside]
    values["thread"] = page.query.get("thread", "")
    return page.show(f"room-{form}.html", **values)


def _room(page: Page, id: str) -> Room:
    room = page.store.rooms.get(id)
    if room is None or not page.store.access.may_read(page.user, room):
        raise Missing("There is no such room, or it is not for you.")
    return room


@page("POST", "/-/rooms/{id}/{action}")
async def act_on_room(page: Page, id: str, action: str) -> Response:
    room = _room(page, id)
    family, path = _FAMILIES[room.type], room_path(page.store, room, page.user)
    notice = ""
    if action == "join":
        page.do("channels.join" if room.type == "c" else "rooms.join", roomId=id, joinCode=page.form.get("code"))
    elif action == "leave":
        page.do("rooms.leave", roomId=id)
        return see_other("/home", f"You have left {room_title(page.store, room, page.user)}.")
    elif action == "topic":
        page.do(f"{family}.setTopic", roomId=id, topic=page.form.line("topic"))
        if room.type != "d":
            for name in ("announcement", "description"):
                if page.form.line(name) != (getattr(room, name) or "") and name in page.form:
                    page.do(f"{family}.set{name.capitalize()}", roomId=id, **{name: page.form.line(name)})
    elif action == "invite":
        people = _people(page)
        if not people:
            raise ChatError("Say whom: give at least one username.")
        page.do(f"{family}.invite", roomId=id, usernames=people)
        notice = f"{', '.join(people)} {'is' if len(people) == 1 else 'are'} in."
    elif action == "remove":
        page.do(f"{family}.kick", roomId=id, username=page.form.line("username"))
    elif action in ("favorite", "unfavorite"):
        page.do("rooms.favorite", roomId=id, favorite=action == "favorite")
    elif action == "hide":
        page.do("rooms.hide", roomId=id)
        return see_other("/home")
    elif action == "upload":
        return await _upload(page, room)
    else:
        raise Missing()
    return page.done(path, notice)


async def _upload(page: Page, room: Room) -> Response:
    if page.multipart is None or "file" not in page.multipart.files:
        raise ChatError("Choose a file first.")
    fields = page.multipart.fields
    page.multipart.fields = {key: fields[key] for key in ("msg", "description", "tmid") if fields.get(key)}
    done = await page.do_upload(f"rooms.upload/{quote(room.id)}")
    return _after(page, page.store.messages.must(done["message"]["_id"]))
