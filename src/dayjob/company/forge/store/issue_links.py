"""Links between issues: one relates to another, or blocks it."""

from __future__ import annotations

from collections.abc import Collection

from dayjob.company.forge.errors import not_found, refused
from dayjob.company.forge.rows.items import Issue, IssueLink
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import issues, notes, visibility
from dayjob.company.forge.store.base import Store
from dayjob.company.rows import placeholders

LINK_TYPES = ("relates_to", "blocks", "is_blocked_by")


def others(store: Store, user: User | None, issue: Issue) -> list[tuple[IssueLink, Issue]]:
    """The links of an issue, each with the issue at its other end, as far as somebody may see these."""
    links = store.all(IssueLink, "source_id=? OR target_id=? ORDER BY id", issue.id, issue.id)
    ends = {link.id: link.target_id if link.source_id == issue.id else link.source_id for link in links}
    seen = _seen(store, user, ends.values())
    return [(link, seen[ends[link.id]]) for link in links if ends[link.id] in seen]


def both_ends(store: Store, link: IssueLink) -> list[Issue]:
    """Its source and its target."""
    return [issues.get(store, link.source_id), issues.get(store, link.target_id)]


def find(store: Store, user: User | None, issue: Issue, link_id: int) -> IssueLink:
    """A link of an issue; it exists only for those who may see both of its issues."""
    link = store.one(IssueLink, "id=? AND (source_id=? OR target_id=?)", link_id, issue.id, issue.id)
    if link is None or len(_seen(store, user, [link.source_id, link.target_id])) < 2:
        raise not_found()
    return link


def add(
    store: Store, user: User, project: Project, issue: Issue, other_project: Project, other_iid: int, link_type: str
) -> IssueLink:
    """Link an issue with another one that the person may see; two issues are linked once at most."""
    other = issues.find(store, other_project, other_iid)
    if other is None or other.id not in _seen(store, user, [other.id]):
        raise not_found("Issue")
    source, target = (other, issue) if link_type == "is_blocked_by" else (issue, other)
    if source.id == target.id or store.value(
        "SELECT 1 FROM issue_links WHERE source_id=? AND target_id=? OR source_id=? AND target_id=?",
        source.id, target.id, target.id, source.id,
    ):  # fmt: skip
        raise refused(409, "Issue(s) already assigned")
    kept = "relates_to" if link_type == "relates_to" else "blocks"
    link_id = store.insert(
        "issue_links", source_id=source.id, target_id=target.id, link_type=kept, created_at=store.now()
    )
    words = f"marked this issue as related to {other_project.full_path}#{other.iid}"
    notes.system(store, user, "Issue", issue.id, project.id, words)
    return store.get(IssueLink, link_id)


def remove(store: Store, link: IssueLink) -> None:
    store.delete("issue_links", link.id)


def _seen(store: Store, user: User | None, issue_ids: Collection[int]) -> dict[int, Issue]:
    marks = placeholders(issue_ids)
    condition = f"id IN ({marks}) AND {visibility.issues(user, 'issues')}"
    return {issue.id: issue for issue in store.all(Issue, condition, *issue_ids)}
