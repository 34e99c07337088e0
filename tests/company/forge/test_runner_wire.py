"""A runner's whole conversation with the forge, as GitLab's own runner holds it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import gitlab
import pytest
import requests

from tests.company.forge.conftest import Git, project_with_readme
from tests.company.serving import Served

CI = """
stages: [build, test]
build:
  stage: build
  script: [make]
  artifacts: {paths: [out]}
test:
  stage: test
  image: debian:12
  variables: {COLOUR: red, MIX: "$COLOUR-$CI_JOB_NAME"}
  before_script: [setup]
  script:
    - run the tests
  after_script: [clean up]
"""


class Runner:
    """Speaks the runner's wire."""

    def __init__(self, served: Served, token: str) -> None:
        self.url = f"{served.url('forge')}/api/v4"
        self.token = token
        self.last_update = ""

    def request(self) -> dict[str, Any] | None:
        body = {
            "token": self.token,
            "last_update": self.last_update,
            "info": {"name": "gitlab-runner", "version": "17.9.0", "features": {"cancel_gracefully": False}},
        }
        answer = requests.post(f"{self.url}/jobs/request", json=body, timeout=30)
        if answer.status_code == 204:
            self.last_update = answer.headers["X-GitLab-Last-Update"]
            return None
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def trace(self, job: dict[str, Any], text: bytes, start: int) -> requests.Response:
        headers = {"JOB-TOKEN": job["token"], "Content-Range": f"{start}-{start + len(text) - 1}"}
        address = f"{self.url}/jobs/{job['id']}/trace"
        return requests.patch(address, data=text, headers={**headers, "Content-Type": "text/plain"}, timeout=30)

    def update(self, job: dict[str, Any], state: str, **more: Any) -> requests.Response:
        body = {"token": job["token"], "state": state, **more}
        return requests.put(f"{self.url}/jobs/{job['id']}", json=body, timeout=30)

    def upload(self, job: dict[str, Any], data: bytes, **query: str) -> requests.Response:
        return requests.post(
            f"{self.url}/jobs/{job['id']}/artifacts", headers={"JOB-TOKEN": job["token"]}, params=query,
            files={"file": ("artifacts.zip", data)}, timeout=30,
        )  # fmt: skip

    def finish_all(self, state: str = "success") -> list[str]:
        """Take and end jobs until none waits; the names in order."""
        names = []
        while (job := self.request()) is not None:
            names.append(job["job_info"]["name"])
            assert self.update(job, state).status_code == 200
        return names


def archive(**files: str) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as zipped:
        for name, text in files.items():
            zipped.writestr(name.replace("__", "/").replace("_txt", ".txt"), text)
    return found.getvalue()


@pytest.fixture
def runner(served: Served) -> Runner:
    forge = served.company.service("forge")
    return Runner(served, forge.instance_runner_token())  # type: ignore[attr-defined]


def _with_ci(gl: gitlab.Gitlab, content: str = CI, name: str = "garden") -> Any:
    project = project_with_readme(gl, name)
    project.files.create(
        {"file_path": ".gitlab-ci.yml", "branch": "main", "content": content, "commit_message": "Add CI"}
    )
    return project


def test_a_job_goes_from_a_push_through_a_runner_to_green(
    gl: gitlab.Gitlab, served: Served, runner: Runner, git: Git, tmp_path: Path
) -> None:
    told: list[int] = []
    served.company.on_jobs_waiting = lambda: told.append(1)
    assert runner.request() is None
    project = _with_ci(gl)
    assert told
    pipeline = project.pipelines.list(get_all=True)[0]
    assert pipeline.status == "pending"
    build = runner.request()
    assert build is not None
    assert (build["job_info"]["name"], build["job_info"]["project_id"]) == ("build", project.id)
    assert build["git_info"]["sha"] == pipeline.sha
    assert runner.request() is None
    assert project.pipelines.get(pipeline.id).status == "running"
    # The repository is there for the job's token, and only to read.
    place = tmp_path / "clone"
    git("clone", "-q", build["git_info"]["repo_url"], place)
    git("fetch", "-q", "origin", build["git_info"]["refspecs"][0], cwd=place)
    assert git("push", "origin", "HEAD:refs/heads/x", cwd=place, ok=False).returncode != 0
    # The log arrives in pieces, each where the last one ended.
    said = runner.trace(build, b"hello ", 0)
    assert (said.status_code, said.headers["Range"], said.headers["Job-Status"]) == (202, "0-6", "running")
    wrong = runner.trace(build, b"world", 3)
    assert (wrong.status_code, wrong.headers["Range"]) == (416, "0-6")
    assert runner.trace(build, b"world", 6).status_code == 202
    assert project.jobs.get(build["id"]).trace() == b"hello world"
    packed = archive(out__a_txt="made")
    assert runner.upload(build, packed).status_code == 201
    assert runner.update(build, "success").status_code == 200
    # Its token is over with it.
    assert git("ls-remote", build["git_info"]["repo_url"], ok=False).returncode != 0
    assert runner.trace(build, b"more", 11).status_code == 403
    test = runner.request()
    assert test is not None
    known = {one["key"]: one for one in test["variables"]}
    assert (known["MIX"]["value"], known["CI_JOB_STAGE"]["value"]) == ("red-test", "test")
    assert known["CI_JOB_TOKEN"] == {
        "key": "CI_JOB_TOKEN", "value": test["token"], "public": False, "masked": True, "file": False, "raw": False,
    }  # fmt: skip
    assert [(step["name"], step["script"]) for step in test["steps"]] == [
        ("script", ["setup", "run the tests"]), ("after_script", ["clean up"]),
    ]  # fmt: skip
    assert test["image"]["name"] == "debian:12"
    (needed,) = test["dependencies"]
    assert (needed["id"], needed["artifacts_file"]["size"]) == (build["id"], len(packed))
    fetched = requests.get(
        f"{runner.url}/jobs/{needed['id']}/artifacts", headers={"JOB-TOKEN": needed["token"]}, timeout=30
    )
    assert fetched.content == packed
    assert runner.update(test, "success").status_code == 200
    done = project.pipelines.get(pipeline.id)
    assert (done.status, done.finished_at is not None) == ("success", True)
    assert project.jobs.get(build["id"]).artifact("out/a.txt") == b"made"
    assert project.artifacts.raw(ref_name="main", artifact_path="out/a.txt", job="build") == b"made"


def test_a_failed_job_skips_what_comes_after_it_and_a_retry_lets_it_run(gl: gitlab.Gitlab, runner: Runner) -> None:
    project = _with_ci(gl)
    job = runner.request()
    assert job is not None
    runner.update(job, "failed", failure_reason="script_failure", exit_code=3)
    pipeline = project.pipelines.list(get_all=True)[0]
    assert pipeline.status == "failed"
    states = {one.name: one for one in pipeline.jobs.list(get_all=True)}
    assert (states["build"].failure_reason, states["test"].status) == ("script_failure", "skipped")
    states_again = project.jobs.get(states["build"].id).retry()
    assert states_again["id"] != job["id"]
    assert runner.finish_all() == ["build", "test"]
    assert project.pipelines.get(pipeline.id).status == "success"


def test_a_cancelled_job_tells_its_runner(gl: gitlab.Gitlab, runner: Runner) -> None:
    project = _with_ci(gl)
    job = runner.request()
    assert job is not None
    project.pipelines.list(get_all=True)[0].cancel()
    answer = runner.trace(job, b"on it", 0)
    assert (answer.status_code, answer.headers["Job-Status"]) == (403, "canceled")
    pipeline = project.pipelines.list(get_all=True)[0]
    assert (pipeline.status, runner.request()) == ("canceled", None)


def test_runners_that_are_not_known_get_nothing(gl: gitlab.Gitlab, served: Served) -> None:
    _with_ci(gl)
    stranger = Runner(served, "glrt-nobody")
    answer = requests.post(f"{stranger.url}/jobs/request", json={"token": stranger.token}, timeout=30)
    assert answer.status_code == 403
    verify = requests.post(f"{stranger.url}/runners/verify", json={"token": stranger.token}, timeout=30)
    assert verify.status_code == 403


def test_people_manage_runners_and_tags_choose_jobs(gl: gitlab.Gitlab, served: Served, runner: Runner) -> None:
    project = _with_ci(gl, "deploy:\n  tags: [metal]\n  script: [ship]\n")
    assert runner.request() is None
    made = gl.http_post("/user/runners", post_data={"runner_type": "project_type", "project_id": project.id,
                        "tag_list": "metal", "run_untagged": False, "description": "forge"})  # fmt: skip
    other = Runner(served, made["token"])  # type: ignore[index]
    verified = requests.post(f"{other.url}/runners/verify", json={"token": other.token}, timeout=30)
    assert verified.json()["id"] == made["id"]  # type: ignore[index]
    assert other.finish_all() == ["deploy"]
    kept = gl.runners.get(made["id"])  # type: ignore[index]
    assert (kept.tag_list, kept.run_untagged, kept.status) == (["metal"], False, "online")
    kept.paused = True
    kept.save()
    project.pipelines.create({"ref": "main"})
    assert other.request() is None
    assert [one.name for one in kept.jobs.list(get_all=True)] == ["deploy"]
    gone = requests.delete(f"{other.url}/runners", json={"token": other.token}, timeout=30)
    assert gone.status_code == 204
