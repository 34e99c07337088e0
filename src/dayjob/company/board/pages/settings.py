"""A project's settings: what it is called, what is switched on, its states and labels."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.board.api.call import project_base
from dayjob.company.board.errors import Refused
from dayjob.company.board.pages.page import PROJECT, Page, full, page, sentence
from dayjob.company.board.rows import Label, State
from dayjob.company.board.store import accounts, projects
from dayjob.company.pages import see_other

SETTINGS = PROJECT + "/settings"
GROUPS = tuple((one, one.capitalize()) for one in projects.GROUPS if one != "triage")
_SWITCHES = (
    ("cycles", "cycle_view", "Cycles", "Plan work in stretches of time and watch it burn down."),
    ("modules", "module_view", "Modules", "Group work into parts with a lead and members."),
    ("intakes", "intake_view", "Intake", "Let people suggest work before it comes onto the board."),
)


def _admin(page: Page) -> bool:
    return page.may(project_base, "PATCH")


# -- general -----------------------------------------------------------------------------------------------------


def _general(page: Page, given: dict[str, Any], problem: str = "") -> Response:
    people, _ = accounts.members(page.db, "workspace", page.workspace.id, {})
    leads = sorted(((one.user.id, full(one.user)) for one in people), key=lambda one: one[1].casefold())
    switches = [(name, title, words, getattr(page.project, column)) for name, column, title, words in _SWITCHES]
    return page.show(
        "settings.html", 400 if problem else 200, tab="settings", section="general", given=given, problem=problem,
        leads=[("", "Nobody"), *leads], switches=switches, admin=_admin(page),
    )  # fmt: skip


@page("GET", SETTINGS)
def general(page: Page) -> Response:
    one = page.project
    given = {
        "name": one.name, "identifier": one.identifier, "description": one.description, "lead": one.project_lead or "",
        "network": str(one.network),
    }  # fmt: skip
    return _general(page, given)


@page("POST", SETTINGS)
def save(page: Page) -> Response:
    form = page.form
    given = {name: form.line(name) for name in ("name", "identifier", "description", "lead", "network")}
    facts = {
        "name": given["name"], "identifier": given["identifier"], "description": given["description"],
        "project_lead": given["lead"] or None, "network": 0 if given["network"] == "0" else 2,
    }  # fmt: skip
    try:
        page.do("PATCH", "./", facts)
    except Refused as refusal:
        if refusal.status == 403:
            raise
        return _general(page, given, sentence(refusal))
    return see_other(f"{page.here}/settings/", "Project saved.")


@page("POST", SETTINGS + "/features")
def switch(page: Page) -> Response:
    """What is ticked is on, what is not is off."""
    page.do("PATCH", "./features/", {name: name in page.form for name, *_ in _SWITCHES})
    return see_other(f"{page.here}/settings/", "Features saved.")


@page("POST", SETTINGS + "/archive")
def archive(page: Page) -> Response:
    away = page.project.archived_at is None
    page.do("POST" if away else "DELETE", "./archive/")
    where = f"{page.base}/projects/" if away else f"{page.here}/settings/"
    return see_other(where, f"{page.project.name} {'archived' if away else 'restored'}.")


@page("POST", SETTINGS + "/delete")
def delete(page: Page) -> Response:
    if page.form.line("confirm") != page.project.name:
        raise Refused(400, {"error": f"Write the project's name, {page.project.name}, to delete it."})
    page.do("DELETE", "./")
    return see_other(f"{page.base}/projects/", f"{page.project.name} deleted.")


# -- states ------------------------------------------------------------------------------------------------------


@page("GET", SETTINGS + "/states")
def states(page: Page) -> Response:
    rows, used = projects.states(page.db, page.project.id), projects.items_by_state(page.db, page.project.id)
    groups = [
        (title, value, [(one, used.get(one.id, 0)) for one in rows if one.group == value]) for value, title in GROUPS
    ]
    return page.show("states.html", tab="settings", section="states", groups=groups)


def _state(page: Page, id: str) -> State:
    return projects.state_of(page.db, page.project.id, id)


def _state_form(page: Page, state: State | None, given: dict[str, Any], problem: str = "") -> Response:
    return _form(page, "state", state, given, problem, groups=GROUPS)


@page("GET", SETTINGS + "/states/new")
def new_state(page: Page) -> Response:
    return _state_form(
        page, None, {"name": "", "color": "#60646c", "group": page.query.get("group", "unstarted"), "description": ""}
    )


@page("GET", SETTINGS + "/states/{state_id}")
def edit_state(page: Page, state_id: str) -> Response:
    one = _state(page, state_id)
    given = {"name": one.name, "color": one.color, "group": one.group, "description": one.description}
    return _state_form(page, one, given)


@page("POST", SETTINGS + "/states/new", SETTINGS + "/states/{state_id}")
def save_state(page: Page, state_id: str = "") -> Response:
    state = _state(page, state_id) if state_id else None
    facts = {name: page.form.line(name) for name in ("name", "color", "group", "description")}
    if problem := _save(page, "states", state, facts):
        return _state_form(page, state, facts, problem)
    return see_other(f"{page.here}/settings/states/", f"{facts['name']} saved.")


def _form(
    page: Page, noun: str, row: State | Label | None, given: dict[str, Any], problem: str, **more: Any
) -> Response:
    shown = {"noun": noun, "row": row, "given": given, "problem": problem, **more}
    return page.show(f"{noun}-edit.html", 400 if problem else 200, **shown)


def _delete(page: Page, kind: str, row: State | Label) -> Response:
    page.do("DELETE", f"./{kind}/{row.id}/")
    return see_other(f"{page.here}/settings/{kind}/", f"{row.name} deleted.")


def _save(page: Page, kind: str, row: State | Label | None, facts: dict[str, str]) -> str:
    """Change a state or label, or make a new one; what stands in the way, or nothing."""
    try:
        if row is None:
            page.do("POST", f"./{kind}/", facts)
        else:
            page.do("PATCH", f"./{kind}/{row.id}/", facts)
    except Refused as refusal:
        return sentence(refusal)
    return ""


@page("POST", SETTINGS + "/states/{state_id}/default")
def make_default(page: Page, state_id: str) -> Response:
    one = _state(page, state_id)
    page.do("PATCH", f"./states/{one.id}/", {"default": True})
    return see_other(f"{page.here}/settings/states/", f"New items begin in {one.name}.")


@page("POST", SETTINGS + "/states/{state_id}/delete")
def delete_state(page: Page, state_id: str) -> Response:
    return _delete(page, "states", _state(page, state_id))


# -- labels ------------------------------------------------------------------------------------------------------


@page("GET", SETTINGS + "/labels")
def labels(page: Page) -> Response:
    rows = projects.labels(page.db, page.project.id)
    found = [(one, projects.items_with_label(page.db, one.id)) for one in rows]
    return page.show("labels.html", tab="settings", section="labels", found=found)


def _label(page: Page, id: str) -> Label:
    return projects.label_of(page.db, page.project.id, id)


def _label_form(page: Page, label: Label | None, given: dict[str, Any], problem: str = "") -> Response:
    return _form(page, "label", label, given, problem)


@page("GET", SETTINGS + "/labels/new")
def new_label(page: Page) -> Response:
    return _label_form(page, None, {"name": "", "color": "#2f80ed", "description": ""})


@page("GET", SETTINGS + "/labels/{label_id}")
def edit_label(page: Page, label_id: str) -> Response:
    one = _label(page, label_id)
    return _label_form(page, one, {"name": one.name, "color": one.color, "description": one.description})


@page("POST", SETTINGS + "/labels/new", SETTINGS + "/labels/{label_id}")
def save_label(page: Page, label_id: str = "") -> Response:
    label = _label(page, label_id) if label_id else None
    facts = {name: page.form.line(name) for name in ("name", "color", "description")}
    if problem := _save(page, "labels", label, facts):
        return _label_form(page, label, facts, problem)
    return see_other(f"{page.here}/settings/labels/", f"{facts['name']} saved.")


@page("POST", SETTINGS + "/labels/{label_id}/delete")
def delete_label(page: Page, label_id: str) -> Response:
    return _delete(page, "labels", _label(page, label_id))
