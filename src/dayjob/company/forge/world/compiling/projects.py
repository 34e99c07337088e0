"""A project as rows: its own, its people and labels, its code, its work, its releases and its wiki."""

from __future__ import annotations

import itertools

import pygit2

from dayjob.company.forge.world.compiling.code import add_refs, write_code, write_repository, write_wiki
from dayjob.company.forge.world.compiling.people import add_labels, add_members, add_milestones
from dayjob.company.forge.world.compiling.rows import Rows
from dayjob.company.forge.world.compiling.work import add_issue, add_merge_request
from dayjob.company.forge.world.model import Project, Section
from dayjob.company.rows import packed


def project_ids(section: Section) -> list[int]:
    """Each project's id: its own, or its place in the list; where another has that place's id, one after all others."""
    own = {project.id for project in section.projects if project.id is not None}
    after = itertools.count(max([*own, len(section.projects)]) + 1)
    return [
        project.id if project.id is not None else place if place not in own else next(after)
        for place, project in enumerate(section.projects, 1)
    ]


def add_project(rows: Rows, project_id: int, project: Project, scratch: pygit2.Repository) -> dict[str, str]:
    """Write it; returns where its refs stand, those of merged branches too."""
    namespace = rows.namespaces[project.group]
    opened = sum(one.state == "opened" for one in project.issues)
    moments = [project.created, *(one.at for one in project.issues), *(one.at for one in project.merge_requests)]
    rows.insert(
        "projects",
        id=project_id,
        namespace_id=namespace,
        name=project.name,
        path=project.path,
        full_path=f"{project.group}/{project.path}",
        description=project.description,
        visibility=project.visibility,
        default_branch=project.default_branch,
        archived=int(project.archived),
        creator_id=rows.users[project.author],
        topics=packed(project.topics),
        settings=packed(project.settings),
        open_issues_count=opened,
        created_at=project.created,
        updated_at=max(moments),
        last_activity_at=max(moments),
        issues_seq=project.issues[-1].number if project.issues else 0,
        merge_requests_seq=project.merge_requests[-1].number if project.merge_requests else 0,
        milestones_seq=project.milestones[-1].number if project.milestones else 0,
    )
    members = dict(project.members)
    if project.group in rows.users:
        members.setdefault(project.group, 50)
    add_members(rows, "Project", project_id, members, project.created)
    add_labels(rows, project.labels, project_id=project_id)
    add_milestones(rows, project.milestones, project.created, project_id=project_id)
    for name, push, merge, force in project.protected:
        rows.insert(
            "protected_refs",
            project_id=project_id,
            kind="branch",
            name=name,
            push_level=push,
            merge_level=merge,
            allow_force_push=int(force),
        )
    refs, merges = write_code(rows, project, project_id, scratch)
    everything = dict(refs)
    for issue in project.issues:
        add_issue(rows, project, project_id, issue)
    for request in project.merge_requests:
        add_merge_request(rows, project, project_id, request, scratch, refs, merges)
    if project.settings.get("remove_source_branch_after_merge"):
        for one in project.merge_requests:
            if one.state == "merged":
                refs.pop(f"refs/heads/{one.source}", None)
    write_repository(rows, str(project_id), scratch, refs, project.default_branch)
    add_refs(rows, project_id, refs)
    for release in project.releases:
        rows.insert(
            "releases",
            project_id=project_id,
            tag_name=release.tag,
            name=release.name,
            description=release.description,
            author_id=rows.users[release.author],
            sha=refs.get(f"refs/tags/{release.tag}"),
            created_at=release.at,
            released_at=release.at,
        )
    write_wiki(rows, project, project_id, scratch)
    return everything
