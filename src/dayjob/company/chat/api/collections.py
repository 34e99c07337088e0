"""Small collections administrators keep: invites, custom statuses, emojis, sounds and assets."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse

from dayjob.company.chat import shapes
from dayjob.company.chat.api.call import Call
from dayjob.company.chat.api.endpoints import Answer, endpoint, listed
from dayjob.company.chat.errors import ChatError, invalid
from dayjob.company.chat.store import Page

# -- invites -----------------------------------------------------------------------------------------------------


@endpoint("POST", "findOrCreateInvite", takes="rid days:int maxUses:int")
def find_or_create_invite(call: Call) -> Answer:
    room = call.store.rooms.get(call.need("rid"))
    if room is None or not call.store.access.may_read(call.user, room):
        raise ChatError("The provided room is invalid", "error-invalid-room")
    invite = call.store.administration.invite(room, call.user, call.number("days"), call.number("maxUses"))
    return shapes.invite(invite, call.base)


@endpoint("GET", "listInvites", needs="create-invite-links")
def list_invites(call: Call) -> Answer:
    return [shapes.invite(invite, call.base) for invite in call.store.administration.invites()]


@endpoint("DELETE", "removeInvite/{id}", needs="create-invite-links")
def remove_invite(call: Call) -> Answer:
    call.store.administration.remove_invite(call.path["id"])
    return True


@endpoint("POST", "useInviteToken", takes="token")
def use_invite(call: Call) -> Answer:
    room = call.store.administration.use_invite(call.need("token"), call.user)
    shown = shapes.given(
        {"rid": room.id, "prid": room.parent_id, "fname": room.fname, "name": room.name, "t": room.type}
    )
    return {"room": shown}


@endpoint("POST", "validateInviteToken", takes="token", auth=False)
def validate_invite(call: Call) -> Answer:
    token = call.need("token")
    try:
        call.store.administration.usable(token)
    except ChatError:
        return {"valid": False}
    return {"valid": True}


@endpoint("POST", "sendInvitationEmail", takes="emails:list", needs="bulk-register-user")
def send_invitations(call: Call) -> Answer:
    if not call.texts("emails"):
        raise invalid("must have required property 'emails'")
    return {}


# -- custom statuses ---------------------------------------------------------------------------------------------


def _custom(found: tuple[str, str, str, str], kind: str) -> dict[str, Any]:
    """Something an administrator added; `kind` is what the wire calls its third column."""
    return {"_id": found[0], "name": found[1], kind: found[2], "_updatedAt": found[3]}


@endpoint("GET", "custom-user-status.list", takes="name _id count:int offset:int sort")
def statuses(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.administration.statuses(page, name=call.text("name") or "", id=call.text("_id"))
    return listed("statuses", [_custom(one, "statusType") for one in found], total, page.offset)


def _save_status(call: Call, id: str | None) -> Answer:
    store = call.store.administration
    id = store.save_status(call.need("name"), call.text("statusType") or "", id)
    found, _ = store.statuses(call.page(), id=id)
    return {"customUserStatus": _custom(found[0], "statusType")}


@endpoint("POST", "custom-user-status.create", takes="name statusType", needs="manage-user-status")
def create_status(call: Call) -> Answer:
    return _save_status(call, None)


@endpoint("POST", "custom-user-status.update", takes="_id name statusType", needs="manage-user-status")
def update_status(call: Call) -> Answer:
    return _save_status(call, call.need("_id"))


@endpoint("POST", "custom-user-status.delete", takes="customUserStatusId", needs="manage-user-status")
def delete_status(call: Call) -> Answer:
    call.store.administration.delete_status(call.need("customUserStatusId"))
    return {}


# -- emojis ------------------------------------------------------------------------------------------------------


@endpoint("GET", "emoji-custom.list", takes="updatedSince _id")
def emojis(call: Call) -> Answer:
    found, _ = call.store.administration.emojis(Page(count=0), since=call.since())
    return {"emojis": {"update": [shapes.emoji(one) for one in found], "remove": []}}


@endpoint("GET", "emoji-custom.all", takes="name count:int offset:int sort")
def all_emojis(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.administration.emojis(page, name=call.text("name") or "")
    return listed("emojis", [shapes.emoji(one) for one in found], total, page.offset)


async def _save_emoji(call: Call, new: bool) -> Answer:
    form = call.need_form()
    call.require("manage-emoji")
    part = form.files.get("emoji")
    if part is None and new:
        raise invalid("The 'emoji' file is required")
    aliases = [one.strip() for one in form.fields.get("aliases", "").split(",") if one.strip()]
    file = None
    if part is not None:
        if not part.type.startswith("image/"):
            raise ChatError("Invalid file type", "error-invalid-file-type")
        file = (part.keep().hash, part.type, part.name.rpartition(".")[2] or "png")
    id = None if new else form.fields.get("_id", "")
    call.store.administration.save_emoji(form.fields.get("name", ""), aliases, id=id, file=file)
    return {}


@endpoint("POST", "emoji-custom.create", takes="name aliases emoji:file", upload=True)
async def create_emoji(call: Call) -> Answer:
    return await _save_emoji(call, True)


@endpoint("POST", "emoji-custom.update", takes="_id name aliases emoji:file", upload=True)
async def update_emoji(call: Call) -> Answer:
    return await _save_emoji(call, False)


@endpoint("POST", "emoji-custom.delete", takes="emojiId", needs="manage-emoji")
def delete_emoji(call: Call) -> Answer:
    call.store.administration.delete_emoji(call.need("emojiId"))
    return {}


# -- sounds ------------------------------------------------------------------------------------------------------


@endpoint("GET", "custom-sounds.list", takes="name count:int offset:int sort")
def sounds(call: Call) -> Answer:
    page = call.page()
    found, total = call.store.administration.sounds(page, call.text("name") or "")
    return listed("sounds", [_custom(one, "extension") for one in found], total, page.offset)


@endpoint("GET", "custom-sounds.getOne", takes="_id")
def sound(call: Call) -> Answer:
    id = call.need("_id")
    found, _ = call.store.administration.sounds(Page(count=0))
    for one in found:
        if one[0] == id:
            return {"sound": _custom(one, "extension")}
    return JSONResponse({"success": False, "error": "Custom Sound not found."}, 404)


# -- assets ------------------------------------------------------------------------------------------------------

ASSETS = {
    "logo",
    "background",
    "favicon_ico",
    "favicon",
    "favicon_16",
    "favicon_32",
    "favicon_192",
    "favicon_512",
    "touchicon_180",
    "touchicon_180_pre",
    "tile_70",
    "tile_144",
    "tile_150",
    "tile_310_square",
    "tile_310_wide",
    "safari_pinned",
    "logo_dark",
    "background_dark",
    "livechat_guest_logo",
    "livechat_widget_logo",
}


@endpoint("POST", "assets.setAsset", takes="assetName refreshAllClients:bool asset:file", upload=True)
async def set_asset(call: Call) -> Answer:
    form = call.need_form()
    call.store.access.require(call.user, "manage-assets")
    part = form.files.get("asset")
    if part is None:
        raise invalid("The 'asset' file is required")
    name = form.fields.get("assetName", "")
    if name not in ASSETS:
        raise ChatError("Invalid asset", "error-invalid-asset")
    if not part.type.startswith("image/"):
        raise ChatError(f"Invalid file type: {part.type}", "error-invalid-file-type")
    call.store.administration.set_asset(name, part.keep().hash, part.type)
    return {}


@endpoint("POST", "assets.unsetAsset", takes="assetName refreshAllClients:bool")
def unset_asset(call: Call) -> Answer:
    name = call.need("assetName")
    call.store.access.require(call.user, "manage-assets")
    if name not in ASSETS:
        raise ChatError("Invalid asset", "error-invalid-asset")
    call.store.administration.unset_asset(name)
    return {}
