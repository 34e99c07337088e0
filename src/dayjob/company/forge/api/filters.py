"""What a request narrows and orders a list of projects by."""

from __future__ import annotations

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.users import by_custom_attributes
from dayjob.company.forge.store import access, project_lists
from dayjob.company.forge.store.base import Listing
from dayjob.company.forge.store.project_lists import Condition, Filters


def filtered_projects(call: Call, within: Condition = ("1", [])) -> Listing:
    """The listing for a request's `search`, `owned`, `membership`, `visibility`, `topic`, `order_by` …"""
    # With keyset pagination, `id_after` and `id_before` are where a page begins.
    keyset = call.args.get("pagination") == "keyset"
    times = ("last_activity_after", "last_activity_before", "updated_after", "updated_before")
    filters = Filters(
        search=call.text("search") or "",
        search_namespaces=bool(call.boolean("search_namespaces")),
        archived=bool(call.boolean("archived")) if call.has("archived") else None,
        visibility=call.visibility(),
        level=max(wanted_level(call), access.GUEST if call.boolean("membership") and call.me else 0),
        starred=bool(call.boolean("starred")) and bool(call.me),
        topics=call.names("topic") or [],
        features=[name for name in ("issues", "merge_requests") if call.boolean(f"with_{name}_enabled")],
        **{name: call.text(name) for name in times if not keyset},
        id_after=None if keyset else call.integer("id_after"),
        id_before=None if keyset else call.integer("id_before"),
        order=call.choice("order_by", tuple(project_lists.ORDERS), "created_at"),
        sort=call.choice("sort", ("asc", "desc"), "desc"),
    )
    return project_lists.listed(call.user, filters, within, by_custom_attributes(call, "project", "p.id"))


def wanted_level(call: Call) -> int:
    """The level that the caller must have in what is listed: `owned`, `min_access_level`; 0 for any."""
    level = 0
    if call.integer("min_access_level"):
        level = max(access.GUEST, call.integer("min_access_level"))
    if call.boolean("owned"):
        level = max(access.OWNER, level)
    if level:
        call.signed_in()
    return level
