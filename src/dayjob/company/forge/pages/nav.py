"""The sidebar: where one can go from here, with the numbers of what is open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote

from dayjob.company.forge.store import access, item_counts, todos, visibility

if TYPE_CHECKING:
    from dayjob.company.forge.pages.visit import Visit


@dataclass(slots=True)
class Entry:
    icon: str
    label: str
    href: str
    count: int | None = None
    current: bool = False


@dataclass(slots=True)
class Nav:
    """A sidebar: whose it is, and its sections."""

    title: str = ""
    href: str = ""
    kind: str = ""
    picture: str | None = None
    sections: list[tuple[str, list[Entry]]] = field(default_factory=list)


def navigation(visit: Visit) -> Nav:
    if visit.in_project:
        return _project(visit)
    if visit.in_group:
        return _group(visit)
    return _home(visit)


def _marked(sections: list[tuple[str, list[Entry]]], path: str) -> list[tuple[str, list[Entry]]]:
    """The entry with the longest address that the path begins with is where the reader is."""
    entries = [one for _, listed in sections for one in listed]
    fitting = [one for one in entries if path == one.href or path.startswith(f"{one.href.rstrip('/')}/")]
    if fitting:
        max(fitting, key=lambda one: len(one.href)).current = True
    return [(title, listed) for title, listed in sections if listed]


def _home(visit: Visit) -> Nav:
    if visit.user is None:
        look = [Entry("box", "Projects", "/explore/projects"), Entry("users", "Groups", "/explore/groups")]
        return Nav(sections=_marked([("Explore", look)], visit.path))
    store, user = visit.store, visit.user
    issues, requests = (item_counts.open_items(store, user, kind) for kind in ("Issue", "MergeRequest"))
    mine = [
        Entry("home", "Home", "/"),
        Entry("box", "Your projects", "/dashboard/projects"),
        Entry("issue", "Assigned issues", "/dashboard/issues", issues),
        Entry("merge", "Merge requests", "/dashboard/merge_requests", requests),
        Entry("check", "To-do list", "/dashboard/todos", todos.pending_count(store, user)),
    ]
    look = [Entry("search", "All projects", "/explore/projects"), Entry("users", "Groups", "/explore/groups")]
    account = [
        Entry("user", "Profile", "/-/user_settings/profile"),
        Entry("lock", "Access tokens", "/-/user_settings/personal_access_tokens"),
    ]
    admin = [Entry("users", "Users", "/admin/users")] if visit.user.admin else []
    path = "/nowhere" if visit.path == "/search" else visit.path
    sections = [("Your work", mine), ("Explore", look), ("Your account", account), ("Administration", admin)]
    found = _marked(sections, path)
    mine[0].current = path == "/"
    return Nav(sections=found)


def _project(visit: Visit) -> Nav:
    project, base = visit.project, visit.base
    home = f"/{project.full_path}"
    requests = item_counts.open_requests(visit.store, project)
    ref = quote(project.default_branch or "main")
    plan, code, build, manage = [], [], list[Entry](), [Entry("users", "Members", f"{base}/project_members")]
    if visit.has("issues"):
        plan = [
            Entry("issue", "Issues", f"{base}/issues", visibility.open_issues(visit.store, visit.user, project)),
            Entry("board", "Boards", f"{base}/boards"),
            Entry("calendar", "Milestones", f"{base}/milestones"),
            Entry("tag", "Labels", f"{base}/labels"),
        ]
    if visit.reads_code:
        if visit.has("merge_requests"):
            code.append(Entry("merge", "Merge requests", f"{base}/merge_requests", requests))
        if not project.empty:
            code += [
                Entry("file", "Files", f"{base}/tree/{ref}"),
                Entry("branch", "Branches", f"{base}/branches"),
                Entry("commit", "Commits", f"{base}/commits/{ref}"),
                Entry("pin", "Tags", f"{base}/tags"),
                Entry("list", "Compare", f"{base}/compare"),
                Entry("upload", "Releases", f"{base}/releases"),
            ]
        if visit.has("builds") and not project.empty:
            build = [
                Entry("cycle", "Pipelines", f"{base}/pipelines"),
                Entry("check", "Jobs", f"{base}/jobs"),
                Entry("clock", "Schedules", f"{base}/pipeline_schedules"),
            ]
        if visit.may(access.DEVELOPER):
            build.append(Entry("edit", "Pipeline editor", f"{base}/ci/editor"))
    if visit.has("wiki"):
        plan.append(Entry("book", "Wiki", f"{base}/wikis"))
    if visit.user is not None and visit.level >= access.MAINTAINER:
        manage += [
            Entry("settings", "Settings", f"{home}/edit"),
            Entry("lock", "Protected branches", f"{base}/settings/repository"),
        ]
    overview = Entry("home", "Overview", home)
    sections = _marked([("Plan", plan), ("Code", code), ("Build", build), ("Manage", manage)], _kind(visit.path))
    overview.current = visit.path.rstrip("/") == home
    image = project.avatar.partition(":")[2] if project.avatar else ""
    face = f"/uploads/-/system/project/avatar/{project.id}/{image}" if image else None
    return Nav(project.name, home, "Project", face, [("", [overview]), *sections])


def _kind(path: str) -> str:
    """Files are looked at under many addresses, and all of them are the tree's."""
    head, dash, rest = path.partition("/-/")
    first, _, more = rest.partition("/")
    if first in ("blob", "blame", "edit", "new", "upload", "delete", "raw"):
        return f"{head}{dash}tree/{more}"
    return f"{head}{dash}commits/{more}" if first == "commit" else path


def _group(visit: Visit) -> Nav:
    group = visit.group
    base, home = f"/groups/{group.full_path}/-", f"/groups/{group.full_path}"
    listed = [
        Entry("home", "Overview", home),
        Entry("issue", "Issues", f"{base}/issues"),
        Entry("merge", "Merge requests", f"{base}/merge_requests"),
        Entry("calendar", "Milestones", f"{base}/milestones"),
        Entry("tag", "Labels", f"{base}/labels"),
        Entry("users", "Members", f"{base}/group_members"),
    ]
    sections = _marked([("", listed)], visit.path)
    listed[0].current = visit.path.rstrip("/") in (home, f"/{group.full_path}")
    image = group.avatar.partition(":")[2] if group.avatar else ""
    face = f"/uploads/-/system/group/avatar/{group.id}/{image}" if image else None
    return Nav(group.name, home, "Group", face, sections)
