"""Search: by scope, everywhere, in a group or in a project; code too, line by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pygit2

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.api.routes import get
from dayjob.company.forge.git import reading
from dayjob.company.forge.shapes import issues as issue_shape
from dayjob.company.forge.shapes import merge_requests as request_shape
from dayjob.company.forge.shapes import projects as project_shape
from dayjob.company.forge.shapes import repository as code_shape
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, namespaces, visibility
from dayjob.company.forge.store.base import Listing, like
from dayjob.company.forge.store.issues import Issue
from dayjob.company.forge.store.merge_requests import MergeRequest
from dayjob.company.forge.store.milestones import Milestone
from dayjob.company.forge.store.notes import Note
from dayjob.company.forge.store.projects import Project
from dayjob.company.forge.store.users import User
from dayjob.company.forge.store.wikis import WikiPage

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


def _where(call: Call, within: list[int] | None, column: str) -> str:
    visible = access.visible_projects(call.user, column)
    return (
        visible if within is None else f"{visible} AND {column} IN ({','.join(str(one) for one in within) or 'NULL'})"
    )


def _search(call: Call, within: list[int] | None, project: Project | None) -> Any:
    call.signed_in()
    call.need("scope", "search")
    scope = call.choice("scope", SCOPES)
    words = like(call.filled("search"))
    if scope == "projects":
        listing = Listing(
            Project,
            "FROM projects p WHERE (p.name LIKE ? ESCAPE '\\' OR p.full_path LIKE ? ESCAPE '\\' OR "
            f"p.description LIKE ? ESCAPE '\\') AND {_where(call, within, 'p.id')}",
            [words] * 3,
            "p.id DESC",
            "p",
        )
        return call.listing(listing, lambda rows: project_shape.projects(call, rows, simple=True))
    if scope in ("issues", "work_items", "merge_requests"):
        kind: Any = MergeRequest if scope == "merge_requests" else Issue
        seen = visibility.requests(call.user) if kind is MergeRequest else visibility.issues(call.user)
        hidden = f" AND {seen}"
        state = call.choice("state", ("opened", "closed", "merged", "all"))
        if state and state != "all":
            hidden += f" AND t.state='{state}'"
        listing = Listing(
            kind,
            f"FROM {kind.TABLE} t WHERE (t.title LIKE ? ESCAPE '\\' OR t.description LIKE ? ESCAPE '\\') AND "
            f"{_where(call, within, 't.project_id')}{hidden}",
            [words] * 2,
            "t.id DESC",
            "t",
        )
        shape = request_shape.merge_requests if kind is MergeRequest else issue_shape.issues
        return call.listing(listing, lambda rows: shape(call, rows))
    if scope == "milestones":
        listing = Listing(
            Milestone,
            "FROM milestones m WHERE (m.title LIKE ? ESCAPE '\\' OR m.description LIKE ? ESCAPE '\\') AND "
            f"m.project_id IS NOT NULL AND {_where(call, within, 'm.project_id')}",
            [words] * 2,
            "m.id DESC",
            "m",
        )
        return call.listing(listing, lambda rows: [issue_shape.milestone(call, one) for one in rows])
    if scope == "users":
        listing = Listing(
            User,
            "FROM users WHERE (name LIKE ? ESCAPE '\\' OR username LIKE ? ESCAPE '\\' OR email=?) AND bot=0",
            [words, words, call.text("search")],
            "users.id ASC",
        )
        return call.listing(listing, lambda rows: [basic(call, one) for one in rows])
    if scope == "notes":
        listing = Listing(
            Note,
            "FROM notes n WHERE n.body LIKE ? ESCAPE '\\' AND n.system=0 AND "
            f"{_where(call, within, 'n.project_id')} AND {visibility.notes(call.user)}",
            [words],
            "n.id DESC",
            "n",
        )
        return call.listing(listing, lambda rows: issue_shape.notes(call, rows))
    if scope == "snippet_titles":
        rows = call.store.db.execute(
            f"SELECT id, title, project_id FROM snippets WHERE title LIKE ? ESCAPE '\\' AND "
            f"{visibility.snippets(call.user)}"
            + ("" if within is None else f" AND {_where(call, within, 'project_id')}"),
            (words,),
        ).fetchall()
        return call.paged(rows, lambda row: {"id": row[0], "title": row[1], "project_id": row[2]})
    if scope == "wiki_blobs":
        return _wiki(call, within, words)
    return _code(call, within, project, scope)


def _wiki(call: Call, within: list[int] | None, words: str) -> Any:
    pages = call.store.all(
        WikiPage,
        f"owner_type='project' AND content LIKE ? ESCAPE '\\' AND {_where(call, within, 'owner_id')} AND "
        f"{access.open_to(call.user, 'wiki', 'owner_id')} ORDER BY slug",
        words,
    )
    return call.paged(
        [
            {
                "basename": one.slug,
                "data": one.content[:1000],
                "path": f"{one.slug}.md",
                "filename": f"{one.slug}.md",
                "id": None,
                "ref": "main",
                "startline": 1,
                "project_id": one.owner_id,
                "group_id": None,
            }
            for one in pages
        ]
    )


def _code(call: Call, within: list[int] | None, project: Project | None, scope: str) -> Any:
    """Lines of files, or messages of commits, on the default branch (or the `ref` asked for)."""
    places = (
        [project]
        if project
        else call.store.all(Project, f"empty=0 AND {_where(call, within, 'id')} ORDER BY id LIMIT 100")
    )
    found: list[Any] = []
    for one in places:
        if not access.may_read_code(call.store, call.user, one):
            continue
        repo = call.store.repos.open(one.id)
        head = reading.resolve(repo, call.text("ref") or one.default_branch or "main")
        if head is None:
            continue
        if scope == "commits":
            wanted = call.filled("search").lower()
            found += [
                {**code_shape.commit(call, one, commit), "project_id": one.id}
                for commit in reading.log(repo, [str(head.id)])
                if wanted in reading.message_of(commit).lower() or str(commit.id).startswith(wanted)
            ]
        else:
            found += list(_lines(call, one, repo, head))
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
    return _search(
        call,
        call.store.values(f"SELECT id FROM projects WHERE namespace_id IN ({','.join('?' * len(below))})", *below),
        None,
    )


@get("/projects/{id}/search", "/projects/{id}/-/search")
def in_project(call: Call) -> Any:
    project = call.project()
    return _search(call, [project.id], project)
