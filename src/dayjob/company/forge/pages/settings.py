"""A project's settings: name, description, visibility, default branch, picture, protected branches, archive, delete."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from dayjob.company.forge.errors import forbidden, refused
from dayjob.company.forge.pages.refs import names, repository
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import access

LEVELS = ((40, "Maintainers"), (30, "Developers and maintainers"), (0, "No one"))
METHODS = (("merge", "Merge commit"), ("rebase_merge", "Merge commit with semi-linear history"), ("ff", "Fast-forward"))
_CHOICES = ("name", "description", "visibility", "default_branch", "merge_method")
_SWITCHES = ("issues_enabled", "merge_requests_enabled", "wiki_enabled",
             "only_allow_merge_if_all_discussions_are_resolved", "only_allow_merge_if_pipeline_succeeds",
             "remove_source_branch_after_merge")  # fmt: skip


def _maintainer(visit: Visit) -> None:
    if visit.user is None or visit.level < access.MAINTAINER:
        raise forbidden()


@project("GET POST", "/settings/general", "/edit")
async def general(visit: Visit) -> Response:
    _maintainer(visit)
    if visit.posted:
        with visit.attempt():
            return await _save(visit)
    about = await visit.ask("GET", visit.at_project())
    values = {name: visit.raw(name) or about[name] or "" for name in _CHOICES}
    switches = {name: bool(about[name]) for name in _SWITCHES}
    branches = names(repository(visit), "heads") if not visit.project.empty else []
    return visit.form_page(
        "settings.html", about=about, values=values, switches=switches,
        branches=branches, methods=METHODS, approvals=visit.project.options["approvals_before_merge"],
        owner=visit.level >= access.OWNER,
    )  # fmt: skip


async def _save(visit: Visit) -> Response:
    """Each form of the page names its part."""
    part, page = visit.text("part"), f"/{visit.project.full_path}/edit"
    path = visit.at_project()
    if part == "general":
        given: dict[str, Any] = {"name": visit.text("name"), "description": visit.raw("description").strip()}
        given["default_branch"] = visit.text("default_branch") or None
        if visit.text("visibility") and visit.level >= access.OWNER:
            given["visibility"] = visit.text("visibility")
        await visit.ask("PUT", path, given)
        return visit.back(page, "Settings saved.")
    if part == "features":
        given = {name: visit.ticked(name) for name in _SWITCHES}
        given["merge_method"] = visit.text("merge_method") or None
        given["approvals_before_merge"] = visit.text("approvals_before_merge") or None
        await visit.ask("PUT", path, given)
        return visit.back(page, "Settings saved.")
    if part == "avatar":
        image = visit.upload("avatar")
        if image is None and not visit.ticked("remove"):
            raise refused(400, "Choose a picture first.")
        await visit.ask("PUT", path, {"avatar": image if image is not None else ""})
        return visit.back(page, "Picture saved." if image else "Picture removed.")
    if part in ("archive", "unarchive"):
        await visit.ask("POST", f"{path}/{part}")
        return visit.back(page, "Project archived." if part == "archive" else "Project is active again.")
    if part == "delete":
        if visit.text("confirm") != visit.project.full_path:
            raise refused(400, f"Type {visit.project.full_path} to delete the project.")
        await visit.ask("DELETE", path)
        return visit.back("/", f"Project {visit.project.full_path} deleted.")
    raise refused(400, "There is nothing to save.")


@project("GET POST", "/settings/repository")
async def protection(visit: Visit) -> Response:
    _maintainer(visit)
    path = visit.at_project("/protected_branches")
    if visit.posted:
        with visit.attempt():
            return await _protect(visit, path)
    return visit.form_page(
        "protection.html", rules=await visit.everything(path), levels=LEVELS,
        branches=names(repository(visit), "heads"), chosen=visit.text("name"),
    )  # fmt: skip


async def _protect(visit: Visit, path: str) -> Response:
    page, name = f"{visit.base}/settings/repository", visit.text("name")
    if not name:
        raise refused(400, "Say which branch to protect.")
    one = f"{path}/{quote(name, safe='')}"
    if visit.text("part") == "unprotect":
        await visit.ask("DELETE", one)
        return visit.back(page, f"{name} is not protected any more.")
    given = {
        "push_access_level": visit.text("push_access_level") or None,
        "merge_access_level": visit.text("merge_access_level") or None,
        "allow_force_push": visit.ticked("allow_force_push"),
    }
    if visit.text("part") == "change":
        await visit.ask("PATCH", one, given)
        return visit.back(page, f"Protection of {name} saved.")
    await visit.ask("POST", path, {"name": name, **given})
    return visit.back(page, f"{name} is protected.")
