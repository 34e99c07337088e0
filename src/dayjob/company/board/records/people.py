"""Who there is: users, the workspace, invitations to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dayjob.company.board.rows import Json, Record, Stamp


@dataclass(slots=True)
class User(Record):
    table: ClassVar[str] = "users"
    id: str
    username: str
    email: str
    first_name: str
    last_name: str
    display_name: str
    avatar: str
    is_active: bool
    is_bot: bool


@dataclass(slots=True)
class Workspace(Record):
    table: ClassVar[str] = "workspaces"
    id: str
    name: str
    slug: str
    owner: str
    features: Json
    created_at: Stamp


@dataclass(slots=True)
class Invitation(Record):
    table: ClassVar[str] = "invitations"
    id: str
    email: str
    role: int
    created_at: Stamp
    updated_at: Stamp
    responded_at: Stamp | None
    accepted: bool
