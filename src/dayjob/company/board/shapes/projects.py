"""Projects with their counts, and the short forms of projects, workspaces and states."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from dayjob.company.board.rows import Project, State, Workspace
from dayjob.company.board.shapes.base import Shape, picked, plain
from dayjob.company.board.store import projects


def workspace_lite(workspace: Workspace) -> Shape:
    return picked(workspace, "name", "slug", "id")


def state_lite(state: State) -> Shape:
    return picked(state, "id", "name", "color", "group")


def project_lite(project: Project) -> Shape:
    shown = picked(project, "id", "identifier", "name", "cover_image", "icon_prop", "emoji", "description")
    return {**shown, "cover_image_url": project.cover_image}


def project_list(db: sqlite3.Connection, rows: Sequence[Project], caller: str) -> list[Shape]:
    """Projects with their counts and the caller's membership in them."""
    return [_project(project, projects.summary(db, project.id, caller)) for project in rows]


def _project(project: Project, summary: projects.Summary) -> Shape:
    return {
        **plain(project),
        "total_members": summary.members,
        "total_cycles": summary.cycles,
        "total_modules": summary.modules,
        "is_member": summary.role is not None,
        "sort_order": summary.sort_order,
        "member_role": summary.role,
        "is_deployed": False,
        "cover_image_url": project.cover_image,
        "inbox_view": project.intake_view,
    }
