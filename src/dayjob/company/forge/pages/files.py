"""What is sent as it is: raw files of repositories, archives, attachments and pictures, in ways no browser will run."""

from __future__ import annotations

import mimetypes

import pygit2
from starlette.responses import Response

from dayjob.company.forge.errors import forbidden, not_found
from dayjob.company.forge.git.reading import entry_at
from dayjob.company.forge.pages.refs import at
from dayjob.company.forge.pages.routes import for_anyone, project, site
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store import access, avatars, projects, uploads

_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp", "image/x-icon", "image/svg+xml")


def file_response(data: bytes, name: str, *, download: bool = False) -> Response:
    """A file as its own content, in a way no browser will run."""
    guessed = mimetypes.guess_type(name)[0] or ""
    text = "application/octet-stream" if b"\0" in data[:8000] else "text/plain; charset=utf-8"
    headers = {
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        "x-content-type-options": "nosniff",
        "content-disposition": "attachment" if download else "inline",
    }
    return Response(data, media_type=guessed if guessed in _IMAGES else text, headers=headers)


@project("GET", "/raw/{where:rest}")
async def raw(visit: Visit) -> Response:
    if not visit.reads_code:
        raise forbidden()
    place = at(visit, visit.params["where"])
    blob = entry_at(place.commit, place.path)
    if not isinstance(blob, pygit2.Blob):
        raise not_found("File")
    return file_response(blob.data, place.path, download=visit.query.get("inline") == "false")


@project("GET", "/archive/{where:rest}")
async def archive(visit: Visit) -> Response:
    """`/-/archive/REF/NAME.zip`, as GitLab writes it."""
    ref, _, name = visit.params["where"].rpartition("/")
    form = next((one for one in ("tar.gz", "tar.bz2", "zip", "tar") if name.endswith(f".{one}")), "")
    if not ref or not form:
        raise not_found("File")
    return await visit.fetched(visit.at_project(f"/repository/archive.{form}"), {"sha": ref})


@for_anyone
@site("GET", "/uploads/-/system/{kind}/avatar/{id}/{name}")
async def avatar(visit: Visit) -> Response:
    name, blob = avatars.find(visit.store, visit.user, visit.params["kind"], visit.number("id"))
    return _sent(visit, name, blob)


def _sent(visit: Visit, name: str, blob: str) -> Response:
    return file_response(visit.forge.company.blobs.path(blob).read_bytes(), name)


@for_anyone
@site("GET", "/-/project/{id}/uploads/{secret}/{name}")
async def attachment(visit: Visit) -> Response:
    found = projects.find(visit.store, visit.number("id"))
    if found is None or not access.can_see_project(visit.store, visit.user, found):
        raise not_found()
    visit.project = found
    return attached(visit)


def attached(visit: Visit) -> Response:
    """A file somebody attached to a text of the project."""
    upload = uploads.by_secret(visit.store, visit.project, visit.params["secret"])
    return _sent(visit, upload.filename, upload.blob)
