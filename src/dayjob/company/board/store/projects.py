"""Projects and what each begins with: its first states and its members, and the labels people add."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dayjob.company import rows
from dayjob.company.board.errors import BadRequest, Conflict, Invalid, NotThere, Refused
from dayjob.company.board.rows import Estimate, Label, Project, State
from dayjob.company.board.store import accounts, outside, plain
from dayjob.company.board.store.base import Store, required
from dayjob.company.board.store.lists import Listing, always, by, members_only
from dayjob.company.rows import find, first, insert, placeholders, update

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
    return required(
        db,
        Project,
        "JOIN workspaces ON workspaces.id = projects.workspace WHERE projects.id = ? AND workspaces.slug = ?",
        (id, slug),
    )


def by_id(db: sqlite3.Connection, id: str) -> Project | None:
    return rows.by_id(db, Project, id)


def by_identifier(db: sqlite3.Connection, slug: str, identifier: str) -> Project | None:
    return first(
        db,
        Project,
        "JOIN workspaces ON workspaces.id = projects.workspace WHERE slug = ? AND identifier = ?",
        (slug, identifier),
    )


# -- lists -------------------------------------------------------------------------------------------------------

# Public projects, and the secret ones that somebody is in.
_SEEN = (
    "(projects.network = 2 OR EXISTS"
    " (SELECT 1 FROM project_members WHERE project = projects.id AND member = ?2 AND is_active))"
)
_COLUMNS = ("created_at", "updated_at", "name", "identifier", "sort_order", "network")


def _own_order(asked: str | None) -> str:
    """A person's own order, unless another is asked for; `?2` is that person."""
    if asked is None or asked.removeprefix("-") not in _COLUMNS:
        asked = "sort_order"
    name = asked.removeprefix("-")
    column = f"projects.{name}"
    if name == "sort_order":
        column = "(SELECT sort_order FROM project_members WHERE project = projects.id AND member = ?2 AND is_active)"
    direction = "DESC" if asked.startswith("-") else "ASC"
    return f"{column} {direction} NULLS LAST, projects.created_at DESC, projects.rowid DESC"


def seen(slug: str, user: str) -> Listing[Project]:
    """The projects of a workspace that somebody can see."""
    where = f"projects.workspace = (SELECT id FROM workspaces WHERE slug = ?1) AND {_SEEN}"
    return Listing(Project, where, (slug, user), _own_order)


def seen_briefly(slug: str, user: str, *, archived: bool) -> Listing[Project]:
    """The same in the orders of Plane's short list, which leaves archived projects out unless asked for them."""
    listing = replace(seen(slug, user), order=by("created_at", "updated_at", "name", "identifier"))
    return listing if archived else listing.narrowed("archived_at IS NULL")


def open_by_name(db: sqlite3.Connection, slug: str, user: str) -> list[Project]:
    """The projects somebody can see that are not archived."""
    return replace(seen(slug, user), order=always("name")).narrowed("archived_at IS NULL").rows(db)


def joined(db: sqlite3.Connection, workspace: str, user: str) -> list[Project]:
    """The open projects that somebody is in, in their own order."""
    return find(
        db,
        Project,
        "JOIN project_members m ON m.project = projects.id AND m.member = ? AND m.is_active"
        " WHERE projects.workspace = ? AND archived_at IS NULL ORDER BY m.sort_order, projects.created_at DESC",
        (user, workspace),
    )


def identifiers(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, str]:
    """What the items of each project are numbered with, such as TREL."""
    marks = placeholders(ids)
    return dict(db.execute(f"SELECT id, identifier FROM projects WHERE id IN ({marks})", ids).fetchall())


@dataclass(frozen=True, slots=True)
class Summary:
    """How much is in a project, and somebody's role and own order in it; None for those who are not in it."""

    members: int
    cycles: int
    modules: int
    role: int | None
    sort_order: float | None


def summary(db: sqlite3.Connection, project: str, user: str) -> Summary:
    row = db.execute(
        "SELECT (SELECT count(*) FROM project_members WHERE project = ?1 AND is_active),"
        " (SELECT count(*) FROM cycles WHERE project = ?1), (SELECT count(*) FROM modules WHERE project = ?1),"
        " (SELECT role FROM project_members WHERE project = ?1 AND member = ?2 AND is_active),"
        " (SELECT sort_order FROM project_members WHERE project = ?1 AND member = ?2 AND is_active)",
        (project, user),
    ).fetchone()
    return Summary(*row)


# -- making and changing -----------------------------------------------------------------------------------------


def visible(db: sqlite3.Connection, project: Project, user: str) -> Project:
    """A secret project is not there for those outside it."""
    if project.network != 2 and not accounts.project_role(db, project.id, user):
        raise NotThere
    return project


def open_to_changes(project: Project) -> Project:
    """An archived project stays as it is: it can be read, brought back and deleted."""
    if project.archived_at is not None:
        raise BadRequest("Archived project cannot be updated")
    return project


def create(store: Store, workspace: str, facts: dict[str, Any], *, states: bool = True, lead_joins: bool = True) -> str:
    """A new project with its default states; whoever makes it (and its lead) becomes its administrator."""
    db = store.db
    facts = {**facts, "identifier": facts.get("identifier", "").strip().upper()}
    _free_identifier(db, workspace, facts["identifier"], None)
    _members_of(db, workspace, facts)
    outside.refuse_second(db, "projects", "Project", workspace, facts, place="workspace")
    _free_name(db, workspace, facts["name"], None)
    values = {**store.birth(), "workspace": workspace, **facts}
    insert(db, "projects", values)
    id = str(values["id"])
    if lead_joins:
        accounts.add_project_member(store, workspace, id, store.actor, accounts.ADMIN)
        lead = facts.get("project_lead")
        if lead is not None and lead != store.actor:
            accounts.add_project_member(store, workspace, id, lead, accounts.ADMIN)
    if states:
        for at, (name, color, sequence, group) in enumerate(DEFAULT_STATES):
            add_state(
                store,
                workspace,
                id,
                {"name": name, "color": color, "sequence": sequence, "group": group, "default": at == 0},
            )
    if facts.get("intake_view"):
        ensure_intake(store, workspace, id, facts["name"])
    return id


def edit(store: Store, project: Project, facts: dict[str, Any]) -> None:
    db = store.db
    open_to_changes(project)
    _members_of(db, project.workspace, facts)
    sentence = "Default state should be a state in the project"
    plain.must_be_in(db, State, project.id, facts.get("default_state"), sentence)
    sentence = "Estimate should be a estimate in the project"
    plain.must_be_in(db, Estimate, project.id, facts.get("estimate"), sentence)
    outside.refuse_clash(db, "projects", "Project", project.workspace, project, facts, place="workspace")
    if "identifier" in facts:
        facts = {**facts, "identifier": facts["identifier"].strip().upper()}
        _free_identifier(db, project.workspace, facts["identifier"], project.id)
    if "name" in facts:
        _free_name(db, project.workspace, facts["name"], project.id)
    update(db, "projects", project.id, {**facts, **store.touch()})
    if facts.get("intake_view"):
        ensure_intake(store, project.workspace, project.id, facts.get("name", project.name))


def archive(store: Store, project: Project, *, on: bool) -> None:
    update(store.db, "projects", project.id, {"archived_at": store.now if on else None, **store.touch()})


def delete(store: Store, project: Project) -> None:
    store.db.execute("DELETE FROM projects WHERE id = ?", (project.id,))


def ensure_intake(store: Store, workspace: str, project: str, name: str) -> str:
    """The project's intake, made if it has none."""
    row = store.db.execute("SELECT id FROM intakes WHERE project = ?", (project,)).fetchone()
    if row is not None:
        return str(row[0])
    id = store.ids.uuid()
    values = {"id": id, "workspace": workspace, "project": project, "name": f"{name} Intake", "created_at": store.now}
    insert(store.db, "intakes", values)
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


def state(db: sqlite3.Connection, id: str | None) -> State | None:
    return rows.by_id(db, State, id)


def state_of(db: sqlite3.Connection, project: str, id: str) -> State:
    """The project's state with this id; the hidden one of the intake is not there."""
    return required(db, State, "WHERE id = ? AND project = ? AND NOT is_triage", (id, project))


def state_listing(project: str, user: str) -> Listing[State]:
    """The states people see, for those in the project."""
    return members_only(State, project, user, always("sequence, rowid")).narrowed("NOT is_triage")


def member_state(db: sqlite3.Connection, project: str, id: str, user: str) -> State:
    """One of the states people see, for somebody in the project."""
    return state_listing(project, user).one(db, id)


def states(db: sqlite3.Connection, project: str) -> list[State]:
    """The states people see, in their order."""
    return find(db, State, "WHERE project = ? AND NOT is_triage ORDER BY sequence, rowid", (project,))


def states_of_all(db: sqlite3.Connection, ids: Sequence[str]) -> dict[str, State]:
    """Every state of these projects, by its id."""
    marks = placeholders(ids)
    return {state.id: state for state in find(db, State, f"WHERE project IN ({marks})", ids)}


def items_by_state(db: sqlite3.Connection, project: str) -> dict[str | None, int]:
    """How many items are in each state."""
    return dict(db.execute("SELECT state, count(*) FROM items WHERE project = ? GROUP BY state", (project,)).fetchall())


def add_state(store: Store, workspace: str, project: str, facts: dict[str, Any]) -> str:
    db = store.db
    outside.refuse_second(db, "states", "State", project, facts)
    same = first(db, State, "WHERE project = ? AND name = ?", (project, facts["name"]))
    if same is not None:
        raise Conflict("State with the same name already exists in the project", same.id)
    if facts.get("default"):
        db.execute('UPDATE states SET "default" = 0 WHERE project = ? AND "default"', (project,))
    values = {**store.birth(), "workspace": workspace, "project": project, **facts}
    values["slug"] = "-".join(facts["name"].lower().split())
    values.setdefault("sequence", plain.last_order(store, State, "sequence", 15000, project=project))
    insert(db, "states", values)
    return str(values["id"])


def edit_state(store: Store, state: State, facts: dict[str, Any]) -> State:
    db = store.db
    outside.refuse_clash(db, "states", "State", state.project, state, facts)
    if "name" in facts:
        same = first(db, State, "WHERE project = ? AND name = ?", (state.project, facts["name"]))
        if same is not None and same.id != state.id:
            raise BadRequest("The payload is not valid")
    if facts.get("default"):
        db.execute('UPDATE states SET "default" = 0 WHERE project = ? AND id != ?', (state.project, state.id))
    return plain.change(store, state, facts)


def remove_state(store: Store, state: State) -> None:
    if state.default:
        raise BadRequest("Default state cannot be deleted")
    if store.db.execute("SELECT 1 FROM items WHERE state = ? LIMIT 1", (state.id,)).fetchone():
        raise BadRequest("The state is not empty, only empty states can be deleted")
    store.db.execute("DELETE FROM states WHERE id = ?", (state.id,))


def default_state(db: sqlite3.Connection, project: str) -> State | None:
    """Where a new item stands: the default state, else the first that is not triage."""
    return first(db, State, 'WHERE project = ? AND NOT is_triage ORDER BY "default" DESC, sequence LIMIT 1', (project,))


def triage_state(store: Store, workspace: str, project: str) -> str:
    """The hidden state in which items wait in the intake."""
    found = first(store.db, State, "WHERE project = ? AND is_triage", (project,))
    if found is not None:
        return found.id
    name, color, sequence, group = _TRIAGE
    facts = {"name": name, "color": color, "sequence": sequence, "group": group, "is_triage": True}
    return add_state(store, workspace, project, facts)


# -- labels ------------------------------------------------------------------------------------------------------


def label(db: sqlite3.Connection, id: str | None) -> Label | None:
    return rows.by_id(db, Label, id)


def label_of(db: sqlite3.Connection, project: str, id: str) -> Label:
    return required(db, Label, "WHERE id = ? AND project = ?", (id, project))


def label_listing(project: str, user: str) -> Listing[Label]:
    """The project's labels, for those in it."""
    return members_only(Label, project, user, always("created_at DESC, rowid DESC"))


def member_label(db: sqlite3.Connection, project: str, id: str, user: str) -> Label:
    """One of the project's labels, for somebody in it."""
    return label_listing(project, user).one(db, id)


def labels(db: sqlite3.Connection, project: str) -> list[Label]:
    return find(db, Label, "WHERE project = ? ORDER BY name COLLATE NOCASE", (project,))


def items_with_label(db: sqlite3.Connection, label: str) -> int:
    return rows.count(db, "SELECT count(*) FROM item_labels WHERE label = ?", (label,))


def remove_label(store: Store, label: Label) -> None:
    store.db.execute("DELETE FROM labels WHERE id = ?", (label.id,))


def add_label(store: Store, workspace: str, project: str, facts: dict[str, Any]) -> str:
    db = store.db
    _refuse_foreign_parent(db, project, facts)
    outside.refuse_second(db, "labels", "Label", project, facts)
    same = first(db, Label, "WHERE project = ? AND name = ?", (project, facts["name"]))
    if same is not None:
        raise Conflict("Label with the same name already exists in the project", same.id)
    values = {**store.birth(), "workspace": workspace, "project": project, **facts}
    values.setdefault("sort_order", plain.last_order(store, Label, project=project))
    insert(db, "labels", values)
    return str(values["id"])


def edit_label(store: Store, label: Label, facts: dict[str, Any]) -> Label:
    _refuse_foreign_parent(store.db, label.project, facts)
    outside.refuse_clash(store.db, "labels", "Label", label.project, label, facts)
    if "name" in facts:
        same = first(store.db, Label, "WHERE project = ? AND name = ?", (label.project, facts["name"]))
        if same is not None and same.id != label.id:
            raise Conflict("Label with the same name already exists in the project", same.id)
    return plain.change(store, label, facts)


def _refuse_foreign_parent(db: sqlite3.Connection, project: str, facts: dict[str, Any]) -> None:
    parent = label(db, facts.get("parent"))
    if parent is not None and parent.project != project:
        raise BadRequest("The payload is not valid")
