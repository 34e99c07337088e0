"""Schedules of the forge on the company's clock: a pipeline at each moment of its cron line, once, whoever waits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dayjob.company.acting import Doer
from dayjob.company.company import Company
from dayjob.company.world import Snapshot
from tests.company.time.offices import at_desk, company_of, compiled, run

SITE = "/api/v4/projects/office%2Fsite"
CI = "night: {script: [echo night], rules: [{if: $CI_PIPELINE_SOURCE == 'schedule'}]}\n"


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp("world") / "office"
    return compiled(folder, **{"forge/projects/office/site/source/.gitlab-ci.yml": CI})


async def schedule(company: Company, cron: str, **more: str) -> int:
    body = {"ref": "main", "description": "Nightly", "cron": cron, **more}
    made = await Doer(company, "mara.lind", "examinee").do("forge", "POST", f"{SITE}/pipeline_schedules", body)
    assert made.ok, made.sentence
    found = await Doer(company, "mara.lind", "company").read("forge", f"{SITE}/pipeline_schedules")
    return int(found[-1]["id"])


async def begun(company: Company) -> list[str]:
    """When each pipeline of a schedule began, oldest first, to the minute."""
    found = await Doer(company, "mara.lind", "company").read(
        "forge", f"{SITE}/pipelines", source="schedule", sort="asc"
    )
    return [one["created_at"][5:16] for one in found]


@pytest.mark.parametrize("stepped", [True, False], ids=["stepped", "running"])
def test_a_wait_over_the_moments_of_a_schedule_starts_one_pipeline_at_each(snapshot: Snapshot, stepped: bool) -> None:
    async def work() -> None:
        company = company_of(snapshot, stepped=stepped)
        async with at_desk(company) as desk:
            await schedule(company, "0 3 * * *")
            await schedule(company, "30 9 * * *", cron_timezone="Europe/Vienna")
            await desk.wait(until="Tue 02:59")
            assert await begun(company) == []
            await desk.wait(**{"for": "2m"})
            assert await begun(company) == ["03-10T03:00"]
            await desk.wait(**{"for": "2m"})
            assert await begun(company) == ["03-10T03:00"]
            await desk.wait(until="Thu 12:00")
            assert await begun(company) == [
                "03-10T03:00", "03-10T08:30", "03-11T03:00", "03-11T08:30", "03-12T03:00", "03-12T08:30",
            ]  # fmt: skip

    run(work())


def test_the_running_clock_starts_it_while_nobody_asks(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot, stepped=False)
        async with at_desk(company):
            await schedule(company, "* * * * *")
            before = company.clock.now()
            seconds = 59.9 - before.second - before.microsecond / 1e6
            company.clock.origin -= seconds  # a moment before the next minute
            company.agenda.arm()
            made = "SELECT count(*) FROM pipelines WHERE source='schedule'"
            while not company.database("forge").execute(made).fetchone()[0]:  # noqa: ASYNC110  # a pipeline that begins is no event
                await asyncio.sleep(0.01)
            assert len(await begun(company)) == 1

    run(work())


def test_a_schedule_tells_when_it_ran_and_when_it_runs_next(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            number = await schedule(company, "0 3 * * *")
            await desk.wait(until="Wed 08:00")
            mara = Doer(company, "mara.lind", "company")
            one: dict[str, Any] = await mara.read("forge", f"{SITE}/pipeline_schedules/{number}")
            assert one["next_run_at"].startswith("2026-03-12T03:00")
            assert one["last_pipeline"]["status"] in ("pending", "created", "running")
            made = await mara.read("forge", f"{SITE}/pipeline_schedules/{number}/pipelines")
            assert [pipeline["source"] for pipeline in made] == ["schedule", "schedule"]

    run(work())
