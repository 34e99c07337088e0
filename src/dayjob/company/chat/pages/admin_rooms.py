"""Rooms, for administrators: every one there is, its settings, archiving and deleting. What is said in them stays
with those who may read it."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from dayjob.company.chat.errors import forbidden
from dayjob.company.chat.pages.page import Page, page, there
from dayjob.company.chat.rows import Room
from dayjob.company.chat.store import Page as Part
from dayjob.company.chat.store.rooms import NAMED_FIRST
from dayjob.company.pages import see_other

_PER_PAGE = 50
_TYPES = {"c": "Channel", "p": "Private group", "d": "Direct message", "l": "Omnichannel"}
_TEXTS = {"roomTopic": "topic", "roomAnnouncement": "announcement", "roomDescription": "description"}
_FLAGS = {"readOnly": "read_only", "default": "is_default"}


def _administrator(page: Page) -> None:
    if not page.can("view-room-administration"):
        raise forbidden()


def _title(page: Page, room: Room) -> str:
    """A room's name; of a direct room, who talks there."""
    if room.type != "d":
        return room.fname or room.name or ""
    people = [page.store.accounts.get(id) for id in json.loads(room.uids or "[]")]
    return ", ".join(one.username for one in people if one is not None)


@page("GET", "/admin/rooms")
def rooms(page: Page) -> Response:
    _administrator(page)
    text, kind, number = (page.query.get(key, "") for key in ("filter", "type", "page"))
    at = max(1, int(number)) if number.isascii() and number.isdigit() and len(number) < 7 else 1
    part = Part((at - 1) * _PER_PAGE, _PER_PAGE, NAMED_FIRST)
    found, total = page.store.rooms.of_types((kind,) if kind in _TYPES else tuple(_TYPES), part, text)
    return page.show(
        "admin-rooms.html", found=[(one, _title(page, one)) for one in found], total=total, filter=text, type=kind,
        types=_TYPES, number=at, pages=max(1, -(-total // _PER_PAGE)), here="/admin/rooms",
    )  # fmt: skip


def _room(page: Page, id: str) -> Room:
    _administrator(page)
    return there(page.store.rooms.get(id), "room")


@page("GET", "/admin/rooms/edit/{id}")
def room_sheet(page: Page, id: str) -> Response:
    room = _room(page, id)
    holders = page.store.members.holders(room.id)
    owners = [user.username for member, user in holders if "owner" in member.role_list()]
    return page.show(
        "admin-room.html", room=room, name=_title(page, room), type=_TYPES[room.type], owners=owners,
        editable=room.type in ("c", "p"),
    )  # fmt: skip


@page("POST", "/admin/rooms/edit/{id}")
def edit_room(page: Page, id: str) -> Response:
    """Send the API what is different, so that rooms hear of nothing that stays as it is."""
    room = _room(page, id)
    changes: dict[str, Any] = {}
    for key, column in _TEXTS.items():
        if (text := page.form.line(key)) != (getattr(room, column) or ""):
            changes[key] = text
    for key, column in _FLAGS.items():
        if (ticked := page.form.line(key) == "on") != bool(getattr(room, column)):
            changes[key] = ticked
    if (name := page.form.line("roomName")) != (room.name or ""):
        changes["roomName"] = name
    if (kind := "p" if page.form.line("private") == "on" else "c") != room.type:
        changes["roomType"] = kind
    archived = page.form.line("archived") == "on"
    with page.store.change():
        if changes:
            page.do("rooms.saveRoomSettings", rid=id, **changes)
        if archived != bool(room.archived):
            page.do("rooms.changeArchivationState", rid=id, action="archive" if archived else "unarchive")
    return see_other("/admin/rooms", f"{name} has been changed.")


@page("POST", "/admin/rooms/edit/{id}/delete")
def delete_room(page: Page, id: str) -> Response:
    room = _room(page, id)
    name = _title(page, room)
    page.do("rooms.delete", roomId=id)
    return see_other("/admin/rooms", f"{name} has been deleted.")
