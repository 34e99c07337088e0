"""Projects and what each begins with: its first states and its members, and the labels and estimates people add."""

from __future__ import annotations

import sqlite3
from typing import Any

from dayjob.company.board.ledger import Ledger
from dayjob.company.board.records import Estimate, EstimatePoint, Label, Project, State
from dayjob.company.board.refusals import BadRequest, Conflict, Invalid, NotThere, Refused
from dayjob.company.board.rows import by_id, find, first, insert, update
from dayjob.company.board.store import accounts, outside

GROUPS = ("backlog", "unstarted", "started", "completed", "cancelled", "triage")

# Name, colour, sequence, group: what Plane gives a new project. The first one is its default.
DEFAULT_STATES = (
    ("Backlog", "#60646C", 15000.0, "backlog"),
    ("Todo", "#60646C", 25000.0, "unstarted"),
    ("In Progress", "#F59E0B", 35000.0, "started"),
    ("Done", "#46A758", 45000.0, "completed"),
    ("Cancelled", "#9AA4BC", 55000.0, "cancelled"),
)
_TRIAGE = ("Triage", "#4E5355", 65000.0, "triage")


def project(db: sqlite3.Connection, slug: str, id: str) -> Project:
    """The project of a workspace, archived or not."""
    found = first(
        db,
        Project,
        "JOIN workspaces ON workspaces.id = projects.workspace WHERE projects.id = ? AND workspaces.slug = ?",
        (id, slug),
    )
    if found is None:
        raise NotThere
    return found


def visible(db: sqlite3.Connection, project: Project, user: str) -> Project:
    """A secret project is not there for those outside it."""
    if project.network != 2 and not accounts.project_role(db, project.id, user):
        raise NotThere
    return project


def create(
    ledger: Ledger, workspace: str, facts: dict[str, Any], *, states: bool = True, lead_joins: bool = True
) -> str:
    """A new project with its default states; whoever makes it (and its lead) becomes its administrator."""
    db = ledger.db
    facts = {**facts, "identifier": facts.get("identifier", "").strip().upper()}
    _free_identifier(db, workspace, facts["identifier"], None)
    _members_of(db, workspace, facts)
    outside.refuse_second(db, "projects", "Project", workspace, facts, place="workspace")
    _free_name(db, workspace, facts["name"], None)
    values = {**ledger.birth(), "workspace": workspace, **facts}
    insert(db, "projects", values)
    id = str(values["id"])
    if lead_joins:
        accounts.add_project_member(ledger, workspace, id, ledger.actor, accounts.ADMIN)
        lead = facts.get("project_lead")
        if lead is not None and lead != ledger.actor:
            accounts.add_project_member(ledger, workspace, id, lead, accounts.ADMIN)
    if states:
        for at, (name, color, sequence, group) in enumerate(DEFAULT_STATES):
            add_state(
                ledger,
                workspace,
                id,
                {"name": name, "color": color, "sequence": sequence, "group": group, "default": at == 0},
            )
    if facts.get("intake_view"):
        ensure_intake(ledger, workspace, id, facts["name"])
    return id


def edit(ledger: Ledger, project: Project, facts: dict[str, Any]) -> None:
    db = ledger.db
    if project.archived_at is not None:
        raise BadRequest("Archived project cannot be updated")
    _members_of(db, project.workspace, facts)
    if facts.get("default_state") is not None:
        state = by_id(db, State, facts["default_state"])
        if state is None or state.project != project.id:
            raise Invalid.whole("Default state should be a state in the project")
    if facts.get("estimate") is not None:
        estimate = by_id(db, Estimate, facts["estimate"])
        if estimate is None or estimate.project != project.id:
            raise Invalid.whole("Estimate should be a estimate in the project")
    outside.refuse_clash(db, "projects", "Project", project.workspace, project, facts, place="workspace")
    if "identifier" in facts:
        facts = {**facts, "identifier": facts["identifier"].strip().upper()}
        _free_identifier(db, project.workspace, facts["identifier"], project.id)
    if "name" in facts:
        _free_name(db, project.workspace, facts["name"], project.id)
    update(db, "projects", project.id, {**facts, **ledger.touch()})
    if facts.get("intake_view"):
        ensure_intake(ledger, project.workspace, project.id, facts.get("name", project.name))


def archive(ledger: Ledger, project: Project, *, on: bool) -> None:
    update(ledger.db, "projects", project.id, {"archived_at": ledger.now if on else None, **ledger.touch()})


def delete(ledger: Ledger, project: Project) -> None:
    ledger.db.execute("DELETE FROM projects WHERE id = ?", (project.id,))


def ensure_intake(ledger: Ledger, workspace: str, project: str, name: str) -> str:
    """The project's intake, made if it has none."""
    row = ledger.db.execute("SELECT id FROM intakes WHERE project = ?", (project,)).fetchone()
    if row is not None:
        return str(row[0])
    id = ledger.ids.uuid()
    values = {"id": id, "workspace": workspace, "project": project, "name": f"{name} Intake", "created_at": ledger.now}
    insert(ledger.db, "intakes", values)
    return id


def _free_identifier(db: sqlite3.Connection, workspace: str, identifier: str, own: str | None) -> None:
    row = db.execute(
        "SELECT id FROM projects WHERE workspace = ? AND identifier = ?", (workspace, identifier)
    ).fetchone()
    if not identifier or (row is not None and row[0] != own):
        raise Refused(409, {"identifier": "The project identifier is already taken"})


def _free_name(db: sqlite3.Connection, workspace: str, name: str, own: str | None) -> None:
    row = db.execute("SELECT id FROM projects WHERE workspace = ? AND name = ?", (workspace, name)).fetchone()
    if row is not None and row[0] != own:
        raise Refused(409, {"name": "The project name is already taken"})


def _members_of(db: sqlite3.Connection, workspace: str, facts: dict[str, Any]) -> None:
    for field, words in (("project_lead", "Project lead"), ("default_assignee", "Default assignee")):
        if facts.get(field) is not None and not _in_workspace(db, workspace, facts[field]):
            raise Invalid.whole(f"{words} should be a user in the workspace")


def _in_workspace(db: sqlite3.Connection, workspace: str, user: str) -> bool:
    row = db.execute(
        "SELECT 1 FROM workspace_members WHERE workspace = ? AND member = ? AND is_active", (workspace, user)
    )
    return row.fetchone() is not None


# -- states ------------------------------------------------------------------------------------------------------


def add_state(ledger: Ledger, workspace: str, project: str, facts: dict[str, Any]) -> str:
    db = ledger.db
    same = first(db, State, "WHERE project = ? AND name = ?", (project, facts["name"]))
    if same is not None:
        raise Conflict("State with the same name already exists in the project", same.id)
    if facts.get("default"):
        db.execute('UPDATE states SET "default" = 0 WHERE project = ? AND "default"', (project,))
    values = {**ledger.birth(), "workspace": workspace, "project": project, **facts}
    values["slug"] = "-".join(facts["name"].lower().split())
    if "sequence" not in facts:
        last = db.execute("SELECT max(sequence) FROM states WHERE project = ?", (project,)).fetchone()[0]
        values["sequence"] = 65535.0 if last is None else last + 15000
    insert(db, "states", values)
    return str(values["id"])


def edit_state(ledger: Ledger, state: State, facts: dict[str, Any]) -> None:
    db = ledger.db
    if "name" in facts:
        same = first(db, State, "WHERE project = ? AND name = ?", (state.project, facts["name"]))
        if same is not None and same.id != state.id:
            raise BadRequest("The payload is not valid")
    if facts.get("default"):
        db.execute('UPDATE states SET "default" = 0 WHERE project = ? AND id != ?', (state.project, state.id))
    update(db, "states", state.id, {**facts, **ledger.touch()})


def remove_state(ledger: Ledger, state: State) -> None:
    if state.default:
        raise BadRequest("Default state cannot be deleted")
    if ledger.db.execute("SELECT 1 FROM items WHERE state = ? LIMIT 1", (state.id,)).fetchone():
        raise BadRequest("The state is not empty, only empty states can be deleted")
    ledger.db.execute("DELETE FROM states WHERE id = ?", (state.id,))


def default_state(db: sqlite3.Connection, project: str) -> State | None:
    """Where a new item stands: the default state, else the first that is not triage."""
    return first(db, State, 'WHERE project = ? AND NOT is_triage ORDER BY "default" DESC, sequence LIMIT 1', (project,))


def triage_state(ledger: Ledger, workspace: str, project: str) -> str:
    """The hidden state in which items wait in the intake."""
    found = first(ledger.db, State, "WHERE project = ? AND is_triage", (project,))
    if found is not None:
        return found.id
    name, color, sequence, group = _TRIAGE
    facts = {"name": name, "color": color, "sequence": sequence, "group": group, "is_triage": True}
    return add_state(ledger, workspace, project, facts)


# -- labels ------------------------------------------------------------------------------------------------------


def add_label(ledger: Ledger, workspace: str, project: str, facts: dict[str, Any]) -> str:
    db = ledger.db
    same = first(db, Label, "WHERE project = ? AND name = ?", (project, facts["name"]))
    if same is not None:
        raise Conflict("Label with the same name already exists in the project", same.id)
    values = {**ledger.birth(), "workspace": workspace, "project": project, **facts}
    if "sort_order" not in facts:
        last = db.execute("SELECT max(sort_order) FROM labels WHERE project = ?", (project,)).fetchone()[0]
        values["sort_order"] = 65535.0 if last is None else last + 10000
    insert(db, "labels", values)
    return str(values["id"])


def edit_label(ledger: Ledger, label: Label, facts: dict[str, Any]) -> None:
    if "name" in facts:
        same = first(ledger.db, Label, "WHERE project = ? AND name = ?", (label.project, facts["name"]))
        if same is not None and same.id != label.id:
            raise Conflict("Label with the same name already exists in the project", same.id)
    update(ledger.db, "labels", label.id, {**facts, **ledger.touch()})


# -- estimates ---------------------------------------------------------------------------------------------------


def estimate_of(db: sqlite3.Connection, project: str) -> Estimate | None:
    return first(db, Estimate, "WHERE project = ? ORDER BY created_at DESC, rowid DESC LIMIT 1", (project,))


def points_of(db: sqlite3.Connection, estimate: str) -> list[EstimatePoint]:
    return find(db, EstimatePoint, "WHERE estimate = ? ORDER BY key, created_at, rowid", (estimate,))


def remove_estimate(ledger: Ledger, estimate: Estimate) -> None:
    """Items and the project forget it."""
    db = ledger.db
    db.execute("DELETE FROM estimates WHERE id = ?", (estimate.id,))
    db.execute("UPDATE projects SET estimate = NULL WHERE estimate = ?", (estimate.id,))
    db.execute(
        "UPDATE items SET estimate_point = NULL WHERE project = ? AND estimate_point IS NOT NULL", (estimate.project,)
    )


def remove_point(ledger: Ledger, point: EstimatePoint) -> None:
    ledger.db.execute("UPDATE items SET estimate_point = NULL WHERE estimate_point = ?", (point.id,))
    ledger.db.execute("DELETE FROM estimate_points WHERE id = ?", (point.id,))
