"""Files that come with a request: pictures of people, groups and projects, and attachments to text."""

from __future__ import annotations

import secrets
from typing import Any

from dayjob.company.forge.api.arguments import Upload, bad
from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post
from dayjob.company.forge.store import access
from dayjob.company.forge.store.base import invalid, not_found, refused

IMAGES = ("png", "jpg", "jpeg", "gif", "bmp", "tiff", "ico", "webp")
AVATAR_LIMIT = 200 * 1024
UPLOAD_LIMIT = 100 * 1024 * 1024


def keep_avatar(call: Call, image: Upload) -> str:
    """Store a picture; what comes back goes to the `avatar` column."""
    name = clean(image.filename)
    if name.rpartition(".")[2].lower() not in IMAGES:
        raise invalid(
            avatar=[
                f"file format is not supported. Please try one of the following supported formats: {', '.join(IMAGES)}"
            ]
        )
    if len(image.data) > AVATAR_LIMIT:
        raise invalid(avatar=["is too big (should be at most 200 KiB)"])
    return f"{call.forge.company.blobs.put(image.data).hash}:{name}"


def clean(filename: str) -> str:
    """A file name that is one: no folders, no odd characters."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    kept = "".join(one if one.isalnum() or one in "._-" else "_" for one in name)
    return kept.strip(".") or "file"


@post("/projects/{id}/uploads")
def upload(call: Call) -> Any:
    project = call.project()
    call.signed_in()
    file = call.file("file")
    if file is None:
        raise bad("file is missing")
    if len(file.data) > UPLOAD_LIMIT:
        raise refused(413, "413 Request Entity Too Large")
    secret, name = secrets.token_hex(16), clean(file.filename)
    blob = call.forge.company.blobs.put(file.data)
    upload_id = call.store.insert(
        "uploads",
        project_id=project.id,
        secret=secret,
        filename=name,
        size=blob.size,
        blob=blob.hash,
        user_id=call.me.id,
        created_at=call.store.now(),
    )
    url = f"/uploads/{secret}/{name}"
    picture = name.rpartition(".")[2].lower() in (*IMAGES, "svg")
    return created(
        {
            "id": upload_id,
            "alt": name.rpartition(".")[0] if picture else name,
            "url": url,
            "full_path": f"/-/project/{project.id}{url}",
            "markdown": f"{'!' if picture else ''}[{name}]({url})",
        }
    )


@get("/projects/{id}/uploads")
def uploads(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    rows = call.store.db.execute(
        "SELECT id, size, filename, created_at, user_id FROM uploads WHERE project_id=? ORDER BY id DESC", (project.id,)
    ).fetchall()
    return call.paged(
        rows, lambda row: dict(zip(("id", "size", "filename", "created_at", "uploaded_by"), row, strict=True))
    )


@delete("/projects/{id}/uploads/{upload_id}")
def delete_upload(call: Call) -> Any:
    project = call.project(access.MAINTAINER)
    if not call.store.value("SELECT 1 FROM uploads WHERE id=? AND project_id=?", call.number("upload_id"), project.id):
        raise not_found()
    call.store.delete("uploads", call.number("upload_id"))
    return no_content()
