"""Releases and their links."""

from __future__ import annotations

from typing import Any

from starlette.responses import RedirectResponse

from dayjob.company.forge.api import code
from dayjob.company.forge.api.branches import make_tag
from dayjob.company.forge.api.call import Call, created
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import refused
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.markdown import render
from dayjob.company.forge.rows.projects import Link, Project, Release
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.shapes import repository as code_shape
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, releases, users

RELEASE = "/projects/{id}/releases/{tag_name}"


def _shape(call: Call, project: Project, row: Release) -> dict[str, Any]:
    commit = None
    reads = access.may_read_code(call.store, call.user, project)
    if reads:
        repo = call.store.repos.open(project.id)
        commit = reading.resolve(repo, f"refs/tags/{row.tag_name}") or reading.commit_of(repo, row.sha)
    web = f"{call.base}/{project.full_path}"
    upcoming = row.released_at > call.store.now()
    call.passing = call.passing or upcoming
    files = releases.links(call.store, row)
    sources = [
        {"format": form, "url": f"{web}/-/archive/{row.tag_name}/{project.path}-{row.tag_name}.{form}"}
        for form in (("zip", "tar.gz", "tar.bz2", "tar") if reads else ())
    ]
    return {
        "name": row.name,
        "tag_name": row.tag_name,
        "description": row.description,
        **({"description_html": render(row.description or "")} if call.boolean("include_html_description") else {}),
        "created_at": row.created_at,
        "released_at": row.released_at,
        "upcoming_release": upcoming,
        "author": basic(call, users.by_id(call.store, row.author_id)),
        "commit": code_shape.commit(call, project, commit) if commit else None,
        "milestones": [issue_shape.milestone(call, one) for one in releases.milestones(call.store, row)],
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
    return project, releases.find(call.store, call.user, project, call.path["tag_name"])


@get("/projects/{id}/releases")
def project_releases(call: Call) -> Any:
    project = call.project()
    listing = releases.listed(
        project,
        call.choice("order_by", ("released_at", "created_at"), "released_at"),
        call.choice("sort", ("asc", "desc"), "desc"),
    )
    return call.listing(listing, lambda rows: [_shape(call, project, row) for row in rows])


@get("/projects/{id}/releases/permalink/latest")
def latest(call: Call) -> Any:
    project = call.project()
    tag = releases.latest(call.store, project).tag_name
    return RedirectResponse(f"{call.base}/api/v4/projects/{project.id}/releases/{tag}", 302)


@get(RELEASE)
def release(call: Call) -> Any:
    return _shape(call, *_found(call))


@get(f"{RELEASE}/downloads/{{path:rest}}")
def download(call: Call) -> Any:
    _, row = _found(call)
    return RedirectResponse(releases.link_at(call.store, row, f"/{call.path['path']}").url, 302)


def _milestones(call: Call, project: Project) -> list[int]:
    return releases.milestone_ids(call.store, project, call.names("milestones") or [])


def _assets(call: Call) -> list[dict[str, Any]]:
    assets = call.args.get("assets")
    links = (assets.get("links") or []) if isinstance(assets, dict) else []
    return [
        {
            "name": str(link.get("name") or ""),
            "url": str(link.get("url") or ""),
            "kind": link.get("link_type"),
            "path": link.get("direct_asset_path") or link.get("filepath"),
        }
        for link in links
        if isinstance(link, dict)
    ]


@post("/projects/{id}/releases")
async def create(call: Call) -> Any:
    project, repo = code.repository(call)
    call.require(project, access.DEVELOPER)
    tag = call.filled("tag_name")
    releases.check_is_new(call.store, project, tag)
    milestones = _milestones(call, project)
    if ref_sha(repo, f"refs/tags/{tag}") is None:
        if not call.text("ref"):
            raise refused(422, "Ref is not specified")
        moved = make_tag(call, project, repo, tag, call.text("ref"), call.text("tag_message"))
        await code.settle(call, project, [moved])
    commit = reading.resolve(repo, f"refs/tags/{tag}")
    row = releases.create(
        call.store, call.me, project, tag, sha=str(commit.id) if commit else None, name=call.text("name"),
        description=call.text("description"), released_at=call.text("released_at"), milestones=milestones,
        assets=_assets(call),
    )  # fmt: skip
    call.forge.deliveries.announce(
        project, call.me, "releases", {"tag": tag, "name": row.name, "description": row.description, "action": "create"}
    )
    return created(_shape(call, project, row))


@put(RELEASE)
def change(call: Call) -> Any:
    project, row = _found(call, access.DEVELOPER)
    values = {name: call.text(name) for name in ("name", "description", "released_at") if call.text(name) is not None}
    milestones = _milestones(call, project) if call.has("milestones") else None
    releases.change(call.store, row, values, milestones)
    return _shape(call, *_found(call))


@delete(RELEASE)
def remove(call: Call) -> Any:
    project, row = _found(call, access.DEVELOPER)
    shown = _shape(call, project, row)
    releases.delete(call.store, row)
    return shown


# -- links -------------------------------------------------------------------------------------------------------


def _one_link(call: Call, level: int = 0) -> tuple[Project, Release, Link]:
    project, row = _found(call, level)
    return project, row, releases.link(call.store, row, call.number("link_id"))


@get(f"{RELEASE}/assets/links")
def links(call: Call) -> Any:
    project, row = _found(call)
    return call.paged(releases.links(call.store, row), lambda link: _link(call, project, row, link))


@post(f"{RELEASE}/assets/links")
def add_link(call: Call) -> Any:
    project, row = _found(call, access.DEVELOPER)
    call.need("name", "url")
    path = call.text("direct_asset_path") or call.text("filepath")
    added = releases.add_link(call.store, row.id, call.text("name"), call.text("url"), call.text("link_type"), path)
    return created(_link(call, project, row, added))


@get(f"{RELEASE}/assets/links/{{link_id}}")
def link(call: Call) -> Any:
    return _link(call, *_one_link(call))


@put(f"{RELEASE}/assets/links/{{link_id}}")
def change_link(call: Call) -> Any:
    _, _, found = _one_link(call, access.DEVELOPER)
    values = {name: call.text(name) for name in ("name", "url") if call.text(name)}
    if call.text("link_type"):
        values["link_type"] = call.choice("link_type", releases.LINK_TYPES)
    if call.text("direct_asset_path") or call.text("filepath"):
        values["filepath"] = call.text("direct_asset_path") or call.text("filepath")
    releases.change_link(call.store, found, values)
    return _link(call, *_one_link(call))


@delete(f"{RELEASE}/assets/links/{{link_id}}")
def remove_link(call: Call) -> Any:
    project, row, found = _one_link(call, access.DEVELOPER)
    releases.delete_link(call.store, found)
    return _link(call, project, row, found)
