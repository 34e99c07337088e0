"""Schedules and the runner: the night's job runs at its moment of company time, while somebody lets days pass."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.runner.ci_office import opened

CI = """
night: {script: ['echo "$WHAT at $(date -u +%H:%M)"'], rules: [{if: $CI_PIPELINE_SOURCE == "schedule"}]}
day: {script: [echo day], rules: [{if: $CI_PIPELINE_SOURCE == "push"}]}
"""


def test_each_night_that_is_let_pass_has_its_job_run_at_its_hour(cache: Path, tmp_path: Path) -> None:
    async def main() -> None:
        async with opened(cache, tmp_path) as office:
            await office.company.begin_work()
            project = await office.project()
            await office.commit(project, {".gitlab-ci.yml": CI})
            place = f"/projects/{project}/pipeline_schedules"
            asked = {"description": "Nightly", "ref": "main", "cron": "30 3 * * *"}
            number = (await office.ask("POST", place, json=asked))["id"]
            await office.ask("POST", f"{place}/{number}/variables", json={"key": "WHAT", "value": "audit"})
            answer = await office.forge.post(f"{office.control}/clock/wait", json={"for": "3d"}, timeout=120)
            assert (answer.status_code, answer.json()["settled"]) == (200, True)
            made = await office.ask(
                "GET", f"/projects/{project}/pipelines", params={"source": "schedule", "sort": "asc"}
            )
            assert [(one["status"], one["created_at"][5:16]) for one in made] == [
                ("success", "03-10T03:30"), ("success", "03-11T03:30"), ("success", "03-12T03:30"),
            ]  # fmt: skip
            for pipeline in made:
                (job,) = await office.ask("GET", f"/projects/{project}/pipelines/{pipeline['id']}/jobs")
                log = (await office.ask("GET", f"/projects/{project}/jobs/{job['id']}/trace")).text
                assert (job["name"], job["started_at"][11:16], "\naudit at 03:30\n" in log) == ("night", "03:30", True)

    asyncio.run(main())
