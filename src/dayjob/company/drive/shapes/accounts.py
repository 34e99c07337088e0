"""Accounts as OCS tells them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dayjob.company.drive.rows import User

if TYPE_CHECKING:
    from dayjob.company.drive.service import Drive


def account(drive: Drive, user: User) -> dict[str, Any]:
    """An account as OCS tells it."""
    free = drive.tree.room(user.username)
    used = drive.tree.used(user.username)
    # A company that has less room than the account may use says so, as a full disk would.
    own = drive.tree.quota(user.username)
    total = used + free if own is None else min(own, used + free)
    quota = {
        "free": free,
        "used": used,
        "total": total,
        "relative": round(100 * used / total, 2) if total else 0,
        "definition": "default" if user.quota is None else "none" if own is None else str(user.quota),
    }
    return {
        "enabled": "true" if user.enabled else "false",
        "quota": quota,
        "email": user.email,
        "displayname": user.name,
        "home": f"/var/lib/owncloud/{user.username}",
        "two_factor_auth_enabled": "false",
    }
