"""Merge requests as records: opening, versions, state. What they mean for git is in `dayjob.company.forge.merging`."""

from __future__ import annotations

from typing import Any

from dayjob.company.forge.errors import forbidden, refused
from dayjob.company.forge.rows.items import DRAFT, MergeRequest, Version
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import access, items, notes
from dayjob.company.forge.store.base import Store


def get(store: Store, request_id: int) -> MergeRequest:
    return store.get(MergeRequest, request_id)


def find(store: Store, project: Project, iid: int) -> MergeRequest | None:
    return store.one(MergeRequest, "project_id=? AND iid=?", project.id, iid)


def head_ref(request: MergeRequest) -> str:
    """The ref that keeps its head."""
    return f"refs/merge-requests/{request.iid}/head"


def open_from(store: Store, project: Project, branch: str) -> list[MergeRequest]:
    """The open ones whose source is the branch, in this or another project, oldest first."""
    return store.all(
        MergeRequest, "source_project_id=? AND source_branch=? AND state='opened' ORDER BY id", project.id, branch
    )


def open_into(store: Store, project: Project, branch: str) -> list[MergeRequest]:
    """The open ones whose target is the branch."""
    return store.all(MergeRequest, "project_id=? AND target_branch=? AND state='opened'", project.id, branch)


def check_open(store: Store, user: User, source: Project, target: Project) -> None:
    """Refuse a new merge request where the target has none for somebody; within a project it takes a developer, from
    a fork whoever may see the target."""
    if not access.may_use(store, user, target, "merge_requests"):
        raise forbidden()
    if access.project_level(store, user, source) >= access.DEVELOPER:
        return
    if source.id == target.id or not access.can_see_project(store, user, target):
        raise forbidden()


def check_new(source: Project, target: Project, source_branch: str, target_branch: str, title: str) -> None:
    items.check_title(title)
    if source.id == target.id and source_branch == target_branch:
        raise refused(422, ["You can't use same project/branch for source and target"])


def create(
    store: Store, author: User, source: Project, target: Project, source_branch: str, target_branch: str, title: str, *,
    head: str, base: str, start: str, description: str | None = None, labels: list[str] | None = None,
    assignees: list[int] | None = None, reviewers: list[int] | None = None, milestone_id: int | None = None,
    squash: bool = False, remove_source_branch: bool | None = None, allow_collaboration: bool = False,
    merge_after: str | None = None,
) -> MergeRequest:  # fmt: skip
    """Open a merge request; there is one at a time between two branches. Its head, the target's and where they
    parted (`start`, `base`) are its first version."""
    twin = next((row for row in open_from(store, source, source_branch)
                 if (row.project_id, row.target_branch) == (target.id, target_branch)), None)  # fmt: skip
    if twin is not None:
        raise refused(409, [f"Another open merge request already exists for this source branch: !{twin.iid}"])
    now = store.now()
    request_id = store.insert(
        "merge_requests", project_id=target.id, iid=store.next_iid("projects", target.id, "merge_requests_seq"),
        source_project_id=source.id, source_branch=source_branch, target_branch=target_branch, title=title.strip(),
        description=description, author_id=author.id, created_at=now, updated_at=now, prepared_at=now,
        squash=int(squash), allow_collaboration=int(allow_collaboration), merge_after=merge_after,
        remove_source_branch=None if remove_source_branch is None else int(remove_source_branch),
    )  # fmt: skip
    set_version(store, get(store, request_id), head, base, start)
    items.opened(
        store, author, target, "MergeRequest", get(store, request_id), title=title, description=description,
        labels=labels, people={"assignee": assignees, "reviewer": reviewers}, milestone_id=milestone_id,
    )  # fmt: skip
    return get(store, request_id)


# -- versions and state ------------------------------------------------------------------------------------------


def versions(store: Store, request: MergeRequest) -> list[Version]:
    """Every state its branch was in, newest first."""
    return store.all(Version, "merge_request_id=? ORDER BY id DESC", request.id)


def find_version(store: Store, request: MergeRequest, version_id: int) -> Version:
    return store.required(Version, "id=? AND merge_request_id=?", version_id, request.id)


def set_checked(store: Store, request: MergeRequest, merge_status: str, changed_files: int) -> MergeRequest:
    """Whether it has conflicts, and how many files it changes."""
    store.update("merge_requests", request.id, merge_status=merge_status, changed_files=changed_files)
    return get(store, request.id)


def set_unchecked(store: Store, request: MergeRequest) -> None:
    """Its target moved: the question of conflicts is open again."""
    store.update("merge_requests", request.id, merge_status="unchecked")


def set_version(store: Store, request: MergeRequest, head: str, base: str, start: str) -> None:
    """The branch has a new head: a new version, and the question of conflicts is open again."""
    now = store.now()
    store.update(
        "merge_requests", request.id, head_sha=head, base_sha=base, start_sha=start, merge_status="unchecked",
        updated_at=now,
    )  # fmt: skip
    store.insert(
        "merge_request_versions",
        merge_request_id=request.id,
        head_sha=head,
        base_sha=base,
        start_sha=start,
        created_at=now,
    )


def set_target(
    store: Store, actor: User, project: Project, request: MergeRequest, branch: str, base: str, start: str
) -> None:
    """Another branch to be merged into, which is a new version."""
    assert request.head_sha is not None
    store.update("merge_requests", request.id, target_branch=branch)
    set_version(store, request, request.head_sha, base, start)
    words = f"changed target branch from `{request.target_branch}` to `{branch}`"
    notes.system(store, actor, "MergeRequest", request.id, project.id, words)


def set_options(store: Store, request: MergeRequest, **values: int | str | None) -> None:
    """`squash`, `remove_source_branch`, `allow_collaboration`, `auto_merge`, `merge_after`."""
    store.update("merge_requests", request.id, **values, updated_at=store.now())


def cancel_auto_merge(store: Store, request: MergeRequest) -> None:
    store.update("merge_requests", request.id, auto_merge=0)


def waiting_to_merge(store: Store) -> list[MergeRequest]:
    """Those that are to be merged when their pipeline has succeeded and nothing else is in the way."""
    return store.all(MergeRequest, "auto_merge>0 AND state='opened' ORDER BY id")


def merge_later(store: Store, actor: User, project: Project, request: MergeRequest, **options: int | None) -> None:
    """Wish that it is merged, as somebody, as soon as it can be; `options` are how."""
    set_options(store, request, auto_merge=actor.id, **options)
    words = f"enabled an automatic merge when all merge checks for {request.head_sha} pass"
    notes.system(store, actor, "MergeRequest", request.id, project.id, words)


def abort_auto_merge(store: Store, actor: User | None, project: Project, request: MergeRequest, reason: str) -> None:
    """Take back the wish to merge later, and say why."""
    cancel_auto_merge(store, request)
    if actor is not None:
        words = f"aborted the automatic merge because {reason}"
        notes.system(store, actor, "MergeRequest", request.id, project.id, words)


def set_merge_error(store: Store, request: MergeRequest, words: str | None) -> None:
    store.update("merge_requests", request.id, merge_error=words)


def set_state(store: Store, actor: User, request: MergeRequest, project: Project, event: str) -> None:
    now = store.now()
    if event == "close" and request.state == "opened":
        store.update(
            "merge_requests",
            request.id,
            state="closed",
            closed_at=now,
            closed_by=actor.id,
            updated_at=now,
            auto_merge=0,
        )
        items.tell_state(store, actor, project, "MergeRequest", request, "closed")
    elif event == "reopen" and request.state == "closed":
        store.update(
            "merge_requests", request.id, state="opened", closed_at=None, closed_by=None, updated_at=now,
            merge_status="unchecked",
        )  # fmt: skip
        items.tell_state(store, actor, project, "MergeRequest", request, "reopened")


def mark_merged(
    store: Store,
    actor: User,
    request: MergeRequest,
    project: Project,
    merge_sha: str | None,
    squash_sha: str | None = None,
    **more: Any,
) -> None:
    """It was merged; `more` are the columns that say how."""
    now = store.now()
    store.update(
        "merge_requests", request.id, state="merged", merged_at=now, merged_by=actor.id, updated_at=now, auto_merge=0,
        merge_commit_sha=merge_sha, squash_commit_sha=squash_sha, merge_status="can_be_merged", merge_error=None,
        **more,
    )  # fmt: skip
    items.tell_state(store, actor, project, "MergeRequest", request, "merged")


def delete(store: Store, request: MergeRequest) -> None:
    items.delete_attached(store, "MergeRequest", request.id)
    store.delete("merge_requests", request.id)


def draft_title(title: str, draft: bool) -> str:
    """The title with or without its mark of a draft."""
    plain = title
    while DRAFT.match(plain):
        plain = DRAFT.sub("", plain)
    return f"Draft: {plain}" if draft else plain
