"""Labels of a project and of a group."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import Response

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.pages.routes import group, project
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.rows.items import Label
from dayjob.company.forge.store.labels import DEFAULT_COLOR, own


async def _list(visit: Visit, path: str) -> Response:
    wanted = str(visit.query.get("search", ""))
    found = await visit.listed(path, search=wanted or None, with_counts=True, per_page=50)
    return visit.page("labels.html", listed=found, wanted=wanted)


@project("GET", "/labels")
async def labels(visit: Visit) -> Response:
    return await _list(visit, visit.at_project("/labels"))


@group("GET", "/labels")
async def group_labels(visit: Visit) -> Response:
    return await _list(visit, f"/groups/{visit.group.id}/labels")


@project("GET POST", "/labels/new")
async def new(visit: Visit) -> Response:
    if visit.posted:
        given = {
            "name": visit.text("name"),
            "color": visit.text("color", DEFAULT_COLOR),
            "description": visit.text("description"),
        }
        with visit.attempt():
            await visit.ask("POST", visit.at_project("/labels"), given)
            return visit.back(f"{visit.base}/labels", f"Label {given['name']} created.")
    return visit.form_page(
        "label_edit.html", heading="New label", name=visit.raw("name"),
        color=visit.raw("color") or DEFAULT_COLOR, description=visit.raw("description"),
    )  # fmt: skip


def _own(visit: Visit) -> Label:
    label = own(visit.store, visit.project, visit.number("id"))
    if label is None:
        raise not_found("Label")
    return label


@project("GET POST", "/labels/{id}/edit")
async def edit(visit: Visit) -> Response:
    label = _own(visit)
    if visit.posted:
        given = {"color": visit.text("color"), "description": visit.text("description")}
        if visit.text("name") != label.name:
            given["new_name"] = visit.text("name")
        with visit.attempt():
            await visit.ask("PUT", visit.at_project(f"/labels/{quote(label.name, safe='')}"), given)
            return visit.back(f"{visit.base}/labels", f"Label {visit.text('name')} saved.")
    return visit.form_page(
        "label_edit.html", heading="Edit label",
        name=visit.raw("name") or label.name, color=visit.raw("color") or label.color,
        description=visit.raw("description") if visit.posted else label.description or "",
    )  # fmt: skip


@project("POST", "/labels/{id}/delete")
async def delete(visit: Visit) -> Response:
    label = _own(visit)
    await visit.ask("DELETE", visit.at_project(f"/labels/{quote(label.name, safe='')}"))
    return visit.back(f"{visit.base}/labels", f"Label {label.name} deleted.")
