"""Packages: generic files by name and version, streamed to the company's blobs."""

from __future__ import annotations

import hashlib
from typing import Any

from starlette.responses import FileResponse

from dayjob.company.clock import http_date
from dayjob.company.forge.api.call import Call, Json, no_content
from dayjob.company.forge.api.routes import delete, get, put, raw_body
from dayjob.company.forge.errors import bad
from dayjob.company.forge.rows.projects import Package
from dayjob.company.forge.store import access, packages, projects
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
    md5, sha1, sha256 = (digest.hexdigest() for digest in digests)
    file = packages.add_file(
        call.store, me, project, call.path["package"], call.path["version"], call.path["file"], size=blob.size,
        blob=blob.hash, md5=md5, sha1=sha1, sha256=sha256,
    )  # fmt: skip
    if call.args.get("select") == "package_file":
        return Json(
            {
                "id": file.id,
                "package_id": file.package_id,
                "created_at": file.created_at,
                "updated_at": file.created_at,
                "size": file.size,
                "file_store": 1,
                "file_md5": md5,
                "file_sha1": sha1,
                "file_sha256": sha256,
                "file_name": file.file_name,
                "file": {"url": f"{call.base}/api/v4{call.request.scope['path'].removeprefix('/api/v4')}"},
            },
            201,
        )
    return Json({"message": "201 Created"}, 201)


@get(FILE)
def download(call: Call) -> Any:
    project = call.project()
    file = packages.file_of(call.store, project, call.path["package"], call.path["version"], call.path["file"])
    headers = {
        "content-disposition": "attachment",
        "x-content-type-options": "nosniff",
        "last-modified": http_date(file.created_at),
    }
    path = call.forge.company.blobs.path(file.blob)
    return FileResponse(path, media_type="application/octet-stream", headers=headers)


def _shape(call: Call, package: Package) -> dict[str, Any]:
    path = projects.path_of(call.store, package.project_id)
    return {
        "id": package.id,
        "name": package.name,
        "version": package.version,
        "package_type": package.package_type,
        "status": "default",
        "created_at": package.created_at,
        "last_downloaded_at": None,
        "project_id": package.project_id,
        "project_path": path,
        "tags": [],
        "versions": [],
        "_links": {
            "web_path": f"/{path}/-/packages/{package.id}",
            "delete_api_path": f"{call.base}/api/v4/projects/{package.project_id}/packages/{package.id}",
        },
    }


@get("/projects/{id}/packages")
def project_packages(call: Call) -> Any:
    rows = packages.of_project(call.store, call.project(), call.text("package_name"), call.text("package_type"))
    return call.paged(rows, lambda package: _shape(call, package))


@get("/groups/{id}/packages")
def group_packages(call: Call) -> Any:
    rows = packages.of_group(call.store, call.user, call.group(), call.text("package_name"), call.text("package_type"))
    return call.paged(rows, lambda package: _shape(call, package))


def _package(call: Call, level: int = 0) -> Package:
    return packages.find(call.store, call.project(level), call.number("package_id"))


@get("/projects/{id}/packages/{package_id}")
def package(call: Call) -> Any:
    return _shape(call, _package(call))


@delete("/projects/{id}/packages/{package_id}")
def remove(call: Call) -> Any:
    packages.delete(call.store, _package(call, access.MAINTAINER))
    return no_content()


@get("/projects/{id}/packages/{package_id}/package_files")
def files(call: Call) -> Any:
    return call.paged(
        packages.files(call.store, _package(call)),
        lambda file: {
            "id": file.id,
            "package_id": file.package_id,
            "created_at": file.created_at,
            "file_name": file.file_name,
            "size": file.size,
            "file_md5": file.md5,
            "file_sha1": file.sha1,
            "file_sha256": file.sha256,
            "pipelines": [],
        },
    )


@delete("/projects/{id}/packages/{package_id}/package_files/{file_id}")
def remove_file(call: Call) -> Any:
    packages.delete_file(call.store, _package(call, access.MAINTAINER), call.number("file_id"))
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
