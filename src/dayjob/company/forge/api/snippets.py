"""Snippets: personal and of projects."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import bad, forbidden, not_found
from dayjob.company.forge.rows.projects import Project, Snippet
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, projects, snippets, users
from dayjob.company.forge.store.base import Listing


def _shape(call: Call, row: Snippet) -> dict[str, Any]:
    path = projects.path_of(call.store, row.project_id) if row.project_id else None
    web = f"{call.base}{f'/{path}' if path else ''}/-/snippets/{row.id}"
    names = list(row.contents)
    return {
        "id": row.id,
        "title": row.title,
        "description": row.description,
        "visibility": row.visibility,
        "author": basic(call, users.by_id(call.store, row.author_id)),
        "created_at": row.created_at,
        "updated_at": row.updated_at,
        "project_id": row.project_id,
        "web_url": web,
        "raw_url": f"{web}/raw",
        "ssh_url_to_repo": None,
        "http_url_to_repo": f"{web}.git",
        "file_name": names[0] if names else "",
        "files": [{"path": name, "raw_url": f"{web}/raw/main/{name}"} for name in names],
        "imported": False,
        "imported_from": "none",
        "repository_storage": "default",
    }


def _project(call: Call) -> Project | None:
    return call.project() if "id" in call.path else None


def _found(call: Call, *, write: bool = False) -> Snippet:
    project = _project(call)
    snippet = snippets.find(call.store, call.user, project, call.number("snippet_id"))
    if write:
        snippets.check_may_change(call.store, call.me, project, snippet)
    return snippet


def _listed(call: Call, listing: Listing) -> Any:
    return call.listing(listing, lambda rows: [_shape(call, row) for row in rows])


@get("/snippets")
def mine(call: Call) -> Any:
    return _listed(call, snippets.by_author(call.me))


@get("/snippets/public")
def public(call: Call) -> Any:
    return _listed(call, snippets.public())


@get("/snippets/all")
def everyones(call: Call) -> Any:
    return _listed(call, snippets.visible_to(call.me))


@get("/projects/{id}/snippets")
def of_project(call: Call) -> Any:
    return _listed(call, snippets.of_project(call.user, call.project()))


def _files(call: Call) -> dict[str, str] | None:
    listed = call.args.get("files")
    if isinstance(listed, dict):
        listed = list(listed.values())
    if isinstance(listed, list):
        found = {}
        for one in listed:
            if not isinstance(one, dict) or not one.get("file_path"):
                raise bad("files[0][file_path] is missing")
            found[str(one["file_path"])] = str(one.get("content") or "")
        return found
    if call.has("content") or call.has("file_name"):
        return {call.text("file_name") or "snippetfile1.txt": call.text("content", "")}
    return None


@post("/snippets", "/projects/{id}/snippets")
def create(call: Call) -> Any:
    project = _project(call)
    me = call.me
    if project is not None and access.project_level(call.store, me, project) < access.REPORTER:
        raise forbidden()
    call.need("title")
    files = _files(call)
    if not files:
        raise bad("files, content are missing, exactly one parameter must be provided")
    snippet = snippets.create(
        call.store,
        me,
        project,
        title=call.filled("title"),
        description=call.text("description"),
        visibility=call.choice("visibility", ("private", "internal", "public"), "private"),
        files=files,
        user_agent=call.request.headers.get("user-agent", "unknown"),
    )
    return created(_shape(call, snippet))


ONE = ("/snippets/{snippet_id}", "/projects/{id}/snippets/{snippet_id}")


@get(*ONE)
def show(call: Call) -> Any:
    return _shape(call, _found(call))


@put(*ONE)
def change(call: Call) -> Any:
    row = _found(call, write=True)
    values: dict[str, Any] = {name: call.text(name) for name in ("title", "description") if call.text(name) is not None}
    if call.has("visibility"):
        values["visibility"] = call.choice("visibility", ("private", "internal", "public"))
    files = row.contents
    listed = call.args.get("files")
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict):
            path, before = str(one.get("file_path") or ""), str(one.get("previous_path") or "")
            if one.get("action") == "delete":
                files.pop(path, None)
            elif one.get("action") == "move":
                files[path] = str(one.get("content") if one.get("content") is not None else files.get(before, ""))
                files.pop(before, None)
            else:
                files[path] = str(one.get("content") or "")
    if not isinstance(listed, list) and files and (call.has("file_name") or call.has("content")):
        first = next(iter(files))
        text = call.text("content", files[first])
        files = {
            (call.text("file_name") or first) if name == first else name: (text if name == first else kept)
            for name, kept in files.items()
        }
    snippets.change(call.store, row, values, files)
    return _shape(call, _found(call))


@delete(*ONE)
def remove(call: Call) -> Any:
    snippets.delete(call.store, _found(call, write=True))
    return no_content()


@get(*(f"{one}/raw" for one in ONE))
def raw(call: Call) -> Any:
    contents = _found(call).contents
    return Response(
        next(iter(contents.values()), ""), media_type="text/plain", headers={"x-content-type-options": "nosniff"}
    )


@get(*(f"{one}/files/{{ref}}/{{file_path}}/raw" for one in ONE))
def raw_file(call: Call) -> Any:
    contents = _found(call).contents
    if call.path["file_path"] not in contents:
        raise not_found("File")
    return Response(
        contents[call.path["file_path"]], media_type="text/plain", headers={"x-content-type-options": "nosniff"}
    )


@get(*(f"{one}/user_agent_detail" for one in ONE))
def user_agent(call: Call) -> Any:
    call.admin()
    _found(call)
    # GitLab keeps this only of snippets made in a browser, and answers so for all others.
    raise not_found("UserAgentDetail")
