"""What a list of projects can be narrowed and ordered by; the same wherever projects are listed."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.users import by_custom_attributes
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import Listing, like
from dayjob.company.forge.store.projects import Project

ORDERS = {
    "id": "p.id", "name": "p.name COLLATE NOCASE", "path": "p.path COLLATE NOCASE", "created_at": "p.created_at",
    "updated_at": "p.updated_at", "last_activity_at": "p.last_activity_at", "star_count": "p.star_count",
    "similarity": "p.name", "storage_size": "p.repository_size", "repository_size": "p.repository_size",
    "wiki_size": "p.id", "packages_size": "p.id",
}  # fmt: skip


def project_filters(call: Call, where: str = "1", args: list[Any] | None = None) -> Listing:
    """The listing for a request's `search`, `owned`, `membership`, `visibility`, `topic`, `order_by` …"""
    args = list(args or [])
    where += f" AND {access.visible_projects(call.user, 'p.id')}"
    if call.text("search"):
        scope = "p.full_path" if call.boolean("search_namespaces") else "p.path"
        for word in call.text("search").split():
            where += (
                f" AND (p.name LIKE ? ESCAPE '\\' OR {scope} LIKE ? ESCAPE '\\' OR p.description LIKE ? ESCAPE '\\')"
            )
            args += [like(word)] * 3
    if call.has("archived"):
        where += f" AND p.archived={int(bool(call.boolean('archived')))}"
    if call.has("visibility"):
        where += " AND p.visibility=?"
        args.append(call.visibility())
    if call.boolean("owned"):
        where += f" AND p.id IN ({_owned(call)})"
    if call.boolean("membership"):
        where += f" AND p.id IN ({access.member_projects(call.me)})"
    if call.integer("min_access_level"):
        where += f" AND p.id IN ({access.member_projects(call.me, call.integer('min_access_level'))})"
    if call.boolean("starred"):
        where += f" AND p.id IN (SELECT project_id FROM stars WHERE user_id={call.me.id})"
    for topic in call.names("topic") or []:
        where += " AND EXISTS (SELECT 1 FROM json_each(p.topics) WHERE value=? COLLATE NOCASE)"
        args.append(topic)
    for feature in ("issues", "merge_requests"):
        if call.boolean(f"with_{feature}_enabled"):
            where += f" AND coalesce(json_extract(p.settings,'$.{feature}_access_level'),'enabled')<>'disabled'"
    for name, column, sign in (
        ("last_activity_after", "last_activity_at", ">="), ("last_activity_before", "last_activity_at", "<="),
        ("updated_after", "updated_at", ">="), ("updated_before", "updated_at", "<="),
        ("id_after", "id", ">"), ("id_before", "id", "<"),
    ):  # fmt: skip
        if call.has(name) and call.args.get("pagination") != "keyset":
            where += f" AND p.{column}{sign}?"
            args.append(call.integer(name) if column == "id" else call.text(name))
    where += by_custom_attributes(call, "project", "p.id")
    order = call.choice("order_by", tuple(ORDERS), "created_at")
    sort = call.choice("sort", ("asc", "desc"), "desc")
    return Listing(Project, f"FROM projects p WHERE {where}", args, f"{ORDERS[order]} {sort}, p.id {sort}", "p")


def _owned(call: Call) -> str:
    """Projects in the caller's own namespace or in groups (and projects) the caller owns."""
    return access.member_projects(call.me, access.OWNER)
