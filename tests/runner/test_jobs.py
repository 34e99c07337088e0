"""Jobs in rooms of their own, from a push to the log: what GitLab's runner does, and what is kept of it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runner.ci_office import Loop, office_loop


@pytest.fixture(scope="module")
def run(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loop]:
    with office_loop(cache, tmp_path_factory.mktemp("office")) as found:
        yield found


def test_a_job_is_green_because_its_commands_ended_with_0(run: Loop) -> None:
    job = run(run.office.script("cat README.md", "test -d .git", files={"README.md": "read me\n"}))
    assert (job.status, job.reason) == ("success", None)
    assert "\x1b[32;1m$ cat README.md\x1b[0;m\nread me\n" in job.log
    assert job.log.rstrip().endswith("\x1b[32;1mJob succeeded\x1b[0;m")
    for section in ("prepare_executor", "get_sources", "step_script"):
        assert f":{section}\r\x1b[0K" in job.log


def test_a_job_is_red_with_the_output_of_what_failed(run: Loop) -> None:
    job = run(run.office.script("echo before", "echo 'expected 3, got 4' >&2; exit 3", "echo never"))
    assert (job.status, job.reason) == ("failed", "script_failure")
    assert "before" in job.log
    assert "expected 3, got 4" in job.log
    assert "$ echo never" not in job.log
    assert "ERROR: Job failed: exit code 3" in job.log


def test_exit_codes_decide_what_may_fail(run: Loop) -> None:
    jobs = run(
        run.office.run("""
            stages: [one, two]
            flaky: {stage: one, script: exit 137, allow_failure: {exit_codes: [137]}}
            after: {stage: two, script: echo still here}
            """)
    )
    assert (jobs["flaky"].status, jobs["after"].status) == ("failed", "success")


def test_after_script_has_a_shell_of_its_own_and_knows_how_it_went(run: Loop) -> None:
    job = run(
        run.office.script(
            "export KEPT=no; false",
            before_script=["echo prepared"],
            after_script=["echo $CI_JOB_STATUS:$KEPT:", "exit 9"],
        )
    )
    assert job.status == "failed"
    assert job.log.index("prepared") < job.log.index("failed::")
    assert "after_script failed, but job will continue unaffected: exit code 9" in job.log


def test_variables_reach_the_job_and_masked_ones_never_its_log(run: Loop) -> None:
    async def main() -> str:
        office = run.office
        project = await office.project()
        for facts in (
            {"key": "SECRET_WORD", "value": "hunter2-hunter2", "masked": True},
            {"key": "SETTINGS", "value": "a: 1\nb: 2\n", "variable_type": "file"},
            {"key": "WHOLE", "value": "$CI_PROJECT_NAME/x", "raw": False},
        ):
            await office.ask("POST", f"/projects/{project}/variables", json=facts)
        ci = """
            job:
              variables: {OWN: "own-$CI_COMMIT_BRANCH"}
              script:
                - echo "$OWN $WHOLE $CI_PROJECT_DIR $CI_JOB_NAME $GITLAB_CI"
                - cat $SETTINGS
                - echo "the word is $SECRET_WORD"; printf 'hunter2-'; sleep 0.4; echo 'hunter2'
                - test "$SECRET_WORD" = hunter2-"$(echo hunter2)"
                - echo "token $CI_JOB_TOKEN"
            """
        sha = await office.commit(project, {".gitlab-ci.yml": ci})
        job = (await office.jobs(project, sha))["job"]
        assert job.status == "success", job.log
        return job.log

    log = run(main())
    assert "own-main " in log
    assert " /builds/root/" in log
    assert "a: 1\nb: 2" in log
    assert "hunter2-hunter2" not in log
    assert log.count("[MASKED]") >= 2
    assert "token [MASKED]" in log


def test_artifacts_go_to_the_jobs_that_need_them(run: Loop) -> None:
    async def main() -> tuple[list[str], str]:
        office = run.office
        project = await office.project()
        ci = """
            stages: [build, test]
            build:
              stage: build
              script: [mkdir -p out/deep, echo built > out/deep/a.txt, echo no > out/b.map, chmod +x out/deep/a.txt]
              artifacts: {paths: [out/], exclude: ["**/*.map"], name: "$CI_JOB_NAME"}
            test:
              stage: test
              script: [cat out/deep/a.txt, test -x out/deep/a.txt, "! test -e out/b.map"]
            apart:
              stage: test
              dependencies: []
              script: ["! test -e out"]
            """
        sha = await office.commit(project, {".gitlab-ci.yml": ci})
        jobs = await office.jobs(project, sha)
        assert {name: job.status for name, job in jobs.items()} == dict.fromkeys(jobs, "success"), jobs["test"].log
        said = await office.forge.get(f"/projects/{project}/jobs/{jobs['build'].facts['id']}/artifacts")
        assert said.status_code == 200
        return zipfile.ZipFile(io.BytesIO(said.content)).namelist(), jobs["build"].log

    names, log = run(main())
    assert sorted(name for name in names if not name.endswith("/")) == ["out/deep/a.txt"]
    assert "out/: found 4 matching artifact files and directories" in log


def test_a_failed_job_keeps_what_it_says_it_keeps(run: Loop) -> None:
    job = run(run.office.script("echo x > x; false", artifacts={"paths": ["x"], "when": "on_failure"}))
    assert job.status == "failed"
    assert "Uploading artifacts for failed job" in job.log
    assert '"archive" to coordinator... 201 Created' in job.log


def test_a_job_that_takes_longer_than_it_may_is_ended(run: Loop) -> None:
    job = run(run.office.script("echo begun", "sleep 600 & sleep 600", timeout="1 second"))
    assert (job.status, job.reason) == ("failed", "job_execution_timeout")
    assert "begun" in job.log
    assert "execution took longer than 1s seconds" in job.log


def test_an_image_that_is_in_no_table_is_refused_in_the_log(run: Loop) -> None:
    job = run(run.office.script("true", image="registry.example.test/strange:1"))
    assert (job.status, job.reason) == ("failed", "image_pull_failure")
    assert 'failed to pull image "registry.example.test/strange:1"' in job.log


def test_python_of_the_table_is_the_python_it_says(run: Loop) -> None:
    job = run(run.office.script("python --version", image="python:3.13-slim"))
    assert job.status == "success"
    assert "Python 3.13." in job.log


def test_a_job_that_is_cancelled_stops(run: Loop) -> None:
    import asyncio

    async def main() -> str:
        office = run.office
        project = await office.project()
        ci = "job: {script: [echo begun, sleep 600, echo never]}"
        sha = await office.commit(project, {".gitlab-ci.yml": ci})
        async with asyncio.timeout(60):
            while True:
                (job,) = await office.ask("GET", f"/projects/{project}/jobs")
                trace = await office.ask("GET", f"/projects/{project}/jobs/{job['id']}/trace")
                if "$ sleep 600" in trace.text:
                    break
                await asyncio.sleep(0.05)
        await office.ask("POST", f"/projects/{project}/jobs/{job['id']}/cancel")
        return (await office.jobs(project, sha))["job"].status

    assert run(main()) == "canceled"


def test_the_journal_tells_the_runner_from_everybody_else(run: Loop, tmp_path: Path) -> None:
    run(run.office.script("true"))
    assert run(run.office.company.was_asked("runner"))


def test_a_job_has_the_companys_time(run: Loop) -> None:
    job = run(run.office.script("date -u +day=%Y-%m-%d"))
    assert "day=2026-03-09" in job.log


def test_what_mends_a_red_merge_request_is_merged_when_green(run: Loop) -> None:
    async def main() -> list[str]:
        office = run.office
        project = await office.project()
        ci = "test: {image: python:3.13, script: [sleep 1, python -m unittest]}"
        await office.commit(project, {".gitlab-ci.yml": ci, "test_app.py": asserting(4)})
        await office.over()
        broken = await office.commit(project, {"test_app.py": asserting(3)}, "change", start_branch="main")
        red = await office.jobs(project, broken)
        body = {"source_branch": "change", "target_branch": "main", "title": "A change"}
        number = (await office.ask("POST", f"/projects/{project}/merge_requests", json=body))["iid"]
        mended = await office.commit(project, {"test_app.py": asserting(2 + 2), "more.txt": "more"}, "change")
        where = f"/projects/{project}/merge_requests/{number}"
        said = await office.ask("PUT", f"{where}/merge", json={"auto_merge": True})
        green = await office.jobs(project, mended)
        assert "AssertionError: 4 != 3" in red["test"].log
        merged = await office.ask("GET", where)
        return [red["test"].status, said["state"], green["test"].status, merged["state"]]

    assert run(main()) == ["failed", "opened", "success", "merged"]


def asserting(value: int) -> str:
    return f"import unittest\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual(4, {value})\n"


def test_a_wait_lets_running_jobs_end_before_time_is_skipped(run: Loop) -> None:
    async def main() -> tuple[int, list[str]]:
        office = run.office
        project = await office.project()
        await office.commit(project, {".gitlab-ci.yml": "job: {script: [sleep 1.5, echo done]}"})
        said = await office.forge.post(f"{office.control}/clock/wait", json={"for": "1h"}, timeout=120)
        jobs = await office.ask("GET", f"/projects/{project}/jobs")
        return said.status_code, [job["status"] for job in jobs]

    assert run(main()) == (200, ["success"])
