"""Looking at a repository: tree, blobs, archive, contributors, merge base."""

from __future__ import annotations

import asyncio
import base64
import io
import tarfile
from typing import Any

import pygit2
from starlette.responses import Response

from dayjob.company.forge.api.call import Call, Json
from dayjob.company.forge.api.code import commit_at, repository
from dayjob.company.forge.api.routes import get
from dayjob.company.forge.errors import bad, not_found, refused
from dayjob.company.forge.git import reading
from dayjob.company.forge.git.reading import ARCHIVES, TreeEntry, entry_at, tree_entries
from dayjob.company.forge.git.repositories import all_refs
from dayjob.company.forge.shapes import repository as shape

_QUIET = {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    "x-content-type-options": "nosniff",
}


@get("/projects/{id}/repository/tree")
def tree(call: Call) -> Any:
    project, repo = repository(call)
    if project.empty:
        raise not_found("Tree")
    commit = commit_at(call, project, repo, call.text("ref"), "Tree")
    path = call.text("path", "").strip("/")
    found = entry_at(commit, path)
    if not isinstance(found, pygit2.Tree):
        raise not_found("Tree")
    recursive = bool(call.boolean("recursive"))
    entries = list(tree_entries(found, f"{path}/" if path else "", recursive=recursive))

    def shown(entry: TreeEntry) -> dict[str, str]:
        return {"id": entry.id, "name": entry.name, "type": entry.type, "path": entry.path, "mode": entry.mode}

    if call.args.get("pagination") == "keyset":
        _, per_page = call.paging()
        token = call.text("page_token")
        start = next((at + 1 for at, one in enumerate(entries) if one.id == token), 0) if token else 0
        page = entries[start : start + per_page]
        more = start + per_page < len(entries)
        headers = {"link": f'<{call.link(page_token=page[-1].id)}>; rel="next"'} if more else {}
        return Json([shown(one) for one in page], headers=headers)
    return call.paged(entries, shown)


def _blob(call: Call) -> pygit2.Blob:
    _, repo = repository(call)
    try:
        reading.check_size(repo, call.path["sha"])
        found = repo.get(call.path["sha"])
    except (ValueError, TypeError, pygit2.GitError):
        found = None
    if not isinstance(found, pygit2.Blob):
        raise not_found("Blob")
    return found


@get("/projects/{id}/repository/blobs/{sha}")
def blob(call: Call) -> Any:
    found = _blob(call)
    return {
        "size": found.size,
        "encoding": "base64",
        "content": base64.b64encode(found.data).decode(),
        "sha": str(found.id),
    }


@get("/projects/{id}/repository/blobs/{sha}/raw")
def raw_blob(call: Call) -> Any:
    return Response(_blob(call).data, media_type="text/plain", headers=_QUIET)


async def _archive(call: Call, form: str) -> Any:
    project, repo = repository(call)
    if form not in ARCHIVES:
        raise not_found("File")
    ref = call.text("sha") or project.default_branch or "main"
    commit = reading.resolve(repo, ref)
    if commit is None:
        raise not_found("File")
    path = call.text("path", "")
    name = f"{project.path}-{ref.replace('/', '-')}-{commit.id}" + (f"-{path.replace('/', '-')}" if path else "")
    folder = str(repo.path)

    def pack() -> bytes:
        own = pygit2.Repository(folder)  # a repository object belongs to one thread
        found = own[str(commit.id)]
        assert isinstance(found, pygit2.Commit)
        return reading.archive(own, found, name, form, path)

    try:
        data = await asyncio.to_thread(pack)
    except KeyError:
        raise not_found("File") from None
    return Response(
        data, media_type=ARCHIVES[form], headers={"content-disposition": f'attachment; filename="{name}.{form}"'}
    )


@get("/projects/{id}/repository/archive")
async def archive(call: Call) -> Any:
    return await _archive(call, "tar.gz")


@get("/projects/{id}/repository/{archive}")
async def archive_as(call: Call) -> Any:
    name, _, form = call.path["archive"].partition(".")
    if name != "archive" or not form:
        raise not_found()
    return await _archive(call, form)


@get("/projects/{id}/snapshot")
async def snapshot(call: Call) -> Any:
    """The bare repository itself as a tar."""
    call.admin()
    _, repo = repository(call)
    folder = repo.path

    def pack() -> bytes:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as tar:
            tar.add(
                folder, arcname=".", filter=lambda one: None if one.name.endswith(("/alternates", ".lock")) else one
            )
        return out.getvalue()

    return Response(await asyncio.to_thread(pack), media_type="application/x-tar")


@get("/projects/{id}/repository/contributors")
def contributors(call: Call) -> Any:
    project, repo = repository(call)
    head = reading.resolve(repo, call.text("ref") or project.default_branch or "main")
    found: dict[str, dict[str, Any]] = {}
    for commit in reading.log(repo, [str(head.id)]) if head is not None else []:
        name, email = reading.signature_text(commit.author)
        person = found.setdefault(email, {"name": name, "email": email, "commits": 0, "additions": 0, "deletions": 0})
        person["commits"] += 1
    order = call.choice("order_by", ("name", "email", "commits"), "commits")
    down = call.choice("sort", ("asc", "desc"), "asc") == "desc"
    return call.paged(sorted(found.values(), key=lambda one: one[order], reverse=down))


@get("/projects/{id}/repository/merge_base")
def merge_base(call: Call) -> Any:
    project, repo = repository(call)
    given = call.args.get("refs")
    refs = [str(one) for one in given] if isinstance(given, list) else [str(given)] if given else []
    if len(refs) < 2:
        raise refused(400, "400 Bad request - Provide at least 2 refs") if refs else bad("refs is missing")
    commits = []
    for ref in refs:
        found = reading.resolve(repo, ref)
        if found is None:
            raise refused(400, f"400 Bad request - Could not find ref: {ref}")
        commits.append(found)
    base: str | None = str(commits[0].id)
    for other in commits[1:]:
        base = reading.merge_base(repo, base, str(other.id)) if base else None
    if base is None:
        raise not_found("Merge Base")
    found = reading.commit_of(repo, base)
    assert found is not None
    return shape.commit(call, project, found)


@get("/projects/{id}/repository/health")
def health(call: Call) -> Any:
    project, repo = repository(call, 40)
    return {
        "size": project.repository_size,
        "references": {
            "loose_count": len(all_refs(repo)),
            "packed_size": 0,
            "reference_backend": "REFERENCE_BACKEND_FILES",
        },
    }
