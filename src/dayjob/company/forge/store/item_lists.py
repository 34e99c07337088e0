"""Lists of issues and merge requests: what they can be narrowed and ordered by, in a project, a group or everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dayjob.company.forge.rows.items import Issue, MergeRequest, Milestone
from dayjob.company.forge.rows.namespaces import Namespace
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, namespaces, users, visibility
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.forge.store.labels import TABLES
from dayjob.company.rows import like, placeholders

ANY, NONE = "any", "none"
"""For a filter that takes one of several things: whether there is one at all."""
ORDERS = {
    "created_at": "t.created_at",
    "updated_at": "t.updated_at",
    "due_date": "t.due_date",
    "relative_position": "t.relative_position",
    "weight": "t.weight",
    "title": "t.title",
    "priority": "t.id",
    "label_priority": "t.id",
    "milestone_due": "t.milestone_id",
    "popularity": "t.user_notes_count",
    "merged_at": "t.merged_at",
}


@dataclass(slots=True)
class ItemFilter:
    """What a list of issues or merge requests is narrowed to; what is not said narrows nothing."""

    state: str = "all"
    iids: Sequence[int] | None = None
    words: str = ""
    searched: Sequence[str] = ("title", "description")
    not_words: str = ""
    labels: Sequence[str] | str = ()
    """Names, or ANY or NONE."""
    not_labels: Sequence[str] = ()
    author_ids: list[int] = field(default_factory=list)
    not_author_id: int | None = None
    author_username: str = ""
    people: list[tuple[str, int | str]] = field(default_factory=list)
    """(role, somebody's id, or ANY or NONE)."""
    usernames: list[tuple[str, str]] = field(default_factory=list)
    """(role, somebody's username)."""
    reaction: str = ""
    """An emoji of whoever asks, or ANY."""
    milestone: int | str | None = None
    """An id, or ANY or NONE."""
    milestone_title: str | None = None
    created_after: str = ""
    created_before: str = ""
    updated_after: str = ""
    updated_before: str = ""
    order: str = "created_at"
    sort: str = "desc"


@dataclass(slots=True)
class IssueFilter(ItemFilter):
    confidential: bool | None = None
    issue_type: str | None = None
    weight: int | str | None = None
    """A number, or ANY or NONE."""
    due: str = ""
    """ANY, NONE, `overdue` or `today`."""


@dataclass(slots=True)
class RequestFilter(ItemFilter):
    source_branch: str = ""
    target_branch: str = ""
    source_project_id: int | None = None
    draft: bool | None = None
    approved_by: Sequence[int] = ()


def issues(store: Store, user: User | None, place: Project | Namespace | None, wanted: IssueFilter) -> Listing:
    """The issues of a project, of a group's projects or of all that somebody may see."""
    query = _Query("Issue", user, *_within(store, user, place))
    _narrow(store, query, wanted)
    if wanted.confidential is not None:
        query.add(f"t.confidential={int(wanted.confidential)}")
    if wanted.issue_type:
        query.add("t.issue_type=?", wanted.issue_type)
    query.optional("t.weight", wanted.weight)
    if wanted.due in (ANY, NONE):
        query.optional("t.due_date", wanted.due)
    elif wanted.due:
        query.add(f"t.due_date{'<' if wanted.due == 'overdue' else '='}'{store.now()[:10]}'")
    query.add(access.open_to(user, "issues", "t.project_id"))
    query.add(visibility.not_confidential(user, "t"))
    return query.listing(Issue, wanted)


def requests(store: Store, user: User | None, place: Project | Namespace | None, wanted: RequestFilter) -> Listing:
    """The merge requests of a project, of a group's projects or of all that somebody may see."""
    query = _Query("MergeRequest", user, *_within(store, user, place))
    _narrow(store, query, wanted)
    query.add(visibility.requests(user))
    for column, branch in (("source_branch", wanted.source_branch), ("target_branch", wanted.target_branch)):
        if branch:
            query.add(f"t.{column}=?", branch)
    if wanted.source_project_id is not None:
        query.add("t.source_project_id=?", wanted.source_project_id)
    if wanted.draft is not None:
        sign = "" if wanted.draft else "NOT "
        query.add(f"{sign}(t.title LIKE 'draft:%' OR t.title LIKE '[draft]%' OR t.title LIKE '(draft)%')")
    for user_id in wanted.approved_by:
        query.add("t.id IN (SELECT merge_request_id FROM approvals WHERE user_id=?)", user_id)
    return query.listing(MergeRequest, wanted)


def open_count(store: Store, listing: Listing) -> int:
    """How many of a list are open."""
    count: int = store.value(f"SELECT count(*) {listing.source} AND t.state='opened'", *listing.args)
    return count


def in_milestone(user: User | None, kind: str, milestone: Milestone) -> Listing:
    """A milestone's issues or merge requests, as far as somebody may see them."""
    row_class, seen = (Issue, visibility.issues(user)) if kind == "Issue" else (MergeRequest, visibility.requests(user))
    source = f"FROM {TABLES[kind]} t WHERE t.milestone_id=? AND {seen}"
    return Listing(row_class, source, [milestone.id], "t.id DESC", "t")


# -- conditions --------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Query:
    """A list's conditions as they come together; `t` is the table."""

    kind: str
    user: User | None
    where: str
    args: list[Any]

    def add(self, condition: str, *args: Any) -> None:
        self.where += f" AND {condition}"
        self.args += args

    def optional(self, column: str, value: int | str | None) -> None:
        """A column that may be empty: a value, or ANY or NONE."""
        if value in (ANY, NONE):
            self.add(f"{column} IS {'NOT ' if value == ANY else ''}NULL")
        elif value is not None:
            self.add(f"{column}=?", value)

    def listing(self, row_class: type, wanted: ItemFilter) -> Listing:
        order = f"{ORDERS[wanted.order]} {wanted.sort}, t.id {wanted.sort}"
        return Listing(row_class, f"FROM {TABLES[self.kind]} t WHERE {self.where}", self.args, order, "t")


def _within(store: Store, user: User | None, place: Project | Namespace | None) -> tuple[str, list[Any]]:
    if isinstance(place, Project):
        return "t.project_id=?", [place.id]
    visible = access.visible_projects(user, "t.project_id")
    if place is None:
        return visible, []
    below = namespaces.descendants(store, place.id)
    marks = placeholders(below)
    return f"t.project_id IN (SELECT id FROM projects WHERE namespace_id IN ({marks})) AND {visible}", list(below)


def _narrow(store: Store, query: _Query, wanted: ItemFilter) -> None:
    """What issues and merge requests are narrowed by alike."""
    if wanted.state != "all":
        query.add("t.state=?", wanted.state)
    if wanted.iids is not None:
        query.add(f"t.iid IN ({placeholders(wanted.iids) or 'NULL'})", *wanted.iids)
    _narrow_by_words(query, wanted)
    _narrow_by_labels(query, wanted)
    _narrow_by_people(store, query, wanted)
    query.optional("t.milestone_id", wanted.milestone)
    if wanted.milestone_title is not None:
        query.add("t.milestone_id IN (SELECT id FROM milestones WHERE title=?)", wanted.milestone_title)
    for condition, moment in (
        ("t.created_at>=?", wanted.created_after), ("t.created_at<=?", wanted.created_before),
        ("t.updated_at>=?", wanted.updated_after), ("t.updated_at<=?", wanted.updated_before),
    ):  # fmt: skip
        if moment:
            query.add(condition, moment)


def _narrow_by_words(query: _Query, wanted: ItemFilter) -> None:
    if wanted.words and wanted.searched:
        found = " OR ".join(f"t.{column} LIKE ? ESCAPE '\\'" for column in wanted.searched)
        for word in wanted.words.split() or [""]:
            query.add(f"({found})", *[like(word)] * len(wanted.searched))
    if wanted.not_words:
        query.add(
            "NOT (t.title LIKE ? ESCAPE '\\' OR coalesce(t.description,'') LIKE ? ESCAPE '\\')",
            *[like(wanted.not_words)] * 2,
        )


def _narrow_by_labels(query: _Query, wanted: ItemFilter) -> None:
    if isinstance(wanted.labels, str):
        linked = f"SELECT 1 FROM label_links k WHERE k.item_type='{query.kind}' AND k.item_id=t.id"
        query.add(f"{'' if wanted.labels == ANY else 'NOT '}EXISTS ({linked})")
        return
    carriers = (
        f"(SELECT k.item_id FROM label_links k JOIN labels l ON l.id=k.label_id WHERE k.item_type='{query.kind}' "
        "AND l.name=?)"
    )
    for name in wanted.labels:
        query.add(f"t.id IN {carriers}", name)
    for name in wanted.not_labels:
        query.add(f"t.id NOT IN {carriers}", name)


def _narrow_by_people(store: Store, query: _Query, wanted: ItemFilter) -> None:
    for user_id in wanted.author_ids:
        query.add("t.author_id=?", user_id)
    if wanted.not_author_id is not None:
        query.add("t.author_id<>?", wanted.not_author_id)
    if wanted.author_username:
        query.add("t.author_id=(SELECT id FROM users WHERE username=?)", wanted.author_username)
    people = list(wanted.people)
    for role, username in wanted.usernames:
        user = users.find(store, username) if not username.isdigit() else None
        people.append((role, user.id if user else -1))
    for role, value in people:
        those = f"SELECT item_id FROM people WHERE item_type='{query.kind}' AND role='{role}'"
        if value in (ANY, NONE):
            query.add(f"t.id {'' if value == ANY else 'NOT '}IN ({those})")
        else:
            query.add(f"t.id IN ({those} AND user_id=?)", value)
    if wanted.reaction and query.user is not None:
        those = f"SELECT awardable_id FROM award_emoji WHERE awardable_type='{query.kind}' AND user_id={query.user.id}"
        if wanted.reaction == ANY:
            query.add(f"t.id IN ({those})")
        else:
            query.add(f"t.id IN ({those} AND name=?)", wanted.reaction)
