"""Single files of a repository: read, raw, blame, create, change, delete."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import subprocess
from typing import Any

import pygit2
from starlette.responses import Response

from dayjob.company.forge.api import code
from dayjob.company.forge.api.call import Call, created, no_content
from dayjob.company.forge.api.routes import delete, get, post, put
from dayjob.company.forge.errors import bad, not_found, refused
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.repositories import ref_sha
from dayjob.company.forge.rows.projects import Project

FILE = "/projects/{id}/repository/files/{file_path}"


def _found(call: Call) -> tuple[Project, pygit2.Repository, pygit2.Commit, pygit2.Blob, str]:
    project, repo = code.repository(call)
    ref = call.text("ref") or project.default_branch or "main"
    commit = reading.resolve(repo, ref if ref != "HEAD" else project.default_branch or "main")
    if commit is None:
        raise not_found("Commit" if call.text("ref") else "File")
    blob = reading.entry_at(commit, call.path["file_path"])
    if not isinstance(blob, pygit2.Blob):
        raise not_found("File")
    reading.check_size(repo, blob.id)
    return project, repo, commit, blob, ref


def _last_commit(repo: pygit2.Repository, commit: pygit2.Commit, path: str) -> str:
    for one in reading.log(repo, [str(commit.id)], path=path):
        return str(one.id)
    return str(commit.id)


def _facts(repo: pygit2.Repository, commit: pygit2.Commit, blob: pygit2.Blob, path: str, ref: str) -> dict[str, Any]:
    return {
        "file_name": path.rpartition("/")[2],
        "file_path": path,
        "size": blob.size,
        "encoding": "base64",
        "content_sha256": hashlib.sha256(blob.data).hexdigest(),
        "ref": ref,
        "blob_id": str(blob.id),
        "commit_id": str(commit.id),
        "last_commit_id": _last_commit(repo, commit, path),
        "execute_filemode": commit.tree[path].filemode == pygit2.enums.FileMode.BLOB_EXECUTABLE,
    }


def _headers(facts: dict[str, Any]) -> dict[str, str]:
    found = {}
    for name, value in facts.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        found[f"x-gitlab-{name.replace('_', '-')}"] = text.encode("ascii", "replace").decode()
    return found


@get(FILE)
def show(call: Call) -> Any:
    _, repo, commit, blob, ref = _found(call)
    facts = _facts(repo, commit, blob, call.path["file_path"], ref)
    if call.request.method == "HEAD":
        return Response(headers=_headers(facts), media_type="application/json")
    return {**facts, "content": base64.b64encode(blob.data).decode()}


@get(f"{FILE}/raw")
def raw(call: Call) -> Any:
    _, repo, commit, blob, ref = _found(call)
    path = call.path["file_path"]
    headers = _headers(_facts(repo, commit, blob, path, ref))
    headers["content-disposition"] = "inline"
    headers["x-content-type-options"] = "nosniff"
    headers["content-security-policy"] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    return Response(blob.data, media_type="text/plain", headers=headers)


@get(f"{FILE}/blame")
async def blame(call: Call) -> Any:
    _, repo, commit, blob, ref = _found(call)
    path = call.path["file_path"]
    if call.request.method == "HEAD":
        return Response(headers=_headers(_facts(repo, commit, blob, path, ref)), media_type="application/json")
    folder, sha = repo.path, str(commit.id)

    def find() -> list[dict[str, Any]]:
        own = pygit2.Repository(folder)
        start = own[sha]
        assert isinstance(start, pygit2.Commit)
        return [{"commit": _blamed(one), "lines": lines} for one, lines in reading.blame(own, start, path)]

    try:
        found = await asyncio.to_thread(find)
    except subprocess.TimeoutExpired:
        raise refused(503, "503 Service Unavailable - the blame of this file takes too long") from None
    span = call.args.get("range")
    if isinstance(span, dict):
        try:
            first, last = int(span["start"]), int(span["end"])
        except (KeyError, ValueError, TypeError):
            raise bad("range[start], range[end] are invalid") from None
        lines = [(one["commit"], line) for one in found for line in one["lines"]][first - 1 : last]
        found = []
        for about, line in lines:
            if found and found[-1]["commit"]["id"] == about["id"]:
                found[-1]["lines"].append(line)
            else:
                found.append({"commit": about, "lines": [line]})
    return found


def _blamed(commit: pygit2.Commit) -> dict[str, Any]:
    author, committer = reading.signature_text(commit.author), reading.signature_text(commit.committer)
    return {
        "id": str(commit.id),
        "message": reading.message_of(commit),
        "parent_ids": [str(one) for one in commit.parent_ids],
        "authored_date": reading.when(commit.author),
        "author_name": author[0],
        "author_email": author[1],
        "committed_date": reading.when(commit.committer),
        "committer_name": committer[0],
        "committer_email": committer[1],
    }


async def _write(call: Call, kind: str) -> Project:
    project = call.project()
    call.signed_in()
    call.need("branch", "commit_message", *(("content",) if kind != "delete" else ()))
    path = call.path["file_path"]
    branch = call.filled("branch")
    if kind != "create" and call.text("last_commit_id"):
        repo = call.store.repos.open(project.id)
        head = reading.commit_of(repo, ref_sha(repo, f"refs/heads/{call.text('start_branch') or branch}"))
        if head is not None and _last_commit(repo, head, path) != call.text("last_commit_id"):
            raise refused(400, "You are attempting to update a file that has changed since you started editing it.")
    action: dict[str, Any] = {
        "action": kind, "file_path": path, "content": call.args.get("content"), "encoding": call.text("encoding"),
        "execute_filemode": call.boolean("execute_filemode", False),
    }  # fmt: skip
    actions = [action]
    if kind == "update" and call.has("execute_filemode"):
        actions.append({"action": "chmod", "file_path": path, "execute_filemode": call.boolean("execute_filemode")})
    await code.commit(call, project, branch, call.text("start_branch"), actions)
    return project


@post(FILE)
async def create(call: Call) -> Any:
    await _write(call, "create")
    return created({"file_path": call.path["file_path"], "branch": call.text("branch")})


@put(FILE)
async def update(call: Call) -> Any:
    await _write(call, "update")
    return {"file_path": call.path["file_path"], "branch": call.text("branch")}


@delete(FILE)
async def remove(call: Call) -> Any:
    await _write(call, "delete")
    return no_content()
