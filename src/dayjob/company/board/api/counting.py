"""How many items there are of each kind, and the search that takes conditions."""

from __future__ import annotations

from typing import Any

from dayjob.company.board.api.call import WORKSPACE, Call, Reply, endpoint, workspace_member
from dayjob.company.board.api.items import refuse_query_language
from dayjob.company.board.errors import BadRequest
from dayjob.company.board.shapes.payloads import Document, Flag, Form, Id, Text, Whole, read_form
from dayjob.company.board.store import counting, projects


@endpoint("GET", WORKSPACE + "/work-items/count", permission=workspace_member)
def count_items(call: Call) -> Reply:
    refuse_query_language(call)
    group, sub = call.query.get("group_by"), call.query.get("sub_group_by")
    for name in (group, sub):
        if name is not None and name not in counting.GROUPINGS:
            raise BadRequest(f"Invalid group_by field: {name[:100]}")
    if sub is not None and (group is None or group == sub):
        raise BadRequest("sub_group_by needs another group_by")
    counts: dict[str, Any] = {}
    if group is not None:
        for first, second, number in counting.grouped(call.db, call.user.id, call.slug, group, sub):
            entry = counts.setdefault(str(first), {"count": 0})
            entry["count"] += number
            if sub is not None:
                entry.setdefault("sub_grouped_counts", {})[str(second)] = {"count": number}
    total = counting.total(call.db, call.user.id, call.slug)
    body = {"grouped_by": group, "sub_grouped_by": sub, "total_count": total, "grouped_counts": counts}
    return Reply(200, body)


_SEARCH: Form = {
    "query": Text(blank=True, null=True),
    "filters": Document(null=True),
    "limit": Whole(low=1, high=1000, null=True),
    "project_id": Id(null=True),
    "workspace_search": Flag(null=True),
}


@endpoint("POST", WORKSPACE + "/work-items/advanced-search", permission=workspace_member)
def search_with_conditions(call: Call) -> Reply:
    facts = read_form(_SEARCH, call.payload(), call.db)
    project = None if facts.get("workspace_search") else facts.get("project_id")
    filters = facts["filters"].value if facts.get("filters") is not None else None
    rows = counting.find_by(
        call.db, call.user.id, call.slug, facts.get("query") or "", filters, project, facts.get("limit") or 10
    )
    found = []
    for one in rows:
        place = projects.by_id(call.db, one.project)
        assert place is not None  # an item's project outlives it
        found.append(
            {
                "id": one.id,
                "name": one.name,
                "sequence_id": one.sequence_id,
                "project_identifier": place.identifier,
                "project_id": one.project,
                "workspace_id": one.workspace,
                "type_id": one.type,
                "state_id": one.state,
                "priority": one.priority,
                "target_date": one.target_date,
                "start_date": one.start_date,
            }
        )
    return Reply(200, found)
