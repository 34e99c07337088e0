"""Pipelines in the browser: the list, a pipeline, a job with its log as it grows, artifacts, auto-merge, schedules."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import gitlab
import pytest
import requests

from dayjob.company.forge.pages import ansi
from dayjob.company.world import Snapshot
from tests.company.forge.conftest import project_with_readme
from tests.company.forge.test_runner_wire import Runner, archive
from tests.company.pages.browser import Visitor, expect
from tests.company.serving import Served, serve

pytestmark = pytest.mark.xdist_group("forge-pages-pipelines")
CI = """
stages: [build, test, deploy]
build: {stage: build, script: [make], artifacts: {paths: [out]}}
unit: {stage: test, script: [run]}
lint: {stage: test, script: [lint], allow_failure: true}
ship: {stage: deploy, script: [ship], when: manual}
"""
LOG = (
    b"section_start:1:get\r\x1b[0K\x1b[36;1mFetching\x1b[0m the code\n\x1b[32m$ make\x1b[0m\n"
    b"<script>alert(1)</script>\n10%\r50%\rdone\n\x1b[31;1mERROR: it broke\x1b[0m\n"
)


@pytest.fixture(scope="module")
def shop(blank: Snapshot) -> Iterator[tuple[Served, Runner, Any]]:
    """A project with one pipeline that has ended with warnings and one that is under way."""
    with serve(blank) as served:
        gl = gitlab.Gitlab(served.url("forge"), private_token="root-token")
        runner = Runner(served, served.company.service("forge").instance_runner_token())  # type: ignore[attr-defined]
        project = project_with_readme(gl, "mill", visibility="public")
        project.files.create(
            {"file_path": ".gitlab-ci.yml", "branch": "main", "content": CI, "commit_message": "Run the mill"}
        )
        build = runner.request()
        assert build is not None
        runner.trace(build, LOG, 0)
        runner.upload(build, archive(out__a_txt="made", out__deep__b_txt="deep"))
        runner.update(build, "success")
        for state in ("success", "failed"):
            job = runner.request()
            assert job is not None
            runner.trace(job, LOG, 0)
            runner.update(job, state, failure_reason="script_failure", exit_code=1)
        project.pipelineschedules.create({"ref": "main", "description": "Every night", "cron": "0 3 * * *"})
        yield served, runner, project


@pytest.fixture
def root(shop: tuple[Served, Runner, Any], somebody: Callable[..., Visitor]) -> Visitor:
    return somebody(shop[0], "root", "blank-root-pass")


def _pictures(visitor: Visitor, name: str) -> None:
    """For somebody who wants to look: light, dark and narrow."""
    if folder := os.environ.get("DAYJOB_LOOK"):
        for look, scheme, width in (("light", "light", 1280), ("dark", "dark", 1280), ("narrow", "light", 390)):
            visitor.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            visitor.page.set_viewport_size({"width": width, "height": 900})
            visitor.page.screenshot(path=f"{folder}/{name}-{look}.png")
        visitor.page.set_viewport_size({"width": 1280, "height": 720})


def test_every_page_of_pipelines_is_good_to_look_at(root: Visitor, shop: tuple[Served, Runner, Any]) -> None:
    _, _, project = shop
    jobs = {job.name: job.id for job in project.jobs.list(get_all=True)}
    pipeline = project.pipelines.list(get_all=True)[-1]
    for name, path in (
        ("pipelines", "pipelines"), ("pipeline", f"pipelines/{pipeline.id}"), ("new", "pipelines/new"),
        ("job", f"jobs/{jobs['lint']}"), ("manual", f"jobs/{jobs['ship']}"), ("jobs", "jobs"),
        ("artifacts", f"jobs/{jobs['build']}/artifacts/browse"), ("schedules", "pipeline_schedules"),
        ("schedule", "pipeline_schedules/new"), ("branches", "branches"), ("commits", "commits/main"),
    ):  # fmt: skip
        page = root.open("forge", f"/root/mill/-/{path}")
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        root.assert_good()
        _pictures(root, name)


def test_a_log_shows_colours_and_runs_nothing(root: Visitor, shop: tuple[Served, Runner, Any]) -> None:
    _, _, project = shop
    job = next(one for one in project.jobs.list(get_all=True) if one.name == "lint")
    page = root.open("forge", f"/root/mill/-/jobs/{job.id}")
    log = page.get_by_role("region", name="Log of lint")
    expect(log).to_contain_text("<script>alert(1)</script>")
    expect(log.get_by_text("ERROR: it broke")).to_have_class(re.compile("ansi-1"))
    expect(log).not_to_contain_text("section_start")
    expect(page.get_by_text("The script failed. It ended with 1. It may fail.")).to_be_visible()
    page.get_by_role("link", name="Line 4", exact=True).click()
    assert page.url.endswith("#L4")


def test_a_pipeline_is_run_watched_played_and_merged_from_pages(
    root: Visitor, shop: tuple[Served, Runner, Any]
) -> None:
    _, runner, project = shop
    page = root.open("forge", "/root/mill/-/pipelines/new")
    page.get_by_label("Name 1").fill("WHY")
    page.get_by_label("Value 1").fill("because")
    page.get_by_role("button", name="Run pipeline").click()
    expect(page.get_by_role("link", name="build", exact=True)).to_be_visible()
    page.get_by_role("link", name="build", exact=True).click()
    expect(page.get_by_text("This job waits for a runner.")).to_be_visible()
    job = runner.request()
    assert job is not None
    assert {one["key"]: one["value"] for one in job["variables"]}["WHY"] == "because"
    runner.trace(job, b"one line\n", 0)
    expect(page.get_by_role("region", name="Log of build")).to_contain_text("one line")
    runner.trace(job, b"and another\n", 9)
    expect(page.get_by_role("region", name="Log of build")).to_contain_text("and another")
    runner.update(job, "success")
    assert sorted(runner.finish_all()) == ["lint", "unit"]
    expect(page.get_by_role("button", name="Retry")).to_be_visible()
    page = root.open("forge", f"/root/mill/-/pipelines/{project.pipelines.list(get_all=True)[0].id}")
    page.get_by_role("button", name="Run ship").click()
    expect(page.get_by_text("The job was started.")).to_be_visible()
    assert runner.finish_all() == ["ship"]


def test_a_merge_request_is_set_to_merge_when_its_pipeline_is_green(
    root: Visitor, shop: tuple[Served, Runner, Any]
) -> None:
    _, runner, project = shop
    project.commits.create({
        "branch": "topic", "start_branch": "main", "commit_message": "Grind finer",
        "actions": [{"action": "create", "file_path": "fine.txt", "content": "x"}],
    })  # fmt: skip
    request = project.mergerequests.create({"source_branch": "topic", "target_branch": "main", "title": "Grind finer"})
    page = root.open("forge", f"/root/mill/-/merge_requests/{request.iid}")
    _pictures(root, "widget")
    page.get_by_role("button", name="Set to auto-merge").click()
    expect(page.get_by_text("Set to merge automatically")).to_be_visible()
    page.get_by_role("button", name="Cancel auto-merge").click()
    page.get_by_role("button", name="Set to auto-merge").click()
    root.assert_good()
    _pictures(root, "auto-merge")
    runner.finish_all()
    expect(page.get_by_text(re.compile("^Merged by"))).to_be_visible()
    page.get_by_role("link", name="Pipelines", exact=True).last.click()
    root.assert_good()


def test_a_badge_says_how_a_branch_is(shop: tuple[Served, Runner, Any]) -> None:
    served, _, _ = shop
    found = requests.get(f"{served.url('forge')}/root/mill/badges/main/pipeline.svg", timeout=30)
    assert (found.status_code, found.headers["content-type"]) == (200, "image/svg+xml")
    assert re.search("pipeline: (passed|running|pending)", found.text)
    unknown = requests.get(f"{served.url('forge')}/root/mill/-/badges/none/pipeline.svg", timeout=30)
    assert "unknown" in unknown.text


def test_what_steers_a_terminal_is_left_out() -> None:
    told = [
        str(line) for _, line in ansi.lines(b"\x1b]0;title\x07a\x1b[2Kb\x1b[38;5;196mc\x1b[1;4md\x00\x1b[0me\n\xff&")
    ]
    assert told == ['abc<span class="ansi-bold ansi-underlined">d</span>e', "\ufffd&amp;"]
    many = ansi.lines(b"x\n" * (ansi.LINES + 5))
    assert (len(many), many[0][0]) == (ansi.LINES, 6)
