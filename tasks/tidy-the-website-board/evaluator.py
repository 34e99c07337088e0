"""Grades tidy-the-website-board: twins, module and due dates, and that everything else is as it was."""

import re

import requests
from common import (
    PLANE_BASEURL,
    PLANE_HEADERS,
    PLANE_WORKSPACE_SLUG,
    changes,
    get_plane_project_all_issues,
    get_plane_project_id,
    get_plane_state_id_dict,
    grader,
)
from scoring import Checkpoint, Result

TWINS = {16: 8, 17: 15}
MODULE = {8, 11, 12, 15, 18, 19}
DUE = {18, 19}
DAY = "2026-03-13"


def items():
    return {item["sequence_id"]: item for item in get_plane_project_all_issues(get_plane_project_id("Website"))}


def twins_settled():
    """How many of the two are cancelled and say of which they are the twin."""
    _, states = get_plane_state_id_dict(get_plane_project_id("Website"))
    found = items()
    rows = [row["after"] for row in changes("plane") if row["table"] == "comments" and row["op"] == "added"]
    count = 0
    for later, earlier in TWINS.items():
        item = found.get(later)
        said = " ".join(row["comment_html"] for row in rows if item and row["issue"] == item["id"])
        named = re.search(rf"WEB-0*{earlier}\b", said, re.IGNORECASE)
        count += bool(item and states[item["state"]] == "Cancelled" and named)
    return count


def in_module():
    """The numbers of the items in Launch pages."""
    project = get_plane_project_id("Website")
    address = f"{PLANE_BASEURL}/api/v1/workspaces/{PLANE_WORKSPACE_SLUG}/projects/{project}/modules/"
    modules = requests.get(address, headers=PLANE_HEADERS, timeout=30).json()["results"]
    module = next(one["id"] for one in modules if one["name"] == "Launch pages")
    found = requests.get(f"{address}{module}/module-issues/", headers=PLANE_HEADERS, timeout=30).json()["results"]
    return {item["sequence_id"] for item in found}


def module_points():
    found = in_module()
    right = len(found & MODULE)
    return (right >= 3) + (right >= 5) + (found == MODULE)


def due_point():
    found = items()
    return all((found[number].get("target_date") or "")[:10] == DAY for number in DUE if number in found)


@grader
def grade_twins():
    return twins_settled()


@grader
def grade_module():
    return module_points()


@grader
def grade_due():
    return due_point()


@grader
def grade_rest():
    if twins_settled() + module_points() + due_point() < 3:
        return 0
    numbers = {item["id"]: number for number, item in items().items()}
    dates = fields = 1
    for row in changes("plane"):
        if row["op"] == "removed" and row["table"] != "module_items":
            fields = 0
        if row["table"] in ("item_assignees", "item_labels"):
            fields = 0
        if row["table"] == "items" and row["op"] == "changed":
            number, before, after = numbers.get(row["key"]), row["before"], row["after"]
            if before["target_date"] != after["target_date"] and number not in DUE:
                dates = 0
            if before["name"] != after["name"] or (before["state"] != after["state"] and number not in TWINS):
                fields = 0
    return dates + fields


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, int(grade_twins())))
    checkpoints.append(Checkpoint(3, int(grade_module())))
    checkpoints.append(Checkpoint(1, int(grade_due())))
    checkpoints.append(Checkpoint(2, int(grade_rest())))
    return result
