"""Sending files into rooms, and people's pictures."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import RedirectResponse

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint
from dayjob.company.chat.api.forms import FilePart
from dayjob.company.chat.errors import ChatError, invalid, not_allowed
from dayjob.company.chat.rows import Room, User
from dayjob.company.chat.store.uploads import path
from dayjob.http.bodies import parse_json


def _room(call: Call) -> Room:
    room = call.store.rooms.get(call.path["rid"])
    if room is None or not call.store.access.may_read(call.user, room):
        raise ChatError("unauthorized", status=403)
    call.store.uploads.require_uploads(room)
    call.store.access.require_writing(call.user, room)
    return room


def _checked(call: Call, part: FilePart) -> FilePart:
    if not call.store.uploads.takes(part.type):
        raise ChatError("File type is not accepted.", "error-invalid-file-type")
    return part


def _custom(text: str | None) -> dict[str, Any] | None:
    if not text:
        return None
    try:
        found = parse_json(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise invalid("customFields must be object")
    return found


@endpoint("POST", "rooms.upload/{rid}", takes="file:file msg description tmid", upload=True)
async def upload(call: Call) -> Answer:
    form, room = call.need_form(), _room(call)
    part = _checked(call, form.file("file"))
    with call.store.change():
        found = call.store.uploads.add(room, call.user, part.name, part.type, part.keep())
        message = call.store.uploads.send(
            found, room, call.user, text=form.fields.get("msg", ""), description=form.fields.get("description"),
            thread_id=form.fields.get("tmid") or None, custom_fields=_custom(form.fields.get("customFields")),
        )  # fmt: skip
    return {"message": shapes.message(call.store, message)}


@endpoint("POST", "rooms.media/{rid}", takes="file:file msg description", upload=True)
async def media(call: Call) -> Answer:
    form, room = call.need_form(), _room(call)
    part = _checked(call, form.file("file"))
    found = call.store.uploads.add(room, call.user, part.name, part.type, part.keep())
    return {"file": {"_id": found.id, "url": path(found)}}


@endpoint("POST", "rooms.mediaConfirm/{rid}/{file}", takes="msg description tmid fileName customFields:object")
def confirm(call: Call) -> Answer:
    room = _room(call)
    found = call.store.uploads.get(call.path["file"])
    if found is None or found.room_id != room.id or found.user_id != call.user.id or found.complete:
        raise ChatError("Invalid file", "invalid-file")
    message = call.store.uploads.send(
        found, room, call.user, text=call.text("msg") or "", description=call.text("description"),
        thread_id=call.text("tmid"), custom_fields=call.mapping("customFields"),
    )  # fmt: skip
    return {"message": shapes.message(call.store, message)}


@endpoint("POST", "uploads.delete", takes="fileId")
def delete(call: Call) -> Answer:
    found = call.store.uploads.get(call.need("fileId"))
    if found is None:
        raise ChatError("Invalid file", "invalid-file")
    if found.user_id != call.user.id and not call.store.access.can(call.user, "force-delete-message", found.room_id):
        raise not_allowed()
    call.store.uploads.delete(found)
    return {"deletedFiles": [found.id]}


# -- people's pictures -------------------------------------------------------------------------------------------


def _whose(call: Call) -> User:
    if call.get("userId", "username", "user") is None:
        return call.user
    user = call.the_user()
    if user.id != call.user.id:
        call.store.access.require(call.user, "edit-other-user-avatar")
    return user


@endpoint("POST", "users.setAvatar", takes="avatarUrl userId username image:file", upload=True)
async def set_avatar(call: Call) -> Answer:
    """A picture sent along, or one kept as a link: its viewers follow the link, the company fetches nothing."""
    if not call.store.settings.get("Accounts_AllowUserAvatarChange"):
        raise not_allowed("Change avatar is not allowed")
    if call.form is not None:
        call.body = dict(call.form.fields)
        user, part = _whose(call), call.form.file("image")
        if not part.type.startswith("image/"):
            raise ChatError("Only images are accepted", "error-invalid-image")
        values = {"avatar": part.keep().hash, "avatar_type": part.type}
    else:
        user, url = _whose(call), call.need("avatarUrl")
        if not url.startswith(("http://", "https://")) or any(sign in url for sign in "\r\n\0"):
            raise ChatError("Invalid avatar URL", "error-avatar-invalid-url")
        values = {"avatar": quote(url, safe=":/?#[]@!$&'()*+,;=%~"), "avatar_type": "link"}
    call.store.accounts.change_profile(user, **values, avatar_etag=call.store.ids.short())
    return {}


@endpoint("POST", "users.resetAvatar", takes="userId username")
def reset_avatar(call: Call) -> Answer:
    call.store.accounts.change_profile(_whose(call), avatar=None, avatar_type=None, avatar_etag=None)
    return {}


@endpoint("GET", "users.getAvatar", takes="userId username", auth=False)
def get_avatar(call: Call) -> Answer:
    return RedirectResponse(f"/avatar/{quote(call.the_user().username)}", 307)


@endpoint("GET", "avatar/{subject}", auth=False)
def avatar(call: Call) -> Answer:
    return RedirectResponse(f"/avatar/{quote(call.path['subject'])}", 307)
