"""Releases of a project, and the files they link to."""

from __future__ import annotations

import json
import re
from typing import Any

from dayjob.company.forge.errors import Refused, forbidden, invalid, not_found, refused
from dayjob.company.forge.rows.items import Milestone
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Link, Project, Release
from dayjob.company.forge.store import access, labels
from dayjob.company.forge.store.base import Listing, Store
from dayjob.company.rows import packed

LINK_TYPES = ("other", "runbook", "image", "package")


def listed(project: Project, order: str = "released_at", sort: str = "desc") -> Listing:
    by = f"releases.{order} {sort}, releases.id {sort}"
    return Listing(Release, "FROM releases WHERE project_id=?", [project.id], by)


def of_tag(store: Store, project: Project, tag_name: str) -> Release | None:
    return store.one(Release, "project_id=? AND tag_name=?", project.id, tag_name)


def find(store: Store, viewer: User | None, project: Project, tag_name: str) -> Release:
    """A stranger to a private project does not learn which releases there are not."""
    release = of_tag(store, project, tag_name)
    if release is None:
        known = access.project_level(store, viewer, project) or project.visibility
        raise not_found() if known else forbidden()
    return release


def latest(store: Store, project: Project) -> Release:
    newest: list[Release] = store.page(listed(project), 1, 0)
    if not newest:
        raise not_found()
    return newest[0]


def check_is_new(store: Store, project: Project, tag_name: str) -> None:
    if of_tag(store, project, tag_name) is not None:
        raise refused(409, "Release already exists")


def milestone_ids(store: Store, project: Project, titles: list[str]) -> list[int]:
    """The milestones of those titles, of the project or the groups above it."""
    ids = []
    condition, args = labels.reach(store, project)
    for title in titles:
        rows = store.all(Milestone, f"{condition} AND title=?", *args, title)
        if not rows:
            raise refused(400, f"Milestone(s) not found: {title}")
        ids.append(rows[0].id)
    return ids


def milestones(store: Store, release: Release) -> list[Milestone]:
    return list(store.by_ids(Milestone, json.loads(release.milestones)).values())


def create(
    store: Store, author: User, project: Project, tag_name: str, *, sha: str | None, name: str | None,
    description: str | None, released_at: str | None, milestones: list[int], assets: list[dict[str, Any]],
) -> Release:  # fmt: skip
    """A release of a tag, with links to its `assets` (name, url, kind, path)."""
    now = store.now()
    with store.transaction():
        release_id = store.insert(
            "releases", project_id=project.id, tag_name=tag_name, name=name or tag_name, description=description,
            author_id=author.id, sha=sha, created_at=now, released_at=released_at or now, milestones=packed(milestones),
        )  # fmt: skip
        for asset in assets:
            add_link(store, release_id, **asset)
    return store.get(Release, release_id)


def change(store: Store, release: Release, values: dict[str, Any], milestones: list[int] | None = None) -> None:
    if milestones is not None:
        values = {**values, "milestones": packed(milestones)}
    store.update("releases", release.id, **values)


def delete(store: Store, release: Release) -> None:
    store.delete("releases", release.id)


# -- links -------------------------------------------------------------------------------------------------------


def links(store: Store, release: Release) -> list[Link]:
    """Newest first."""
    return store.all(Link, "release_id=? ORDER BY id DESC", release.id)


def link(store: Store, release: Release, link_id: int) -> Link:
    return store.required(Link, "id=? AND release_id=?", link_id, release.id)


def link_at(store: Store, release: Release, path: str) -> Link:
    """The link to a file by the path that its release gives it."""
    row = store.one(Link, "release_id=? AND filepath=?", release.id, path)
    if row is None:
        raise not_found()
    return row


def add_link(store: Store, release_id: int, name: str, url: str, kind: Any = None, path: Any = None) -> Link:
    """A link to a file of a release; neither its name nor its address may stand there twice."""
    if not name.strip():
        raise Refused(400, {"error": "name is missing"})
    if not re.match(r"(https?|ftp)://", url):
        raise invalid(url=["is blocked: Only allowed schemes are http, https, ftp"])
    if store.one(Link, "release_id=? AND (name=? OR url=?)", release_id, name, url):
        raise invalid(name=["has already been taken"])
    if kind is not None and kind not in LINK_TYPES:
        raise Refused(400, {"error": "link_type does not have a valid value"})
    link_id = store.insert(
        "release_links", release_id=release_id, name=name, url=url, link_type=kind or "other",
        filepath=_asset_path(str(path)) if path else None,
    )  # fmt: skip
    return store.get(Link, link_id)


def _asset_path(path: str) -> str:
    """The path of a file below its release, from the first `/` on."""
    if not re.fullmatch(r"(/[\w.-]+)*/[\w.-]*[a-zA-Z0-9]", path, re.ASCII):
        raise invalid(filepath=["is in an invalid format"])
    return path


def change_link(store: Store, row: Link, values: dict[str, Any]) -> None:
    if "filepath" in values:
        values = {**values, "filepath": _asset_path(values["filepath"])}
    store.update("release_links", row.id, **values)


def delete_link(store: Store, row: Link) -> None:
    store.delete("release_links", row.id)
