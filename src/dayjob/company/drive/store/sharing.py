"""What may be shared, with whom and how far: the rules behind OCS and behind the sharing dialogue alike."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from dayjob.company.drive.errors import BadRequest, Forbidden, NotFound
from dayjob.company.drive.rows import (
    ALL,
    CREATE,
    DELETE,
    FOLDERS_ONLY,
    GROUP_SHARE,
    LINK_SHARE,
    READ,
    SHARE,
    UPDATE,
    USER_SHARE,
    Node,
    Place,
    Share,
)

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive

OPEN = READ | CREATE | UPDATE | DELETE
"""What a public link to a folder allows at most."""
_LINK_RIGHTS = (READ, CREATE, READ | CREATE, READ | CREATE | UPDATE, OPEN)


def last_day(drive: Drive, text: str) -> str:
    """The day until which a share holds, as `YYYY-MM-DD`; a time after it is ignored."""
    found = re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text.strip())
    try:
        day = date.fromisoformat(found[0] if found else "")
    except ValueError as error:
        raise BadRequest("A date is written YYYY-MM-DD.") from error
    if day.isoformat() < drive.today():
        raise BadRequest("This day is over already.")
    return day.isoformat()


def require_shareable(place: Place) -> Node:
    """The node at a place that its viewer may share."""
    if place.node is None:
        raise NotFound("There is no file or folder at this path.")
    if place.seen == "/":
        raise Forbidden("The top folder cannot be shared.")
    if not place.permissions & SHARE:
        raise NotFound(f"You may not share {place.seen}.")
    return place.node


def share_with(
    drive: Drive, me: str, place: Place, kind: int, whom: str, permissions: int | None, expires: str | None
) -> Share:
    """Share with an account or a group. Without `permissions`, as much as the sharer has."""
    node = require_shareable(place)
    if kind == USER_SHARE:
        user = drive.accounts.get(whom)
        if user is None:
            raise NotFound("Name an account that exists.")
        whom = user.username
        if whom == me:
            raise Forbidden("You cannot share with yourself.")
        if whom == node.owner:
            raise Forbidden(f"{place.seen} belongs to {whom} already.")
    elif not drive.accounts.has_group(whom):
        raise NotFound("Name a group that exists.")
    if any(one.kind == kind and one.share_with == whom for one in drive.shares.on(node)):
        raise Forbidden(f"{place.seen} is shared with {whom} already.")
    rights = (ALL if permissions is None else permissions) | READ
    if not node.is_folder:
        rights &= ~FOLDERS_ONLY
    if permissions is None:
        rights &= place.permissions
    elif rights & ~place.permissions:
        raise NotFound(f"You cannot give more than you have on {place.seen}.")
    day = last_day(drive, expires) if expires else None
    return drive.shares.add(place, kind, me, rights, share_with=whom, expires=day)


def share_by_link(
    drive: Drive,
    me: str,
    place: Place,
    permissions: int,
    *,
    password: str | None = None,
    expires: str | None = None,
    name: str | None = None,
) -> Share:
    """Make a public link. Rights that no link can have become reading."""
    node = require_shareable(place)
    if permissions == CREATE and not node.is_folder:
        raise NotFound("Only a folder can take uploads by a public link.")
    rights = permissions if permissions in (CREATE, READ | CREATE, OPEN) and node.is_folder else READ
    if rights & ~place.permissions:
        raise NotFound(f"You cannot give more than you have on {place.seen}.")
    day = last_day(drive, expires) if expires else None
    return drive.shares.add(place, LINK_SHARE, me, rights, password=password or None, expires=day, name=name)


def new_rights(drive: Drive, share: Share, wanted: int, *, is_folder: bool) -> int:
    """What a share allows after its permissions are set to `wanted`; refuses what it cannot allow."""
    if not 0 <= wanted <= ALL:
        raise BadRequest("These permissions are not valid.")
    if wanted == 0:
        raise BadRequest("A share needs at least one permission.")
    if share.is_link:
        if wanted not in _LINK_RIGHTS:
            raise BadRequest("A public link can be for reading, for uploading, or for both.")
        if wanted != READ and not is_folder:
            raise BadRequest("Only a folder can take uploads by a public link.")
    parent = drive.shares.get(share.parent) if share.parent is not None else None
    if parent is not None and wanted & ~parent.permissions:
        raise NotFound("You cannot give more than you have.")
    if share.is_link:
        return OPEN if wanted == READ | CREATE | UPDATE else wanted
    return wanted | READ if is_folder else (wanted | READ) & ~FOLDERS_ONLY


def involved(drive: Drive, me: str, id: int) -> Share | None:
    """A share somebody has to do with: made it, owns the file, or received it."""
    share = drive.shares.get(id)
    if share is None:
        return None
    return share if rules(share, me) or drive.shares.mount_of(share, me) is not None else None


def is_for(drive: Drive, share: Share, me: str) -> bool:
    """Whether somebody is among those a share was made for."""
    if share.kind == GROUP_SHARE:
        return drive.accounts.in_group(me, share.share_with or "")
    return share.kind == USER_SHARE and share.share_with == me


def rules(share: Share, me: str) -> bool:
    """Whether somebody may change or end a share."""
    return me in (share.owner, share.initiator)


def end(drive: Drive, me: str, share: Share) -> None:
    """Take a share back, or, as its recipient, out of one's own drive."""
    if rules(share, me):
        drive.shares.remove(share)
    else:
        drive.shares.decline(share.id, me)
