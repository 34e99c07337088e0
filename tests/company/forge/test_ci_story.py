"""Pipelines of pushes, merge requests, schedules and triggers, run to their end by a runner that does as it is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import gitlab
import pytest
import requests

from dayjob.company.world import Snapshot
from tests.company.forge.conftest import api, person, project_with_readme
from tests.company.forge.test_runner_wire import Runner
from tests.company.serving import Served, serve

SIMPLE = "test:\n  script: [run]\n"


@pytest.fixture
def served(blank: Snapshot) -> Iterator[Served]:
    with serve(blank) as found:
        yield found


@pytest.fixture
def runner(served: Served) -> Runner:
    return Runner(served, served.company.service("forge").instance_runner_token())  # type: ignore[attr-defined]


def _commit(project: Any, branch: str, content: str, path: str = ".gitlab-ci.yml", **more: Any) -> None:
    action = (
        "update" if any(one["path"] == path for one in project.repository_tree(ref="main", get_all=True)) else "create"
    )
    project.commits.create(
        {
            "branch": branch, "commit_message": f"Change {path}", **more,
            "actions": [{"action": action, "file_path": path, "content": content}],
        }
    )  # fmt: skip


def _project(gl: gitlab.Gitlab, content: str = SIMPLE, name: str = "garden", **more: Any) -> Any:
    project = project_with_readme(gl, name, **more)
    _commit(project, "main", content)
    return project


def _latest(project: Any) -> Any:
    return project.pipelines.get(project.pipelines.list(get_all=True)[0].id)


def _states(pipeline: Any) -> dict[str, str]:
    return {job.name: job.status for job in pipeline.jobs.list(get_all=True)}


def test_needs_copies_and_what_may_fail_run_in_their_order(gl: gitlab.Gitlab, runner: Runner) -> None:
    project = _project(gl, """
stages: [build, test, deploy]
build: {stage: build, script: b, parallel: 2}
slow: {stage: build, script: s}
quick: {stage: test, script: q, needs: ["build 1/2"]}
lint: {stage: test, script: l, allow_failure: true}
tidy: {stage: deploy, script: t, when: on_failure}
ship: {stage: deploy, script: s, when: manual}
last: {stage: .post, script: x}
""")  # fmt: skip
    taken = {}
    for _ in range(3):
        job = runner.request()
        assert job is not None
        taken[job["job_info"]["name"]] = job
    assert set(taken) == {"build 1/2", "build 2/2", "slow"}
    runner.update(taken["build 1/2"], "success")
    quick = runner.request()
    assert quick is not None
    assert quick["job_info"]["name"] == "quick"
    for job in (quick, taken["build 2/2"], taken["slow"]):
        runner.update(job, "success")
    lint = runner.request()
    assert lint is not None
    runner.update(lint, "failed", failure_reason="script_failure")
    pipeline = _latest(project)
    assert (_states(pipeline)["tidy"], _states(pipeline)["ship"]) == ("skipped", "manual")
    assert runner.finish_all() == ["last"]
    done = _latest(project)
    assert (done.status, done.detailed_status["label"]) == ("success", "passed with warnings")
    ship = next(job for job in done.jobs.list(get_all=True) if job.name == "ship")
    project.jobs.get(ship.id).play()
    assert _latest(project).status == "running"
    assert runner.finish_all() == ["ship"]
    assert _latest(project).status == "success"


def test_a_job_is_tried_again_as_often_as_its_file_says_and_exit_codes_may_be_forgiven(
    gl: gitlab.Gitlab, runner: Runner
) -> None:
    content = "a: {script: a, retry: 1}\nb: {stage: deploy, script: b, allow_failure: {exit_codes: [137]}}\n"
    project = _project(gl, content)
    for state in ("failed", "success"):
        job = runner.request()
        assert job is not None
        runner.update(job, state, failure_reason="script_failure")
    job = runner.request()
    assert job is not None
    assert job["job_info"]["name"] == "b"
    runner.update(job, "failed", exit_code=137, failure_reason="script_failure")
    pipeline = _latest(project)
    assert (pipeline.status, len(pipeline.jobs.list(include_retried=True, get_all=True))) == ("success", 3)
    assert len(pipeline.jobs.list(get_all=True)) == 2


def test_a_delayed_job_and_a_schedule_start_when_the_companys_clock_says_so(
    gl: gitlab.Gitlab, served: Served, runner: Runner
) -> None:
    project = _project(gl, "wait: {script: w, when: delayed, start_in: 30 minutes}\n")
    assert (runner.request(), _latest(project).status) == (None, "scheduled")
    clock = served.company.clock
    clock.origin -= timedelta(minutes=31).total_seconds()
    assert runner.finish_all() == ["wait"]
    _commit(project, "main", "night: {script: n, rules: [{if: $CI_PIPELINE_SOURCE == 'schedule'}]}\n")
    schedule = project.pipelineschedules.create(
        {"ref": "main", "description": "Nightly", "cron": "0 3 * * *", "cron_timezone": "Europe/Vienna"}
    )
    schedule.variables.create({"key": "DEPTH", "value": "all"})
    assert runner.finish_all() == []
    clock.origin -= timedelta(days=1).total_seconds()
    job = runner.request()
    assert job is not None
    assert {one["key"]: one["value"] for one in job["variables"]}["DEPTH"] == "all"
    runner.update(job, "success")
    assert runner.finish_all() == []
    project.pipelineschedules.get(schedule.id).play()
    assert runner.finish_all() == ["night"]
    assert len(project.pipelineschedules.get(schedule.id).pipelines.list(get_all=True)) == 2
    wrong = api(served, "POST", f"/projects/{project.id}/pipeline_schedules",
                json={"ref": "main", "description": "x", "cron": "61 * * * *"})  # fmt: skip
    assert wrong.status_code == 400


def test_a_merge_request_is_merged_when_its_pipeline_is_green_and_not_when_it_is_red_or_pushed_to(
    gl: gitlab.Gitlab, runner: Runner
) -> None:
    project = _project(gl, only_allow_merge_if_pipeline_succeeds=True)
    runner.finish_all()
    requests_ = {}
    for name in ("red", "pushed", "green"):
        _commit(project, name, name, f"{name}.txt", start_branch="main")
        request = project.mergerequests.create({"source_branch": name, "target_branch": "main", "title": name})
        assert project.mergerequests.get(request.iid).detailed_merge_status in ("ci_still_running", "unchecked")
        merged = request.merge(merge_when_pipeline_succeeds=True)
        assert (merged["state"], merged["merge_when_pipeline_succeeds"]) == ("opened", True)
        requests_[name] = request.iid
    red = runner.request()
    assert red is not None
    runner.update(red, "failed", failure_reason="script_failure")
    _commit(project, "pushed", "again", "again.txt")
    assert (
        runner.finish_all() == ["test"] * 3
    )  # the pushed branch's newer pipeline, green's, and main's after its merge
    found = {name: project.mergerequests.get(iid) for name, iid in requests_.items()}
    assert {name: one.state for name, one in found.items()} == {"red": "opened", "pushed": "opened", "green": "merged"}
    assert not any(one.merge_when_pipeline_succeeds for one in found.values())
    notes = [note.body for note in found["red"].notes.list(get_all=True)]
    assert "aborted the automatic merge because the pipeline failed" in notes
    assert found["red"].detailed_merge_status == "ci_must_pass"
    assert found["green"].merged_by["username"] == "root"


def test_an_automatic_merge_waits_for_approvals_too(gl: gitlab.Gitlab, runner: Runner) -> None:
    project = _project(gl, approvals_before_merge=1)
    user, client = person(gl, "ann")
    project.members.create({"user_id": user.id, "access_level": 40})
    _commit(project, "topic", "x", "x.txt", start_branch="main")
    request = project.mergerequests.create({"source_branch": "topic", "target_branch": "main", "title": "Topic"})
    request.merge(merge_when_pipeline_succeeds=True)
    runner.finish_all()
    assert project.mergerequests.get(request.iid).state == "opened"
    client.projects.get(project.id).mergerequests.get(request.iid).approve()
    assert project.mergerequests.get(request.iid).state == "merged"


def test_pipelines_of_merge_requests_know_theirs_and_may_test_the_merged_result(
    gl: gitlab.Gitlab, runner: Runner
) -> None:
    content = "mr:\n  script: x\n  rules: [{if: $CI_MERGE_REQUEST_IID, changes: ['*.txt']}]\n"
    project = _project(gl, content, merge_pipelines_enabled=True)
    _commit(project, "topic", "x", "x.txt", start_branch="main")
    _commit(project, "main", "y", "y.md")
    request = project.mergerequests.create({"source_branch": "topic", "target_branch": "main", "title": "Topic"})
    job = runner.request()
    assert job is not None
    known = {one["key"]: one["value"] for one in job["variables"]}
    assert (known["CI_MERGE_REQUEST_IID"], known["CI_MERGE_REQUEST_EVENT_TYPE"]) == ("1", "merged_result")
    assert known["CI_COMMIT_REF_NAME"] == "topic"
    assert "CI_COMMIT_BRANCH" not in known
    assert job["git_info"]["sha"] not in (request.sha, project.branches.get("main").commit["id"])
    runner.update(job, "success")
    fresh = project.mergerequests.get(request.iid)
    assert (fresh.head_pipeline["status"], fresh.head_pipeline["ref"]) == ("success", "refs/merge-requests/1/merge")


def test_variables_reach_jobs_as_they_are_kept_and_masked_ones_no_log(gl: gitlab.Gitlab, runner: Runner) -> None:
    project = _project(gl)
    runner.finish_all()
    secret = "s3cret-value-1"
    project.variables.create({"key": "KEY", "value": secret, "masked": True})
    project.variables.create({"key": "ONLY", "value": "protected", "protected": True})
    project.variables.create({"key": "FILE", "value": "text", "variable_type": "file"})
    project.variables.create({"key": "PROD", "value": "x", "environment_scope": "production"})
    project.pipelines.create({"ref": "main", "variables": [{"key": "GIVEN", "value": "$KEY!"}]})
    job = runner.request()
    assert job is not None
    known = {one["key"]: one for one in job["variables"]}
    assert (known["KEY"]["masked"], known["ONLY"]["value"], known["FILE"]["file"]) == (True, "protected", True)
    assert (known["GIVEN"]["value"], "PROD" in known) == (f"{secret}!", False)
    text = f"the key is {secret}, and {job['token']}".encode()
    middle = 16  # in the middle of the secret
    runner.trace(job, text[:middle], 0)
    assert runner.trace(job, text[middle:], middle).status_code == 202
    log = project.jobs.get(job["id"]).trace()
    assert (len(log), secret.encode() in log, job["token"].encode() in log) == (len(text), False, False)
    runner.update(job, "success")
    _commit(project, "topic", "x", "x.txt", start_branch="main")
    other = runner.request()
    assert other is not None
    assert "ONLY" not in {one["key"] for one in other["variables"]}


def test_reported_statuses_take_part_in_their_pipeline(gl: gitlab.Gitlab, runner: Runner) -> None:
    project = _project(gl)
    commit = project.commits.list(get_all=True)[0]
    commit.statuses.create({"state": "running", "name": "elsewhere"})
    assert runner.finish_all() == ["test"]
    assert _latest(project).status == "running"
    commit.statuses.create({"state": "failed", "name": "elsewhere"})
    assert _latest(project).status == "failed"
    commit.statuses.create({"state": "pending", "name": "elsewhere"})
    commit.statuses.create({"state": "success", "name": "elsewhere"})
    assert _latest(project).status == "success"


def test_a_trigger_starts_a_pipeline_and_reports_become_a_test_report(
    gl: gitlab.Gitlab, served: Served, runner: Runner
) -> None:
    project = _project(gl, "t: {script: x, artifacts: {reports: {junit: out.xml}}}\n")
    runner.finish_all()
    trigger = project.triggers.create({"description": "elsewhere"})
    pipeline = project.trigger_pipeline("main", trigger.token, variables={"WHY": "because"})
    assert [one.value for one in project.pipelines.get(pipeline.id).variables.list(get_all=True)] == ["because"]
    job = runner.request()
    assert job is not None
    assert job["artifacts"][0]["artifact_type"] == "junit"
    report = (
        '<testsuite><testcase name="a" classname="T" time="0.5"/><testcase name="b" classname="T">'
        "<failure>no &lt;way&gt;</failure></testcase></testsuite>"
    )
    assert runner.upload(job, report.encode(), artifact_type="junit", artifact_format="raw").status_code == 201
    runner.update(job, "failed", failure_reason="script_failure")
    found = project.pipelines.get(pipeline.id).test_report.get()
    assert (found.total_count, found.failed_count, found.total_time) == (2, 1, 0.5)
    assert found.test_suites[0]["test_cases"][1]["system_output"] == "no <way>"
    bomb = '<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>'
    project.jobs.get(job["id"]).retry()
    again = runner.request()
    assert again is not None
    runner.upload(again, bomb.encode(), artifact_type="junit", artifact_format="raw")
    suites = project.pipelines.get(pipeline.id).test_report.get().test_suites
    assert suites[0]["suite_error"] == "entities are not taken"


def test_artifacts_are_kept_as_long_as_their_file_says(gl: gitlab.Gitlab, served: Served, runner: Runner) -> None:
    project = _project(gl, "t: {script: x, artifacts: {paths: [o], expire_in: 1 day}}\n")
    job = runner.request()
    assert job is not None
    runner.upload(job, b"not a zip at all")
    runner.update(job, "success")
    kept = project.jobs.get(job["id"])
    assert kept.artifacts() == b"not a zip at all"
    with pytest.raises(gitlab.GitlabGetError):
        kept.artifact("o")
    served.company.clock.origin -= timedelta(days=2).total_seconds()
    with pytest.raises(gitlab.GitlabGetError):
        kept.artifacts()
    kept.erase()
    assert project.jobs.get(job["id"]).trace() == b""


def test_a_newer_pipeline_of_a_branch_ends_an_older_one_that_has_not_begun(gl: gitlab.Gitlab, runner: Runner) -> None:
    project = _project(gl)
    _commit(project, "main", "x", "x.txt")
    assert [one.status for one in project.pipelines.list(get_all=True)] == ["pending", "canceled"]
    begun = runner.request()
    assert begun is not None
    _commit(project, "main", "y", "y.txt")
    assert [one.status for one in project.pipelines.list(get_all=True)][:2] == ["pending", "running"]


def test_a_job_token_opens_what_gitlab_lets_it_and_nothing_else(
    gl: gitlab.Gitlab, served: Served, runner: Runner
) -> None:
    project, other = _project(gl), project_with_readme(gl, "private")
    job = runner.request()
    assert job is not None
    base = f"{served.url('forge')}/api/v4"
    headers = {"JOB-TOKEN": job["token"]}

    def status(method: str, path: str, **more: Any) -> int:
        return requests.request(method, f"{base}{path}", headers=headers, timeout=30, **more).status_code

    assert requests.get(f"{base}/job", headers=headers, timeout=30).json()["id"] == job["id"]
    package = f"/projects/{project.id}/packages/generic/a/1/f"
    assert status("PUT", package, data=b"x") == 201
    assert status("PUT", package.replace(f"/{project.id}/", f"/{other.id}/"), data=b"x") == 404
    assert status("GET", "/user") == 401
    assert status("POST", f"/projects/{project.id}/issues", json={"title": "x"}) == 401
    runner.update(job, "success")
    assert status("PUT", package, data=b"x") == 401
