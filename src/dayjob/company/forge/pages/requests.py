"""Merge requests: the list, opening one, its overview, commits and changes, approving and merging."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from dayjob.company.forge.ci import states
from dayjob.company.forge.errors import Refused
from dayjob.company.forge.git import differences, reading
from dayjob.company.forge.pages import diffs
from dayjob.company.forge.pages.comments import threads_of
from dayjob.company.forge.pages.history import authors, by_day
from dayjob.company.forge.pages.items import change, choices, edit_page, named, project_list, save
from dayjob.company.forge.pages.pipelines import commit_states, stages_of
from dayjob.company.forge.pages.refs import names, repository
from dayjob.company.forge.pages.routes import project
from dayjob.company.forge.pages.text import shown
from dayjob.company.forge.pages.visit import Visit, reason
from dayjob.company.forge.store import item_counts, refs
from dayjob.company.forge.store.merge_requests import draft_title

STATES = (("opened", "Open"), ("merged", "Merged"), ("closed", "Closed"), ("all", "All"))
BLOCKED = {
    "draft_status": "It is a draft. Mark it as ready first.",
    "conflict": "There are conflicts with the target branch. Resolve them in the source branch.",
    "discussions_not_resolved": "Every thread must be resolved first.",
    "not_approved": "It needs more approvals first.",
    "merge_time": "It is not to be merged yet.",
    "ci_must_pass": "Its pipeline must succeed first.",
    "ci_still_running": "Its pipeline is still running, and must succeed first.",
    "not_open": "It is not open.",
    "unchecked": "The forge is still looking for conflicts.",
}
FILES = 200


@project("GET", "/merge_requests")
async def requests(visit: Visit) -> Response:
    found = await project_list(visit, "merge_requests", STATES)
    return visit.page(
        "items.html", heading="Merge requests", noun="merge request", may_add=visit.may(30),
        counts=item_counts.requests_by_state(visit.store, visit.project), **found,
    )  # fmt: skip


# -- opening one -------------------------------------------------------------------------------------------------


@project("GET POST", "/merge_requests/new")
async def new(visit: Visit) -> Response:
    """First the two branches, then the rest, as GitLab asks for them."""
    if visit.user is None:
        return visit.sign_in()
    asked = (visit.form if visit.posted else visit.query).get("merge_request")
    sides = asked if isinstance(asked, dict) else {}
    source, target = str(sides.get("source_branch") or ""), str(sides.get("target_branch") or "")
    target = target or visit.project.default_branch or "main"
    branches = names(repository(visit), "heads")
    if not visit.posted and source not in branches:
        return visit.page(
            "request_branches.html", source=source, target=target, branches=branches,
            problem=f"There is no branch called “{source}”." if source else "",
        )  # fmt: skip
    if visit.posted:
        with visit.attempt():
            made = await visit.ask("POST", visit.at_project("/merge_requests"), _given(visit, source, target))
            return visit.back(f"{visit.base}/merge_requests/{made['iid']}", f"Merge request !{made['iid']} opened.")
    return await _form(visit, source, target, branches, visit.problem)


def _given(visit: Visit, source: str, target: str) -> dict[str, Any]:
    title = visit.text("title")
    return {
        "source_branch": source,
        "target_branch": target,
        "title": draft_title(title, True) if visit.ticked("draft") else title,
        "description": visit.raw("description"),
        "labels": ",".join(visit.many("labels")) or None,
        "assignee_ids": [str(one) for one in named(visit, visit.many("usernames"))] or None,
        "reviewer_ids": [str(one) for one in named(visit, visit.many("reviewers"))] or None,
        "milestone_id": visit.text("milestone_id") or None,
        "remove_source_branch": visit.ticked("remove_source_branch"),
        "squash": visit.ticked("squash"),
    }


async def _form(visit: Visit, source: str, target: str, branches: list[str], problem: str) -> Response:
    values: dict[str, Any] = {"files": [], "commits": []}
    try:
        sides = {"from": target, "to": source}
        found = await visit.ask("GET", visit.at_project("/repository/compare"), sides)
        values = {"files": await diffs.files(found["diffs"][:FILES]), "commits": list(reversed(found["commits"]))}
    except Refused as no:
        problem = problem or reason(no)
    commits = values["commits"]
    title = commits[0]["title"] if len(commits) == 1 else source.replace("-", " ").replace("_", " ").capitalize()
    body = commits[0]["message"].partition("\n")[2].strip() if len(commits) == 1 else ""
    return visit.page(
        "request_new.html", 422 if problem and visit.posted else 200, problem=problem, source=source, target=target,
        branches=branches, title=visit.raw("title") or title, visit_many=visit.many,
        description=visit.raw("description") if visit.posted else body, accounts=authors(visit, commits),
        remove=bool(visit.project.options["remove_source_branch_after_merge"]), **values, **choices(visit),
    )  # fmt: skip


# -- one ---------------------------------------------------------------------------------------------------------


def _count(visit: Visit, found: dict[str, Any]) -> int:
    """How many files it changes."""
    repo, sides = visit.store.repos.open(visit.project.id), found["diff_refs"]
    old, new = reading.commit_of(repo, sides["base_sha"]), reading.commit_of(repo, sides["head_sha"])
    return len(differences.diff_trees(repo, old, new)) if new is not None else 0


async def _head(visit: Visit, tab: str) -> dict[str, Any]:
    """What every tab of a merge request shows."""
    path = visit.at_project(f"/merge_requests/{visit.number('iid')}")
    found = await visit.ask("GET", path, with_labels_details=True)
    mine = visit.user is not None and found["author"] is not None and found["author"]["id"] == visit.user.id
    commits = await visit.everything(f"{path}/commits")
    return {
        "item": found,
        "path": path,
        "tab": tab,
        "commits": commits,
        "changes": _count(visit, found),
        "source_there": refs.has_branch(visit.store, found["source_project_id"], found["source_branch"]),
        "address": f"{visit.base}/merge_requests/{found['iid']}",
        "may_change": visit.may(30) or (mine and not visit.project.archived),
        "editing": visit.query.get("edit", ""),
    }


@project("GET", "/merge_requests/{iid}")
async def request(visit: Visit) -> Response:
    head = await _head(visit, "overview")
    found, path = head["item"], head["path"]
    pipeline = found["head_pipeline"]
    under_way = pipeline is not None and pipeline["status"] in states.ALIVE | {"scheduled", "manual"}
    later = under_way and found["state"] == "opened" and not found["draft"] and not found["has_conflicts"]
    return visit.page(
        "request.html", **head, stages=stages_of(visit, pipeline["id"]) if pipeline else [], later=later,
        live=under_way and found["state"] == "opened", description=shown(visit, found["description"]),
        threads=await threads_of(visit, path), approvals=await visit.ask("GET", f"{path}/approvals"),
        blocked=BLOCKED.get(found["detailed_merge_status"], ""), closes=await visit.everything(f"{path}/closes_issues"),
        participants=await visit.everything(f"{path}/participants"), **choices(visit),
    )  # fmt: skip


@project("GET", "/merge_requests/{iid}/commits")
async def commits(visit: Visit) -> Response:
    head = await _head(visit, "commits")
    return visit.page(
        "request_commits.html",
        **head,
        days=by_day(head["commits"]),
        accounts=authors(visit, head["commits"]),
        ci=commit_states(visit, [one["id"] for one in head["commits"]]),
    )


@project("GET", "/merge_requests/{iid}/diffs")
async def changes(visit: Visit) -> Response:
    head = await _head(visit, "diffs")
    found = await visit.ask("GET", f"{head['path']}/changes")
    files = await diffs.files(found["changes"][:FILES])
    threads = await threads_of(visit, head["path"])
    diffs.place_threads(files, threads)
    return visit.page("request_changes.html", **head, files=files, comment=str(visit.query.get("comment", "")))


@project("GET", "/merge_requests/{iid}/edit")
async def edit(visit: Visit) -> Response:
    return await edit_page(visit, "merge_requests")


@project("POST", "/merge_requests/{iid}")
async def update(visit: Visit) -> Response:
    given = change(visit)
    if visit.text("part") == "draft":
        found = await visit.ask("GET", visit.at_project(f"/merge_requests/{visit.number('iid')}"))
        given = {"title": draft_title(found["title"], visit.ticked("draft"))}
    elif visit.text("part") == "title" and visit.text("target_branch"):
        given["target_branch"] = visit.text("target_branch")
    return await save(visit, "merge_requests", given)


@project("POST", "/merge_requests/{iid}/approve", "/merge_requests/{iid}/unapprove")
async def approve(visit: Visit) -> Response:
    verb = visit.path.rstrip("/").rpartition("/")[2]
    await visit.ask("POST", visit.at_project(f"/merge_requests/{visit.number('iid')}/{verb}"))
    notice = "Approved." if verb == "approve" else "Approval taken back."
    return visit.back(f"{visit.base}/merge_requests/{visit.number('iid')}", notice)


@project("POST", "/merge_requests/{iid}/merge")
async def merge(visit: Visit) -> Response:
    later = visit.ticked("merge_when_pipeline_succeeds")
    made = await visit.ask(
        "PUT", visit.at_project(f"/merge_requests/{visit.number('iid')}/merge"), auto_merge=later,
        squash=visit.ticked("squash"),
        should_remove_source_branch=visit.ticked("should_remove_source_branch"), sha=visit.text("sha") or None,
        merge_commit_message=visit.raw("merge_commit_message").strip() or None,
    )  # fmt: skip
    notice = "Merged." if made["state"] == "merged" else "It will be merged when its pipeline has succeeded."
    return visit.back(f"{visit.base}/merge_requests/{visit.number('iid')}", notice)


@project("POST", "/merge_requests/{iid}/cancel_auto_merge")
async def cancel_auto_merge(visit: Visit) -> Response:
    path = visit.at_project(f"/merge_requests/{visit.number('iid')}/cancel_merge_when_pipeline_succeeds")
    await visit.ask("POST", path)
    return visit.back(f"{visit.base}/merge_requests/{visit.number('iid')}", "It will not be merged automatically.")


@project("GET", "/merge_requests/{iid}/pipelines")
async def pipelines(visit: Visit) -> Response:
    head = await _head(visit, "pipelines")
    found = await visit.listed(f"{head['path']}/pipelines")
    for one in found.items:
        one["stages"] = stages_of(visit, one["id"])
    return visit.page("request_pipelines.html", **head, listed=found)


@project("POST", "/merge_requests/{iid}/rebase")
async def rebase(visit: Visit) -> Response:
    path = visit.at_project(f"/merge_requests/{visit.number('iid')}/rebase")
    answer = await visit.ask("PUT", path)
    notice = str(answer.get("merge_error") or "The source branch was rebased.")
    return visit.back(f"{visit.base}/merge_requests/{visit.number('iid')}", notice)
