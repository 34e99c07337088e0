"""Uploads: a form for several files, and for scripts one file a request with the question asked first."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.datastructures import UploadFile
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from dayjob.company.drive.api.dav import transfer
from dayjob.company.drive.checksums import HASH_LIMIT, Content, ContentWriter
from dayjob.company.drive.errors import BadRequest, Conflict, DriveError, Forbidden, InsufficientStorage
from dayjob.company.drive.names import free_name, join, name_of, name_problem
from dayjob.company.drive.pages.page import FILES, Form, Page, folder_address, page, path_of, see_other
from dayjob.company.drive.rows import CREATE, READ, Place
from dayjob.company.drive.store.view import LinkView, View
from dayjob.company.pages.words import size as in_words
from dayjob.http.bodies import declared_length
from dayjob.http.multipart import MultiPartException, read_form

_MOST_FILES = 200
_PIECE = 1024 * 1024
_FORM_EXTRA = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Target:
    """Where uploads go: a folder of one's own drive or of a public link."""

    view: View
    folder: Place

    @property
    def room(self) -> int:
        return self.view.drive.tree.room(self.folder.owner)

    @property
    def public(self) -> bool:
        return isinstance(self.view, LinkView)

    def told(self, name: str, path: str) -> str:
        """What the sender hears: through a link that shows nothing, not even that a name was taken."""
        return name_of(path) if self.folder.permissions & READ else name

    def taken(self) -> set[str]:
        assert self.folder.node is not None
        if self.public:
            return self.view.drive.tree.child_names(self.folder.node)
        return {name_of(one.seen) for one in self.view.entries(self.folder)}


def target_in(view: View, folder: str) -> Target:
    place = view.locate(path_of(folder))
    if place.node is None or not place.node.is_folder:
        raise BadRequest(f"There is no folder {folder}.")
    if not place.permissions & CREATE:
        raise Forbidden(f"You may not add files to {name_of(place.seen) or 'this folder'}.")
    return Target(view, place)


def check(target: Target, name: str, size: int) -> dict[str, object]:
    """What a script wants to know before it sends a file."""
    if problem := name_problem(name):
        return {"problem": f"“{name}” cannot be stored: {problem}."}
    if size > target.room:
        return {"problem": f"“{name}” is larger than the {in_words(target.room)} left in this drive."}
    # A visitor replaces nothing, so there is nothing to ask.
    return {"taken": not target.public and name in target.taken()}


def place_for(target: Target, name: str, conflict: str) -> str | None:
    """The path an upload is stored at; None when it is to be left out."""
    if problem := name_problem(name):
        raise BadRequest(f"“{name}” cannot be stored: {problem}.")
    taken = target.taken()
    if name not in taken or (conflict == "replace" and not target.public):
        return path_of(join(target.folder.seen, name))
    if conflict == "skip":
        return None
    if conflict == "both" or target.public:
        return path_of(join(target.folder.seen, free_name(name, taken)))
    raise Conflict(f"“{name}” is there already.")


def store(target: Target, path: str, content: Content) -> None:
    view = target.view
    place = view.check_write(path)
    view.require_unlocked(place, membership=place.node is None)
    view.put(path, content)


# -- a script sends one file --------------------------------------------------------------------------------------


async def take_one(page: Page, target: Target) -> Response:
    """The body is the file; `name` and `conflict` stand in the address."""
    name, conflict = page.query.get("name", ""), page.query.get("conflict", "")
    try:
        path = place_for(target, name, conflict)
        if path is None:
            return JSONResponse({"skipped": name})
        length = declared_length(page.request)
        if length is not None and length > target.room:
            raise InsufficientStorage(f"“{name}” is larger than the {in_words(target.room)} left in this drive.")
        content = await transfer.take(page.drive, page.request.receive, checksum=None, length=length, room=target.room)
        # The folder went on while the body arrived: the name may be taken by then.
        path = place_for(target, name, conflict) or path
        store(target, path, content)
    except DriveError as error:
        return JSONResponse({"problem": str(error)}, error.status)
    return JSONResponse({"saved": target.told(name, path)}, 201)


# -- a form sends several -----------------------------------------------------------------------------------------


async def read_upload(page: Page, room: int) -> tuple[Form, list[UploadFile]]:
    """The fields and files of a multipart form that says how long it is."""
    length = declared_length(page.request)
    if length is None:
        raise BadRequest("An upload must say how long it is.")
    if length > room + _FORM_EXTRA:
        raise InsufficientStorage(f"This is larger than the {in_words(room)} left in this drive.")
    try:
        parts = await read_form(
            page.request, page.drive.company.folder, limit=room + _FORM_EXTRA, files=_MOST_FILES, fields=100
        )
    except MultiPartException as error:
        raise BadRequest("The form cannot be read. Open the page again and send it once more.") from error
    fields = [(name, value) for name, value in parts.multi_items() if isinstance(value, str)]
    files = [value for _, value in parts.multi_items() if isinstance(value, UploadFile) and value.filename]
    return Form(fields), files


async def store_all(target: Target, files: list[UploadFile], conflict: str) -> tuple[list[str], list[str]]:
    """Store what can be stored; says what was, and why something was not."""
    saved: list[str] = []
    problems: list[str] = []
    for file in files:
        name = (file.filename or "").replace("\\", "/").rpartition("/")[2]
        try:
            path = place_for(target, name, conflict)
            if path is None:
                problems.append(f"“{name}” was there already and was left out.")
                continue
            store(target, path, await _keep(target, file))
            saved.append(target.told(name, path))
        except DriveError as error:
            problems.append(str(error))
    return saved, problems


async def _keep(target: Target, file: UploadFile) -> Content:
    size = file.size or 0
    if size > target.room:
        raise InsufficientStorage(f"“{file.filename}” is larger than the {in_words(target.room)} left in this drive.")
    writer = ContentWriter(target.view.drive.company.blobs.writer(HASH_LIMIT), None, size)
    try:
        while piece := await file.read(_PIECE):
            writer.write(piece)
        return writer.finish()
    except OSError as error:
        writer.discard()
        raise transfer.out_of_room(error) or error from error


def said(saved: list[str], problems: list[str]) -> str:
    words = f"“{saved[0]}” is uploaded." if len(saved) == 1 else f"{len(saved)} files are uploaded." if saved else ""
    return " ".join([words, *problems[:3]]).strip() or "No file was chosen."


# -- one's own drive ----------------------------------------------------------------------------------------------


@page("GET", "/apps/files/upload")
async def upload_form(page: Page) -> ASGIApp:
    target = target_in(page.view(), page.query.get("dir", "/"))
    folder = target.folder.seen
    return page.show(
        "upload.html", action=f"{FILES}/upload", folder=folder, here=name_of(folder) or "All files", room=target.room,
        back=folder_address(folder),
    )  # fmt: skip


@page("GET", "/apps/files/upload/check")
async def check_upload(page: Page) -> ASGIApp:
    target = target_in(page.view(), page.query.get("dir", "/"))
    return JSONResponse(check(target, page.query.get("name", ""), asked_size(page)))


def asked_size(page: Page) -> int:
    text = page.query.get("size", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


@page("PUT", "/apps/files/upload")
async def upload_one(page: Page) -> ASGIApp:
    page.user()
    page.require_token(Form([]))
    return await take_one(page, target_in(page.view(), page.query.get("dir", "/")))


@page("POST", "/apps/files/upload")
async def upload(page: Page) -> ASGIApp:
    view = page.view()
    form, files = await read_upload(page, page.drive.tree.room(view.username) + 10 * _FORM_EXTRA)
    page.require_token(form)
    target = target_in(view, form.get("dir", "/"))
    saved, problems = await store_all(target, files, form.get("conflict", "both"))
    return see_other(folder_address(target.folder.seen), said(saved, problems))
