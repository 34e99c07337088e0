"""Packages: generic files by name and version, streamed to the company's blobs."""

from __future__ import annotations

import hashlib
from typing import Any

from starlette.responses import FileResponse

from dayjob.company.forge.api.arguments import bad
from dayjob.company.forge.api.call import Call, Json, no_content
from dayjob.company.forge.api.routes import delete, get, put, raw_body
from dayjob.company.forge.store import access, namespaces
from dayjob.company.forge.store.base import not_found
from dayjob.http.bodies import BodyTooLarge

FILE = "/projects/{id}/packages/generic/{package}/{version}/{file}"
LIMIT = 1024 * 1024 * 1024
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+~/@-")


@put(FILE)
@raw_body
async def upload(call: Call) -> Any:
    project = call.project(access.DEVELOPER)
    me = call.me
    for name in ("package", "version", "file"):
        if not set(call.path[name]) <= _NAME:
            raise bad(f"{name}_name is invalid" if name != "version" else "package_version is invalid")
    writer = call.forge.company.blobs.writer()
    digests = [hashlib.md5(usedforsecurity=False), hashlib.sha1(usedforsecurity=False), hashlib.sha256()]
    try:
        async for chunk in call.request.stream():
            if writer.size + len(chunk) > LIMIT:
                raise BodyTooLarge(LIMIT)
            writer.write(chunk)
            for one in digests:
                one.update(chunk)
    except BaseException:
        writer.discard()
        raise
    blob = writer.finish()
    store, now = call.store, call.store.now()
    with store.transaction():
        package = store.value(
            "SELECT id FROM packages WHERE project_id=? AND package_type='generic' AND name=? AND version=?",
            project.id,
            call.path["package"],
            call.path["version"],
        ) or store.insert(
            "packages",
            project_id=project.id,
            name=call.path["package"],
            version=call.path["version"],
            package_type="generic",
            created_at=now,
            creator_id=me.id,
        )
        md5, sha1, sha256 = (one.hexdigest() for one in digests)
        file_id = store.insert(
            "package_files",
            package_id=package,
            file_name=call.path["file"],
            size=blob.size,
            blob=blob.hash,
            md5=md5,
            sha1=sha1,
            sha256=sha256,
            created_at=now,
        )
    if call.args.get("select") == "package_file":
        return Json(
            {
                "id": file_id,
                "package_id": package,
                "created_at": now,
                "updated_at": now,
                "size": blob.size,
                "file_store": 1,
                "file_md5": md5,
                "file_sha1": sha1,
                "file_sha256": sha256,
                "file_name": call.path["file"],
                "file": {"url": f"{call.base}/api/v4{call.request.scope['path'].removeprefix('/api/v4')}"},
            },
            201,
        )
    return Json({"message": "201 Created"}, 201)


@get(FILE)
def download(call: Call) -> Any:
    project = call.project()
    found = call.store.value(
        "SELECT f.blob FROM package_files f JOIN packages p ON p.id=f.package_id WHERE p.project_id=? AND "
        "p.name=? AND p.version=? AND f.file_name=? ORDER BY f.id DESC",
        project.id,
        call.path["package"],
        call.path["version"],
        call.path["file"],
    )
    if found is None:
        raise not_found()
    headers = {"content-disposition": "attachment", "x-content-type-options": "nosniff"}
    return FileResponse(call.forge.company.blobs.path(found), media_type="application/octet-stream", headers=headers)


_SELECT = "SELECT id, name, version, package_type, created_at, project_id FROM packages"


def _shape(call: Call, row: tuple[Any, ...]) -> dict[str, Any]:
    path = call.store.value("SELECT full_path FROM projects WHERE id=?", row[5])
    return {
        "id": row[0],
        "name": row[1],
        "version": row[2],
        "package_type": row[3],
        "status": "default",
        "created_at": row[4],
        "last_downloaded_at": None,
        "project_id": row[5],
        "project_path": path,
        "tags": [],
        "versions": [],
        "_links": {
            "web_path": f"/{path}/-/packages/{row[0]}",
            "delete_api_path": f"{call.base}/api/v4/projects/{row[5]}/packages/{row[0]}",
        },
    }


def _listed(call: Call, where: str, args: list[Any]) -> Any:
    for name in ("package_name", "package_type"):
        if call.text(name):
            where += " AND instr(name, ?)" if name == "package_name" else " AND package_type=?"
            args.append(call.text(name))
    rows = call.store.db.execute(f"{_SELECT} WHERE {where} ORDER BY id", args).fetchall()
    return call.paged(rows, lambda row: _shape(call, row))


@get("/projects/{id}/packages")
def packages(call: Call) -> Any:
    return _listed(call, "project_id=?", [call.project().id])


@get("/groups/{id}/packages")
def group_packages(call: Call) -> Any:
    below = namespaces.descendants(call.store, call.group().id)
    return _listed(
        call,
        f"project_id IN (SELECT id FROM projects WHERE namespace_id IN ({','.join('?' * len(below))})) AND "
        f"{access.visible_projects(call.user, 'project_id')}",
        list(below),
    )


def _package(call: Call, level: int = 0) -> tuple[Any, ...]:
    project = call.project(level)
    row: tuple[Any, ...] | None = call.store.db.execute(
        f"{_SELECT} WHERE id=? AND project_id=?", (call.number("package_id"), project.id)
    ).fetchone()
    if row is None:
        raise not_found()
    return row


@get("/projects/{id}/packages/{package_id}")
def package(call: Call) -> Any:
    return _shape(call, _package(call))


@delete("/projects/{id}/packages/{package_id}")
def remove(call: Call) -> Any:
    call.store.delete("packages", _package(call, access.MAINTAINER)[0])
    return no_content()


@get("/projects/{id}/packages/{package_id}/package_files")
def files(call: Call) -> Any:
    rows = call.store.db.execute(
        "SELECT id, package_id, created_at, file_name, size, md5, sha1, sha256 FROM package_files WHERE "
        "package_id=? ORDER BY id",
        (_package(call)[0],),
    ).fetchall()
    names = ("id", "package_id", "created_at", "file_name", "size", "file_md5", "file_sha1", "file_sha256")
    return call.paged(rows, lambda row: {**dict(zip(names, row, strict=True)), "pipelines": []})


@delete("/projects/{id}/packages/{package_id}/package_files/{file_id}")
def remove_file(call: Call) -> Any:
    package = _package(call, access.MAINTAINER)
    if not call.store.value(
        "SELECT 1 FROM package_files WHERE id=? AND package_id=?", call.number("file_id"), package[0]
    ):
        raise not_found()
    call.store.delete("package_files", call.number("file_id"))
    return no_content()


@get(
    "/projects/{id}/packages/protection/rules",
    "/projects/{id}/registry/protection/repository/rules",
    "/projects/{id}/registry/repositories",
    "/groups/{id}/registry/repositories",
)
def nothing_kept(call: Call) -> Any:
    """There is no container registry here, and no protection of packages: both lists are empty."""
    call.project() if call.request.scope["path"].startswith("/api/v4/projects") else call.group()
    return call.paged([])
