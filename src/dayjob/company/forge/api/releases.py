"""Releases and their links."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, ClassVar

from starlette.responses import RedirectResponse

from dayjob.company.forge.api import code
from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.branches import make_tag
from dayjob.company.forge.api.call import Call, created
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.markdown import render
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.shapes import repository as code_shape
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, labels
from dayjob.company.forge.store.base import Listing, dumps, forbidden, invalid, not_found, refused
from dayjob.company.forge.store.milestones import Milestone
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User

RELEASE = "/projects/{id}/releases/{tag_name}"


@dataclass(slots=True)
class Release:
    TABLE: ClassVar[str] = "releases"
    id: int
    project_id: int
    tag_name: str
    name: str
    description: str | None
    author_id: int
    sha: str | None
    created_at: str
    released_at: str
    milestones: str


@dataclass(slots=True)
class Link:
    TABLE: ClassVar[str] = "release_links"
    id: int
    release_id: int
    name: str
    url: str
    link_type: str
    filepath: str | None


def _shape(call: Call, project: Project, row: Release) -> dict[str, Any]:
    commit = None
    reads = access.may_read_code(call.store, call.user, project)
    if reads:
        repo = call.store.repos.open(project.id)
        commit = reading.resolve(repo, f"refs/tags/{row.tag_name}") or reading.commit_of(repo, row.sha)
    web = f"{call.base}/{project.full_path}"
    files = call.store.all(Link, "release_id=? ORDER BY id DESC", row.id)
    sources = [
        {"format": form, "url": f"{web}/-/archive/{row.tag_name}/{project.path}-{row.tag_name}.{form}"}
        for form in (("zip", "tar.gz", "tar.bz2", "tar") if reads else ())
    ]
    plans = call.store.by_ids(Milestone, json.loads(row.milestones))
    return {
        "name": row.name,
        "tag_name": row.tag_name,
        "description": row.description,
        **({"description_html": render(row.description or "")} if call.boolean("include_html_description") else {}),
        "created_at": row.created_at,
        "released_at": row.released_at,
        "upcoming_release": row.released_at > call.store.now(),
        "author": basic(call, call.store.one(User, "id=?", row.author_id)),
        "commit": code_shape.commit(call, project, commit) if commit else None,
        "milestones": [issue_shape.milestone(call, one) for one in plans.values()],
        "commit_path": f"/{project.full_path}/-/commit/{commit.id}" if commit else None,
        "tag_path": f"/{project.full_path}/-/tags/{row.tag_name}",
        "assets": {
            "count": len(sources) + len(files),
            "sources": sources,
            "links": [_link(call, project, row, one) for one in files],
        },
        "evidences": [],
        "_links": {
            "closed_issues_url": f"{web}/-/issues?release_tag={row.tag_name}&scope=all&state=closed",
            "closed_merge_requests_url": f"{web}/-/merge_requests?release_tag={row.tag_name}&scope=all&state=closed",
            "edit_url": f"{web}/-/releases/{row.tag_name}/edit",
            "merged_merge_requests_url": f"{web}/-/merge_requests?release_tag={row.tag_name}&scope=all&state=merged",
            "opened_issues_url": f"{web}/-/issues?release_tag={row.tag_name}&scope=all&state=opened",
            "opened_merge_requests_url": f"{web}/-/merge_requests?release_tag={row.tag_name}&scope=all&state=opened",
            "self": f"{web}/-/releases/{row.tag_name}",
        },
    }


def _link(call: Call, project: Project, release: Release, row: Link) -> dict[str, Any]:
    direct = (
        f"{call.base}/{project.full_path}/-/releases/{release.tag_name}/downloads{row.filepath}"
        if row.filepath
        else row.url
    )
    return {"id": row.id, "name": row.name, "url": row.url, "direct_asset_url": direct, "link_type": row.link_type}


def _found(call: Call, level: int = 0) -> tuple[Project, Release]:
    project = call.project(level)
    row = call.store.one(Release, "project_id=? AND tag_name=?", project.id, call.path["tag_name"])
    if row is None:
        raise not_found() if access.project_level(call.store, call.user, project) or project.visibility else forbidden()
    return project, row


@get("/projects/{id}/releases")
def releases(call: Call) -> Any:
    project = call.project()
    order = call.choice("order_by", ("released_at", "created_at"), "released_at")
    sort = call.choice("sort", ("asc", "desc"), "desc")
    listing = Listing(
        Release, "FROM releases WHERE project_id=?", [project.id], f"releases.{order} {sort}, releases.id {sort}"
    )
    return call.listing(listing, lambda rows: [_shape(call, project, one) for one in rows])


@get("/projects/{id}/releases/permalink/latest")
def latest(call: Call) -> Any:
    project = call.project()
    tag = call.store.value(
        "SELECT tag_name FROM releases WHERE project_id=? ORDER BY released_at DESC, id DESC", project.id
    )
    if tag is None:
        raise not_found()
    return RedirectResponse(f"{call.base}/api/v4/projects/{project.id}/releases/{tag}", 302)


@get(RELEASE)
def release(call: Call) -> Any:
    return _shape(call, *_found(call))


def _milestones(call: Call, project: Project) -> list[int]:
    titles = call.names("milestones") or []
    found = []
    condition, args = labels.reach(call.store, project)
    for title in titles:
        rows = call.store.all(Milestone, f"{condition} AND title=?", *args, title)
        if not rows:
            raise refused(400, f"Milestone(s) not found: {title}")
        found.append(rows[0].id)
    return found


@post("/projects/{id}/releases")
async def create(call: Call) -> Any:
    project, repo = code.repository(call)
    call.require(project, access.DEVELOPER)
    tag = call.filled("tag_name")
    if call.store.value("SELECT 1 FROM releases WHERE project_id=? AND tag_name=?", project.id, tag):
        raise refused(409, "Release already exists")
    plans = _milestones(call, project)
    if ref_sha(repo, f"refs/tags/{tag}") is None:
        if not call.text("ref"):
            raise refused(422, "Ref is not specified")
        moved = make_tag(call, project, repo, tag, call.text("ref"), call.text("tag_message"))
        await code.settle(call, project, [moved])
    commit = reading.resolve(repo, f"refs/tags/{tag}")
    now = call.store.now()
    with call.store.transaction():
        row_id = call.store.insert(
            "releases",
            project_id=project.id,
            tag_name=tag,
            name=call.text("name") or tag,
            description=call.text("description"),
            author_id=call.me.id,
            sha=str(commit.id) if commit else None,
            created_at=now,
            released_at=call.text("released_at") or now,
            milestones=dumps(plans),
        )
        assets = call.args.get("assets")
        for one in (assets.get("links") or []) if isinstance(assets, dict) else []:
            if isinstance(one, dict):
                _add_link(
                    call,
                    row_id,
                    str(one.get("name") or ""),
                    str(one.get("url") or ""),
                    one.get("link_type"),
                    one.get("direct_asset_path") or one.get("filepath"),
                )
    row = call.store.one(Release, "id=?", row_id)
    assert row is not None
    call.forge.deliveries.announce(
        project, call.me, "releases", {"tag": tag, "name": row.name, "description": row.description, "action": "create"}
    )
    return created(_shape(call, project, row))


@put(RELEASE)
def change(call: Call) -> Any:
    project, row = _found(call, access.DEVELOPER)
    values = {name: call.text(name) for name in ("name", "description", "released_at") if call.text(name) is not None}
    if call.has("milestones"):
        values["milestones"] = dumps(_milestones(call, project))
    call.store.update("releases", row.id, **values)
    return _shape(call, *_found(call))


@delete(RELEASE)
def remove(call: Call) -> Any:
    project, row = _found(call, access.DEVELOPER)
    shown = _shape(call, project, row)
    call.store.delete("releases", row.id)
    return shown


@post(f"{RELEASE}/evidence")
def evidence(call: Call) -> Any:
    _found(call, access.MAINTAINER)
    return created({"message": "202 Accepted"})


# -- links -------------------------------------------------------------------------------------------------------

_KINDS = ("other", "runbook", "image", "package")


def _add_link(call: Call, release_id: int, name: str, url: str, kind: Any, path: Any) -> int:
    if not name.strip():
        raise bad("name is missing")
    if not re.match(r"(https?|ftp)://", url):
        raise invalid(url=["is blocked: Only allowed schemes are http, https, ftp"])
    if call.store.value("SELECT 1 FROM release_links WHERE release_id=? AND (name=? OR url=?)", release_id, name, url):
        raise invalid(name=["has already been taken"])
    if kind is not None and kind not in _KINDS:
        raise bad("link_type does not have a valid value")
    return call.store.insert(
        "release_links",
        release_id=release_id,
        name=name,
        url=url,
        link_type=kind or "other",
        filepath=str(path) if path else None,
    )


def _one_link(call: Call, level: int = 0) -> tuple[Project, Release, Link]:
    project, row = _found(call, level)
    found = call.store.one(Link, "id=? AND release_id=?", call.number("link_id"), row.id)
    if found is None:
        raise not_found()
    return project, row, found


@get(f"{RELEASE}/assets/links")
def links(call: Call) -> Any:
    project, row = _found(call)
    return call.paged(
        call.store.all(Link, "release_id=? ORDER BY id DESC", row.id), lambda one: _link(call, project, row, one)
    )


@post(f"{RELEASE}/assets/links")
def add_link(call: Call) -> Any:
    project, row = _found(call, access.DEVELOPER)
    call.need("name", "url")
    link_id = _add_link(
        call,
        row.id,
        call.text("name"),
        call.text("url"),
        call.text("link_type"),
        call.text("direct_asset_path") or call.text("filepath"),
    )
    found = call.store.one(Link, "id=?", link_id)
    assert found is not None
    return created(_link(call, project, row, found))


@get(f"{RELEASE}/assets/links/{{link_id}}")
def link(call: Call) -> Any:
    return _link(call, *_one_link(call))


@put(f"{RELEASE}/assets/links/{{link_id}}")
def change_link(call: Call) -> Any:
    _, _, found = _one_link(call, access.DEVELOPER)
    values = {name: call.text(name) for name in ("name", "url") if call.text(name)}
    if call.text("link_type"):
        values["link_type"] = call.choice("link_type", _KINDS)
    if call.text("direct_asset_path") or call.text("filepath"):
        values["filepath"] = call.text("direct_asset_path") or call.text("filepath")
    call.store.update("release_links", found.id, **values)
    return _link(call, *_one_link(call))


@delete(f"{RELEASE}/assets/links/{{link_id}}")
def remove_link(call: Call) -> Any:
    project, row, found = _one_link(call, access.DEVELOPER)
    call.store.delete("release_links", found.id)
    return _link(call, project, row, found)
