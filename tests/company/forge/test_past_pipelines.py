"""Pipelines of the past: written in a world, listed like any others, and run again as their commit's file says."""

from __future__ import annotations

from pathlib import Path

import gitlab
import pytest

from dayjob.company.world import Snapshot
from dayjob.company.world.snapshot import check_world
from tests.company.forge.test_runner_wire import Runner
from tests.company.serving import WORLDS, serve

PLACE = "forge/projects/larkspur/sync/pipelines.yml"


def test_larkspur_has_a_past_that_is_mostly_green_with_a_flaky_job_and_a_red_night(larkspur: Snapshot) -> None:
    with serve(larkspur) as served:
        gl = gitlab.Gitlab(served.url("forge"), private_token="larkspur-root-token")
        project = gl.projects.get("larkspur/sync")
        listed = project.pipelines.list(get_all=True)
        night = [one for one in listed if one.created_at.startswith("2026-02-05")]
        assert [one.status for one in night] == ["success", "failed"]
        assert {one.status for one in listed if one not in night} == {"success"}
        log = project.jobs.get(project.pipelines.get(night[1].id).jobs.list(get_all=True)[0].id).trace()
        assert b"No space left on device" in log
        newest = project.pipelines.get(listed[0].id)
        tries = newest.jobs.list(include_retried=True, get_all=True)
        assert [one.status for one in tries] == ["success", "failed"]
        assert tries[0].started_at >= tries[1].finished_at
        assert newest.sha == project.branches.get("start-over").commit["id"]
        runner = Runner(served, served.company.service("forge").instance_runner_token())  # type: ignore[attr-defined]
        assert runner.request() is None
        project.jobs.get(tries[0].id).retry()
        job = runner.request()
        assert job is not None
        assert "go test ./..." in job["steps"][0]["script"]
        assert project.pipelines.create({"ref": "main"}).iid == len(listed) + 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- {branch: main, at: 2026-02-01T10:00:00Z}", "A pipeline has jobs."),
        ("- {branch: nope, at: 2026-02-01T10:00:00Z, jobs: [{name: t}]}", "There is no branch 'nope'."),
        ("- {tag: v9, at: 2026-02-01T10:00:00Z, jobs: [{name: t}]}", "There is no tag 'v9'."),
        ("- {branch: main, at: 2020-02-01T10:00:00Z, jobs: [{name: t}]}",
         "The branch 'main' had no commit yet at that time."),
        ("- {branch: main, at: 2027-02-01T10:00:00Z, jobs: [{name: t}]}", "This pipeline has not run yet."),
        ("- {branch: main, jobs: [{name: t}]}", "'at' is missing."),
        ("- {at: 2026-02-01T10:00:00Z, source: wind, jobs: [{name: t}]}", "'wind' starts no pipeline."),
        ("- {at: 2026-02-01T10:00:00Z, jobs: [{name: t, status: running}]}", "A job that is over is not 'running'."),
        ("- {at: 2026-02-01T10:00:00Z, jobs: [{name: t, took: long}]}", "'long' is no length of time."),
        ("- {at: 2026-02-01T10:00:00Z, jobs: [{took: 3}]}", "'name' is missing."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_past_is_said_with_file_and_line(tmp_path: Path, text: str, problem: str) -> None:
    overlay = tmp_path / "overlay"
    (overlay / PLACE).parent.mkdir(parents=True)
    (overlay / PLACE).write_text(f"# what ran\n{text}\n")
    found = [one for one in check_world(WORLDS / "larkspur", overlay) if one.file.endswith("pipelines.yml")]
    assert [(one.line, one.message) for one in found] == [(2, problem)]
