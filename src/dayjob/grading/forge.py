"""Reading the forge while grading: one request function and the look-ups evaluators share.

A forge that does not answer is None with a warning, which is what existing evaluators expect; the entry point's watch
records the outage as a fault all the same.
"""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import quote

import requests

from dayjob.grading import config

log = logging.getLogger("common")


def make_gitlab_request(
    project_identifier: str | int | None = None,
    additional_path: str | None = None,
    method: str = "GET",
    params: dict[str, Any] | None = None,
) -> requests.Response | None:
    """Ask the forge's API about a project (its number or `group/name`), or about everything without one."""
    url = f"{config.GITLAB_BASEURL}/api/v4"
    if project_identifier:
        url += f"/projects/{quote(str(project_identifier), safe='%')}"
    if additional_path:
        url += f"/{additional_path}"
    try:
        return requests.request(method, url, headers=config.GITLAB_HEADERS, params=params, timeout=60)
    except requests.RequestException as error:
        log.warning("the forge did not answer %s %s: %s", method, url, error)
        return None


def get_gitlab_project_id(project_name: str) -> str | None:
    """The id of the project with this name, as text, or None."""
    page = "1"
    while page:
        response = make_gitlab_request(None, "projects", params={"page": page, "per_page": 100})
        if response is None or not response.ok:
            return None
        for project in response.json():
            if project["name"] == project_name:
                return str(project["id"])
        page = response.headers.get("X-Next-Page", "")
    log.warning("the forge has no project named '%s'", project_name)
    return None


def get_gitlab_merge_request_by_title(project_id: str, merge_request_title: str) -> dict[str, Any] | None:
    """The first merge request with this title (spaces around it and case do not matter), or None."""
    response = make_gitlab_request(project_id, "merge_requests", params={"per_page": 100})
    if response is None or not response.ok:
        return None
    wanted = merge_request_title.strip().lower()
    for merge_request in response.json():
        if merge_request["title"].strip().lower() == wanted:
            found: dict[str, Any] = merge_request
            return found
    log.warning("the forge has no merge request titled '%s'", merge_request_title)
    return None


def get_gitlab_file_in_mr(mr: dict[str, Any], file_path: str) -> str | None:
    """A file's text as the merge request would leave it, or None when it has no such file."""
    path = f"repository/files/{quote(file_path, safe='')}/raw"
    response = make_gitlab_request(str(mr["project_id"]), path, params={"ref": mr["sha"]})
    return response.text if response is not None and response.ok else None
