"""What is in the way of a merge request, and how little is asked to know it of a whole list."""

from __future__ import annotations

from typing import Any

import pytest

from dayjob.company.forge.rows.items import MergeRequest
from dayjob.company.forge.rows.projects import Project
from dayjob.company.forge.store import approvals, discussions, merge_requests, mergeability, notes, request_pipelines
from dayjob.company.forge.store.approvals import Rule
from dayjob.company.forge.store.discussions import Noteable
from tests.company.forge.offices import Office

READY: dict[str, Any] = {"merge_status": "can_be_merged"}


def status(office: Office, project: Project, request: MergeRequest) -> str:
    return mergeability.status(office.store, project, request)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [(READY, "mergeable"), ({}, "unchecked"), ({"merge_status": "cannot_be_merged"}, "conflict"),
     ({**READY, "state": "closed"}, "not_open"), ({**READY, "state": "merged"}, "not_open")],
)  # fmt: skip
def test_its_own_state_is_looked_at_first(office: Office, facts: dict[str, Any], expected: str) -> None:
    project = office.project("garden", approvals_before_merge=0 if expected == "mergeable" else 1)
    assert status(office, project, office.request(project, **facts)) == expected


def test_a_draft_is_not_merged_and_an_open_thread_counts_where_the_project_says_so(office: Office) -> None:
    strict = office.project("strict", only_allow_merge_if_all_discussions_are_resolved=True)
    for project, expected in ((strict, "discussions_not_resolved"), (office.project("easy"), "mergeable")):
        request = office.request(project, **READY)
        said = notes.create(office.store, office.root, "MergeRequest", request.id, project.id, "Why?", resolvable=True)
        assert discussions.unresolved(office.store, [request, office.request(project)]) == {request.id}
        assert status(office, project, request) == expected
        discussions.resolve(office.store, office.root, Noteable("MergeRequest", request.id, project), [said], True)
        assert status(office, project, request) == "mergeable"
        office.store.update("merge_requests", request.id, title="Draft: later")
        assert status(office, project, merge_requests.get(office.store, request.id)) == "draft_status"


def pipeline(office: Office, project: Project, ref: str, sha: str, state: str) -> int:
    now = office.store.now()
    return office.store.insert(
        "pipelines", project_id=project.id, iid=1, ref=ref, sha=sha, before_sha="0", status=state, source="push",
        user_id=office.root.id, created_at=now, updated_at=now,
    )  # fmt: skip


def test_the_pipeline_of_its_head_must_pass_where_the_project_says_so(office: Office) -> None:
    project = office.project("garden", only_allow_merge_if_pipeline_succeeds=True)
    request, other = office.request(project, **READY, head_sha="a1"), office.request(project, **READY, head_sha="b2")
    assert status(office, project, request) == "ci_must_pass"
    pipeline(office, project, "topic", "b2", "success")
    pipeline(office, office.project("elsewhere"), "topic", "a1", "success")
    assert (status(office, project, request), status(office, project, other)) == ("ci_must_pass", "mergeable")
    own = pipeline(office, project, "refs/merge-requests/1/head", "a1", "success")
    newer = pipeline(office, project, "topic", "a1", "failed")
    assert [one.id for one in request_pipelines.heads(office.store, [request]).values()] == [own]
    assert [one.id for one in request_pipelines.of(office.store, request)] == [own]
    assert status(office, project, request) == "mergeable"
    office.store.delete("pipelines", own)
    assert [one.id for one in request_pipelines.heads(office.store, [request]).values()] == [newer]
    assert status(office, project, request) == "ci_must_pass"


def asked(office: Office, requests: list[MergeRequest], projects: dict[int, Project]) -> int:
    """How many statements it takes to know what is in the way of these."""
    statements: list[str] = []
    office.store.db.set_trace_callback(statements.append)
    mergeability.statuses(office.store, projects, requests)
    office.store.db.set_trace_callback(None)
    return len(statements)


def test_a_long_list_asks_no_more_than_a_short_one_and_says_what_each_says_alone(office: Office) -> None:
    options: dict[str, Any] = {
        "only_allow_merge_if_all_discussions_are_resolved": True, "only_allow_merge_if_pipeline_succeeds": True,
    }  # fmt: skip
    ann = office.person("ann")
    projects = {}
    for name in ("first", "second"):
        project = office.project(name, approvals_before_merge=1, **options)
        office.join(project, ann, 30)
        approvals.add_rule(office.store, "project", project.id, Rule(None, "Ann", 1, (ann.id,)))
        projects[project.id] = project
    requests = []
    for number in range(48):
        project = list(projects.values())[number % 2]
        request = office.request(project, **(READY if number % 5 else {}), head_sha=f"c{number}")
        if number % 3:
            approvals.approve(office.store, ann, project, request)
        if number % 4 == 2:
            pipeline(office, project, "topic", f"c{number}", "success")
        requests.append(request)
    together = mergeability.statuses(office.store, projects, requests)
    assert together == {one.id: status(office, projects[one.project_id], one) for one in requests}
    assert {"unchecked", "not_approved", "ci_must_pass", "mergeable"} == set(together.values())
    assert asked(office, requests, projects) == asked(office, requests[:12], projects)


def test_commits_are_walked_only_where_it_matters_who_made_them(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = office.project("garden", approvals_before_merge=1, merge_requests_disable_committers_approval=True)
    walked: list[str] = []

    def log(repo: Any, starts: list[str], **more: Any) -> list[Any]:
        walked.extend(starts)
        return []

    monkeypatch.setattr(approvals, "log", log)
    bare, given = office.request(project, **READY, head_sha="a1"), office.request(project, **READY, head_sha="b2")
    approvals.approve(office.store, office.person("ann"), project, given)
    found = mergeability.statuses(office.store, {project.id: project}, [bare, given])
    assert found == {bare.id: "not_approved", given.id: "mergeable"}
    assert walked == ["b2"]


def test_a_setting_that_was_emptied_is_as_if_it_were_never_set(office: Office) -> None:
    project = office.project("garden", merge_requests_author_approval=None)
    ann = office.person("ann")
    office.join(project, ann, 30)
    assert approvals.may_approve(office.store, ann, project, office.request(project, ann))
