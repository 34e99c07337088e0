"""Issues, milestones, labels, notes and the traces of changes on the wire."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.shapes.users import basic, people
from dayjob.company.forge.store import visibility
from dayjob.company.forge.store.issue_text import human
from dayjob.company.forge.store.issues import Issue
from dayjob.company.forge.store.labels import Label, Milestone
from dayjob.company.forge.store.notes import Note
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User


def milestone(call: Call, row: Milestone) -> dict[str, Any]:
    if row.project_id is not None:
        path = call.store.value("SELECT full_path FROM projects WHERE id=?", row.project_id)
        owner: dict[str, Any] = {"project_id": row.project_id}
        url = f"{call.base}/{path}/-/milestones/{row.iid}"
    else:
        path = call.store.value("SELECT full_path FROM namespaces WHERE id=?", row.group_id)
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


def milestones(call: Call, ids: list[int | None]) -> dict[int, dict[str, Any]]:
    return {key: milestone(call, row) for key, row in call.store.by_ids(Milestone, ids).items()}


def time_stats(estimate: int, spent: int) -> dict[str, Any]:
    return {
        "time_estimate": estimate,
        "total_time_spent": spent,
        "human_time_estimate": human(estimate),
        "human_total_time_spent": human(spent),
    }


def votes(call: Call, kind: str, ids: list[int]) -> dict[int, tuple[int, int]]:
    if not ids:
        return {}
    marks = ",".join("?" * len(ids))
    rows = call.store.db.execute(
        f"SELECT awardable_id, sum(name='thumbsup'), sum(name='thumbsdown') FROM award_emoji WHERE awardable_type=? "
        f"AND awardable_id IN ({marks}) GROUP BY awardable_id",
        (kind, *ids),
    )
    return {row[0]: (row[1], row[2]) for row in rows}


def label_details(call: Call, kind: str, item_id: int) -> list[dict[str, Any]]:
    rows = call.store.all(
        Label, "id IN (SELECT label_id FROM label_links WHERE item_type=? AND item_id=?) ORDER BY name", kind, item_id
    )
    return [
        {
            "id": row.id,
            "name": row.name,
            "color": row.color,
            "description": row.description,
            "description_html": row.description or "",
            "text_color": text_color(row.color),
            "archived": bool(row.archived),
        }
        for row in rows
    ]


def issues(call: Call, rows: list[Issue]) -> list[dict[str, Any]]:
    """Several issues with as few queries as one needs."""
    users = people(call, [one for row in rows for one in (row.author_id, row.closed_by, *row.assignee_ids)])
    plans = milestones(call, [row.milestone_id for row in rows])
    homes = call.store.by_ids(Project, [row.project_id for row in rows])
    thumbs = votes(call, "Issue", [row.id for row in rows])
    details = bool(call.boolean("with_labels_details", False)) if call.request.method == "GET" else False
    return [_issue(call, row, users, plans, homes[row.project_id], thumbs, details) for row in rows]


def _issue(
    call: Call, row: Issue, users: dict[int, dict[str, Any]], plans: dict[int, dict[str, Any]], home: Project,
    thumbs: dict[int, tuple[int, int]], details: bool,
) -> dict[str, Any]:  # fmt: skip
    assignees = [users[one] for one in row.assignee_ids if one in users]
    api = f"{call.base}/api/v4/projects/{row.project_id}/issues/{row.iid}"
    up, down = thumbs.get(row.id, (0, 0))
    return {
        "id": row.id,
        "iid": row.iid,
        "project_id": row.project_id,
        "title": row.title,
        "description": row.description,
        "state": row.state,
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "closed_at": row.closed_at,
        "closed_by": users.get(row.closed_by) if row.closed_by else None,
        "labels": label_details(call, "Issue", row.id) if details else row.label_names,
        "milestone": plans.get(row.milestone_id) if row.milestone_id else None,
        "assignees": assignees,
        "author": users.get(row.author_id),
        "type": "ISSUE" if row.issue_type == "issue" else row.issue_type.upper(),
        "assignee": assignees[0] if assignees else None,
        "user_notes_count": row.user_notes_count,
        "merge_requests_count": call.store.value("SELECT count(*) FROM closings WHERE issue_id=?", row.id),
        "upvotes": up,
        "downvotes": down,
        "due_date": row.due_date,
        "confidential": bool(row.confidential),
        "discussion_locked": None if row.discussion_locked is None else bool(row.discussion_locked),
        "issue_type": row.issue_type,
        "web_url": f"{call.base}/{home.full_path}/-/issues/{row.iid}",
        "time_stats": time_stats(row.time_estimate, row.time_spent),
        "task_completion_status": tasks(row.description),
        "weight": row.weight,
        "blocking_issues_count": 0,
        "has_tasks": tasks(row.description)["count"] > 0,
        "task_status": f"{tasks(row.description)['completed_count']} of {tasks(row.description)['count']} "
        "checklist items completed",
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
    found["subscribed"] = subscribed(call, "Issue", row.id, row.author_id)
    return found


def subscribed(call: Call, kind: str, item_id: int, author_id: int) -> bool:
    if call.user is None:
        return False
    chosen = call.store.value(
        "SELECT subscribed FROM subscriptions WHERE user_id=? AND item_type=? AND item_id=?",
        call.user.id,
        kind,
        item_id,
    )
    if chosen is not None:
        return bool(chosen)
    takes_part = call.store.value(
        "SELECT 1 FROM people WHERE user_id=? AND item_type=? AND item_id=? UNION "
        "SELECT 1 FROM notes WHERE author_id=? AND noteable_type=? AND noteable_id=?",
        call.user.id, kind, item_id, call.user.id, kind, item_id,
    )  # fmt: skip
    return author_id == call.user.id or bool(takes_part)


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
    store = call.store
    found: dict[str, Any] = {
        "id": row.id,
        "name": row.name,
        "color": row.color,
        "text_color": text_color(row.color),
        "description": row.description,
        "description_html": row.description or "",
        "archived": bool(row.archived),
    }
    if counts:
        seen = visibility.issues(call.user)
        for name, kind, table, state, which in (
            ("open_issues_count", "Issue", "issues", "opened", seen),
            ("closed_issues_count", "Issue", "issues", "closed", seen),
            ("open_merge_requests_count", "MergeRequest", "merge_requests", "opened",
             visibility.requests(call.user)),
        ):  # fmt: skip
            within = f" AND t.project_id={project.id}" if project else ""
            found[name] = store.value(
                f"SELECT count(*) FROM label_links k JOIN {table} t ON t.id=k.item_id WHERE k.label_id=? AND "
                "k.item_type=? "
                f"AND t.state=? AND {which}{within}",
                row.id,
                kind,
                state,
            )
    chosen = call.user is not None and store.value(
        "SELECT subscribed FROM subscriptions WHERE user_id=? AND item_type='Label' AND item_id=?", call.user.id, row.id
    )
    found["subscribed"] = bool(chosen)
    if project is not None:
        found["priority"] = row.priority
        found["is_project_label"] = row.project_id is not None
    return found


def note(call: Call, row: Note, users: dict[int, dict[str, Any]] | None = None) -> dict[str, Any]:
    users = users if users is not None else people(call, [row.author_id, row.resolved_by])
    table = {"Issue": "issues", "MergeRequest": "merge_requests"}.get(row.noteable_type)
    found: dict[str, Any] = {
        "id": row.id,
        "type": row.type,
        "body": row.body,
        "author": users.get(row.author_id) or basic(call, call.store.one(User, "id=?", row.author_id)),
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
        "noteable_iid": call.store.value(f"SELECT iid FROM {table} WHERE id=?", row.noteable_id) if table else None,
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


def notes(call: Call, rows: list[Note]) -> list[dict[str, Any]]:
    users = people(call, [one for row in rows for one in (row.author_id, row.resolved_by)])
    return [note(call, row, users) for row in rows]


def discussion(call: Call, rows: list[Note]) -> dict[str, Any]:
    return {
        "id": rows[0].discussion_id,
        "individual_note": rows[0].type is None and len(rows) == 1,
        "notes": notes(call, rows),
    }
