"""Issues, milestones, labels, notes and the traces of changes on the wire."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.rows.items import Issue, Label, MergeRequest, Milestone, Note
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes.users import people
from dayjob.company.forge.store.award_emoji import votes
from dayjob.company.forge.store.closings import request_counts
from dayjob.company.forge.store.issue_text import human
from dayjob.company.forge.store.item_counts import carriers
from dayjob.company.forge.store.items import numbers
from dayjob.company.forge.store.labels import TABLES, of_items
from dayjob.company.forge.store.milestones import home_paths
from dayjob.company.forge.store.subscriptions import chosen, follows


def milestone(call: Call, row: Milestone) -> dict[str, Any]:
    return milestone_list(call, [row])[0]


def milestone_list(call: Call, rows: Sequence[Milestone]) -> list[dict[str, Any]]:
    paths = home_paths(call.store, rows)
    return [_milestone(call, row, paths[row.id]) for row in rows]


def _milestone(call: Call, row: Milestone, path: str) -> dict[str, Any]:
    if row.project_id is not None:
        owner: dict[str, Any] = {"project_id": row.project_id}
        url = f"{call.base}/{path}/-/milestones/{row.iid}"
    else:
        owner = {"group_id": row.group_id}
        url = f"{call.base}/groups/{path}/-/milestones/{row.iid}"
    return {
        "id": row.id,
        "iid": row.iid,
        **owner,
        "title": row.title,
        "description": row.description or "",
        "state": row.state,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "due_date": row.due_date,
        "start_date": row.start_date,
        "expired": bool(row.due_date and row.due_date < call.store.now()[:10]) if row.state == "active" else False,
        "web_url": url,
    }


def milestones(call: Call, ids: Iterable[int | None]) -> dict[int, dict[str, Any]]:
    rows = list(call.store.by_ids(Milestone, ids).values())
    return {row.id: shown for row, shown in zip(rows, milestone_list(call, rows), strict=True)}


def time_stats(estimate: int, spent: int) -> dict[str, Any]:
    return {
        "time_estimate": estimate,
        "total_time_spent": spent,
        "human_time_estimate": human(estimate),
        "human_total_time_spent": human(spent),
    }


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What several issues or merge requests show of other tables, asked for once for all of them."""

    projects: dict[int, Project]
    users: dict[int, dict[str, Any]]
    milestones: dict[int, dict[str, Any]]
    votes: dict[int, tuple[int, int]]
    labels: dict[int, list[Label]] | None
    """Of each item, where the request asks for more than their names."""

    def user(self, user_id: int | None) -> dict[str, Any] | None:
        return self.users.get(user_id) if user_id else None

    def some(self, user_ids: Iterable[int]) -> list[dict[str, Any]]:
        return [self.users[user_id] for user_id in user_ids if user_id in self.users]

    def milestone(self, row: Issue | MergeRequest) -> dict[str, Any] | None:
        return self.milestones.get(row.milestone_id) if row.milestone_id else None

    def label_list(self, row: Issue | MergeRequest) -> list[Any]:
        if self.labels is None:
            return row.label_names
        return [_label_detail(label) for label in self.labels.get(row.id, [])]


def surroundings(
    call: Call, kind: str, rows: Sequence[Issue | MergeRequest], user_ids: Iterable[int | None]
) -> Surroundings:
    ids = [row.id for row in rows]
    detailed = call.request.method == "GET" and call.boolean("with_labels_details", False)
    return Surroundings(
        projects=call.store.by_ids(Project, [row.project_id for row in rows]),
        users=people(call, list(user_ids)),
        milestones=milestones(call, [row.milestone_id for row in rows]),
        votes=votes(call.store, kind, ids),
        labels=of_items(call.store, kind, ids) if detailed else None,
    )


def _label_detail(row: Label) -> dict[str, Any]:
    return {
        "id": row.id,
        "name": row.name,
        "color": row.color,
        "description": row.description,
        "description_html": row.description or "",
        "text_color": text_color(row.color),
        "archived": bool(row.archived),
    }


def head(row: Issue | MergeRequest) -> dict[str, Any]:
    """What both begin with."""
    return {
        "id": row.id,
        "iid": row.iid,
        "project_id": row.project_id,
        "title": row.title,
        "description": row.description,
        "state": row.state,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
    }


def issues(call: Call, rows: Sequence[Issue]) -> list[dict[str, Any]]:
    """Several issues with as few queries as one needs."""
    user_ids = [one for row in rows for one in (row.author_id, row.closed_by, *row.assignee_ids)]
    around = surroundings(call, "Issue", rows, user_ids)
    requests = request_counts(call.store, [row.id for row in rows])
    return [_issue(call, row, around, requests.get(row.id, 0)) for row in rows]


def _issue(call: Call, row: Issue, around: Surroundings, requests: int) -> dict[str, Any]:
    home, assignees = around.projects[row.project_id], around.some(row.assignee_ids)
    api = f"{call.base}/api/v4/projects/{row.project_id}/issues/{row.iid}"
    up, down = around.votes.get(row.id, (0, 0))
    done = tasks(row.description)
    return {
        **head(row),
        "closed_at": row.closed_at,
        "closed_by": around.user(row.closed_by),
        "labels": around.label_list(row),
        "milestone": around.milestone(row),
        "assignees": assignees,
        "author": around.user(row.author_id),
        "type": "ISSUE" if row.issue_type == "issue" else row.issue_type.upper(),
        "assignee": assignees[0] if assignees else None,
        "user_notes_count": row.user_notes_count,
        "merge_requests_count": requests,
        "upvotes": up,
        "downvotes": down,
        "due_date": row.due_date,
        "confidential": bool(row.confidential),
        "discussion_locked": None if row.discussion_locked is None else bool(row.discussion_locked),
        "issue_type": row.issue_type,
        "web_url": f"{call.base}/{home.full_path}/-/issues/{row.iid}",
        "time_stats": time_stats(row.time_estimate, row.time_spent),
        "task_completion_status": done,
        "weight": row.weight,
        "blocking_issues_count": 0,
        "has_tasks": done["count"] > 0,
        "task_status": f"{done['completed_count']} of {done['count']} checklist items completed",
        "_links": {
            "self": api,
            "notes": f"{api}/notes",
            "award_emoji": f"{api}/award_emoji",
            "project": f"{call.base}/api/v4/projects/{row.project_id}",
            "closed_as_duplicate_of": None,
        },
        "references": {"short": f"#{row.iid}", "relative": f"#{row.iid}", "full": f"{home.full_path}#{row.iid}"},
        "severity": (row.severity or "UNKNOWN").upper(),
        "moved_to_id": row.moved_to,
        "imported": False,
        "imported_from": "none",
        "service_desk_reply_to": None,
        "epic_iid": None,
        "epic": None,
        "iteration": None,
        "health_status": None,
    }


def issue(call: Call, row: Issue) -> dict[str, Any]:
    found = issues(call, [row])[0]
    found["subscribed"] = follows(call.store, call.user, "Issue", row.id, row.author_id)
    return found


def tasks(description: str | None) -> dict[str, int]:
    """How many boxes of the description there are, and how many are ticked."""
    if not description or "[" not in description:
        return {"count": 0, "completed_count": 0}
    done = todo = 0
    for line in description.splitlines():
        plain = line.lstrip(" \t>*-+0123456789.")
        if line.lstrip(" \t>")[:1] in tuple("*-+0123456789"):
            done += plain.startswith(("[x] ", "[X] "))
            todo += plain.startswith("[ ] ")
    return {"count": done + todo, "completed_count": done}


def text_color(color: str) -> str:
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#1F1E24" if red * 0.299 + green * 0.587 + blue * 0.114 > 150 else "#FFFFFF"


def label(call: Call, row: Label, *, project: Project | None = None, counts: bool = True) -> dict[str, Any]:
    return labels(call, [row], project=project, counts=counts)[0]


def labels(
    call: Call, rows: Sequence[Label], *, project: Project | None = None, counts: bool = True
) -> list[dict[str, Any]]:
    """Labels with how many issues and merge requests carry them; `project` is where they are looked at."""
    ids = [row.id for row in rows]
    carried = carriers(call.store, call.user, ids, project) if counts else {}
    subscribed = chosen(call.store, call.user, "Label", ids)
    shown = []
    for row in rows:
        found = _label_detail(row)
        if counts:
            found["open_issues_count"] = carried[row.id].open_issues
            found["closed_issues_count"] = carried[row.id].closed_issues
            found["open_merge_requests_count"] = carried[row.id].open_merge_requests
        found["subscribed"] = subscribed.get(row.id, False)
        if project is not None:
            found["priority"] = row.priority
            found["is_project_label"] = row.project_id is not None
        shown.append(found)
    return shown


def note(call: Call, row: Note) -> dict[str, Any]:
    return notes(call, [row])[0]


def notes(call: Call, rows: Sequence[Note]) -> list[dict[str, Any]]:
    users = people(call, [user_id for row in rows for user_id in (row.author_id, row.resolved_by)])
    iids = {
        kind: numbers(call.store, kind, {row.noteable_id for row in rows if row.noteable_type == kind})
        for kind in {row.noteable_type for row in rows} & TABLES.keys()
    }
    return [_note(row, users, iids.get(row.noteable_type, {}).get(row.noteable_id)) for row in rows]


def _note(row: Note, users: dict[int, dict[str, Any]], iid: int | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": row.id,
        "type": row.type,
        "body": row.body,
        "author": users.get(row.author_id),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "system": bool(row.system),
        "noteable_id": row.noteable_id if row.noteable_type != "Commit" else None,
        "noteable_type": row.noteable_type,
        "project_id": row.project_id,
        "resolvable": bool(row.resolvable),
        "confidential": bool(row.internal),
        "internal": bool(row.internal),
        "imported": False,
        "imported_from": "none",
        "noteable_iid": iid,
        "commands_changes": {},
    }
    if row.noteable_type == "Commit":
        found["commit_id"] = row.commit_id
    if row.position:
        found["position"] = row.place
    if row.resolvable:
        found["resolved"] = bool(row.resolved)
        found["resolved_by"] = users.get(row.resolved_by) if row.resolved_by else None
        found["resolved_at"] = row.resolved_at
    return found


def discussion(call: Call, rows: list[Note]) -> dict[str, Any]:
    return {
        "id": rows[0].discussion_id,
        "individual_note": rows[0].type is None and len(rows) == 1,
        "notes": notes(call, rows),
    }
