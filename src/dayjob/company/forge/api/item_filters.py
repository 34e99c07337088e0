"""What issues and merge requests can be narrowed and ordered by; the same in a project, a group and everywhere."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call
from dayjob.company.forge.store import access, users, visibility
from dayjob.company.forge.store.base import Listing, like

_ORDERS = {
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
_SPECIAL = {"none", "any"}


def item_filters(call: Call, kind: str, row_class: type, where: str, args: list[Any]) -> Listing:
    """The listing for a request's state, labels, people, milestone, search, dates and order."""
    table = "issues" if kind == "Issue" else "merge_requests"
    states = ("opened", "closed", "all") if kind == "Issue" else ("opened", "closed", "locked", "merged", "all")
    state = call.choice("state", states, "all")
    if state != "all":
        where += " AND t.state=?"
        args.append(state)
    iids = call.numbers("iids")
    if iids is not None:
        where += f" AND t.iid IN ({','.join('?' * len(iids)) or 'NULL'})"
        args += iids
    where += _search(call, args)
    where += _labels(call, kind, args)
    where += _people(call, kind, args)
    where += _milestone(call, args)
    for name, column, sign in (
        ("created_after", "created_at", ">="), ("created_before", "created_at", "<="),
        ("updated_after", "updated_at", ">="), ("updated_before", "updated_at", "<="),
    ):  # fmt: skip
        if call.text(name):
            where += f" AND t.{column}{sign}?"
            args.append(call.text(name))
    if kind == "Issue":
        where += _issue_only(call, args)
    else:
        where += _request_only(call, args)
    order = call.choice("order_by", tuple(_ORDERS), "created_at")
    sort = call.choice(
        "sort",
        ("asc", "desc"),
        "asc" if order in ("due_date", "relative_position", "title") and not call.has("sort") else "desc",
    )
    if kind == "MergeRequest" and order in ("due_date", "relative_position", "weight"):
        raise bad("order_by does not have a valid value")
    if kind == "Issue" and order == "merged_at":
        raise bad("order_by does not have a valid value")
    return Listing(row_class, f"FROM {table} t WHERE {where}", args, f"{_ORDERS[order]} {sort}, t.id {sort}", "t")


def _search(call: Call, args: list[Any]) -> str:
    where = ""
    if call.text("search"):
        columns = [one for one in (call.names("in") or ["title", "description"]) if one in ("title", "description")]
        for word in call.text("search").split() or [""]:
            where += " AND (" + " OR ".join(f"t.{one} LIKE ? ESCAPE '\\'" for one in columns) + ")" if columns else ""
            args += [like(word)] * len(columns)
    excluded = call.args.get("not")
    if isinstance(excluded, dict):
        if excluded.get("search"):
            where += " AND NOT (t.title LIKE ? ESCAPE '\\' OR coalesce(t.description,'') LIKE ? ESCAPE '\\')"
            args += [like(str(excluded["search"]))] * 2
        if excluded.get("author_id") and str(excluded["author_id"]).isdigit():
            where += " AND t.author_id<>?"
            args.append(int(excluded["author_id"]))
    return where


def _labels(call: Call, kind: str, args: list[Any]) -> str:
    where = ""
    linked = (
        f"(SELECT k.item_id FROM label_links k JOIN labels l ON l.id=k.label_id WHERE k.item_type='{kind}' "
        "AND l.name=?)"
    )
    wanted = call.names("labels") or []
    if isinstance(call.args.get("labels"), str):
        wanted = [one.strip() for one in call.args["labels"].split(",") if one.strip()]
    if len(wanted) == 1 and wanted[0].lower() in _SPECIAL:
        sign = "" if wanted[0].lower() == "any" else "NOT "
        return f" AND {sign}EXISTS (SELECT 1 FROM label_links k WHERE k.item_type='{kind}' AND k.item_id=t.id)"
    for name in wanted:
        where += f" AND t.id IN {linked}"
        args.append(name)
    excluded = call.args.get("not")
    if isinstance(excluded, dict) and excluded.get("labels"):
        given = excluded["labels"]
        for name in given if isinstance(given, list) else str(given).split(","):
            where += f" AND t.id NOT IN {linked}"
            args.append(str(name))
    return where


def _people(call: Call, kind: str, args: list[Any]) -> str:
    where = ""
    scope = call.args.get("scope")
    if scope is not None:
        scope = str(scope).replace("-", "_")
        if scope not in ("created_by_me", "assigned_to_me", "all", "reviews_for_me"):
            raise bad("scope does not have a valid value")
        if scope == "created_by_me":
            where += f" AND t.author_id={call.me.id}"
        elif scope in ("assigned_to_me", "reviews_for_me"):
            role = "assignee" if scope == "assigned_to_me" else "reviewer"
            where += (
                f" AND t.id IN (SELECT item_id FROM people WHERE item_type='{kind}' AND role='{role}' AND "
                f"user_id={call.me.id})"
            )
    if call.integer("author_id") is not None:
        where += " AND t.author_id=?"
        args.append(call.integer("author_id"))
    if call.text("author_username"):
        where += " AND t.author_id=(SELECT id FROM users WHERE username=?)"
        args.append(call.text("author_username"))
    for role in ("assignee", "reviewer"):
        where += _role(call, kind, role, args)
    reaction = call.text("my_reaction_emoji")
    if reaction:
        where += (
            f" AND t.id IN (SELECT awardable_id FROM award_emoji WHERE awardable_type='{kind}' AND user_id={call.me.id}"
        )
        where += ")" if reaction.lower() == "any" else " AND name=?)"
        if reaction.lower() != "any":
            args.append(reaction)
    return where


def _role(call: Call, kind: str, role: str, args: list[Any]) -> str:
    these = f"SELECT item_id FROM people WHERE item_type='{kind}' AND role='{role}'"
    value = call.args.get(f"{role}_id")
    where = ""
    if value is not None and value != "":
        if str(value).lower() in _SPECIAL:
            where += f" AND t.id {'' if str(value).lower() == 'any' else 'NOT '}IN ({these})"
        elif str(value) == "0":
            where += f" AND t.id NOT IN ({these})"
        else:
            where += f" AND t.id IN ({these} AND user_id=?)"
            args.append(call.integer(f"{role}_id"))
    for name in call.names(f"{role}_username") or []:
        user = users.find(call.store, name) if not name.isdigit() else None
        where += f" AND t.id IN ({these} AND user_id=?)"
        args.append(user.id if user else -1)
    return where


def _milestone(call: Call, args: list[Any]) -> str:
    if call.text("milestone_id") and call.text("milestone_id").lower() in _SPECIAL:
        return f" AND t.milestone_id IS {'NOT ' if call.text('milestone_id').lower() == 'any' else ''}NULL"
    if call.integer("milestone_id") is not None:
        args.append(call.integer("milestone_id"))
        return " AND t.milestone_id=?"
    title = call.text("milestone")
    if title is None:
        return ""
    if title.lower() in _SPECIAL:
        return f" AND t.milestone_id IS {'NOT ' if title.lower() == 'any' else ''}NULL"
    args.append(title)
    return " AND t.milestone_id IN (SELECT id FROM milestones WHERE title=?)"


def _issue_only(call: Call, args: list[Any]) -> str:
    where = ""
    if call.has("confidential"):
        where += f" AND t.confidential={int(bool(call.boolean('confidential')))}"
    if call.text("issue_type"):
        where += " AND t.issue_type=?"
        args.append(call.choice("issue_type", ("issue", "incident", "test_case", "task")))
    weight = call.text("weight")
    if weight:
        if weight.lower() in _SPECIAL:
            where += f" AND t.weight IS {'NOT ' if weight.lower() == 'any' else ''}NULL"
        else:
            where += " AND t.weight=?"
            args.append(call.integer("weight"))
    due = call.text("due_date")
    if due in ("0", "none"):
        where += " AND t.due_date IS NULL"
    elif due == "any":
        where += " AND t.due_date IS NOT NULL"
    elif due == "overdue":
        where += f" AND t.due_date<'{call.store.now()[:10]}'"
    elif due == "today":
        where += f" AND t.due_date='{call.store.now()[:10]}'"
    there = access.open_to(call.user, "issues", "t.project_id")
    return f"{where} AND {there} AND {visibility.not_confidential(call.user, 't')}"


def _request_only(call: Call, args: list[Any]) -> str:
    where = f" AND {visibility.requests(call.user)}"
    for name in ("source_branch", "target_branch"):
        if call.text(name):
            where += f" AND t.{name}=?"
            args.append(call.text(name))
    if call.integer("source_project_id") is not None:
        where += " AND t.source_project_id=?"
        args.append(call.integer("source_project_id"))
    draft = call.text("draft") if call.has("draft") else call.text("wip")
    if draft is not None:
        sign = "" if draft.lower() in ("yes", "true", "1") else "NOT "
        where += f" AND {sign}(t.title LIKE 'draft:%' OR t.title LIKE '[draft]%' OR t.title LIKE '(draft)%')"
    approved = (
        call.numbers("approved_by_ids") if str(call.args.get("approved_by_ids", "")).lower() not in _SPECIAL else None
    )
    for user in approved or []:
        where += " AND t.id IN (SELECT merge_request_id FROM approvals WHERE user_id=?)"
        args.append(user)
    return where
