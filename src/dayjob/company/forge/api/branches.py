"""Branches and tags."""

from __future__ import annotations

import re
from typing import Any

import pygit2

from dayjob.company.expressions import InvalidExpression, expression
from dayjob.company.forge.api import code
from dayjob.company.forge.api.call import Call, Json, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import bad, not_found, refused
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.opening import Moved
from dayjob.company.forge.git.repositories import ZERO, RefMoved, delete_ref, ref_sha, set_ref, valid_branch
from dayjob.company.forge.merging import author
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import repository as shape
from dayjob.company.forge.store import access, protection

BRANCHES = "/projects/{id}/repository/branches"
TAGS = "/projects/{id}/repository/tags"


def _names(repo: pygit2.Repository, prefix: str) -> list[str]:
    return sorted(name.removeprefix(prefix) for name in repo.references if name.startswith(prefix))


def _searched(call: Call, names: list[str]) -> list[str]:
    text = call.text("search")
    if text:
        wanted = text.strip("^$").lower()
        if text.startswith("^") and text.endswith("$"):
            names = [name for name in names if name.lower() == wanted]
        elif text.startswith("^"):
            names = [name for name in names if name.lower().startswith(wanted)]
        elif text.endswith("$"):
            names = [name for name in names if name.lower().endswith(wanted)]
        else:
            names = [name for name in names if wanted in name.lower()]
    if call.text("regex"):
        try:
            pattern = expression(call.text("regex"))
        except InvalidExpression as error:
            raise bad(f"regex is invalid: {error}") from None
        names = [name for name in names if pattern.found_in(name)]
    return names


@get(BRANCHES)
def branches(call: Call) -> Any:
    project, repo = code.repository(call)
    names = _searched(call, _names(repo, "refs/heads/"))
    sort = call.choice("sort", ("name_asc", "updated_asc", "updated_desc"))
    if sort in ("updated_asc", "updated_desc"):
        times = {
            name: (reading.resolve(repo, f"refs/heads/{name}") or code.commit_at(call, project, repo, None)).commit_time
            for name in names
        }
        names.sort(key=lambda name: times[name], reverse=sort == "updated_desc")
    return call.paged(names, lambda name: _branch(call, project, repo, name))


def _branch(call: Call, project: Project, repo: pygit2.Repository, name: str) -> dict[str, Any]:
    found = reading.commit_of(repo, ref_sha(repo, f"refs/heads/{name}"))
    if found is None:
        raise not_found("Branch")
    head = ref_sha(repo, f"refs/heads/{project.default_branch}") if project.default_branch != name else None
    merged = head is not None and reading.is_ancestor(repo, str(found.id), head)
    return shape.branch(call, project, name, found, merged)


@get(f"{BRANCHES}/{{branch}}")
def branch(call: Call) -> Any:
    project, repo = code.repository(call)
    return _branch(call, project, repo, call.path["branch"])


@post(BRANCHES)
async def create_branch(call: Call) -> Any:
    project, repo = code.repository(call)
    call.require(project, access.DEVELOPER)
    call.need("branch", "ref")
    name = call.filled("branch")
    if not valid_branch(name):
        raise refused(400, "Branch name is invalid")
    code.check_push(call, project, name)
    if project.empty:
        await _first_commit(call, project, call.filled("ref"))
        project = call.project()
    start = reading.resolve(repo, call.filled("ref"))
    if start is None:
        raise refused(400, f"Invalid reference name: {call.text('ref')}")
    if ref_sha(repo, f"refs/heads/{name}") is not None:
        raise refused(400, "Branch already exists")
    try:
        set_ref(repo, f"refs/heads/{name}", str(start.id), None)
    except RefMoved as error:
        raise refused(400, f"Failed to create branch '{name}': {error}") from error
    await code.settle(call, project, [Moved(f"refs/heads/{name}", ZERO, str(start.id))])
    return created(_branch(call, project, repo, name))


async def _first_commit(call: Call, project: Project, ref: str) -> None:
    """A branch asked of an empty project: the default branch comes into being first, with an empty README."""
    default = project.default_branch or "main"
    if ref == default:
        call.args["commit_message"] = "Add README.md"
        await code.commit(call, project, default, None, [{"action": "create", "file_path": "README.md", "content": ""}])


@delete(f"{BRANCHES}/{{branch}}")
async def delete_branch(call: Call) -> Any:
    project, repo = code.repository(call, access.DEVELOPER)
    name = call.path["branch"]
    old = ref_sha(repo, f"refs/heads/{name}")
    if old is None:
        raise not_found("Branch")
    protection.check_removal(call.store, call.me, project, name)
    delete_ref(repo, f"refs/heads/{name}")
    await code.settle(call, project, [Moved(f"refs/heads/{name}", old, ZERO)])
    return no_content()


@delete("/projects/{id}/repository/merged_branches")
async def delete_merged(call: Call) -> Any:
    project, repo = code.repository(call, access.DEVELOPER)
    head = ref_sha(repo, f"refs/heads/{project.default_branch}")
    moved = []
    for name in _names(repo, "refs/heads/"):
        sha = ref_sha(repo, f"refs/heads/{name}")
        if (
            name != project.default_branch
            and sha
            and head
            and reading.is_ancestor(repo, sha, head)
            and not protection.rules(call.store, project, "branch", name)
        ):
            delete_ref(repo, f"refs/heads/{name}")
            moved.append(Moved(f"refs/heads/{name}", sha, ZERO))
    if moved:
        await code.settle(call, project, moved)
    return Json({"message": "202 Accepted"}, 202)


@put(f"{BRANCHES}/{{branch}}/protect")
def old_protect(call: Call) -> Any:
    project, repo = code.repository(call, access.MAINTAINER)
    branch = _branch(call, project, repo, call.path["branch"])
    push = 30 if call.boolean("developers_can_push") else 40
    merge = 30 if call.boolean("developers_can_merge") else 40
    protection.protect(call.store, project, "branch", branch["name"], push_level=push, merge_level=merge)
    return _branch(call, project, repo, branch["name"])


@put(f"{BRANCHES}/{{branch}}/unprotect")
def old_unprotect(call: Call) -> Any:
    project, repo = code.repository(call, access.MAINTAINER)
    protection.unprotect(call.store, project, "branch", call.path["branch"])
    return _branch(call, project, repo, call.path["branch"])


# -- tags --------------------------------------------------------------------------------------------------------


@get(TAGS)
def tags(call: Call) -> Any:
    project, repo = code.repository(call)
    names = _searched(call, _names(repo, "refs/tags/"))
    order = call.choice("order_by", ("updated", "name", "version"), "updated")
    down = call.choice("sort", ("asc", "desc"), "desc") == "desc"
    if order == "name":
        names.sort(reverse=down)
    elif order == "version":
        names.sort(
            key=lambda name: [(int(one) if one.isdigit() else -1, one) for one in re.split(r"(\d+)", name)],
            reverse=down,
        )
    else:
        names.sort(
            key=lambda name: (code.commit_at(call, project, repo, f"refs/tags/{name}").commit_time, name), reverse=down
        )
    return call.paged(
        names, lambda name: shape.tag(call, project, repo, name, ref_sha(repo, f"refs/tags/{name}") or "")
    )


def _tag(call: Call, project: Project, repo: pygit2.Repository) -> tuple[str, str]:
    name = call.path["tag"]
    sha = ref_sha(repo, f"refs/tags/{name}")
    if sha is None:
        raise not_found("Tag")
    return name, sha


@get(f"{TAGS}/{{tag}}")
def tag(call: Call) -> Any:
    project, repo = code.repository(call)
    return shape.tag(call, project, repo, *_tag(call, project, repo))


def make_tag(call: Call, project: Project, repo: pygit2.Repository, name: str, ref: str, message: str | None) -> Moved:
    """Write a tag; annotated when it has a message."""
    if not valid_branch(name):
        raise refused(400, "Tag name invalid")
    refusal = protection.may_push(call.store, call.me, project, "tag", name)
    if refusal:
        raise refused(400, refusal)
    if ref_sha(repo, f"refs/tags/{name}") is not None:
        raise refused(400, f"Tag {name} already exists")
    start = reading.resolve(repo, ref)
    if start is None:
        raise refused(400, f"Target {ref} is invalid")
    sha = str(start.id)
    if message:
        who = author(call.store, call.me).signature()
        # libgit2 writes the ref along with the object.
        sha = str(repo.create_tag(name, start.id, pygit2.enums.ObjectType.COMMIT, who, message))
        return Moved(f"refs/tags/{name}", ZERO, sha)
    try:
        set_ref(repo, f"refs/tags/{name}", sha, None)
    except RefMoved as error:
        raise refused(400, f"Failed to create tag '{name}': {error}") from error
    return Moved(f"refs/tags/{name}", ZERO, sha)


@post(TAGS)
async def create_tag(call: Call) -> Any:
    project, repo = code.repository(call)
    call.require(project, access.DEVELOPER)
    call.need("tag_name", "ref")
    moved = make_tag(call, project, repo, call.filled("tag_name"), call.filled("ref"), call.text("message"))
    await code.settle(call, project, [moved])
    return created(shape.tag(call, project, repo, call.text("tag_name"), moved.new))


@delete(f"{TAGS}/{{tag}}")
async def delete_tag(call: Call) -> Any:
    project, repo = code.repository(call, access.DEVELOPER)
    name, sha = _tag(call, project, repo)
    refusal = protection.may_push(call.store, call.me, project, "tag", name, deleting=True)
    if refusal:
        raise refused(403, f"403 Forbidden - {refusal}")
    delete_ref(repo, f"refs/tags/{name}")
    await code.settle(call, project, [Moved(f"refs/tags/{name}", sha, ZERO)])
    return no_content()


@get(f"{TAGS}/{{tag}}/signature")
def tag_signature(call: Call) -> Any:
    project, repo = code.repository(call)
    _tag(call, project, repo)
    raise not_found("Signature")
