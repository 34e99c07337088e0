"""Export and import: a project (code, labels, milestones, issues with comments, wiki) or a group, as one archive."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import subprocess
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from starlette.responses import Response

from dayjob.company.forge.api.arguments import Upload
from dayjob.company.forge.api.call import Call, Json, created
from dayjob.company.forge.api.projects import again, place
from dayjob.company.forge.api.routes import both, get, post
from dayjob.company.forge.errors import bad, refused
from dayjob.company.forge.git.opening import Moved
from dayjob.company.forge.git.repositories import ZERO, all_refs, git_environment
from dayjob.company.forge.git.writing import CommitRefused
from dayjob.company.forge.merging import author
from dayjob.company.forge.pushes import pushed
from dayjob.company.forge.rows.items import Issue, Milestone
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes.projects import namespace_brief
from dayjob.company.forge.store import (
    access,
    exports,
    groups,
    issues,
    labels,
    milestones,
    namespaces,
    notes,
    projects,
    wikis,
)
from dayjob.company.forge.store.namespaces import VISIBILITY_NAMES
from dayjob.company.forge.store.wikis import Wiki

UNPACKED_LIMIT = 512 * 1024 * 1024


def _status(call: Call, project: Project, what: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": project.id,
        "description": project.description,
        "name": project.name,
        "name_with_namespace": project.full_path.replace("/", " / "),
        "path": project.path,
        "path_with_namespace": project.full_path,
        "created_at": project.created_at,
        f"{what}_status": "finished",
    }
    if what == "export":
        found["_links"] = {
            "api_url": f"{call.base}/api/v4/projects/{project.id}/export/download",
            "web_url": f"{call.base}/{project.full_path}/download_export",
        }
    else:
        found.update(
            import_type="gitlab_project",
            correlation_id=None,
            failed_relations=[],
            import_error=None,
            stats=None,
            namespace=namespace_brief(call, namespaces.get(call.store, project.namespace_id)),
        )
    return found


@both(post, "/export")
def start_export(call: Call, kind: str) -> Any:
    call.managed(kind)
    return Json({"message": "202 Accepted"}, 202)


@get("/projects/{id}/export")
def export_status(call: Call) -> Any:
    return _status(call, call.project(access.MAINTAINER), "export")


@get("/projects/{id}/export/download")
async def download(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    facts = _facts(call, project)
    folder = call.store.repos.folder(str(project.id)) if not project.empty else None
    data = await asyncio.to_thread(_pack, "project.json", facts, folder)
    return Response(
        data,
        media_type="application/gzip",
        headers={"content-disposition": f'attachment; filename="{project.path}_export.tar.gz"'},
    )


def _facts(call: Call, project: Project) -> dict[str, Any]:
    store = call.store
    plans = {one.id: one for one in exports.milestones(store, project)}
    return {
        "format": 1,
        "kind": "project",
        "name": project.name,
        "description": project.description,
        "visibility": project.visibility,
        "default_branch": project.default_branch,
        "topics": json.loads(project.topics),
        "settings": json.loads(project.settings),
        "labels": [
            {"name": one.name, "color": one.color, "description": one.description}
            for one in exports.labels(store, project)
        ],
        "milestones": [
            {"title": one.title, "description": one.description, "due_date": one.due_date, "start_date": one.start_date}
            for one in plans.values()
        ],
        "issues": [_issue_facts(call, one, plans) for one in exports.issues(store, project)],
        "wiki": [
            {"title": one.slug, "content": one.content, "format": one.format}
            for one in wikis.pages(store, Wiki("project", project.id))
        ],
    }


def _issue_facts(call: Call, issue: Issue, plans: dict[int, Milestone]) -> dict[str, Any]:
    return {
        "iid": issue.iid,
        "title": issue.title,
        "description": issue.description,
        "state": issue.state,
        "created_at": issue.created_at,
        "labels": issue.label_names,
        "milestone": plans[issue.milestone_id].title if issue.milestone_id in plans else None,
        "weight": issue.weight,
        "due_date": issue.due_date,
        "notes": exports.comments(call.store, issue),
    }


def _pack(name: str, facts: dict[str, Any], repository: Path | None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:

        def add(path: str, data: bytes) -> None:
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))

        add(name, json.dumps(facts).encode())
        if repository is not None:
            with TemporaryDirectory(prefix="export-", dir=repository.parent) as place_:
                bundle = Path(place_, "project.bundle")
                subprocess.run(
                    ["git", "-C", str(repository), "bundle", "create", "--quiet", str(bundle), "--branches", "--tags"],
                    env=git_environment(), check=True, capture_output=True, timeout=300,
                )  # fmt: skip
                add("project.bundle", bundle.read_bytes())
    return gzip.compress(out.getvalue(), 6, mtime=0)


def _unpack(upload: Upload, name: str) -> tuple[dict[str, Any], bytes | None]:
    """The facts and the bundle of an archive; anything odd about it is a refusal, not a crash."""
    try:
        raw = gzip.GzipFile(fileobj=io.BytesIO(upload.data)).read(UNPACKED_LIMIT + 1)
        if len(raw) > UNPACKED_LIMIT:
            raise ValueError("too large")
        with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
            listing = tar.extractfile(name)
            facts = json.loads(listing.read()) if listing else None
            found = tar.extractfile("project.bundle") if "project.bundle" in tar.getnames() else None
            bundle = found.read() if found else None
        if not isinstance(facts, dict) or facts.get("format") != 1:
            raise ValueError("not ours")
    except (OSError, ValueError, KeyError, EOFError, tarfile.TarError, RecursionError) as error:
        raise refused(400, "400 Bad request - The archive is not an export of this forge") from error
    return facts, bundle


@post("/projects/import")
async def import_project(call: Call) -> Any:
    me = call.me
    upload = call.file("file")
    if upload is None:
        raise bad("file is missing")
    call.need("path")
    facts, bundle = _unpack(upload, "project.json")
    space = place(call, me, call.args.get("namespace") or call.args.get("namespace_id"))
    with call.store.transaction():
        project = projects.create(
            call.store,
            me,
            space,
            name=call.text("name") or str(facts.get("name")),
            path=call.filled("path"),
            visibility=int(facts.get("visibility") or 0),
            description=facts.get("description"),
            default_branch=facts.get("default_branch"),
            topics=facts.get("topics") or [],
            import_status="finished",
            import_type="gitlab_project",
        )
        _refill(call, project, facts)
    if bundle is not None:
        folder = call.store.repos.folder(str(project.id))
        call.store.repos.take(project.id, len(bundle))
        if not await asyncio.to_thread(_unbundle, folder, bundle):
            raise refused(400, "400 Bad request - The archive's repository cannot be read")
        call.store.repos.measure(str(project.id))
        moved = [Moved(name, ZERO, sha) for name, sha in all_refs(call.store.repos.open(project.id)).items()]
        await pushed(call.forge, me, project, moved, ["ci.skip"])
    return created(_status(call, again(call, project), "import"))


def _unbundle(folder: Path, bundle: bytes) -> bool:
    with TemporaryDirectory(prefix="import-", dir=folder.parent) as place_:
        file = Path(place_, "project.bundle")
        file.write_bytes(bundle)
        done = subprocess.run(
            [
                "git",
                "-C",
                str(folder),
                "fetch",
                "--quiet",
                "--no-write-fetch-head",
                str(file),
                "refs/heads/*:refs/heads/*",
                "refs/tags/*:refs/tags/*",
            ],
            env=git_environment(),
            capture_output=True,
            timeout=300,
            check=False,
        )
    return done.returncode == 0


def _refill(call: Call, project: Project, facts: dict[str, Any]) -> None:
    store, me = call.store, call.me
    try:
        for one in facts.get("labels") or []:
            labels.create_label(store, project, str(one["name"]), str(one["color"]), description=one.get("description"))
        plans = {}
        for one in facts.get("milestones") or []:
            kept = {name: one.get(name) for name in ("description", "due_date", "start_date")}
            plans[one["title"]] = milestones.create(store, project, str(one["title"]), **kept).id
        for one in facts.get("issues") or []:
            issue = issues.create(
                store,
                me,
                project,
                str(one["title"]),
                iid=int(one["iid"]),
                created_at=one.get("created_at"),
                labels=one.get("labels"),
                milestone_id=plans.get(one.get("milestone")),
                description=one.get("description"),
                weight=one.get("weight"),
                due_date=one.get("due_date"),
            )
            for body in one.get("notes") or []:
                notes.create(store, me, "Issue", issue.id, project.id, str(body))
            if one.get("state") == "closed":
                issues.set_state(store, me, issue, project, "close")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise refused(400, "400 Bad request - The archive is not an export of this forge") from error
    for page in facts.get("wiki") or []:
        try:
            wikis.write(
                store,
                Wiki("project", project.id),
                author(store, me),
                None,
                str(page["title"]),
                str(page["content"]),
                "markdown",
                "Import",
            )
        except (CommitRefused, KeyError, TypeError) as error:
            raise refused(400, "400 Bad request - The archive's wiki cannot be read") from error


@get("/projects/{id}/import")
def import_status(call: Call) -> Any:
    return _status(call, call.project(access.MAINTAINER), "import")


@post("/projects/remote-import")
def remote_import(call: Call) -> Any:
    call.signed_in()
    url = call.filled("url")
    if not url.startswith("https://"):
        raise refused(400, "File url is blocked: Only allowed schemes are https")
    raise refused(400, "File url cannot be reached: this forge has no way out of its company")


# -- groups ------------------------------------------------------------------------------------------------------


@get("/groups/{id}/export/download")
def download_group(call: Call) -> Any:
    group = call.group(access.OWNER)
    facts = {
        "format": 1,
        "kind": "group",
        "name": group.name,
        "description": group.description,
        "visibility": VISIBILITY_NAMES[group.visibility],
        "labels": [
            {"name": one.name, "color": one.color, "description": one.description}
            for one in exports.labels(call.store, group)
        ],
        "milestones": [
            {"title": one.title, "description": one.description} for one in exports.milestones(call.store, group)
        ],
    }
    return Response(
        _pack("group.json", facts, None),
        media_type="application/gzip",
        headers={"content-disposition": f'attachment; filename="{group.path}_export.tar.gz"'},
    )


@post("/groups/import")
def import_group(call: Call) -> Any:
    me = call.me
    upload = call.file("file")
    if upload is None:
        raise bad("file is missing")
    call.need("name", "path")
    facts, _ = _unpack(upload, "group.json")
    parent = groups.parent_for(call.store, me, call.integer("parent_id"))
    with call.store.transaction():
        group = namespaces.create_group(
            call.store,
            me,
            name=call.filled("name"),
            path=call.filled("path"),
            parent=parent,
            description=str(facts.get("description") or ""),
        )
        for one in facts.get("labels") or []:
            labels.create_label(
                call.store, group, str(one["name"]), str(one["color"]), description=one.get("description")
            )
        for one in facts.get("milestones") or []:
            milestones.create(call.store, group, str(one["title"]), description=one.get("description"))
    return Json({"message": "202 Accepted"}, 202)
