"""Work items as a file: those of the projects that the person is in, as CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from starlette.responses import Response

from dayjob.company.board import markup
from dayjob.company.board.api.call import workspace_colleague
from dayjob.company.board.errors import Forbidden
from dayjob.company.board.pages.page import Missing, Page, full, page
from dayjob.company.board.rows import User
from dayjob.company.board.store import accounts, cycles, item_lists, items, modules, projects
from dayjob.company.board.store.plans import MODULES

_HERE = ("/{slug}/settings/export", "/{slug}/settings/exports")
_COLUMNS = (
    "ID", "Project", "Name", "Description", "State", "State group", "Priority", "Assignees", "Labels", "Cycle",
    "Modules", "Parent", "Start date", "Due date", "Created by", "Created at", "Updated at", "Completed at",
)  # fmt: skip
_FORMATS = {"csv": ("CSV", "text/csv"), "json": ("JSON", "application/json")}
# A program for tables takes a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _colleague(page: Page) -> None:
    if not page.may(workspace_colleague):
        raise Forbidden("Guests do not export work items")


@page("GET", *_HERE)
def form(page: Page) -> Response:
    _colleague(page)
    return page.show("export.html", tab="export", formats=[(key, name) for key, (name, _) in _FORMATS.items()])


@page("GET", *(f"{place}/download" for place in _HERE))
def download(page: Page) -> Response:
    _colleague(page)
    kind = page.query.get("format", "csv")
    if kind not in _FORMATS:
        raise Missing("Choose a format: CSV or JSON.")
    rows = _rows(page, {one for one in page.query.getlist("project") if one})
    text = json.dumps(rows, ensure_ascii=False, indent=1) if kind == "json" else _csv(rows)
    name = f"{page.workspace.slug}-work-items.{kind}"
    headers = {
        "content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store",
        "x-content-type-options": "nosniff",
    }  # fmt: skip
    return Response(text, media_type=_FORMATS[kind][1], headers=headers)


def _csv(rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for row in rows:
        cells = (", ".join(value) if isinstance(value, list) else value or "" for value in row.values())
        writer.writerow(f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells)
    return out.getvalue()


def _rows(page: Page, wanted: set[str]) -> list[dict[str, Any]]:
    """Each item with names in place of ids, in the order of its project and number."""
    db, found = page.db, []
    for project in projects.joined(db, page.workspace.id, page.user.id):
        if wanted and project.id not in wanted:
            continue
        states = {one.id: one for one in projects.states(db, project.id)}
        rows = item_lists.of_project(project).rows(db, "sequence_id")
        people, _ = items.people_and_labels(db, [one.id for one in rows])
        plans = {one.id: one.name for one in cycles.of_project(db, project.id)}
        parts = {one.id: one.name for one in modules.of_project(db, project.id)}
        for one in rows:
            state, place, parent = states.get(one.state or ""), cycles.cycle_of(db, one.id), items.by_id(db, one.parent)
            values = (
                f"{project.identifier}-{one.sequence_id}", project.name, one.name, markup.plain(one.description_html),
                state.name if state else None, state.group if state else None, one.priority,
                [full(user) for user in accounts.users(db, people[one.id])],
                [label.name for label in items.labels_of(db, one.id)],
                plans.get(place.cycle) if place else None,
                [parts[part.module] for part in MODULES.places_of(db, one.id) if part.module in parts],
                items.named(db, parent) if parent else None, one.start_date, one.target_date,
                _who(accounts.user(db, one.created_by)), one.created_at, one.updated_at, one.completed_at,
            )  # fmt: skip
            found.append(dict(zip(_COLUMNS, values, strict=True)))
    return found


def _who(user: User | None) -> str | None:
    return full(user) if user else None
