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
from dayjob.company.board.api.lists import from_outside, paged, shaped
from dayjob.company.board.api.single import register_single
from dayjob.company.board.errors import Invalid, NotThere, Refused
from dayjob.company.board.rows import Label, Project, State
from dayjob.company.board.shapes.payloads import Choice, Document, Flag, Form, Id, Number, Text, Whole, Zone, read_form
from dayjob.company.board.store import accounts, features, projects, workspaces

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


def _shape(call: Call, one: Project) -> shapes.Shape:
    shape = shapes.project_list(call.db, [one], call.user.id)[0]
    return shapes.trimmed(call.db, shape, call.words("fields"), call.words("expand"))


@endpoint("GET", WORKSPACE + "/projects", permission=project_base)
def list_projects(call: Call) -> Reply:
    workspace = workspaces.by_slug(call.db, call.slug)
    if workspace is not None and (project := from_outside(call, Project, workspace.id)):
        return Reply(200, _shape(call, projects.visible(call.db, project, call.user.id)))
    listing = projects.seen(call.slug, call.user.id)
    return paged(call, listing, lambda rows: shapes.project_list(call.db, rows, call.user.id))


@endpoint("GET", WORKSPACE + "/projects-lite", permission=project_base)
def list_projects_lite(call: Call) -> Reply:
    def lite(rows: list[Project]) -> list[shapes.Shape]:
        return [{**shapes.project_lite(one), "archived_at": one.archived_at} for one in rows]

    archived = bool(call.flag("include_archived"))
    return paged(call, projects.seen_briefly(call.slug, call.user.id, archived=archived), lite)


@endpoint("POST", WORKSPACE + "/projects", permission=project_base)
def create_project(call: Call) -> Reply:
    workspace = workspaces.by_slug(call.db, call.slug)
    if workspace is None:
        raise Refused(404, {"error": "Workspace does not exist"})
    facts = read_form(_PROJECT, call.payload(), call.db, required=("name", "identifier"))
    id = projects.create(call.store, workspace.id, facts)
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
    projects.edit(call.store, project, read_form(_CHANGED_PROJECT, call.payload(), call.db))
    return Reply(200, _shape(call, call.project()))


@endpoint("DELETE", PROJECT, permission=project_base)
def delete_project(call: Call) -> Reply:
    projects.delete(call.store, call.any_project())
    return Reply(204)


@endpoint("POST DELETE", PROJECT + "/archive", permission=project_base)
def archive_project(call: Call) -> Reply:
    project = call.any_project()
    # Plane's class for POST looks at the workspace only; putting a whole project away asks for more here as there.
    role = accounts.workspace_role(call.db, call.slug, call.user.id)
    require(role == accounts.ADMIN or call.project_role() == accounts.ADMIN)
    projects.archive(call.store, project, on=call.method == "POST")
    return Reply(204)


# -- what is switched on -----------------------------------------------------------------------------------------


@endpoint("GET PATCH", PROJECT + "/features", permission=project_entity)
def project_features(call: Call) -> Reply:
    if call.method == "PATCH":
        wanted = read_form(dict.fromkeys(features.NAMES, Flag(null=True)), call.payload(), call.db)
        features.switch(call.store, call.project(), wanted)
    return Reply(200, features.of_project(call.project()))


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
    workspace = call.workspace()
    if call.method == "PATCH":
        form = dict.fromkeys(_WORKSPACE_FEATURES, Flag(null=True))
        wanted = read_form(form, call.payload(), call.db)
        switched = {name: value for name, value in wanted.items() if value is not None}
        workspace = workspaces.switch(call.db, workspace, switched)
    on = {name: bool(workspace.features.get(name)) for name in _WORKSPACE_FEATURES}
    return Reply(200, {**on, "states_owned_by_workspace": False})


@endpoint("GET", WORKSPACE, permission=workspace_member)
def read_workspace(call: Call) -> Reply:
    workspace = call.workspace()
    return Reply(200, {**shapes.plain(workspace), "total_members": workspaces.member_count(call.db, workspace.id)})


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


def _state(call: Call) -> State:
    return projects.member_state(call.db, call.open_project().id, call.params["state_id"], call.user.id)


def _state_facts(call: Call, required: tuple[str, ...] = ()) -> dict[str, Any]:
    facts = read_form(_STATE, call.payload(), call.db, required)
    if facts.get("group") == "triage":
        raise Invalid.whole("Cannot create triage state")
    return facts


@endpoint("GET", PROJECT + "/states", permission=project_entity)
def list_states(call: Call) -> Reply:
    project = call.project()
    if found := from_outside(call, State, project.id):
        return Reply(200, shaped(call, [found])[0])
    return paged(call, projects.state_listing(project.id, call.user.id).unless(project.archived_at))


@endpoint("POST", PROJECT + "/states", permission=project_entity)
def create_state(call: Call) -> Reply:
    project = call.project()
    facts = _state_facts(call, ("name", "color"))
    id = projects.add_state(call.store, project.workspace, project.id, facts)
    return Reply(200, shapes.plain(projects.state_of(call.db, project.id, id)))


@endpoint("GET", PROJECT + "/states/{state_id}", permission=project_entity)
def read_state(call: Call) -> Reply:
    return Reply(200, shaped(call, [_state(call)])[0])


@endpoint("PATCH", PROJECT + "/states/{state_id}", permission=project_entity)
def edit_state(call: Call) -> Reply:
    return Reply(200, shapes.plain(projects.edit_state(call.store, _state(call), _state_facts(call))))


@endpoint("DELETE", PROJECT + "/states/{state_id}", permission=project_entity)
def delete_state(call: Call) -> Reply:
    projects.remove_state(call.store, _state(call))
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
    return projects.member_label(call.db, call.open_project().id, call.params["label_id"], call.user.id)


@endpoint("GET", PROJECT + "/labels", permission=project_member)
def list_labels(call: Call) -> Reply:
    project = call.project()
    return paged(call, projects.label_listing(project.id, call.user.id).unless(project.archived_at))


@endpoint("POST", PROJECT + "/labels", permission=project_member)
def create_label(call: Call) -> Reply:
    project = call.project()
    facts = read_form(_LABEL, call.payload(), call.db, required=("name",))
    id = projects.add_label(call.store, project.workspace, project.id, facts)
    return Reply(201, shapes.plain(projects.label_of(call.db, project.id, id)))


register_single(
    PROJECT + "/labels/{label_id}",
    permission=project_member,
    named=_label,
    facts=_LABEL,
    edit=projects.edit_label,
    remove=projects.remove_label,
)
