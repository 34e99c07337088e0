"""Groups and personal namespaces, who belongs to them, and with whom they are shared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.rows import ForgeRow
from dayjob.company.rows import Parsed


@dataclass(slots=True)
class Namespace(ForgeRow, table="namespaces"):
    """A group, or the place of one person's own projects."""

    kind: str
    name: str
    path: str
    full_path: str
    parent_id: int | None
    owner_id: int | None
    visibility: int
    description: str
    settings: str
    avatar: str | None
    created_at: str
    milestones_seq: int

    options = Parsed[dict[str, Any]]("settings")


@dataclass(slots=True)
class Member(ForgeRow, table="live_members"):
    """Somebody's membership of a group or project, as long as it lasts."""

    source_type: str
    source_id: int
    user_id: int
    access_level: int
    expires_at: str | None
    created_at: str
    created_by: int | None


@dataclass(slots=True)
class GroupLink(ForgeRow, table="live_links"):
    """A group that another group or a project is shared with, as long as it is."""

    source_type: str
    source_id: int
    group_id: int
    access_level: int
    expires_at: str | None
