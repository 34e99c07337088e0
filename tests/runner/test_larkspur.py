"""Larkspur's nine pipelines, from an empty push to green, asked after with python-gitlab."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import gitlab
import pytest

from tests.runner.ci_office import ROOT, opened

WORLD = Path(__file__).parents[2] / "worlds" / "larkspur"
PROJECTS = sorted(
    str(path.parents[1].relative_to(WORLD / "forge" / "projects"))
    for path in WORLD.glob("forge/projects/**/source/.gitlab-ci.yml")
)


def git(folder: Path, *words: str) -> str:
    env = {
        **os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0",
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@larkspur.test",
        "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@larkspur.test",
    }  # fmt: skip
    done = subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.skipif(os.geteuid() != 0, reason="images with packages of Debian are made by root alone")
def test_every_pipeline_of_larkspur_is_green_after_an_empty_push(cache: Path, tmp_path: Path) -> None:
    def push(address: str, path: str) -> str:
        there = tmp_path / path.replace("/", "-")
        git(tmp_path, "clone", "-q", "--depth=1", f"{address}/{path}.git", str(there))
        git(there, "commit", "-q", "--allow-empty", "-m", "Try the pipeline")
        git(there, "push", "-q", "origin", "HEAD")
        return git(there, "rev-parse", "HEAD")

    async def main() -> tuple[dict[str, str], str]:
        async with opened(cache, tmp_path, world=WORLD) as office:
            url = str(office.forge.base_url).removesuffix("/api/v4/")
            address = url.replace("://", f"://root:{ROOT['token']}@")
            pushed = {path: await asyncio.to_thread(push, address, path) for path in PROJECTS}
            async with asyncio.timeout(600):
                await office.runner.idle()

            def look() -> tuple[dict[str, str], str]:
                forge = gitlab.Gitlab(url, private_token=ROOT["token"])
                found, logs = {}, []
                for path, sha in pushed.items():
                    project = forge.projects.get(path)
                    (pipeline,) = project.pipelines.list(sha=sha, get_all=True)
                    found[path] = str(pipeline.status)
                    for job in pipeline.jobs.list(get_all=True):
                        trace = project.jobs.get(job.id).trace()
                        logs.append(f"== {path} {job.name} {job.status}\n{bytes(trace).decode('utf-8', 'replace')}")
                return found, "\n".join(logs)

            return await asyncio.to_thread(look)

    statuses, logs = asyncio.run(main())
    assert len(PROJECTS) == 9
    assert statuses == dict.fromkeys(PROJECTS, "success"), logs
