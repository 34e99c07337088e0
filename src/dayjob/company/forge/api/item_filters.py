"""What a request for a list of issues or merge requests is narrowed and ordered by."""

from __future__ import annotations

from typing import Any, TypeVar

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.errors import bad
from dayjob.company.forge.store.issues import TYPES
from dayjob.company.forge.store.item_lists import ANY, NONE, ORDERS, IssueFilter, ItemFilter, RequestFilter

Filter = TypeVar("Filter", bound=ItemFilter)
_SCOPES = ("created_by_me", "assigned_to_me", "all", "reviews_for_me")


def issue_filter(call: Call) -> IssueFilter:
    wanted = _common(call, IssueFilter(), ("opened", "closed", "all"))
    if call.has("confidential"):
        wanted.confidential = bool(call.boolean("confidential"))
    if call.text("issue_type"):
        wanted.issue_type = call.choice("issue_type", TYPES)
    if call.text("weight"):
        wanted.weight = _special(call.text("weight")) or call.integer("weight")
    due = call.text("due_date")
    wanted.due = NONE if due == "0" else due if due in (ANY, NONE, "overdue", "today") else ""
    _order(call, wanted, not_by=("merged_at",))
    return wanted


def request_filter(call: Call) -> RequestFilter:
    wanted = _common(call, RequestFilter(), ("opened", "closed", "locked", "merged", "all"))
    wanted.source_branch, wanted.target_branch = call.text("source_branch", ""), call.text("target_branch", "")
    wanted.source_project_id = call.integer("source_project_id")
    draft = call.text("draft") if call.has("draft") else call.text("wip")
    if draft is not None:
        wanted.draft = draft.lower() in ("yes", "true", "1")
    if not _special(str(call.args.get("approved_by_ids", ""))):
        wanted.approved_by = call.numbers("approved_by_ids") or []
    _order(call, wanted, not_by=("due_date", "relative_position", "weight"))
    return wanted


def _common(call: Call, wanted: Filter, states: tuple[str, ...]) -> Filter:
    """What issues and merge requests are narrowed by alike."""
    wanted.state = call.choice("state", states, "all")
    wanted.iids = call.numbers("iids")
    if call.text("search"):
        wanted.words = call.text("search")
        columns = call.names("in") or ["title", "description"]
        wanted.searched = [column for column in columns if column in ("title", "description")]
    _labels(call, wanted)
    _people(call, wanted)
    _milestone(call, wanted)
    excluded = call.args.get("not")
    if isinstance(excluded, dict):
        wanted.not_words = str(excluded.get("search") or "")
        if excluded.get("author_id") and str(excluded["author_id"]).isdigit():
            wanted.not_author_id = int(excluded["author_id"])
        names = excluded.get("labels") or ()
        wanted.not_labels = [str(name) for name in names] if isinstance(names, list) else _split(names)
    wanted.created_after, wanted.created_before = call.text("created_after", ""), call.text("created_before", "")
    wanted.updated_after, wanted.updated_before = call.text("updated_after", ""), call.text("updated_before", "")
    return wanted


def _split(names: Any) -> list[str]:
    return str(names).split(",") if names else []


def _special(text: str) -> str | None:
    """`any` or `none`, however it is written."""
    return text.lower() if text.lower() in (ANY, NONE) else None


def _labels(call: Call, wanted: ItemFilter) -> None:
    names = call.names("labels") or []
    special = _special(names[0]) if len(names) == 1 else None
    wanted.labels = special or names


def _people(call: Call, wanted: ItemFilter) -> None:
    given = call.args.get("scope")
    scope = "all" if given is None else str(given).replace("-", "_")
    if scope not in _SCOPES:
        raise bad("scope does not have a valid value")
    if scope == "created_by_me":
        wanted.author_ids.append(call.me.id)
    elif scope != "all":
        wanted.people.append(("assignee" if scope == "assigned_to_me" else "reviewer", call.me.id))
    if call.integer("author_id") is not None:
        wanted.author_ids.append(call.integer("author_id"))
    wanted.author_username = call.text("author_username", "")
    for role in ("assignee", "reviewer"):
        value = call.args.get(f"{role}_id")
        if value is not None and value != "":
            none = NONE if str(value) == "0" else None
            wanted.people.append((role, none or _special(str(value)) or call.integer(f"{role}_id")))
        wanted.usernames += [(role, name) for name in call.names(f"{role}_username") or []]
    if call.text("my_reaction_emoji"):
        call.signed_in()
        emoji = call.text("my_reaction_emoji")
        wanted.reaction = ANY if emoji.lower() == ANY else emoji


def _milestone(call: Call, wanted: ItemFilter) -> None:
    title = call.text("milestone")
    if call.text("milestone_id"):
        wanted.milestone = _special(call.text("milestone_id")) or call.integer("milestone_id")
    elif title is not None:
        wanted.milestone = _special(title)
        wanted.milestone_title = None if wanted.milestone else title


def _order(call: Call, wanted: ItemFilter, *, not_by: tuple[str, ...]) -> None:
    wanted.order = call.choice("order_by", tuple(ORDERS), "created_at")
    upwards = wanted.order in ("due_date", "relative_position", "title")
    wanted.sort = call.choice("sort", ("asc", "desc"), "asc" if upwards and not call.has("sort") else "desc")
    if wanted.order in not_by:
        raise bad("order_by does not have a valid value")
