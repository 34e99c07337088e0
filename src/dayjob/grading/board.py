"""Reading the board while grading: projects, issues, states and cycles, and the two writes init scripts make.

Empty answers mean "there is none"; a board that does not answer gives the same empty answer with a warning, and the
entry point's watch records the outage as a fault.
"""

from __future__ import annotations

import logging
from typing import Any

import requests

from dayjob.grading import config

log = logging.getLogger("common")

Row = dict[str, Any]


def get_all_plane_projects() -> list[Row]:
    """Every project of the workspace."""
    return _list("projects/")


def get_plane_project_id(project_name: str) -> str | None:
    """The id of the project with this name, or None."""
    project = _named(get_all_plane_projects(), project_name)
    return None if project is None else project.get("id")


def get_plane_project_all_issues(project_id: str) -> list[Row]:
    """Every issue of a project."""
    return _list(f"projects/{project_id}/issues/")


def get_plane_issue_details(project_id: str, issue_name: str) -> Row | None:
    """The issue with this name, or None."""
    return _named(get_plane_project_all_issues(project_id), issue_name)


def get_plane_state_id_dict(project_id: str) -> tuple[dict[str, str], dict[str, str]]:
    """Two dictionaries of a project's states: name to id, and id to name."""
    states = _list(f"projects/{project_id}/states/")
    return {row["name"]: row["id"] for row in states}, {row["id"]: row["name"] for row in states}


def get_plane_state_details(project_id: str, state_id: str) -> Row:
    """One state, or an empty dictionary."""
    return _ask("GET", f"projects/{project_id}/states/{state_id}") or {}


def get_plane_cycle_details(project_id: str, cycle_name: str) -> Row | None:
    """The cycle with this name, or None."""
    return _named(_list(f"projects/{project_id}/cycles/"), cycle_name)


def get_plane_issues_by_project_cycle(project_id: str, cycle_id: str) -> list[Row]:
    """The issues of one cycle."""
    return _list(f"projects/{project_id}/cycles/{cycle_id}/cycle-issues/")


def create_plane_issue(project_id: str, issue_name: str) -> Row | None:
    """Make an issue; None when the board refused."""
    made: Row | None = _ask("POST", f"projects/{project_id}/issues/", {"name": issue_name})
    return made


def add_plane_issue_to_cycle(project_id: str, cycle_id: str, issue_id: str) -> Any:
    """Put an issue into a cycle; None when the board refused."""
    return _ask("POST", f"projects/{project_id}/cycles/{cycle_id}/cycle-issues/", {"issues": [issue_id]})


def _list(path: str) -> list[Row]:
    """Every row of a listing, following the board's cursor; some listings are plain lists."""
    rows: list[Row] = []
    cursor: str | None = None
    while True:
        answer = _ask("GET", path, parameters={"cursor": cursor} if cursor else None)
        if isinstance(answer, list):
            return answer
        if not isinstance(answer, dict):
            return rows
        rows += answer.get("results") or []
        following = answer.get("next_cursor")
        if not answer.get("next_page_results") or not following or following == cursor:
            return rows
        cursor = following


def _named(rows: list[Row], name: str) -> Row | None:
    for row in rows:
        if row.get("name") == name:
            return row
    log.warning("the board has nothing named '%s' there", name)
    return None


def _ask(method: str, path: str, content: Row | None = None, parameters: dict[str, str] | None = None) -> Any:
    url = f"{config.PLANE_BASEURL}/api/v1/workspaces/{config.PLANE_WORKSPACE_SLUG}/{path}"
    try:
        response = requests.request(
            method, url, headers=config.PLANE_HEADERS, json=content, params=parameters, timeout=60
        )
        response.raise_for_status()
        return response.json()
    except (requests.RequestException, ValueError) as error:
        log.warning("the board did not answer %s %s: %s", method, path, error)
        return None
