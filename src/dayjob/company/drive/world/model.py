"""What a world says of its drive: accounts, each one's files and their times, and what is shared with whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from dayjob.company.drive.world.times import Span

EVERYONE = "everyone"
"""The group that holds every account, for what is shared with all."""


@dataclass(frozen=True, slots=True)
class WorldShare:
    """One line of `shares.yml`, or the default for what it does not name."""

    owner: str
    path: str
    people: tuple[str, ...]
    everyone: bool
    public: bool
    permissions: int
    since: int
    password: str | None = None
    expires: str | None = None
    name: str | None = None
    token: str | None = None


@dataclass(frozen=True, slots=True)
class Account:
    username: str
    name: str
    email: str | None
    password: str | None
    admin: bool


@dataclass(slots=True)
class Section:
    """What is compiled: accounts, each one's files (path → source, None for a folder) and their times, and shares."""

    account: str
    quota: int
    accounts: list[Account] = field(default_factory=list)
    files: dict[str, dict[str, Path | None]] = field(default_factory=dict)
    times: dict[str, dict[str, Span]] = field(default_factory=dict)
    shares: list[WorldShare] = field(default_factory=list)
