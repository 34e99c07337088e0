"""Changes of the drive in words: who did what to which file or share."""

from __future__ import annotations

from typing import Any

from dayjob.company.changes import Difference
from dayjob.company.drive.rows import CREATE, GROUP_SHARE, LINK_SHARE, UPDATE


def describe(difference: Difference, company_account: str) -> str:
    """One sentence. Files of the company account are named by path alone; others say whose they are."""
    by = difference.by or "Somebody"
    if difference.table == "nodes":
        return f"{by} {_node(difference, difference.by, company_account)}"
    if difference.table == "shares":
        return f"{by} {_share(difference)}"
    return f"{by} {_user(difference)}"


def readable(size: int) -> str:
    if size < 1000:
        return f"{size} B"
    value = float(size)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 999.95 or unit == "GB":
            break
    return f"{value:.1f} {unit}"


def _where(row: dict[str, Any], by: str | None, company_account: str) -> str:
    whose = "" if row["owner"] in (by, company_account) else f" in {row['owner']}'s files"
    return f"{row['path']}{'/' if row['kind'] == 'folder' else ''}{whose}"


def _node(difference: Difference, by: str | None, company_account: str) -> str:
    before, after = difference.before, difference.after
    if before is None:
        assert after is not None
        place = _where(after, by, company_account)
        return (
            f"added the folder {place}" if after["kind"] == "folder" else f"added {place} ({readable(after['size'])})"
        )
    if after is None:
        return f"deleted {_where(before, by, company_account)}"
    said = []
    if (before["path"], before["owner"]) != (after["path"], after["owner"]):
        said.append(f"moved {_where(before, by, company_account)} to {_where(after, by, company_account)}")
    if before["blob"] != after["blob"]:
        place = "its content" if said else _where(after, by, company_account)
        said.append(f"changed {place} ({readable(before['size'])} → {readable(after['size'])})")
    return " and ".join(said) or f"touched {_where(after, by, company_account)}"


def _rights(permissions: int) -> str:
    return "edit" if permissions & (UPDATE | CREATE) else "read"


def _to(row: dict[str, Any]) -> str:
    if row["kind"] == LINK_SHARE:
        return "by public link"
    return f"with the group {row['share_with']}" if row["kind"] == GROUP_SHARE else f"with {row['share_with']}"


def _told(difference: Difference, added: str, removed: str, changed: str) -> str:
    if difference.op == "changed":
        return f"{changed}: {', '.join(difference.changed_columns())}"
    return added if difference.op == "added" else removed


def _share(difference: Difference) -> str:
    row = difference.after or difference.before or {}
    return _told(
        difference,
        f"shared {row['path']} {_to(row)} ({_rights(row['permissions'])})",
        f"stopped sharing {row['path']} {_to(row)}",
        f"changed how {row['path']} is shared {_to(row)}",
    )


def _user(difference: Difference) -> str:
    account = f"the account {(difference.after or difference.before or {})['username']}"
    return _told(difference, f"made {account}", f"deleted {account}", f"changed {account}")
