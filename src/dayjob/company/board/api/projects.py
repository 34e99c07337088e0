"""Projects, their states and their labels."""

from __future__ import annotations

from typing import Any

from dayjob.company.board import shapes
from dayjob.company.board.api.call import (
    PROJECT,
    WORKSPACE,
    Call,
    Reply,
    endpoint,
    project_base,
    project_entity,
    project_member,
    require,
    workspace_admin,
    workspace_member,
)
from dayjob.company.board.api.lists import from_outside, ordered, paged, shaped
from dayjob.company.board.paging import envelope, window
from dayjob.company.board.payloads import Choice, Document, Flag, Form, Id, Number, Text, Whole, Zone, read_form
from dayjob.company.board.records import Label, Project, State, Workspace
from dayjob.company.board.refusals import BadRequest, Invalid, NotThere, Refused
from dayjob.company.board.rows import by_id, count, find, first, update
from dayjob.company.board.store import accounts, outside, projects

OUTSIDE: Form = {
    "external_source": Text(limit=255, blank=True, null=True),
    "external_id": Text(limit=255, blank=True, null=True),
}

_PROJECT: Form = {
    "name": Text(limit=255),
    "description": Text(blank=True),
    "description_html": Document(null=True),
    "description_text": Document(null=True),
    "project_lead": Id(table="users", null=True),
    "default_assignee": Id(table="users", null=True),
    "identifier": Text(limit=12),
    "icon_prop": Document(null=True),
    "emoji": Text(limit=255, blank=True, null=True),
    "cover_image": Text(blank=True, null=True),
    "module_view": Flag(),
    "cycle_view": Flag(),
    "issue_views_view": Flag(),
    "page_view": Flag(),
    "intake_view": Flag(),
    "guest_view_all_features": Flag(),
    "archive_in": Whole(low=0, high=12),
    "close_in": Whole(low=0, high=12),
    "timezone": Zone(),
    "logo_props": Document(),
    "is_issue_type_enabled": Flag(),
    "is_time_tracking_enabled": Flag(),
    "network": Choice(of=(0, 2)),
    **OUTSIDE,
}
_CHANGED_PROJECT: Form = {
    **_PROJECT,
    "default_state": Id(table="states", null=True),
    "estimate": Id(table="estimates", null=True),
}

_VISIBLE = (
    "projects.workspace = (SELECT id FROM workspaces WHERE slug = ?) AND (projects.network = 2 OR EXISTS"
    " (SELECT 1 FROM project_members WHERE project = projects.id AND member = ? AND is_active))"
)
_ORDERS = ("created_at", "updated_at", "name", "identifier", "sort_order", "network")


def _shape(call: Call, one: Project) -> shapes.Shape:
    shape = shapes.project_list(call.db, [one], call.user.id)[0]
    return shapes.trimmed(call.db, shape, call.words("fields"), call.words("expand"))


def _project_order(call: Call) -> tuple[str, tuple[str, ...]]:
    """The ORDER BY, and the arguments it needs; a person's own order is the default."""
    asked = call.query.get("order_by", "sort_order")
    name = asked.removeprefix("-")
    if name not in _ORDERS:
        asked = name = "sort_order"
    down = "DESC" if asked.startswith("-") else "ASC"
    column = f"projects.{name}"
    more: tuple[str, ...] = ()
    if name == "sort_order":
        more = (call.user.id,)
        column = "(SELECT sort_order FROM project_members WHERE project = projects.id AND member = ? AND is_active)"
    return f"{column} {down} NULLS LAST, projects.created_at DESC, projects.rowid DESC", more


@endpoint("GET", WORKSPACE + "/projects", permission=project_base)
def list_projects(call: Call) -> Reply:
    workspace = accounts.workspace(call.db, call.slug)
    if workspace is not None and (found := from_outside(call, Project, "workspace", workspace.id)):
        return Reply(200, _shape(call, found))
    asked = window(call.query)
    total = count(call.db, f"SELECT count(*) FROM projects WHERE {_VISIBLE}", (call.slug, call.user.id))
    order, more = _project_order(call)
    tail = f"WHERE {_VISIBLE} ORDER BY {order} LIMIT ? OFFSET ?"
    rows = find(call.db, Project, tail, (call.slug, call.user.id, *more, asked.limit, asked.offset))
    found_shapes = shaped(call, rows, lambda some: shapes.project_list(call.db, some, call.user.id))
    return Reply(200, envelope(asked, total, found_shapes))


@endpoint("GET", WORKSPACE + "/projects-lite", permission=project_base)
def list_projects_lite(call: Call) -> Reply:
    where = _VISIBLE if call.flag("include_archived") else f"{_VISIBLE} AND archived_at IS NULL"

    def lite(rows: list[Project]) -> list[shapes.Shape]:
        return [{**shapes.project_lite(one), "archived_at": one.archived_at} for one in rows]

    order = ordered(call, ("created_at", "updated_at", "name", "identifier"), "-created_at")
    return paged(call, Project, where, (call.slug, call.user.id), order, lite)


@endpoint("POST", WORKSPACE + "/projects", permission=project_base)
def create_project(call: Call) -> Reply:
    workspace = accounts.workspace(call.db, call.slug)
    if workspace is None:
        raise Refused(404, {"error": "Workspace does not exist"})
    facts = read_form(_PROJECT, call.payload(), call.db, required=("name", "identifier"))
    id = projects.create(call.ledger, workspace.id, facts)
    return Reply(201, _shape(call, projects.project(call.db, call.slug, id)))


@endpoint("GET", PROJECT, permission=project_base)
def read_project(call: Call) -> Reply:
    return Reply(200, _shape(call, projects.visible(call.db, call.project(), call.user.id)))


@endpoint("PATCH", PROJECT, permission=project_base)
def edit_project(call: Call) -> Reply:
    try:
        project = call.project()
    except NotThere:
        raise Refused(404, {"error": "Project does not exist"}) from None
    projects.edit(call.ledger, project, read_form(_CHANGED_PROJECT, call.payload(), call.db))
    return Reply(200, _shape(call, call.project()))


@endpoint("DELETE", PROJECT, permission=project_base)
def delete_project(call: Call) -> Reply:
    projects.delete(call.ledger, call.project())
    return Reply(204)


@endpoint("POST DELETE", PROJECT + "/archive", permission=project_base)
def archive_project(call: Call) -> Reply:
    project = call.project()
    # Plane's class for POST looks at the workspace only; putting a whole project away asks for more here as there.
    role = accounts.workspace_role(call.db, call.slug, call.user.id)
    require(role == accounts.ADMIN or call.project_role() == accounts.ADMIN)
    projects.archive(call.ledger, project, on=call.method == "POST")
    return Reply(204)


# -- what is switched on -----------------------------------------------------------------------------------------

_SWITCHES = {
    "modules": "module_view",
    "cycles": "cycle_view",
    "views": "issue_views_view",
    "pages": "page_view",
    "intakes": "intake_view",
    "work_item_types": "is_issue_type_enabled",
}
_ABSENT_IN_PROJECT = ("epics", "workflows", "parallel_cycles", "project_updates")


def _features(project: Project) -> shapes.Shape:
    on: shapes.Shape = {name: getattr(project, column) for name, column in _SWITCHES.items()}
    return {**on, **dict.fromkeys(_ABSENT_IN_PROJECT, False)}


@endpoint("GET PATCH", PROJECT + "/features", permission=project_entity)
def project_features(call: Call) -> Reply:
    project = call.project()
    if call.method == "PATCH":
        form = dict.fromkeys(_SWITCHES, Flag(null=True))
        wanted = read_form(form, call.payload(), call.db)
        facts = {_SWITCHES[name]: value for name, value in wanted.items() if value is not None}
        projects.edit(call.ledger, project, facts)
        project = call.project()
    return Reply(200, _features(project))


_WORKSPACE_FEATURES = (
    "project_grouping",
    "initiatives",
    "teams",
    "customers",
    "wiki",
    "pi",
    "work_item_types",
    "releases",
)


@endpoint("GET PATCH", WORKSPACE + "/features", permission=workspace_admin)
def workspace_features(call: Call) -> Reply:
    workspace = accounts.workspace(call.db, call.slug)
    assert workspace is not None  # the permission found the caller in it
    if call.method == "PATCH":
        form = dict.fromkeys(_WORKSPACE_FEATURES, Flag(null=True))
        wanted = read_form(form, call.payload(), call.db)
        kept = {**workspace.features, **{name: value for name, value in wanted.items() if value is not None}}
        update(call.db, "workspaces", workspace.id, {"features": kept})
        workspace = by_id(call.db, Workspace, workspace.id) or workspace
    on = {name: bool(workspace.features.get(name)) for name in _WORKSPACE_FEATURES}
    return Reply(200, {**on, "states_owned_by_workspace": False})


@endpoint("GET", WORKSPACE, permission=workspace_member)
def read_workspace(call: Call) -> Reply:
    workspace = accounts.workspace(call.db, call.slug)
    assert workspace is not None  # the permission found the caller in it
    shape = shapes.plain(workspace)
    shape["total_members"] = count(
        call.db, "SELECT count(*) FROM workspace_members WHERE workspace = ? AND is_active", (workspace.id,)
    )
    return Reply(200, shape)


# -- states ------------------------------------------------------------------------------------------------------

_STATE: Form = {
    "name": Text(limit=255),
    "description": Text(blank=True),
    "color": Text(limit=255),
    "sequence": Number(),
    "group": Choice(of=projects.GROUPS),
    "default": Flag(),
    **OUTSIDE,
}
# States and labels of a project are for those in it, even where the workspace's administrators may pass.
_MINE = "project = ? AND EXISTS (SELECT 1 FROM project_members m WHERE m.project = ? AND m.member = ? AND m.is_active)"


def _mine(call: Call, project: Project) -> tuple[str, str, str]:
    return (project.id, project.id, call.user.id)


def _state(call: Call) -> State:
    project = call.open_project()
    where = f"WHERE id = ? AND NOT is_triage AND {_MINE}"
    found = first(call.db, State, where, (call.params["state_id"], *_mine(call, project)))
    if found is None:
        raise NotThere
    return found


def _state_facts(call: Call, required: tuple[str, ...] = ()) -> dict[str, Any]:
    facts = read_form(_STATE, call.payload(), call.db, required)
    if facts.get("group") == "triage":
        raise Invalid.whole("Cannot create triage state")
    return facts


@endpoint("GET", PROJECT + "/states", permission=project_entity)
def list_states(call: Call) -> Reply:
    project = call.project()
    if found := from_outside(call, State, "project", project.id):
        return Reply(200, shaped(call, [found])[0])
    where = f"{_MINE} AND NOT is_triage" + (" AND 0" if project.archived_at else "")
    return paged(call, State, where, _mine(call, project), "sequence, rowid")


@endpoint("POST", PROJECT + "/states", permission=project_entity)
def create_state(call: Call) -> Reply:
    project = call.project()
    facts = _state_facts(call, ("name", "color"))
    outside.refuse_second(call.db, "states", "State", project.id, facts)
    id = projects.add_state(call.ledger, project.workspace, project.id, facts)
    made = by_id(call.db, State, id)
    assert made is not None
    return Reply(200, shapes.plain(made))


@endpoint("GET", PROJECT + "/states/{state_id}", permission=project_entity)
def read_state(call: Call) -> Reply:
    return Reply(200, shaped(call, [_state(call)])[0])


@endpoint("PATCH", PROJECT + "/states/{state_id}", permission=project_entity)
def edit_state(call: Call) -> Reply:
    state = _state(call)
    facts = _state_facts(call)
    outside.refuse_clash(call.db, "states", "State", state.project, state, facts)
    projects.edit_state(call.ledger, state, facts)
    return Reply(200, shapes.plain(_state(call)))


@endpoint("DELETE", PROJECT + "/states/{state_id}", permission=project_entity)
def delete_state(call: Call) -> Reply:
    projects.remove_state(call.ledger, _state(call))
    return Reply(204)


# -- labels ------------------------------------------------------------------------------------------------------

_LABEL: Form = {
    "name": Text(limit=255),
    "color": Text(limit=255, blank=True),
    "description": Text(blank=True),
    "parent": Id(table="labels", null=True),
    "sort_order": Number(),
    **OUTSIDE,
}


def _label(call: Call) -> Label:
    project = call.open_project()
    found = first(call.db, Label, f"WHERE id = ? AND {_MINE}", (call.params["label_id"], *_mine(call, project)))
    if found is None:
        raise NotThere
    return found


def _label_facts(call: Call, project: str, required: tuple[str, ...] = ()) -> dict[str, Any]:
    facts = read_form(_LABEL, call.payload(), call.db, required)
    parent = by_id(call.db, Label, facts.get("parent"))
    if parent is not None and parent.project != project:
        raise BadRequest("The payload is not valid")
    return facts


@endpoint("GET", PROJECT + "/labels", permission=project_member)
def list_labels(call: Call) -> Reply:
    project = call.project()
    where = _MINE + (" AND 0" if project.archived_at else "")
    return paged(call, Label, where, _mine(call, project), "created_at DESC, rowid DESC")


@endpoint("POST", PROJECT + "/labels", permission=project_member)
def create_label(call: Call) -> Reply:
    project = call.project()
    facts = _label_facts(call, project.id, ("name",))
    outside.refuse_second(call.db, "labels", "Label", project.id, facts)
    id = projects.add_label(call.ledger, project.workspace, project.id, facts)
    made = by_id(call.db, Label, id)
    assert made is not None
    return Reply(201, shapes.plain(made))


@endpoint("GET", PROJECT + "/labels/{label_id}", permission=project_member)
def read_label(call: Call) -> Reply:
    return Reply(200, shapes.plain(_label(call)))


@endpoint("PATCH", PROJECT + "/labels/{label_id}", permission=project_member)
def edit_label(call: Call) -> Reply:
    label = _label(call)
    facts = _label_facts(call, label.project)
    outside.refuse_clash(call.db, "labels", "Label", label.project, label, facts)
    projects.edit_label(call.ledger, label, facts)
    return Reply(200, shapes.plain(_label(call)))


@endpoint("DELETE", PROJECT + "/labels/{label_id}", permission=project_member)
def delete_label(call: Call) -> Reply:
    call.db.execute("DELETE FROM labels WHERE id = ?", (_label(call).id,))
    return Reply(204)
