"""Shares as OCS tells them to those who made or received them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dayjob.company.drive.names import name_of
from dayjob.company.drive.rows import GROUP_SHARE, USER_SHARE, Share

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive


_REDACTED = "***redacted***"


def _seen_path(drive: Drive, me: str, share: Share) -> str:
    """Where the shared thing is for the one who asks."""
    shares = drive.shares
    if me == share.owner:
        return share.path
    if (target := shares.mount_of(share, me)) is not None:
        return target
    parent = shares.get(share.parent) if share.parent is not None else None
    target = shares.mount_of(parent, me) if parent is not None else None
    if parent is not None and target is not None:
        return target + share.path[len(parent.path) :]
    return f"/{name_of(share.path)}"


def _name(drive: Drive, username: str) -> str:
    user = drive.accounts.get(username)
    return user.name if user else username


def share(drive: Drive, me: str, share: Share) -> dict[str, Any] | None:
    """A share as OCS tells it to `me`; None when what was shared is gone."""
    node = drive.tree.by_id(share.node)
    if node is None:
        return None
    root = drive.accounts.get(share.owner)
    about: dict[str, Any] = {
        "id": str(share.id),
        "share_type": share.kind,
        "uid_owner": share.initiator,
        "displayname_owner": _name(drive, share.initiator),
        "permissions": share.permissions,
        "stime": share.created,
        "parent": None,
        "expiration": f"{share.expires} 00:00:00" if share.expires else None,
        "token": share.token,
        "uid_file_owner": share.owner,
        "displayname_file_owner": _name(drive, share.owner),
        "additional_info_owner": None,
        "additional_info_file_owner": None,
        "state": 0,
        "path": _seen_path(drive, me, share),
        "item_type": node.kind,
        "mimetype": node.mime,
        "storage_id": f"home::{share.owner}" if me == share.owner else f"shared::{_seen_path(drive, me, share)}",
        "storage": root.root if root else 0,
        "item_source": str(node.id),
        "file_source": str(node.id),
        "file_parent": str(node.parent or node.id),
        "file_target": f"/{name_of(share.path)}",
    }
    if share.is_link:
        hidden = None if share.password is None else _REDACTED
        about |= {"share_with": hidden, "share_with_displayname": hidden, "name": share.name or "",
                  "url": f"{drive.base_url()}/index.php/s/{share.token}"}  # fmt: skip
    else:
        whom = share.share_with or ""
        about["share_with"] = whom
        about["share_with_displayname"] = _name(drive, whom) if share.kind == USER_SHARE else whom
        about["share_with_additional_info"] = None
        seen_by = me if share.kind == GROUP_SHARE or me == whom else whom
        about["file_target"] = drive.shares.mount_of(share, seen_by) or about["file_target"]
    about |= {"mail_send": 0, "attributes": None}
    return about
