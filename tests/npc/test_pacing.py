"""Colleagues in company time: they answer by their hours, and nobody waits for that in real time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from dayjob.company.host import Host
from dayjob.company.world import Snapshot
from dayjob.http.server import bind
from dayjob.npc.cast import Cast
from dayjob.task.scenario import read_scenarios
from tests.company.time.offices import Desk, at_desk, company_of, compiled, run

SCENARIOS = {
    "Mara Lind": {"extra_info": "The code is 7.", "initiates": [{"at": 1800, "say": "How is it going?"}]},
    "Omar Diaz": {"extra_info": "The box is blue."},
}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return compiled(tmp_path_factory.mktemp("world") / "office")


@asynccontextmanager
async def staffed(snapshot: Snapshot, *, stepped: bool, by_hours: bool) -> AsyncIterator[tuple[Desk, Cast]]:
    company = company_of(snapshot, stepped=stepped)
    company.answers_within = timedelta(hours=1) if by_hours else timedelta()
    async with Host() as host:
        listener = await host.serve(company, "chat", bind(), "npc")
        url = f"http://127.0.0.1:{listener.address[1]}"
        cast = Cast.for_company(company, url, read_scenarios(SCENARIOS), by_hours=by_hours)
        async with cast, at_desk(company, begin=False) as desk:
            cast.begin()
            company.begin_time()
            yield desk, cast


def told(waited: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["at"][5:16], f"{one['from'].split()[0]}: {one['text']}") for one in waited["notices"]]


@pytest.mark.parametrize("stepped", [True, False])
def test_who_is_there_answers_within_minutes_and_who_is_not_when_they_are_back(
    snapshot: Snapshot, stepped: bool
) -> None:
    async def work() -> None:
        async with staffed(snapshot, stepped=stepped, by_hours=True) as (desk, cast):
            await desk.post("@mara.lind", "code?")
            await desk.post("@omar.diaz", "box?")  # who begins at ten and is rather slow
            first = await desk.wait(**{"for": "4m"})
            assert told(first) == []
            second = await desk.wait(until="10:00")
            assert told(second) == [
                ("03-09T09:05", "Mara: My notes on this: “The code is 7.”"), ("03-09T09:30", "Mara: How is it going?"),
            ]  # fmt: skip
            ((at, text),) = told(await desk.wait(until="10:30"))[2:]
            assert "03-09T10:10" <= at <= "03-09T10:20"
            assert text == "Omar: My notes on this: “The box is blue.”"
            await desk.wait(until="Mon 19:00")
            await desk.post("@omar.diaz", "And tomorrow?")  # which is his day off
            assert [one for one in told(await desk.wait(until="Wed 09:59")) if one[0] > "03-09T19"] == []
            ((at, text),) = [one for one in told(await desk.wait(until="Wed 10:30")) if one[0] > "03-09T19"]
            assert "03-11T10:10" <= at <= "03-11T10:20"
            assert cast.faults == []

    run(work())


@pytest.mark.parametrize("stepped", [True, False])
def test_time_goes_on_to_an_answer_that_is_looked_for_and_no_further_than_the_task_lets_it(
    snapshot: Snapshot, stepped: bool
) -> None:
    async def work() -> None:
        async with staffed(snapshot, stepped=stepped, by_hours=True) as (desk, _):
            await desk.post("@mara.lind", "code?")
            await desk.ask("forge", "GET", "/api/v4/version")
            assert desk.company.clock.skipped == timedelta(), "nobody looks for an answer there"
            found = (await desk.ask("chat", "GET", "/api/v1/im.list")).json()["ims"]
            assert found[0]["lastMessage"]["msg"] == "My notes on this: “The code is 7.”"
            assert desk.company.clock.stamp()[:16] == "2026-03-09T09:05"
            desk.company.answers_within = timedelta(minutes=4)
            await desk.post("@mara.lind", "and?")
            found = (await desk.ask("chat", "GET", "/api/v1/im.list")).json()["ims"]
            assert found[0]["lastMessage"]["msg"] == "and?"
            assert desk.company.clock.stamp()[:16] == "2026-03-09T09:05"

    run(work())


def test_on_the_stepped_clock_everybody_answers_before_the_next_request_in_one_order(snapshot: Snapshot) -> None:
    async def work() -> None:
        async with staffed(snapshot, stepped=True, by_hours=False) as (desk, _):
            await desk.post("#launch", "@mara.lind @omar.diaz good morning")
            said = [(at[11:19], who) for at, who, _ in await desk.said()][-2:]
            assert said == [("09:00:02", "mara.lind"), ("09:00:02", "omar.diaz")]
            assert desk.company.clock.skipped == timedelta()

    run(work())
