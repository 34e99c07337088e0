"""What lists and details of issues and merge requests have in common: filters, choices, and changing one field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from dayjob.company.forge.errors import Refused
from dayjob.company.forge.pages.refs import names, repository
from dayjob.company.forge.pages.visit import Visit, reason
from dayjob.company.forge.store import items, labels, milestones, users

SORTS = (
    ("created_at-desc", "Newest"),
    ("created_at-asc", "Oldest"),
    ("updated_at-desc", "Recently updated"),
    ("popularity-desc", "Most comments"),
    ("title-asc", "Title"),
)


def choices(visit: Visit) -> dict[str, Any]:
    """What can be chosen for an item of the project."""
    return {
        "people": items.assignable(visit.store, visit.project),
        "labels": labels.choices(visit.store, visit.project),
        "milestones": milestones.choices(visit.store, visit.project),
    }


def filters(visit: Visit) -> tuple[dict[str, Any], dict[str, str]]:
    """(the API's arguments, the form's values) of a list's filters, under the names GitLab's own pages use."""
    given = {
        name: str(visit.query.get(name, "") or "")
        for name in ("search", "milestone_title", "assignee_username", "author_username", "reviewer_username", "sort")
    }
    names = visit.query.get("label_name") or ""
    given["label_name"] = ",".join(map(str, names)) if isinstance(names, list) else str(names)
    order, _, way = (given["sort"] if given["sort"] in dict(SORTS) else SORTS[0][0]).partition("-")
    args: dict[str, Any] = {
        "search": given["search"] or None,
        "labels": given["label_name"] or None,
        "milestone": given["milestone_title"] or None,
        "author_username": given["author_username"] or None,
        "order_by": order,
        "sort": way,
        "with_labels_details": True,
    }
    for role in ("assignee", "reviewer"):
        value = given[f"{role}_username"]
        if value.lower() in ("none", "any"):
            args[f"{role}_id"] = value.lower()
        elif value:
            args[f"{role}_username"] = [value]
    return args, given


async def project_list(visit: Visit, kind: str, states: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """What the page of a project's issues or merge requests (`kind`) shows of them: a page of those that are asked for,
    the filters as they were given, and what could be chosen instead."""
    args, given = filters(visit)
    state = str(visit.query.get("state") or "opened")
    state = state if state in dict(states) else "opened"
    return {
        "listed": await visit.listed(visit.at_project(f"/{kind}"), args, state=state), "kind": kind, "given": given,
        "state": state, "states": states, "sorts": SORTS,
        "filtered": any(value for name, value in given.items() if name != "sort"), **choices(visit),
    }  # fmt: skip


async def items_page(visit: Visit, path: str, kind: str, *, mine: bool = False) -> Response:
    """Issues or merge requests (`kind`) of many projects; `mine`: those assigned to the visitor, unless filters name
    somebody."""
    args, given = filters(visit)
    states = ("opened", "closed", "all") if kind == "issues" else ("opened", "merged", "closed", "all")
    state = str(visit.query.get("state") or "opened")
    state = state if state in states else "opened"
    if mine:
        someones = any(given[f"{role}_username"] for role in ("assignee", "author", "reviewer"))
        args["scope"] = "all" if someones else "assigned_to_me"
    found = await visit.listed(path, {**args, "state": state})
    return visit.page("my_items.html", listed=found, kind=kind, given=given, state=state, states=states, sorts=SORTS)


def named(visit: Visit, names: list[str]) -> list[int]:
    """The accounts' ids, for assigning by username."""
    return users.ids_of(visit.store, names)


def change(visit: Visit) -> dict[str, Any]:
    """The API's arguments for the one part of an item that a form of its sidebar or head sends."""
    part = visit.text("part")
    if part == "title":
        found: dict[str, Any] = {"title": visit.text("title"), "description": visit.raw("description")}
        return found
    if part in ("assignees", "reviewers"):
        return {f"{part.removesuffix('s')}_ids": [str(one) for one in named(visit, visit.many("usernames"))] or ["0"]}
    if part == "labels":
        return {"labels": ",".join(visit.many("labels"))}
    if part == "milestone":
        return {"milestone_id": visit.text("milestone_id") or "0"}
    if part == "due_date":
        return {"due_date": visit.text("due_date")}
    if part == "weight":
        return {"weight": visit.text("weight")}
    if part in ("confidential", "discussion_locked"):
        return {part: visit.ticked(part)}
    if part == "state":
        return {"state_event": visit.text("state_event")}
    return {}


_NOUNS = {"issues": "issue", "merge_requests": "merge request"}


async def edit_page(visit: Visit, kind: str) -> Response:
    """The form for the title and the description of an issue or a merge request."""
    found = await visit.ask("GET", visit.at_project(f"/{kind}/{visit.number('iid')}"))
    return visit.form_page(
        "item_edit.html", item=found, noun=_NOUNS[kind], address=f"{visit.base}/{kind}/{found['iid']}",
        title=visit.raw("title") or found["title"], description=visit.raw("description") or found["description"] or "",
        branches=names(repository(visit), "heads") if kind == "merge_requests" else [],
    )  # fmt: skip


async def save(visit: Visit, kind: str, given: dict[str, Any]) -> Response:
    """Change an issue or a merge request; why its title or description was refused stands above their form."""
    try:
        found = await visit.ask("PUT", visit.at_project(f"/{kind}/{visit.number('iid')}"), given)
    except Refused as no:
        if visit.text("part") != "title":
            raise
        visit.problem = reason(no)
        return await edit_page(visit, kind)
    return visit.back(f"{visit.base}/{kind}/{found['iid']}", f"{_NOUNS[kind].capitalize()} saved.")
