"""What a world says of its board: the workspace, its people's roles and keys, and each project's file, checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dayjob.company.world import Located


@dataclass(slots=True)
class Section:
    """What `load` found: the workspace, its people's roles, and the projects as written, checked."""

    slug: str
    name: str
    admin_email: str
    admin_password: str | None
    admin_key: str | None
    rate_limit: str | None
    roles: dict[str, int]
    keys: dict[str, str]
    ids: dict[str, str]
    display_names: dict[str, str]
    projects: list[ProjectFile] = field(default_factory=list)


@dataclass(slots=True)
class ProjectFile:
    file: str
    facts: Located
    members: dict[str, int] = field(default_factory=dict)


def names_in(value: Any) -> list[str]:
    """One name or a list of names."""
    if value is None:
        return []
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def short_name(identifier: str, number: int) -> str:
    """What an item is also known by, such as SOW-3."""
    return f"{identifier}-{number}"
