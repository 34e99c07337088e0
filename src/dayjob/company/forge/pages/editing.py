"""Changing files in the browser: edit, create, upload, delete. On a branch one may not push to, it becomes a new
branch, and the page leads on to a merge request.
"""

from __future__ import annotations

import base64
import re
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from dayjob.company.forge.errors import refused
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.pages.code import file_at, trail
from dayjob.company.forge.pages.refs import At, at
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.visit import Visit
from dayjob.company.forge.store.protection import may_push


def own_branch(visit: Visit, ref: str) -> str:
    """A name nobody uses for a branch of the visitor's own: `sam.reed-main-patch-1`."""
    repo = visit.store.repos.open(visit.project.id)
    stem = re.sub(r"[^\w.-]+", "-", f"{visit.user.username if visit.user else 'patch'}-{ref}-patch")
    number = 1
    while ref_sha(repo, f"refs/heads/{stem}-{number}") is not None:
        number += 1
    return f"{stem}-{number}"


def branches(visit: Visit, place: At | None) -> dict[str, Any]:
    """Where the change may go, and what the form proposes."""
    ref = place.ref if place else visit.project.default_branch or "main"
    assert visit.user is not None
    why = may_push(visit.store, visit.user, visit.project, "branch", ref, empty=bool(visit.project.empty))
    direct = why is None and (place is None or place.branch)
    return {"ref": ref, "direct": direct, "target": ref if direct else own_branch(visit, ref)}


async def commit(visit: Visit, place: At | None, actions: list[dict[str, Any]], message: str, after: str) -> Response:
    """Make the commit and go where its result is seen: `after`, or the form of a merge request.

    In `after`, which is below the project's own address, `{branch}` stands for the branch that was committed to.
    """
    ref = place.ref if place else visit.project.default_branch or "main"
    target = visit.text("branch_name") or ref
    start = None if target == ref or place is None else ref
    await visit.ask(
        "POST", visit.at_project("/repository/commits"),
        {"branch": target, "commit_message": visit.raw("commit_message").strip() or message, "actions": actions,
         "start_branch": start},
    )  # fmt: skip
    if start is not None and visit.ticked("create_merge_request"):
        sides = {"merge_request[source_branch]": target, "merge_request[target_branch]": _base(visit, place)}
        return visit.back(f"{visit.base}/merge_requests/new?{urlencode(sides)}", f"Committed to {target}.")
    return visit.back(f"{visit.base}/{after.replace('{branch}', quote(target))}", f"Committed to {target}.")


def _base(visit: Visit, place: At | None) -> str:
    return place.ref if place is not None and place.branch else visit.project.default_branch or "main"


def _seen_at(file: str) -> str:
    return "blob/{branch}/" + quote(file)


def last_change(place: At) -> str:
    """The commit that last touched a file."""
    return str(next(reading.log(place.repo, [str(place.commit.id)], path=place.path), place.commit).id)


def refuse_overwriting(seen: str, last: str) -> None:
    if seen != last:
        raise refused(409, "Someone changed this file since you opened it. Compare before you save again.")


def must_write(visit: Visit) -> None:
    if not visit.may(30):
        raise refused(403, "403 Forbidden - Only developers of the project can change its files.")


@project("GET POST", "/edit/{where:rest}")
async def edit(visit: Visit) -> Response:
    must_write(visit)
    place, blob = file_at(visit)
    last = last_change(place)
    if visit.posted:
        name = visit.text("file_path", place.path)
        seen = visit.text("last_commit_sha")
        action: dict[str, Any] = {"action": "update", "file_path": place.path, "content": visit.raw("content")}
        if name != place.path:
            action |= {"action": "move", "file_path": name, "previous_path": place.path}
        with visit.attempt():
            if seen:
                refuse_overwriting(seen, last)
            return await commit(visit, place, [action], f"Update {place.name}", _seen_at(name))
    return visit.form_page(
        "edit.html", place=place, heading=f"Edit {place.name}",
        content=visit.raw("content") if visit.posted else reading.text(blob.data), binary=blob.is_binary,
        file=visit.text("file_path", place.path) if visit.posted else place.path, last=last,
        message=visit.raw("commit_message") or f"Update {place.name}", trail=trail(visit, place),
        cancel=f"{visit.base}/blob/{place.address}", **branches(visit, place),
    )  # fmt: skip


@project("GET POST", "/new/{where:rest}", "/new")
async def new(visit: Visit) -> Response:
    must_write(visit)
    place = None if visit.project.empty else at(visit, visit.params.get("where", ""))
    folder = f"{place.path}/" if place and place.path else ""
    if visit.posted:
        name = visit.text("file_path")
        action = {"action": "create", "file_path": name, "content": visit.raw("content")}
        with visit.attempt():
            if not name or name.endswith("/"):
                raise refused(400, "Give the file a name.")
            return await commit(visit, place, [action], f"Add {name.rpartition('/')[2]}", _seen_at(name))
    return visit.form_page(
        "edit.html", place=place, heading="New file",
        content=visit.raw("content") if visit.posted else "", binary=False, last="",
        file=visit.text("file_path") if visit.posted else folder, message=visit.raw("commit_message") or "Add a file",
        trail=trail(visit, place) if place else [], cancel=f"/{visit.project.full_path}", **branches(visit, place),
    )  # fmt: skip


@project("GET POST", "/upload/{where:rest}", "/upload")
async def upload(visit: Visit) -> Response:
    must_write(visit)
    place = None if visit.project.empty else at(visit, visit.params.get("where", ""))
    if visit.posted:
        file = visit.upload("file")
        with visit.attempt():
            if file is None:
                raise refused(400, "Choose a file to upload.")
            name = file.filename.replace("\\", "/").rpartition("/")[2]
            path = "/".join(filter(None, (place.path if place else "", name)))
            there = place is not None and reading.entry_at(place.commit, path) is not None
            content = base64.b64encode(file.data).decode()
            action = {"action": "update" if there else "create", "file_path": path, "content": content,
                      "encoding": "base64"}  # fmt: skip
            return await commit(visit, place, [action], f"Upload {name}", _seen_at(path))
    return visit.form_page(
        "upload.html", place=place, trail=trail(visit, place) if place else
        [], message=visit.raw("commit_message") or "Upload a file", **branches(visit, place),
    )  # fmt: skip


@project("GET POST", "/delete/{where:rest}")
async def delete(visit: Visit) -> Response:
    must_write(visit)
    place, _ = file_at(visit)
    if visit.posted:
        with visit.attempt():
            action = {"action": "delete", "file_path": place.path}
            return await commit(visit, place, [action], f"Delete {place.name}", "tree/{branch}")
    return visit.form_page(
        "delete.html", place=place, trail=trail(visit, place),
        message=visit.raw("commit_message") or f"Delete {place.name}", **branches(visit, place),
    )  # fmt: skip
