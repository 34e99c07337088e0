"""Search: by scope, everywhere, in a group or in a project; code too, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pygit2

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.routes import get
from dayjob.company.forge.git import reading
from dayjob.company.forge.rows.projects import Project, WikiPage
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.shapes import merge_requests as request_shape
from dayjob.company.forge.shapes import projects as project_shape
from dayjob.company.forge.shapes import repository as code_shape
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, namespaces, projects, search

SCOPES = (
    "projects",
    "issues",
    "merge_requests",
    "milestones",
    "snippet_titles",
    "users",
    "wiki_blobs",
    "commits",
    "blobs",
    "notes",
    "work_items",
)
CODE_LIMIT = 200
FILE_LIMIT = 1_000_000
"""Larger files are not searched."""
SEARCHED_LIMIT = 8 * 1024 * 1024
"""Bytes of code that one search looks through in a project; files that no longer fit are left out."""


def _search(call: Call, within: list[int] | None, project: Project | None) -> Any:
    """Whatever of the scope has the text in it: everywhere, or in the projects of `within`."""
    me = call.me
    call.need("scope", "search")
    scope = call.choice("scope", SCOPES)
    text = call.filled("search")
    if scope == "projects":
        return call.listing(
            search.projects(me, text, within), lambda rows: project_shape.projects(call, rows, simple=True)
        )
    if scope in ("issues", "work_items"):
        return call.listing(search.issues(me, text, within, _state(call)), lambda rows: issue_shape.issues(call, rows))
    if scope == "merge_requests":
        return call.listing(
            search.merge_requests(me, text, within, _state(call)), lambda rows: request_shape.merge_requests(call, rows)
        )
    if scope == "milestones":
        return call.listing(
            search.milestones(me, text, within), lambda rows: [issue_shape.milestone(call, row) for row in rows]
        )
    if scope == "users":
        return call.listing(search.people(text), lambda rows: [basic(call, user) for user in rows])
    if scope == "notes":
        return call.listing(search.notes(me, text, within), lambda rows: issue_shape.notes(call, rows))
    if scope == "snippet_titles":
        snippets = search.snippet_titles(call.store, me, text, within)
        return call.paged(snippets, lambda row: {"id": row.id, "title": row.title, "project_id": row.project_id})
    if scope == "wiki_blobs":
        return call.paged(search.wiki_pages(call.store, me, text, within), _wiki_page)
    if project is None:
        return _code(call, search.projects_with_code(call.store, me, within), scope)
    return _code(call, [project] if access.may_read_code(call.store, me, project) else [], scope)


def _state(call: Call) -> str | None:
    state: str | None = call.choice("state", ("opened", "closed", "merged", "all"))
    return None if state == "all" else state


def _wiki_page(page: WikiPage) -> dict[str, Any]:
    return {
        "basename": page.slug,
        "data": page.content[:1000],
        "path": f"{page.slug}.md",
        "filename": f"{page.slug}.md",
        "id": None,
        "ref": "main",
        "startline": 1,
        "project_id": page.owner_id,
        "group_id": None,
    }


def _code(call: Call, readable: list[Project], scope: str) -> Any:
    """Lines of files, or messages of commits, on the default branch (or the `ref` asked for)."""
    found: list[Any] = []
    for project in readable:
        repo = call.store.repos.open(project.id)
        head = reading.resolve(repo, call.text("ref") or project.default_branch or "main")
        if head is None:
            continue
        if scope == "commits":
            wanted = call.filled("search").lower()
            found += [
                {**code_shape.commit(call, project, commit), "project_id": project.id}
                for commit in reading.log(repo, [str(head.id)])
                if wanted in reading.message_of(commit).lower() or str(commit.id).startswith(wanted)
            ]
        else:
            found += list(_lines(call, project, repo, head))
        if len(found) > CODE_LIMIT:
            break
    return call.paged(found[:CODE_LIMIT])


def _lines(call: Call, project: Project, repo: pygit2.Repository, head: pygit2.Commit) -> Iterator[dict[str, Any]]:
    words = [one for one in call.filled("search").split() if not one.startswith(("filename:", "path:", "extension:"))]
    only = {key: value for key, _, value in (one.partition(":") for one in call.filled("search").split()) if value}
    wanted = " ".join(words).lower()
    searched = 0
    for entry in reading.tree_entries(head.tree, recursive=True):
        if entry.type != "blob" or only.get("filename", "") not in entry.name or only.get("path", "") not in entry.path:
            continue
        if "extension" in only and not entry.name.endswith(f".{only['extension']}"):
            continue
        size = reading.size_of(repo, entry.id)
        if size > FILE_LIMIT or searched + size > SEARCHED_LIMIT:
            continue
        searched += size
        blob = repo[entry.id]
        if not isinstance(blob, pygit2.Blob) or blob.is_binary:
            continue
        lines = reading.text(blob.data).splitlines()
        at = next((number for number, line in enumerate(lines) if wanted in line.lower()), None)
        if at is None:
            if not wanted or wanted not in entry.path.lower():
                continue
            at = 0
        start = max(0, at - 1)
        yield {
            "basename": entry.path.rpartition(".")[0] or entry.path,
            "data": "\n".join(lines[start : at + 2]) + "\n",
            "path": entry.path,
            "filename": entry.path,
            "id": None,
            "ref": call.text("ref") or project.default_branch,
            "startline": start + 1,
            "project_id": project.id,
        }


@get("/search")
def everywhere(call: Call) -> Any:
    return _search(call, None, None)


@get("/groups/{id}/search", "/groups/{id}/-/search")
def in_group(call: Call) -> Any:
    below = namespaces.descendants(call.store, call.group().id)
    return _search(call, projects.in_groups(call.store, below), None)


@get("/projects/{id}/search", "/projects/{id}/-/search")
def in_project(call: Call) -> Any:
    project = call.project()
    return _search(call, [project.id], project)
