"""What of a project's content somebody may see: GitLab's rules, each once, as conditions to put into a query.

Confidential issues are for their author, their assignees and planners up; internal notes for planners up; code and
merge requests of a private project for reporters up. Events and to-dos are for those who see what they tell of.
"""

from __future__ import annotations

from dayjob.company.forge.errors import not_found
from dayjob.company.forge.rows.items import Issue, MergeRequest, Note
from dayjob.company.forge.rows.people import User
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import issues as issue_rows
from dayjob.company.forge.store import merge_requests
from dayjob.company.forge.store.access import (
    PLANNER,
    REPORTER,
    may_use,
    member_projects,
    open_to,
    project_level,
    visible_projects,
)
from dayjob.company.forge.store.base import Store


def may_see_issue(store: Store, user: User | None, project: Project, issue: Issue) -> bool:
    """Whether an issue of a project that somebody may see is there for them."""
    if not issue.confidential:
        return True
    if user is not None and user.id in (issue.author_id, *issue.assignee_ids):
        return True
    return project_level(store, user, project) >= PLANNER


def find_issue(store: Store, user: User | None, project: Project, iid: int) -> Issue:
    """An issue of a project; a confidential one exists only for those who may see it."""
    if not may_use(store, user, project, "issues"):
        raise not_found()
    issue = issue_rows.find(store, project, iid)
    if issue is None or not may_see_issue(store, user, project, issue):
        raise not_found("Issue" if issue is None else "")
    return issue


def find_request(store: Store, user: User | None, project: Project, iid: int) -> MergeRequest:
    """A merge request of a project whose code somebody may read."""
    if not may_use(store, user, project, "merge_requests"):
        raise not_found()
    request = merge_requests.find(store, project, iid)
    if request is None:
        raise not_found()
    return request


def may_see_note(store: Store, user: User | None, project: Project, note: Note) -> bool:
    """Whether a note on something that somebody may see is there for them."""
    return not note.internal or project_level(store, user, project) >= PLANNER


def not_confidential(user: User | None, t: str) -> str:
    """The issues `t` of visible projects that are there for somebody."""
    if user is None:
        return f"{t}.confidential=0"
    if user.admin:
        return "1"
    return (
        f"({t}.confidential=0 OR {t}.author_id={user.id} OR {t}.project_id IN ({member_projects(user, PLANNER)}) OR "
        f"{t}.id IN (SELECT item_id FROM people WHERE item_type='Issue' AND role='assignee' AND user_id={user.id}))"
    )


def open_issues(store: Store, user: User | None, project: Project) -> int:
    """How many open issues a project has for somebody."""
    hidden: int = store.value(
        "SELECT count(*) FROM issues t WHERE t.project_id=? AND t.state='opened' AND t.confidential=1 AND NOT "
        + not_confidential(user, "t"),
        project.id,
    )
    return project.open_issues_count - hidden


def issues(user: User | None, t: str = "t") -> str:
    column = f"{t}.project_id"
    there = f"{visible_projects(user, column)} AND {open_to(user, 'issues', column)}"
    return f"({there} AND {not_confidential(user, t)})"


def code(user: User | None, column: str) -> str:
    """The projects (whose ids stand in `column`) whose code somebody may read."""
    return f"({open_to(user, 'repository', column)} AND {visible_projects(user, column, REPORTER)})"


def requests(user: User | None, t: str = "t") -> str:
    """The merge requests `t` that somebody may see: they show code."""
    return f"({code(user, f'{t}.project_id')} AND {open_to(user, 'merge_requests', f'{t}.project_id')})"


def snippets(user: User | None, s: str = "snippets") -> str:
    """Public and internal ones, one's own, and those of projects one belongs to; none of a project one cannot see."""
    column = f"{s}.project_id"
    there = f"({column} IS NULL OR {visible_projects(user, column)} AND {open_to(user, 'snippets', column)})"
    if user is None:
        return f"({s}.visibility='public' AND {there})"
    if user.admin:
        return "1"
    shared = "('public')" if user.external else "('public','internal')"
    own = f"{s}.author_id={user.id} OR {column} IN ({member_projects(user)})"
    return f"({own} OR {s}.visibility IN {shared} AND {there})"


def notes(user: User | None, n: str = "n") -> str:
    if user is not None and user.admin:
        return "1"
    internal = "0" if user is None else f"{n}.project_id IN ({member_projects(user, PLANNER)})"
    here = f"({n}.project_id IS NULL OR {visible_projects(user, f'{n}.project_id')})"
    return (
        f"({_of_own_project(user, n)} OR {here} AND ({n}.internal=0 OR {internal}) AND "
        f"CASE {n}.noteable_type WHEN 'Issue' THEN {_seen_issue(user, f'{n}.noteable_id')} "
        f"WHEN 'Snippet' THEN {n}.noteable_id IN (SELECT id FROM snippets WHERE {snippets(user)}) "
        f"WHEN 'MergeRequest' THEN {requests(user, n)} "
        f"ELSE {code(user, f'{n}.project_id')} END)"
    )


def events(user: User | None, e: str = "e") -> str:
    """What is gone is told of to reporters up alone: whether it was confidential can no longer be asked."""
    if user is not None and user.admin:
        return "1"
    return (
        f"({_of_own_project(user, e)} OR ({e}.project_id IS NULL OR {visible_projects(user, f'{e}.project_id')}) AND "
        f"CASE {e}.target_type WHEN 'Issue' THEN {_seen_issue(user, f'{e}.target_id')} "
        f"WHEN 'Note' THEN EXISTS (SELECT 1 FROM notes n WHERE n.id={e}.target_id AND {notes(user)}) "
        f"WHEN 'MergeRequest' THEN {requests(user, e)} "
        f"ELSE {e}.push IS NULL OR {code(user, f'{e}.project_id')} END)"
    )


def todos(user: User) -> str:
    """Of the rows of `todos`."""
    if user.admin:
        return "1"
    return (
        f"((todos.project_id IS NULL OR {visible_projects(user, 'todos.project_id')}) AND "
        f"CASE todos.target_type WHEN 'Issue' THEN {_seen_issue(user, 'todos.target_id')} "
        f"WHEN 'MergeRequest' THEN {requests(user, 'todos')} ELSE 1 END)"
    )


def reaches(store: Store, user: User, kind: str, item_id: int, project_id: int | None) -> bool:
    """Whether somebody sees an item, as a to-do about it would ask."""
    row = "(SELECT ? AS project_id, ? AS target_type, ? AS target_id) AS todos"
    return bool(store.value(f"SELECT 1 FROM {row} WHERE {todos(user)}", project_id, kind, item_id))


def _of_own_project(user: User | None, t: str) -> str:
    """Of a project where somebody may see all there is."""
    return "0" if user is None else f"{t}.project_id IN ({member_projects(user, REPORTER)})"


def _seen_issue(user: User | None, column: str) -> str:
    return f"EXISTS (SELECT 1 FROM issues seen WHERE seen.id={column} AND {issues(user, 'seen')})"
