"""Issues and merge requests as rows, with what was said about them and what they have to do with each other."""

from __future__ import annotations

from typing import Any

import pygit2

from dayjob.company.forge.git.reading import commits_between, merge_base, message_of
from dayjob.company.forge.git.repositories import ZERO
from dayjob.company.forge.store.issue_text import closed_issues, discussion_id, mentioned_issues
from dayjob.company.forge.world.compiling.rows import Rows
from dayjob.company.forge.world.model import Comment, Issue, Item, MergeRequest, Project, Section
from dayjob.company.rows import packed


def _tags(rows: Rows, kind: str, item_id: int, project: Project, project_id: int, one: Issue | MergeRequest) -> None:
    for label in one.labels:
        rows.insert(
            "label_links",
            label_id=rows.named_id("labels", "name", label, project, project_id),
            item_type=kind,
            item_id=item_id,
        )
    people = {"assignee": one.assignees, "reviewer": one.reviewers if isinstance(one, MergeRequest) else []}
    for role, names in people.items():
        for position, username in enumerate(dict.fromkeys(names)):
            rows.insert(
                "people",
                item_type=kind,
                item_id=item_id,
                role=role,
                user_id=rows.users[username],
                position=position,
            )


def _comments(
    rows: Rows, kind: str, item_id: int, project_id: int, comments: list[Comment], shas: dict[str, str] | None = None
) -> None:
    for first in comments:
        shared: dict[str, Any] = {
            "noteable_type": kind,
            "noteable_id": item_id,
            "project_id": project_id,
            "discussion_id": discussion_id(rows.build.ids),
        }
        if first.place or first.replies or first.resolved_by:
            shared |= {
                "type": "DiffNote" if first.place else "DiscussionNote",
                "resolvable": int(kind == "MergeRequest"),
            }
        if first.place and shas is not None:
            path, line = first.place
            shared["position"] = packed(
                {
                    **shas, "old_path": path, "new_path": path, "position_type": "text", "old_line": None,
                    "new_line": line, "line_range": None,
                }
            )  # fmt: skip
        if first.resolved_by:
            shared |= {
                "resolved": 1,
                "resolved_by": rows.users[first.resolved_by],
                "resolved_at": max(one.at for one in (first, *first.replies)),
            }
        for one in (first, *first.replies):
            rows.insert(
                "notes",
                author_id=rows.users[one.author],
                body=one.body,
                created_at=one.at,
                updated_at=one.at,
                **shared,
            )


def add_links(rows: Rows, section: Section) -> None:
    """What relates to what, once every project's issues have their ids: by hand, and by what requests say."""
    ids = {
        (str(path), int(iid)): int(issue)
        for path, iid, issue in rows.db.execute(
            "SELECT p.full_path, i.iid, i.id FROM issues i JOIN projects p ON p.id=i.project_id"
        )
    }
    for project in section.projects:
        for one in project.issues:
            for target in one.links:
                rows.insert(
                    "issue_links",
                    source_id=ids[f"{project.group}/{project.path}", one.number],
                    target_id=ids[target],
                    link_type="relates_to",
                    created_at=one.at,
                )
    for request, home, words in rows.spoken:
        closing = set(closed_issues(words))
        for path, iid in dict.fromkeys(mentioned_issues(words)):
            place = path if "/" in path else home
            if (place, iid) in ids and path in ("", home.rpartition("/")[2], place):
                rows.db.execute(
                    "INSERT OR REPLACE INTO closings VALUES (?,?,?)",
                    (request, ids[place, iid], int((path, iid) in closing)),
                )


def _event(
    rows: Rows, project_id: int, author: str, action: str, kind: str, item: int, iid: int, title: str, at: str
) -> None:
    rows.insert(
        "events",
        project_id=project_id,
        author_id=rows.users[author],
        action=action,
        target_type=kind,
        target_id=item,
        target_iid=iid,
        target_title=title,
        created_at=at,
    )


def _of_item(rows: Rows, project: Project, project_id: int, one: Item) -> dict[str, Any]:
    """The columns that issues and merge requests have alike."""
    milestone = rows.named_id("milestones", "title", one.milestone, project, project_id) if one.milestone else None
    return {
        "project_id": project_id,
        "iid": one.number,
        "title": one.title,
        "description": one.description,
        "state": one.state,
        "author_id": rows.users[one.author],
        "milestone_id": milestone,
        "created_at": one.at,
        "user_notes_count": _count(one.comments),
        "labels": packed(sorted(one.labels)),
        "assignees": rows.ids(one.assignees),
    }


def add_issue(rows: Rows, project: Project, project_id: int, one: Issue) -> None:
    said = [comment.at for first in one.comments for comment in (first, *first.replies)]
    latest = max([one.at, *said, *([one.closed] if one.closed else [])])
    issue_id = rows.insert(
        "issues",
        **_of_item(rows, project, project_id, one),
        weight=one.weight,
        due_date=one.due,
        confidential=int(one.confidential),
        updated_at=latest,
        closed_at=one.closed,
        closed_by=rows.users[one.closed_by] if one.closed and one.closed_by else None,
    )
    _tags(rows, "Issue", issue_id, project, project_id, one)
    _comments(rows, "Issue", issue_id, project_id, one.comments)
    _event(rows, project_id, one.author, "opened", "Issue", issue_id, one.number, one.title, one.at)


def add_merge_request(
    rows: Rows,
    project: Project,
    project_id: int,
    one: MergeRequest,
    repo: pygit2.Repository,
    refs: dict[str, str],
    merges: dict[str, tuple[str, str, str]],
) -> None:
    if one.state == "merged":
        merge_sha, start, head = merges[one.source]
    else:
        merge_sha, start, head = "", refs[f"refs/heads/{one.target}"], refs[f"refs/heads/{one.source}"]
    base = merge_base(repo, start, head) or ZERO
    refs[f"refs/merge-requests/{one.number}/head"] = head
    done_by = rows.users[one.done_by] if one.done and one.done_by else None
    merged, closed = one.state == "merged", one.state == "closed"
    request_id = rows.insert(
        "merge_requests",
        **_of_item(rows, project, project_id, one),
        source_project_id=project_id,
        source_branch=one.source,
        target_branch=one.target,
        updated_at=one.done or one.at,
        prepared_at=one.at,
        merged_at=one.done if merged else None,
        merged_by=done_by if merged else None,
        closed_at=one.done if closed else None,
        closed_by=done_by if closed else None,
        merge_commit_sha=merge_sha or None,
        head_sha=head,
        base_sha=base,
        start_sha=start,
        merge_status="can_be_merged" if merged else "unchecked",
        reviewers=rows.ids(one.reviewers),
    )
    rows.insert(
        "merge_request_versions",
        merge_request_id=request_id,
        head_sha=head,
        base_sha=base,
        start_sha=start,
        created_at=one.at,
    )
    for username in one.approved_by:
        rows.insert(
            "approvals", merge_request_id=request_id, user_id=rows.users[username], created_at=one.done or one.at
        )
    _tags(rows, "MergeRequest", request_id, project, project_id, one)
    shas = {"base_sha": base, "start_sha": start, "head_sha": head}
    _comments(rows, "MergeRequest", request_id, project_id, one.comments, shas)
    messages = [message_of(commit) for commit in commits_between(repo, base, head)[:100]] if base != ZERO else []
    words = "\n".join([one.title, one.description or "", *messages])
    rows.spoken.append((request_id, f"{project.group}/{project.path}", words))
    _event(rows, project_id, one.author, "opened", "MergeRequest", request_id, one.number, one.title, one.at)


def _count(comments: list[Comment]) -> int:
    return sum(1 + len(one.replies) for one in comments)
