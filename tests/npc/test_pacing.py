"""Colleagues in company time: they answer by their hours, and nobody waits for that in real time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Origin

from dayjob.company import watching
from dayjob.company.chat.pages.page import TOKEN, USER
from dayjob.company.host import Host
from dayjob.company.world import Snapshot
from dayjob.http.server import bind
from dayjob.npc.cast import Cast
from dayjob.npc.realtime import Realtime
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


@asynccontextmanager
async def realtime(desk: Desk) -> AsyncIterator[tuple[Any, list[str]]]:
    """A client of the examinee's on the realtime wire, and what it hears in direct messages."""
    heard: list[str] = []
    client = await Realtime.open(
        f"http://127.0.0.1:{desk.ports['chat']}",
        {"resume": desk.headers["x-auth-token"]},
        lambda message, about: heard.append(str(message["msg"])),
    )
    try:
        yield client, heard
    finally:
        await client.close()


@pytest.mark.parametrize("stepped", [True, False])
def test_somebody_who_watches_gets_answers_without_asking(snapshot: Snapshot, stepped: bool) -> None:
    async def work() -> None:
        async with staffed(snapshot, stepped=stepped, by_hours=True) as (desk, _), realtime(desk) as (client, heard):
            answered = asyncio.Event()
            desk.company.listen(lambda topic, facts: answered.set() if facts.get("username") == "mara.lind" else None)
            await desk.post("@mara.lind", "code?")
            await answered.wait()
            assert desk.company.clock.stamp()[:16] == "2026-03-09T09:05", "company minutes, in a moment of real time"
            await client.ping()
            assert [text.partition(":")[0] for text in heard] == ["code?", "My notes on this"]

    run(work())


def test_what_a_watcher_is_owed_comes_before_the_next_request_on_the_stepped_clock(snapshot: Snapshot) -> None:
    async def once() -> list[tuple[str, str]]:
        async with staffed(snapshot, stepped=True, by_hours=True) as (desk, _), realtime(desk) as (client, _):
            room = str((await client.call("createDirectMessage", "mara.lind"))["rid"])
            for text in ("code?", "and the box?"):
                await client.call("sendMessage", {"_id": f"m{len(text)}", "rid": room, "msg": text})
            found = (await client.call("loadHistory", room, None, 10))["messages"]
            return [(one["u"]["username"], str(one["ts"])) for one in found[::-1]]

    async def work() -> None:
        first = await once()
        assert [who for who, _ in first] == ["sam.reed", "mara.lind", "sam.reed", "mara.lind"]
        for _ in range(4):
            assert await once() == first

    run(work())


def test_a_burst_is_answered_once_where_the_clock_runs(snapshot: Snapshot) -> None:
    async def work() -> None:
        async with staffed(snapshot, stepped=False, by_hours=True) as (desk, cast), realtime(desk):
            answered = asyncio.Event()
            desk.company.listen(lambda topic, facts: answered.set() if facts.get("username") == "mara.lind" else None)
            for text in ("hello", "one more thing:", "code?"):
                await desk.post("@mara.lind", text)
            await answered.wait()
            assert cast.evidence.faults == []
            found = (await desk.ask("chat", "GET", "/api/v1/im.list")).json()["ims"][0]
            said = await desk.ask("chat", "GET", f"/api/v1/im.history?roomId={found['_id']}")
            assert [one["u"]["username"] for one in said.json()["messages"]] == ["mara.lind", *["sam.reed"] * 3]

    run(work())


def test_an_open_page_of_chat_shows_an_answer_without_a_click(snapshot: Snapshot) -> None:
    async def work() -> None:
        async with staffed(snapshot, stepped=False, by_hours=True) as (desk, _):
            place = f"127.0.0.1:{desk.ports['chat']}"
            token, user = desk.headers["x-auth-token"], desk.headers["x-user-id"]
            cookies = {"cookie": f"{TOKEN}={token}; {USER}={user}"}
            await desk.post("@mara.lind", "code?")
            async with connect(
                f"ws://{place}/-/live", additional_headers=cookies, origin=Origin(f"http://{place}"), proxy=None
            ) as page:
                room = desk.company.database("chat").execute("SELECT id FROM rooms WHERE type = 'd'").fetchone()[0]
                await page.send(json.dumps({"room": room}))
                async for told in page:
                    if "The code is 7." in json.loads(told).get("html", ""):
                        break
            assert desk.company.clock.stamp()[:16] == "2026-03-09T09:05"

    run(work())


def test_a_look_does_not_wait_long_for_somebody_who_thinks(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "PATIENCE", 0.2)

    async def work() -> None:
        async with staffed(snapshot, stepped=False, by_hours=True) as (desk, _):
            thought = asyncio.Event()

            async def thinks() -> None:
                await thought.wait()

            await desk.post("@mara.lind", "code?")
            desk.company.busy.append(thinks)
            looked = await desk.ask("chat", "GET", "/api/v1/im.list", timeout=30)
            assert looked.json()["ims"][0]["lastMessage"]["msg"] == "code?", "she is busy still"
            thought.set()
            looked = await desk.ask("chat", "GET", "/api/v1/im.list")
            assert looked.json()["ims"][0]["lastMessage"]["msg"] == "My notes on this: “The code is 7.”"

    run(work())
