"""Grades tidy-the-website-board: twins, module and due dates, and that everything else is as it was."""

import functools
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
from scoring import Checkpoint, Points, Result
from variant import VALUES

TWINS = dict(VALUES["key"]["twins"])
MODULE = set(VALUES["key"]["module"])
DUE = set(VALUES["key"]["due"])
DAY = "2026-03-13"


@functools.cache
def items():
    return {item["sequence_id"]: item for item in get_plane_project_all_issues(get_plane_project_id("Website"))}


@functools.cache
def numbers():
    """Id of an item to its number."""
    return {item["id"]: number for number, item in items().items()}


def changed(field):
    """The numbers of the items that have another value there."""
    rows = [row for row in changes("plane") if row["table"] == "items" and row["op"] == "changed"]
    return {numbers().get(row["key"]) for row in rows if row["before"][field] != row["after"][field]}


def twins_settled():
    """How many of the two are cancelled and say whose twin they are; none, when more than two others changed state."""
    _, states = get_plane_state_id_dict(get_plane_project_id("Website"))
    rows = [row["after"] for row in changes("plane") if row["table"] == "comments" and row["op"] == "added"]
    if len(changed("state") - TWINS.keys()) > 2:
        return 0
    count = 0
    for later, earlier in TWINS.items():
        item = items().get(later)
        said = " ".join(row["comment_html"] for row in rows if item and row["issue"] == item["id"])
        count += bool(item and states[item["state"]] == "Cancelled" and named_first(said, later) == {earlier})
    return count


def named_first(said, later):
    """The numbers of other items in the first sentence that has any: what is named after it is context."""
    for sentence in re.split(r"[.;!?](?=[\s<])|</p>|</li>", said):
        found = {int(number) for number in re.findall(r"WEB-(\d+)", sentence, re.IGNORECASE)} - {later}
        if found:
            return found
    return set()


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
    right = len(found & MODULE) if len(found - MODULE) <= 4 else 0
    return (right >= 3) + (right >= 5) + (found == MODULE)


def due_point():
    dated = all((items().get(number, {}).get("target_date") or "")[:10] == DAY for number in DUE)
    return dated and len(changed("target_date") - DUE) <= 6


@grader
def grade_twins():
    _, states = get_plane_state_id_dict(get_plane_project_id("Website"))
    are = [f"WEB-{later} is {states[items()[later]['state']]}" for later in TWINS if later in items()]
    others = len(changed("state") - TWINS.keys())
    said = f"{'; '.join(are)}; {twins_settled()} of two are cancelled with a comment that names the earlier one"
    return Points(twins_settled(), said + (f"; {others} other items changed their state" if others else ""))


@grader
def grade_module():
    found = in_module()
    missing = ", ".join(f"WEB-{number}" for number in sorted(MODULE - found)) or "none"
    others = ", ".join(f"WEB-{number}" for number in sorted(found - MODULE)) or "none"
    return Points(module_points(), f"missing in Launch pages: {missing}; without business there: {others}")


@grader
def grade_due():
    days = [
        f"WEB-{number} is due on {items().get(number, {}).get('target_date') or 'no day'}" for number in sorted(DUE)
    ]
    others = len(changed("target_date") - DUE)
    return Points(due_point(), "; ".join(days) + (f"; {others} others have another day than before" if others else ""))


def is_asked_for(row):
    """Is this change one that the task speaks of, due dates aside? Right or wrong is for the other checkpoints."""
    table, side = row["table"], row["after"] or row["before"]
    if table == "items" and row["op"] == "changed":
        may = {"target_date"} | ({"state", "completed_at"} if numbers().get(row["key"]) in TWINS else set())
        return all(row["before"][field] == row["after"][field] for field in side if field not in may)
    pair = {*TWINS.keys(), *TWINS.values()}
    if row["op"] == "added" and table == "comments":
        return numbers().get(side["issue"]) in pair
    if row["op"] == "added" and table == "relations":
        return {numbers().get(side["issue"]), numbers().get(side["related_issue"])} <= pair
    return row["op"] == "added" and table == "module_items"


@grader
def grade_rest():
    if twins_settled() + module_points() + due_point() < 3:
        return Points(0, "the other checkpoints have fewer than three points, beside which it counts")
    dates = [f"WEB-{number} has another due date" for number in sorted(changed("target_date") - DUE)]
    others = [row["words"] for row in changes("plane") if not is_asked_for(row)]
    return Points((not dates) + (not others), "; ".join(dates[:4] + others[:3]) or "everything else is as it was")


def grade_checkpoints(trajectory="") -> Result:
    checkpoints: list[Checkpoint] = []
    result = Result(checkpoints)
    checkpoints.append(Checkpoint(2, grade_twins()))
    checkpoints.append(Checkpoint(3, grade_module()))
    checkpoints.append(Checkpoint(1, grade_due()))
    checkpoints.append(Checkpoint(2, grade_rest()))
    return result
