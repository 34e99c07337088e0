"""Files that come with a request: pictures of people, groups and projects, and attachments to text."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.api.arguments import Upload
from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post
from dayjob.company.forge.errors import bad, invalid, refused
from dayjob.company.forge.store import access, uploads

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
    name = clean(file.filename)
    blob = call.forge.company.blobs.put(file.data)
    stored = uploads.add(call.store, call.me, project, name, blob.size, blob.hash)
    url = f"/uploads/{stored.secret}/{name}"
    picture = name.rpartition(".")[2].lower() in (*IMAGES, "svg")
    return created(
        {
            "id": stored.id,
            "alt": name.rpartition(".")[0] if picture else name,
            "url": url,
            "full_path": f"/-/project/{project.id}{url}",
            "markdown": f"{'!' if picture else ''}[{name}]({url})",
        }
    )


@get("/projects/{id}/uploads")
def project_uploads(call: Call) -> Any:
    return call.paged(
        uploads.of_project(call.store, call.project(access.MAINTAINER)),
        lambda stored: {
            "id": stored.id,
            "size": stored.size,
            "filename": stored.filename,
            "created_at": stored.created_at,
            "uploaded_by": stored.user_id,
        },
    )


@delete("/projects/{id}/uploads/{upload_id}")
def delete_upload(call: Call) -> Any:
    uploads.delete(call.store, call.project(access.MAINTAINER), call.number("upload_id"))
    return no_content()
