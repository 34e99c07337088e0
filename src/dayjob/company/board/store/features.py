"""What a project has switched on, under the names that Plane's `features` gives it."""

from __future__ import annotations

from typing import Any

from dayjob.company.board.errors import Invalid, PaymentRequired
from dayjob.company.board.rows import Project
from dayjob.company.board.store import projects
from dayjob.company.board.store.base import Store

_COLUMNS = {
    "modules": "module_view",
    "cycles": "cycle_view",
    "views": "issue_views_view",
    "pages": "page_view",
    "intakes": "intake_view",
    "work_item_types": "is_issue_type_enabled",
}
# Epics are always there; the others are in paid editions only.
_FIXED = {"epics": True, "workflows": False, "parallel_cycles": False, "project_updates": False}
NAMES = (*_COLUMNS, *_FIXED)


def of_project(project: Project) -> dict[str, bool]:
    return {**{name: getattr(project, column) for name, column in _COLUMNS.items()}, **_FIXED}


def switch(store: Store, project: Project, wanted: dict[str, Any]) -> None:
    """Switch features on and off; None leaves one as it is."""
    wanted = {name: value for name, value in wanted.items() if value is not None}
    for name, value in _FIXED.items():
        if wanted.get(name, value) == value:
            continue
        if value:
            raise Invalid({name: ["This feature cannot be switched off."]})
        raise PaymentRequired
    facts = {column: wanted[name] for name, column in _COLUMNS.items() if name in wanted}
    projects.edit(store, project, facts)
