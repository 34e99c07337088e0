"""A project's issues, merge requests and releases in a world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dayjob.company.forge.world.model import (
    Group,
    Issue,
    Item,
    MergeRequest,
    Project,
    Release,
    Section,
)
from dayjob.company.forge.world.reader import Reader
from dayjob.company.world import Located

_ITEM = {"number", "title", "description", "author", "at", "labels", "milestone", "assignees", "state", "comments"}
_ISSUE = _ITEM | {"closed", "closed_by", "due", "weight", "confidential", "links"}
_MERGE_REQUEST = _ITEM | {"source", "target", "reviewers", "done", "done_by", "approved_by"}


def _links(reader: Reader, facts: Located, project: Project, file: str) -> list[tuple[str, int]]:
    """Issues that an issue relates to: `3` in the same project, `group/project#3` elsewhere."""
    found = []
    for one in reader.listed(facts, "links", file):
        path, _, number = one.rpartition("#")
        if not number.isdigit():
            reader.wrong(file, facts.at("links"), f"'{one}' is no issue.", "Write links: [3, group/project#4].")
            continue
        found.append((path or f"{project.group}/{project.path}", int(number)))
    return found


def check_links(reader: Reader, section: Section) -> None:
    there = {f"{one.group}/{one.path}": {issue.number for issue in one.issues} for one in section.projects}
    for project in section.projects:
        file = f"forge/projects/{project.group}/{project.path}/issues.yml"
        for issue in project.issues:
            for path, number in issue.links:
                if number not in there.get(path, ()):
                    reader.wrong(
                        file, 0, f"'{issue.title}' is linked to {path}#{number}, which does not exist.",
                        "Count the issues of that project from 1, or on from their 'number'.", "dangling",
                    )  # fmt: skip


def _known_names(reader: Reader, section: Section, project: Project) -> tuple[set[str], set[str]]:
    """Labels and milestones that count in a project: its own and its groups'."""
    above = [one for one in section.groups if project.group == one.path or project.group.startswith(f"{one.path}/")]
    places: list[Project | Group] = [project, *above]
    labels = {label.name for place in places for label in place.labels}
    milestones = {milestone.title for place in places for milestone in place.milestones}
    return labels, milestones


def _tags(reader: Reader, section: Section, project: Project, one: Located, file: str) -> tuple[list[str], str | None]:
    labels, milestones = _known_names(reader, section, project)
    wanted = reader.listed(one, "labels", file)
    for name in wanted:
        if name not in labels:
            reader.wrong(
                file,
                one.at("labels"),
                f"There is no label '{name}'.",
                "Add it to project.yml or its group.",
                "dangling",
            )
    milestone = reader.optional(one, "milestone")
    if milestone is not None and milestone not in milestones:
        reader.wrong(
            file, one.at("milestone"), f"There is no milestone '{milestone}'.", "Add it to project.yml.", "dangling"
        )
        milestone = None
    return [name for name in wanted if name in labels], milestone


def _item(
    reader: Reader, section: Section, project: Project, one: Located, file: str, noun: str, before: Sequence[Item]
) -> dict[str, Any]:
    """What an issue and a merge request say alike; `before` are those that stand above it."""
    at = reader.moment(one, "at", file, project.created)
    author = reader.author(one.get("author", project.author), file, one.at("author"))
    labels, milestone = _tags(reader, section, project, one, file)
    return {
        "number": reader.number(one, before[-1].number if before else 0, noun, file),
        "title": reader.needed(one, "title", file),
        "description": reader.optional(one, "description"),
        "author": author,
        "at": at,
        "labels": labels,
        "milestone": milestone,
        "assignees": reader.people(one, "assignees", file),
        "comments": reader.comments(one, file, at),
    }


def read_issues(reader: Reader, section: Section, project: Project, file: str) -> None:
    if file not in reader.files:
        return
    for one in reader.mappings(reader.world.yaml(file), file, "issues"):
        reader.keys(one, _ISSUE, file)
        item = _item(reader, section, project, one, file, "issue", project.issues)
        state = one.get("state", "opened")
        if state not in ("opened", "closed"):
            reader.wrong(file, one.at("state"), f"An issue is opened or closed, not '{state}'.")
        weight, closer = one.get("weight"), one.get("closed_by")
        project.issues.append(
            Issue(
                **item,
                state=str(state),
                closed=reader.moment(one, "closed", file, item["at"]) if state == "closed" else None,
                closed_by=reader.author(closer, file, one.at("closed_by")) if "closed_by" in one else item["author"],
                due=reader.day(one, "due", file),
                weight=weight if isinstance(weight, int) else None,
                confidential=bool(one.get("confidential")),
                links=_links(reader, one, project, file),
            )
        )


def read_merge_requests(reader: Reader, section: Section, project: Project, file: str) -> None:
    if file not in reader.files:
        return
    branches = {one.branch for one in project.history}
    for one in reader.mappings(reader.world.yaml(file), file, "merge requests"):
        reader.keys(one, _MERGE_REQUEST, file)
        item = _item(reader, section, project, one, file, "merge request", project.merge_requests)
        source, target = reader.needed(one, "source", file), str(one.get("target", project.default_branch))
        for key, name in (("source", source), ("target", target)):
            if project.bundle is None and name not in branches:
                reader.wrong(file, one.at(key), f"There is no branch '{name}'.", "Make it in history.yml.", "dangling")
        state = one.get("state", "opened")
        if state not in ("opened", "closed", "merged"):
            reader.wrong(file, one.at("state"), f"A merge request is opened, closed or merged, not '{state}'.")
        if state == "merged" and not any(c.merge == source and c.branch == target for c in project.history):
            reader.wrong(
                file,
                one.at("state"),
                f"Nothing in history.yml merges '{source}' into '{target}'.",
                "Add a commit with 'merge:'.",
                "dangling",
            )
            state = "opened"
        done = one.get("done_by")
        project.merge_requests.append(
            MergeRequest(
                **item,
                source=source,
                target=target,
                reviewers=reader.people(one, "reviewers", file),
                state=str(state),
                done=reader.moment(one, "done", file, item["at"]) if state != "opened" else None,
                done_by=reader.author(done, file, one.at("done_by")) if done is not None else item["author"],
                approved_by=reader.people(one, "approved_by", file),
            )
        )


def read_releases(reader: Reader, project: Project, file: str) -> None:
    if file not in reader.files:
        return
    tags = {one.tag for one in project.history if one.tag}
    for one in reader.mappings(reader.world.yaml(file), file, "releases"):
        reader.keys(one, {"tag", "name", "description", "author", "at"}, file)
        tag = reader.needed(one, "tag", file)
        if project.bundle is None and tag not in tags:
            reader.wrong(file, one.at("tag"), f"There is no tag '{tag}'.", "Set it in history.yml.", "dangling")
        project.releases.append(
            Release(
                tag,
                str(one.get("name", tag)),
                reader.optional(one, "description"),
                reader.person(one.get("author", project.author), file, one.at("author")),
                reader.moment(one, "at", file, project.created),
            )
        )
