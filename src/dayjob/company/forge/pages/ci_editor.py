"""The pipeline editor: the project's CI file, what the forge makes of it, and a commit, which makes a pipeline."""

from __future__ import annotations

from typing import Any

import pygit2
from starlette.responses import Response

from dayjob.company.forge.ci.file import FILE
from dayjob.company.forge.git import reading
from dayjob.company.forge.pages.code import REFS
from dayjob.company.forge.pages.editing import branches, commit, last_change, must_write, refuse_overwriting
from dayjob.company.forge.pages.refs import At, at, names
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.visit import Visit


def _file(place: At | None) -> pygit2.Blob | None:
    found = reading.entry_at(place.commit, place.path) if place is not None else None
    if not isinstance(found, pygit2.Blob):
        return None
    assert place is not None
    reading.check_size(place.repo, found.id)
    return found


def _place(visit: Visit, file: str) -> At | None:
    """The file on the branch that is asked for; None in a project without code."""
    if visit.project.empty:
        return None
    branch = visit.query.get("branch_name") or visit.project.default_branch or "main"
    return at(visit, f"{branch}/{file}")


async def _verdict(visit: Visit, content: str) -> dict[str, Any] | None:
    """What the forge says of the file: valid or not and why, and its jobs by stage. None of an empty one."""
    if not content.strip():
        return None
    found: dict[str, Any] = await visit.ask(
        "POST", visit.at_project("/ci/lint"), {"content": content, "include_jobs": True}
    )
    stages: dict[str, list[str]] = {}
    for job in found["jobs"] if found["valid"] else []:
        stages.setdefault(job["stage"], []).append(job["name"])
    return {**found, "stages": stages}


@project("GET POST", "/ci/editor")
async def editor(visit: Visit) -> Response:
    must_write(visit)
    file = visit.project.options["ci_config_path"] or FILE
    place = _place(visit, file)
    blob = _file(place)
    last = "" if place is None or blob is None else last_change(place)
    content = visit.raw("content") if visit.posted else reading.text(blob.data) if blob is not None else ""
    if visit.posted and not visit.text("validate"):
        action = {"action": "create" if blob is None else "update", "file_path": file, "content": content}
        with visit.attempt():
            refuse_overwriting(visit.text("last_commit_sha"), last)
            return await commit(visit, place, [action], f"Update {file}", "ci/editor?branch_name={branch}")
    return visit.form_page(
        "ci_editor.html", file=file, there=blob is not None, binary=blob is not None and blob.is_binary,
        content=content, last=last, message=visit.raw("commit_message") or f"Update {file}",
        known=[(one, one) for one in names(place.repo, "heads")[:REFS]] if place else [],
        verdict=await _verdict(visit, content), **branches(visit, place),
    )  # fmt: skip
