"""What the forge's part of a world says, once read: groups, projects, their history and their work."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dayjob.company.world import Person


@dataclass(slots=True)
class Comment:
    """A comment; on a merge request it may stand at a line of a changed file (`place`) and be resolved."""

    author: str
    at: str
    body: str
    place: tuple[str, int] | None = None
    replies: list[Comment] = field(default_factory=list)
    resolved_by: str | None = None


@dataclass(slots=True)
class Label:
    name: str
    color: str
    description: str | None


@dataclass(slots=True)
class Outsider:
    """An author who is not one of the company: an account that nobody can sign in to."""

    username: str
    name: str
    email: str | None
    ghost: bool = False
    """Whoever's account is gone: a bot, as the one that takes over what a removed account wrote."""


@dataclass(slots=True)
class Milestone:
    number: int
    title: str
    description: str | None
    due: str | None
    start: str | None
    state: str


@dataclass(slots=True)
class Group:
    path: str
    name: str
    description: str
    visibility: int
    members: dict[str, int]
    labels: list[Label]
    milestones: list[Milestone]
    created: str


@dataclass(slots=True)
class Commit:
    """One step of a scripted history. `files` maps a path to its bytes and mode, or to None where it goes away."""

    author: Person
    at: int
    message: str
    branch: str
    start: str | None
    files: dict[str, tuple[bytes, bool] | None]
    merge: str | None
    tag: str | None
    tag_message: str | None


@dataclass(slots=True)
class Item:
    """What issues and merge requests have alike."""

    number: int
    title: str
    description: str | None
    author: str
    at: str
    labels: list[str]
    milestone: str | None
    assignees: list[str]
    state: str
    comments: list[Comment]


@dataclass(slots=True)
class Issue(Item):
    closed: str | None
    closed_by: str | None
    due: str | None
    weight: int | None
    confidential: bool
    links: list[tuple[str, int]]


@dataclass(slots=True)
class MergeRequest(Item):
    source: str
    target: str
    reviewers: list[str]
    done: str | None
    done_by: str | None
    approved_by: list[str]


@dataclass(slots=True)
class Release:
    tag: str
    name: str
    description: str | None
    author: str
    at: str


@dataclass(slots=True)
class PastJob:
    """A job that is over; `took` in seconds. The same name again in a pipeline is another try."""

    name: str
    stage: str
    status: str
    took: int
    log: str | None
    allow_failure: bool


@dataclass(slots=True)
class PastPipeline:
    """A pipeline that ran before the world begins, at the commit its branch (or tag) had."""

    ref: str
    tag: bool
    at: str
    by: str
    source: str
    jobs: list[PastJob]


@dataclass(slots=True)
class PlannedPipeline:
    """A schedule, with the first moment at which it starts a pipeline."""

    description: str
    ref: str
    cron: str
    timezone: str
    next_run_at: str | None
    by: str
    active: bool
    variables: dict[str, str]


@dataclass(slots=True)
class Project:
    group: str
    path: str
    name: str
    description: str | None
    visibility: int
    members: dict[str, int]
    default_branch: str
    topics: list[str]
    labels: list[Label]
    milestones: list[Milestone]
    protected: list[tuple[str, int, int, bool]]
    created: str
    archived: bool
    settings: dict[str, Any]
    author: str
    history: list[Commit] = field(default_factory=list)
    bundle: Path | None = None
    issues: list[Issue] = field(default_factory=list)
    merge_requests: list[MergeRequest] = field(default_factory=list)
    releases: list[Release] = field(default_factory=list)
    pipelines: list[PastPipeline] = field(default_factory=list)
    schedules: list[PlannedPipeline] = field(default_factory=list)
    wiki: dict[str, str] = field(default_factory=dict)
    id: int | None = None


@dataclass(slots=True)
class Section:
    groups: list[Group] = field(default_factory=list)
    projects: list[Project] = field(default_factory=list)
    outsiders: list[Outsider] = field(default_factory=list)
