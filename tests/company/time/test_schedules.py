"""Schedules of the forge on the company's clock: a pipeline at each moment of its cron line, once, whoever waits."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from dayjob.company.acting import Doer
from dayjob.company.company import Company
from dayjob.company.state import open_kept
from dayjob.company.waiting import pass_until
from dayjob.company.world import Snapshot
from dayjob.company.world.snapshot import check_world
from tests.company.time.offices import NOW, at_desk, company_of, compiled, office, run

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


@pytest.mark.parametrize("stepped", [True, False], ids=["stepped", "running"])
def test_a_pipeline_of_a_schedule_has_its_moment_its_branch_its_variables_and_its_owner(
    snapshot: Snapshot, stepped: bool
) -> None:
    async def work() -> None:
        company = company_of(snapshot, stepped=stepped)
        async with at_desk(company) as desk:
            mara, omar = (Doer(company, name, "examinee") for name in ("mara.lind", "omar.diaz"))
            there = {"branch": "spring", "start_branch": "main", "commit_message": "Spring", "actions": [
                {"action": "create", "file_path": "spring.md", "content": "Sow.\n"}]}  # fmt: skip
            assert (await omar.do("forge", "POST", f"{SITE}/repository/commits", there)).ok
            number = await schedule(company, "15 6 * * 3", ref="spring")
            own = f"{SITE}/pipeline_schedules/{number}/variables"
            assert (await mara.do("forge", "POST", own, {"key": "DEPTH", "value": "all"})).ok
            await desk.wait(until="Fri 12:00")
            (one,) = await mara.read("forge", f"{SITE}/pipelines", source="schedule")
            found = await mara.read("forge", f"{SITE}/pipelines/{one['id']}")
            head = (await mara.read("forge", f"{SITE}/repository/branches/spring"))["commit"]["id"]
            assert (found["source"], found["ref"], found["sha"]) == ("schedule", "spring", head)
            assert found["user"]["username"] == "mara.lind"
            assert found["created_at"][:17] == "2026-03-11T06:15:"
            assert await mara.read("forge", f"{SITE}/pipelines/{one['id']}/variables") == [
                {"variable_type": "env_var", "key": "DEPTH", "value": "all", "raw": False}
            ]
            (job,) = await mara.read("forge", f"{SITE}/pipelines/{one['id']}/jobs")
            assert (job["name"], job["created_at"][:17]) == ("night", "2026-03-11T06:15:")

    run(work())


def test_schedules_that_are_off_or_gone_or_whose_owner_left_start_nothing(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            mara, root = Doer(company, "mara.lind", "examinee"), Doer(company, "root", "examinee")
            off, gone, late = [await schedule(company, "0 3 * * *") for _ in range(3)]
            assert (await mara.do("forge", "PUT", f"{SITE}/pipeline_schedules/{off}", {"active": False})).ok
            assert (await mara.do("forge", "DELETE", f"{SITE}/pipeline_schedules/{gone}")).ok
            assert (await mara.do("forge", "PUT", f"{SITE}/pipeline_schedules/{late}", {"active": False})).ok
            await desk.wait(until="Wed 09:00")
            assert await begun(company) == []
            # Switched on again it begins with the next moment: what it missed is not made up for.
            assert (await mara.do("forge", "PUT", f"{SITE}/pipeline_schedules/{late}", {"active": True})).ok
            await desk.wait(until="Thu 09:00")
            assert await begun(company) == ["03-12T03:00"]
            mara_id = (await mara.read("forge", "/api/v4/users", username="mara.lind"))[0]["id"]
            assert (await root.do("forge", "POST", f"/api/v4/users/{mara_id}/block")).ok
            await desk.wait(until="Sat 09:00")
            omar = Doer(company, "omar.diaz", "company")
            assert len(await omar.read("forge", f"{SITE}/pipelines", source="schedule")) == 1
            assert not (await omar.read("forge", f"{SITE}/pipeline_schedules/{late}"))["active"]

    run(work())


def test_two_schedules_of_one_moment_and_waits_that_end_on_it_start_one_each(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            for _ in range(2):
                await schedule(company, "0 3 * * *")
            for until in ("Tue 03:00", "Tue 03:01", "Wed 03:00"):
                await desk.wait(until=until)
                assert (await desk.ask("forge", "GET", "/api/v4/projects")).status_code == 200
            assert await begun(company) == ["03-10T03:00"] * 2 + ["03-11T03:00"] * 2

    run(work())


def test_a_schedule_that_breaks_off_half_way_leaves_nothing_and_starts_at_its_next_moment(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            await schedule(company, "0 3 * * *")
            db = company.database("forge")
            db.execute(
                "CREATE TEMP TRIGGER broken BEFORE UPDATE OF last_pipeline_id ON pipeline_schedules "
                "WHEN new.last_pipeline_id IS NOT NULL BEGIN SELECT RAISE(ABORT, 'out of order'); END"
            )
            await desk.wait(until="Tue 03:30")
            assert await begun(company) == []
            db.execute("DROP TRIGGER broken")
            await desk.wait(until="Wed 04:00")
            assert await begun(company) == ["03-11T03:00"]

    run(work())


SCHEDULES = """
- {cron: "0 3 * * *", by: Omar Diaz, variables: {DEPTH: all}}
- {cron: "30 4 * * *", active: false}
"""


@pytest.mark.parametrize("stepped", [True, False], ids=["stepped", "running"])
def test_a_worlds_schedules_run_while_nobody_asks_the_forge(tmp_path: Path, stepped: bool) -> None:
    project = "forge/projects/office/site"
    files = {f"{project}/source/.gitlab-ci.yml": CI, f"{project}/schedules.yml": SCHEDULES}

    async def work() -> None:
        company = company_of(compiled(tmp_path / "office", **files), stepped=stepped)
        async with at_desk(company) as desk:
            await desk.wait(until="Thu 02:00")
            assert await begun(company) == ["03-10T03:00", "03-11T03:00"]
            mara = Doer(company, "mara.lind", "company")
            (one, off) = await mara.read("forge", f"{SITE}/pipeline_schedules")
            assert (one["owner"]["username"], one["next_run_at"][:16]) == ("omar.diaz", "2026-03-12T03:00")
            assert (one["active"], off["active"]) == (True, False)
            company.reset("forge")
            # The service is at its start, the clock is not: what is over happens in it once, when it is next asked.
            assert [moment[:8] for moment in await begun(company)] == ["03-12T02"]
            await desk.wait(until="Thu 04:00")
            assert [moment[:8] for moment in await begun(company)] == ["03-12T02", "03-12T03"]

    run(work())


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("- {by: Mara Lind}", 1, "A schedule has a cron line."),
        ("- by: Mara Lind\n  cron: 3", 2, "A schedule has a cron line."),
        ('- {cron: "0 3 * *"}', 1, "'0 3 * *' is not five fields."),
        ('- by: Mara Lind\n  cron: "61 3 * * *"', 2, "'61' is not between 0 and 59."),
        ('- {cron: "0 0 30 2 *"}', 1, "'0 0 30 2 *' never comes."),
        ('- cron: "0 3 * * *"\n  timezone: Vienna', 2, "Vienna is no time zone."),
        ('- cron: "0 3 * * *"\n  branch: mian', 2, "There is no branch 'mian'."),
        ('- cron: "0 3 * * *"\n  active: perhaps', 2, "'active' is true or false."),
        ('- cron: "0 3 * * *"\n  variables:\n    A: x\n    A-B: x', 4, "'A-B' cannot be a variable."),
    ],
)
def test_a_schedule_that_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    file = "forge/projects/office/site/schedules.yml"
    (problem,) = check_world(office(tmp_path, **{file: text}))
    assert (problem.file, problem.line, problem.message, bool(problem.fix)) == (file, line, sentence, True)


@pytest.mark.parametrize("asked", [True, False], ids=["somebody asks the forge first", "nobody asks the forge"])
def test_a_kept_company_goes_on_with_its_schedules(snapshot: Snapshot, tmp_path: Path, asked: bool) -> None:
    async def set_up() -> None:
        company = open_kept(snapshot, tmp_path / "state")
        company.begin_time()
        await schedule(company, "0 3 * * *")
        await pass_until(company, NOW + timedelta(days=1))
        assert await begun(company) == ["03-10T03:00"]
        company.close()

    async def go_on() -> None:
        company = open_kept(snapshot, tmp_path / "state")
        company.begin_time()
        if asked:
            assert await begun(company) == ["03-10T03:00"]
        await pass_until(company, NOW + timedelta(days=3))
        assert await begun(company) == ["03-10T03:00", "03-11T03:00", "03-12T03:00"]
        company.close()

    run(set_up())
    run(go_on())


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
