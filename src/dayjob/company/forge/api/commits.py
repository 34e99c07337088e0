"""Commits: log, one commit, its difference and refs, statuses, making them, cherry-pick and revert."""

from __future__ import annotations

import asyncio
from datetime import datetime
from itertools import islice
from typing import Any

import pygit2

from dayjob.company.clock import moment
from dayjob.company.forge.api import code
from dayjob.company.forge.api.call import Call, Json, created
from dayjob.company.forge.api.routes import get, post
from dayjob.company.forge.errors import bad, not_found, refused
from dayjob.company.forge.git import differences, reading
from dayjob.company.forge.git.opening import Moved
from dayjob.company.forge.git.repositories import RefMoved, ref_sha, set_ref
from dayjob.company.forge.git.writing import ACTIONS, CommitRefused, Conflict, replay
from dayjob.company.forge.merging import author
from dayjob.company.forge.rows.items import Note
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.shapes import repository as shape
from dayjob.company.forge.shapes.ci import status as status_shape
from dayjob.company.forge.shapes.merge_requests import merge_requests as shape_requests
from dayjob.company.forge.shapes.users import basic
from dayjob.company.forge.store import access, commit_statuses, commits, notes, users

COMMIT = "/projects/{id}/repository/commits/{sha}"


def _when(call: Call, name: str) -> datetime | None:
    text = call.text(name)
    if not text:
        return None
    try:
        return moment(text)
    except ValueError:
        raise bad(f"{name} is invalid") from None


@get("/projects/{id}/repository/commits")
async def log(call: Call) -> Any:
    project, repo = code.repository(call)
    page, per_page = call.paging()
    if project.empty:
        return Json([], headers=call.page_headers(page, per_page, None, False))
    if call.boolean("all"):
        starts = [
            str(repo[ref_sha(repo, one) or ""].peel(pygit2.Commit).id)
            for one in repo.references
            if one.startswith(("refs/heads/", "refs/tags/"))
        ]
    else:
        ref = call.text("ref_name") or call.text("ref") or project.default_branch or "main"
        _, dots, end = ref.partition("..")
        head = reading.resolve(repo, end if dots and end else ref)
        if head is None:
            raise not_found("Commit")
        starts = [str(head.id)]
    hide = []
    if ".." in (call.text("ref_name") or ""):
        base = reading.resolve(repo, call.text("ref_name").partition("..")[0])
        hide = [str(base.id)] if base else []
    path = call.text("path", "").strip("/")
    call.choice("order", ("default", "topo"))
    options: dict[str, Any] = {
        "path": path, "since": _when(call, "since"), "until": _when(call, "until"), "author": call.text("author", ""),
        "first_parent": bool(call.boolean("first_parent")), "hide": hide,
    }  # fmt: skip
    first = (page - 1) * per_page
    found = list(islice(reading.log(repo, starts, **options), first, first + per_page + 1))
    stats = bool(call.boolean("with_stats"))
    shown = [
        {
            **shape.commit(call, project, one),
            **({"stats": shape.commit_detail(call, project, repo, one)["stats"]} if stats else {}),
        }
        for one in found[:per_page]
    ]
    return Json(shown, headers=call.page_headers(page, per_page, None, len(found) > per_page))


@post("/projects/{id}/repository/commits")
async def create(call: Call) -> Any:
    project = call.project()
    call.signed_in()
    call.need("branch", "commit_message", "actions")
    actions = call.args["actions"]
    if isinstance(actions, dict):
        actions = list(actions.values())
    if not isinstance(actions, list) or not all(isinstance(one, dict) for one in actions):
        raise bad("actions is invalid")
    for one in actions:
        if one.get("action") not in ACTIONS:
            raise bad("actions[0][action] does not have a valid value")
        if not one.get("file_path"):
            raise bad("actions[0][file_path] is missing")
        one["execute_filemode"] = str(one.get("execute_filemode", "")).lower() in ("true", "1")
    start = call.text("start_sha") or call.text("start_branch")
    sha = await code.commit(call, project, call.filled("branch"), start, actions, force=bool(call.boolean("force")))
    repo = call.store.repos.open(project.id)
    found = reading.commit_of(repo, sha)
    assert found is not None
    return created(shape.commit_detail(call, project, repo, found, stats=bool(call.boolean("stats", True))))


def _commit(call: Call) -> tuple[Project, pygit2.Repository, pygit2.Commit]:
    project, repo = code.repository(call)
    return project, repo, code.commit_at(call, project, repo, call.path["sha"])


@get(COMMIT)
def show(call: Call) -> Any:
    project, repo, found = _commit(call)
    return shape.commit_detail(call, project, repo, found, stats=bool(call.boolean("stats", True)))


@get(f"{COMMIT}/diff")
async def diff(call: Call) -> Any:
    _, repo, found = _commit(call)
    folder, sha = repo.path, str(found.id)

    def find() -> list[dict[str, Any]]:
        own = pygit2.Repository(folder)
        commit = own[sha]
        assert isinstance(commit, pygit2.Commit)
        return differences.file_diffs(
            own, differences.diff_trees(own, commit.parents[0] if commit.parents else None, commit)
        )

    return call.paged(await asyncio.to_thread(find))


@get(f"{COMMIT}/refs")
def refs(call: Call) -> Any:
    _, repo, found = _commit(call)
    kind = call.choice("type", ("branch", "tag", "all"), "all")
    listed = []
    for name in repo.references:
        for prefix, what in (("refs/heads/", "branch"), ("refs/tags/", "tag")):
            if name.startswith(prefix) and kind in (what, "all"):
                tip = reading.resolve(repo, name)
                if tip is not None and reading.is_ancestor(repo, str(found.id), str(tip.id)):
                    listed.append({"type": what, "name": name.removeprefix(prefix)})
    return call.paged(listed)


@get(f"{COMMIT}/sequence")
def sequence(call: Call) -> Any:
    _, repo, found = _commit(call)
    return {"count": reading.count_commits(repo, str(found.id))}


@get(f"{COMMIT}/merge_requests")
def merge_requests(call: Call) -> Any:
    project, _, found = _commit(call)
    if not access.may_use(call.store, call.user, project, "merge_requests"):
        return call.paged([])
    requests = commits.merge_requests(call.store, project, str(found.id))
    if call.text("state"):
        requests = [request for request in requests if request.state == call.text("state")]
    return call.paged(shape_requests(call, requests))


@get(f"{COMMIT}/signature")
def signature(call: Call) -> Any:
    _commit(call)
    raise not_found("Signature")


# -- cherry-pick and revert --------------------------------------------------------------------------------------


async def _replay(call: Call, *, backwards: bool) -> Any:
    project, repo, found = _commit(call)
    branch = call.filled("branch")
    code.check_push(call, project, branch)
    ref = f"refs/heads/{branch}"
    tip = ref_sha(repo, ref)
    if tip is None:
        raise not_found("Branch")
    word = "revert" if backwards else "cherry-pick"
    who = author(call.store, call.me)
    text = reading.message_of(found)
    title = text.split("\n", 1)[0]
    if backwards:
        message = f'Revert "{title}"\n\nThis reverts commit {found.id}'
    else:
        message = call.text("message") or f"{text.rstrip()}\n\n(cherry picked from commit {found.id})"
    try:
        sha = replay(repo, found, tip, who, message, backwards=backwards)
        if call.boolean("dry_run"):
            return {"dry_run": "success"}
        set_ref(repo, ref, sha, tip)
    except (CommitRefused, Conflict, RefMoved) as error:
        empty = isinstance(error, CommitRefused)
        reason = (
            f"Sorry, we cannot {word} this commit automatically. This commit may already have been "
            f"{'reverted' if backwards else 'cherry-picked'}, or a more recent commit may have updated some of "
            "its content."
        )
        body = refused(400, reason)
        body.body["error_code"] = "empty" if empty else "conflict"
        raise body from error
    await code.settle(call, project, [Moved(ref, tip, sha)])
    made = reading.commit_of(repo, sha)
    assert made is not None
    return created(shape.commit(call, project, made))


@post(f"{COMMIT}/revert")
async def revert(call: Call) -> Any:
    return await _replay(call, backwards=True)


@post(f"{COMMIT}/cherry_pick")
async def cherry_pick(call: Call) -> Any:
    return await _replay(call, backwards=False)


# -- comments and statuses ---------------------------------------------------------------------------------------


def comment(call: Call, note: Note) -> dict[str, Any]:
    place = note.place or {}
    return {
        "note": note.body,
        "path": place.get("new_path"),
        "line": place.get("new_line"),
        "line_type": place.get("line_type"),
        "author": basic(call, users.by_id(call.store, note.author_id)),
        "created_at": note.created_at,
    }


@get(f"{COMMIT}/comments")
def comments(call: Call) -> Any:
    project, _, found = _commit(call)
    return call.paged(commits.comments(call.store, project, str(found.id)), lambda note: comment(call, note))


@post(f"{COMMIT}/comments")
def add_comment(call: Call) -> Any:
    project, _, found = _commit(call)
    body = call.filled("note")
    position = None
    if call.text("path"):
        position = {
            "new_path": call.text("path"),
            "new_line": call.integer("line"),
            "line_type": call.text("line_type", "new"),
        }
    note = notes.create(
        call.store, call.me, "Commit", project.id, project.id, body, commit_id=str(found.id), position=position
    )
    return created(comment(call, note))


@get(f"{COMMIT}/statuses")
def statuses(call: Call) -> Any:
    project, _, found = _commit(call)
    rows = commit_statuses.listed(
        call.store, project, str(found.id), earlier=bool(call.boolean("all")),
        **{name: call.text(name) for name in ("ref", "stage", "name", "pipeline_id")},
    )  # fmt: skip
    return call.paged(rows, lambda status: status_shape(call, status))


@post("/projects/{id}/statuses/{sha}")
def set_status(call: Call) -> Any:
    project, repo, found = _commit(call)
    call.require(project, access.DEVELOPER)
    call.need("state")
    state = call.choice("state", commit_statuses.STATES)
    name = call.text("name") or call.text("context") or "default"
    ref = call.text("ref") or next(
        (
            one.removeprefix("refs/heads/")
            for one in repo.references
            if one.startswith("refs/heads/") and ref_sha(repo, one) == str(found.id)
        ),
        project.default_branch,
    )
    status = commit_statuses.report(
        call.store, call.me, project, str(found.id), name, ref, state, description=call.text("description"),
        target_url=call.text("target_url"), coverage=_coverage(call),
    )  # fmt: skip
    return created(status_shape(call, status))


def _coverage(call: Call) -> float | None:
    text = call.text("coverage")
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        raise bad("coverage is invalid") from None
