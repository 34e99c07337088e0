"""Shares through OCS: make, find, change and end them; and find whom to share with."""

from __future__ import annotations

from typing import Any

from dayjob.company.drive.api.ocs.call import Call, number
from dayjob.company.drive.errors import BadRequest
from dayjob.company.drive.names import clean_path
from dayjob.company.drive.rows import ALL, GROUP_SHARE, LINK_SHARE, READ, USER_SHARE, Place, Share
from dayjob.company.drive.shapes import shares as shapes
from dayjob.company.drive.shapes.envelope import Result, refusal
from dayjob.company.drive.store import sharing
from dayjob.company.drive.store.view import View

# -- finding -----------------------------------------------------------------------------------------------------


def _told(call: Call, share: Share) -> dict[str, Any] | None:
    return shapes.share(call.drive, call.user.username, share)


def _tell(call: Call, shares: list[Share]) -> Result:
    return Result([about for share in shares if (about := _told(call, share)) is not None])


def _get(call: Call, id: str) -> Share | None:
    return sharing.involved(call.drive, call.user.username, number(id, 0))


def _missing() -> Result:
    return refusal(404, "There is no share with this id.")


def _place(call: Call, path: str) -> Place | None:
    try:
        place = View(call.drive, call.user.username).locate(clean_path(path))
    except BadRequest:
        return None
    return place if place.node is not None and place.permissions & READ else None


def find(call: Call) -> Result:
    """All of the caller's shares, or those of a path; received ones with `shared_with_me`."""
    shares, me = call.drive.shares, call.user.username
    path = call.text("path")
    place = None
    if path is not None:
        place = _place(call, path)
        if place is None:
            return refusal(404, "There is no file or folder at this path.")
    node = place.node if place is not None else None
    if call.text("shared_with_me") == "true":
        received = [share for share, _ in shares.received(me)]
        return _tell(call, [share for share in received if node is None or share.node == node.id])
    if call.text("subfiles") == "true":
        if node is None or not node.is_folder:
            return refusal(400, "This is not a folder.")
        return _tell(call, [share for share in shares.under(node) if me in (share.initiator, share.owner)])
    if node is None:
        return _tell(call, shares.given_by(me))
    everyone = call.text("reshares") == "true"
    return _tell(call, [one for one in shares.on(node) if one.initiator == me or (everyone and one.owner == me)])


def read(call: Call, id: str) -> Result:
    share = _get(call, id)
    about = _told(call, share) if share is not None else None
    return Result([about]) if about is not None else _missing()


# -- making ------------------------------------------------------------------------------------------------------


def create(call: Call) -> Result:
    path = call.text("path")
    if not path:
        return refusal(404, "Name the path of a file or folder.")
    place = _place(call, path)
    if place is None:
        return refusal(404, "There is no file or folder at this path.")
    kind = call.number("shareType", -1)
    if kind not in (USER_SHARE, GROUP_SHARE, LINK_SHARE):
        return refusal(400, "This kind of share is not known here.")
    sharing.require_shareable(place)
    wanted = call.number("permissions", ALL)
    if wanted < 0 or wanted > ALL:
        return refusal(404, "These permissions are not valid.")
    if wanted == 0:
        return refusal(400, "A share needs at least one permission.")
    drive, me, expires = call.drive, call.user.username, call.text("expireDate")
    if kind == LINK_SHARE:
        open_to_all = call.text("publicUpload") == "true"
        if open_to_all and place.node is not None and not place.node.is_folder:
            return refusal(404, "Only a folder can take uploads by a public link.")
        share = sharing.share_by_link(
            drive, me, place, sharing.OPEN if open_to_all else wanted,
            password=call.text("password"), expires=expires, name=call.text("name"),
        )  # fmt: skip
    else:
        given = wanted if "permissions" in call.args else None
        share = sharing.share_with(drive, me, place, kind, call.text("shareWith") or "", given, expires)
    return Result(_told(call, share))


# -- changing ----------------------------------------------------------------------------------------------------


def change(call: Call, id: str) -> Result:
    share = _get(call, id)
    if share is None or not sharing.rules(share, call.user.username):
        return _missing()
    if not {"permissions", "password", "publicUpload", "expireDate", "name"} & set(call.args):
        return refusal(400, "Nothing to change was given.")
    node = call.drive.tree.by_id(share.node)
    if node is None:
        return _missing()
    values: dict[str, str | int | None] = {}
    wanted: int | None = None
    if share.is_link:
        wanted = {"true": sharing.OPEN, "false": READ}.get(call.args.get("publicUpload", ""))
    if "permissions" in call.args:
        wanted = call.number("permissions", -1)
    if wanted is not None:
        values["permissions"] = sharing.new_rights(call.drive, share, wanted, is_folder=node.is_folder)
    if "expireDate" in call.args:
        text = call.args["expireDate"]
        values["expires"] = sharing.last_day(call.drive, text) if text else None
    if share.is_link:
        if "password" in call.args:
            values["password"] = call.args["password"] or None
        if "name" in call.args:
            values["name"] = call.args["name"]
    elif not values:
        return refusal(400, "Only permissions and the last day of this share can be changed.")
    return Result(_told(call, call.drive.shares.change(share, **values)))


def delete(call: Call, id: str) -> Result:
    share = _get(call, id)
    if share is None:
        return _missing()
    sharing.end(call.drive, call.user.username, share)
    return Result()


def accept(call: Call, id: str) -> Result:
    """Shares are accepted as they arrive; accepting one again puts a declined group share back."""
    share = call.drive.shares.get(number(id, 0))
    me = call.user.username
    if share is None:
        return _missing()
    if not sharing.is_for(call.drive, share, me):
        return _missing()
    call.drive.shares.mount(share, me)
    return Result([_told(call, share)])


def decline(call: Call, id: str) -> Result:
    share = _get(call, id)
    if share is None or call.user.username in (share.owner, share.initiator):
        return _missing()
    about = _told(call, share)
    call.drive.shares.decline(share.id, call.user.username)
    return Result([about])


def remote_shares(call: Call) -> Result:
    """Federation with other servers is off, so there are none."""
    return Result([])


# -- whom to share with ------------------------------------------------------------------------------------------


def sharees(call: Call) -> Result:
    """Accounts and groups that match, split into exact matches and others."""
    if not call.text("itemType"):
        return refusal(400, "Name the itemType: file or folder.")
    text = call.text("search") or ""
    per_page = min(max(1, call.number("perPage", 200)), 200)
    page = max(1, call.number("page", 1))
    kinds = [number(one, -1) for one in call.lists.get("shareType", [])] or [USER_SHARE, GROUP_SHARE]
    exact: dict[str, list[dict[str, Any]]] = {"users": [], "groups": [], "remotes": []}
    others: dict[str, list[dict[str, Any]]] = {"users": [], "groups": [], "remotes": []}
    low = text.lower()
    offset = (page - 1) * per_page
    if USER_SHARE in kinds:
        for user in call.drive.accounts.search(text, per_page + 1, offset):
            if user.username == call.user.username:
                continue
            entry = {"label": user.name, "value": {"shareType": USER_SHARE, "shareWith": user.username}}
            same = low in (user.username.lower(), user.name.lower(), (user.email or "").lower()) and low
            (exact if same else others)["users"].append(entry)
    if GROUP_SHARE in kinds:
        for group in call.drive.accounts.groups(text, per_page, offset):
            entry = {"label": group, "value": {"shareType": GROUP_SHARE, "shareWith": group}}
            (exact if low == group.lower() else others)["groups"].append(entry)
    others["users"] = others["users"][:per_page]
    return Result({"exact": exact, **others})
