"""What every endpoint on code needs: the repository, the commit a `ref` means, committing for the caller."""

from __future__ import annotations

import asyncio
from typing import Any

import pygit2

from dayjob.company.forge.api.call import Call
from dayjob.company.forge.errors import Refused, bad_request, forbidden, not_found, refused
from dayjob.company.forge.git.opening import Moved
from dayjob.company.forge.git.reading import resolve
from dayjob.company.forge.git.repositories import ZERO, RefMoved, ref_sha
from dayjob.company.forge.git.writing import Author, CommitRefused, commit_actions, content_size
from dayjob.company.forge.merging import author
from dayjob.company.forge.pushes import abroad, noticed, pushed
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access
from dayjob.company.forge.store.protection import may_push
from dayjob.company.quota import OutOfSpace

AT_ONCE = 100
"""A commit with more actions is made in a thread, so that nobody else waits for it."""


def repository(call: Call, level: int = 0) -> tuple[Project, pygit2.Repository]:
    """The project and its repository, if the caller may read code."""
    project = call.code_project(level)
    return project, call.store.repos.open(project.id)


def commit_at(
    call: Call, project: Project, repo: pygit2.Repository, ref: str | None, what: str = "Commit"
) -> pygit2.Commit:
    """The commit a ref means; without one, the default branch's."""
    found = resolve(repo, ref if ref and ref != "HEAD" else project.default_branch or "main")
    if found is None:
        raise not_found(what)
    return found


def signer(call: Call) -> tuple[Author, Author]:
    """(author, committer) of a commit made through the API."""
    me = author(call.store, call.me)
    name, email = call.text("author_name"), call.text("author_email")
    return Author(name or me.name, email or me.email, me.time), me


def check_push(call: Call, project: Project, branch: str) -> None:
    call.signed_in()
    if project.archived:
        raise forbidden()
    reason = may_push(call.store, call.me, project, "branch", branch, empty=bool(project.empty))
    if reason:
        if access.project_level(call.store, call.user, project) < access.DEVELOPER:
            raise Refused(403, {"message": "403 Forbidden"})
        raise refused(400, "You are not allowed to push into this branch")


async def commit(
    call: Call, project: Project, branch: str, start: str | None, actions: list[dict[str, Any]], *, force: bool = False
) -> str:
    """Commit actions on a branch for the caller, and let the forge notice. Returns the new SHA."""
    check_push(call, project, branch)
    repo = call.store.repos.open(project.id)
    ref = f"refs/heads/{branch}"
    current = ref_sha(repo, ref)
    base = current
    if start is not None:
        found = resolve(repo, start)
        if found is None:
            raise refused(
                400,
                f"Cannot find start_branch '{start}'"
                if not project.empty
                else "You can only create or edit files when you are on a branch",
            )
        if current is not None and not force and current != str(found.id):
            raise refused(
                400, f"A branch called '{branch}' already exists. Switch to that branch in order to make changes"
            )
        base = str(found.id)
    elif current is None and not project.empty:
        raise refused(400, "You can only create or edit files when you are on a branch")
    who, committer = signer(call)
    message = call.text("commit_message") or "Update"
    try:
        call.store.repos.take(project.id, content_size(actions))
        if len(actions) > AT_ONCE:
            own = pygit2.Repository(repo.path)
            sha = await asyncio.to_thread(commit_actions, own, branch, base, actions, message, who, committer, current)
        else:
            sha = commit_actions(repo, branch, base, actions, message, who, committer, current)
    except CommitRefused as error:
        raise refused(400, str(error)) from error
    except OutOfSpace as error:
        raise refused(400, "Your changes could not be committed: there is no storage left.") from error
    except RefMoved as error:
        raise refused(400, "Could not update branch. Please refresh and try again.") from error
    except (pygit2.GitError, ValueError) as error:
        raise bad_request(str(error)) from error
    await settle(call, project, [Moved(ref, current or ZERO, sha)])
    return sha


async def settle(call: Call, project: Project, moved: list[Moved]) -> None:
    """The forge takes note of refs the API moved; stays on the loop unless commits must travel to another project."""
    if abroad(call.store, project, moved):
        await pushed(call.forge, call.me, project, moved)
    else:
        noticed(call.store, call.me, project, moved, [])
