"""Merging a merge request with everything that follows: its state, its issues, the push to the target, its branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dayjob.company.forge import merging
from dayjob.company.forge.git.opening import Moved
from dayjob.company.forge.git.repositories import ZERO, delete_ref, ref_sha
from dayjob.company.forge.pushes import abroad, noticed, pushed
from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, merge_requests, projects
from dayjob.company.forge.store.protection import rules

if TYPE_CHECKING:
    from dayjob.company.forge.service import Forge


async def accept(
    forge: Forge, actor: User, project: Project, request: MergeRequest, *, squash: bool, message: str | None,
    squash_message: str | None, removal: int | None,
) -> None:  # fmt: skip
    """Merge it as somebody; the caller has asked whether it may be. Raises `Conflict` and `RefMoved`."""
    store = forge.store
    option = project.options["squash_option"]
    squash = option == "always" or (squash and option != "never")
    before, after, squashed = merging.merge(
        store, actor, project, request, squash=squash, message=message, squash_message=squash_message
    )
    with store.transaction():
        merged_sha = after if project.options["merge_method"] != "ff" else None
        merge_requests.mark_merged(
            store, actor, request, project, merged_sha, squashed or None, remove_source_branch=removal,
            squash=int(squash), start_sha=before,
        )  # fmt: skip
        merging.close_issues(store, actor, project, request)
    await _settle(forge, actor, project, Moved(f"refs/heads/{request.target_branch}", before, after))
    if removal:
        await _drop_source(forge, actor, request)


async def _settle(forge: Forge, actor: User, project: Project, moved: Moved) -> None:
    if abroad(forge.store, project, [moved]):
        await pushed(forge, actor, project, [moved])
    else:
        noticed(forge.store, actor, project, [moved], [])


async def _drop_source(forge: Forge, actor: User, request: MergeRequest) -> None:
    """Remove the merged branch, where whoever merges may and nothing keeps it."""
    store = forge.store
    source = projects.find(store, request.source_project_id or 0)
    if source is None or source.archived or request.source_branch == source.default_branch:
        return
    if (
        rules(store, source, "branch", request.source_branch)
        or access.project_level(store, actor, source) < access.DEVELOPER
    ):
        return
    repo = store.repos.open(source.id)
    ref = f"refs/heads/{request.source_branch}"
    old = ref_sha(repo, ref)
    if old is not None and delete_ref(repo, ref):
        await _settle(forge, actor, source, Moved(ref, old, ZERO))
