"""Letting time pass: over the control port, as whoever works there."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from dayjob.company.world import Snapshot
from tests.company.time.offices import Desk, at_desk, company_of, compiled, run

TIMELINE = """
- at: day 1 10:30
  who: Mara Lind
  post: {in: "#launch", text: "The door is fixed, @sam.reed."}
- at: day 1 10:00
  who: Omar Diaz
  post: {in: Sam Reed, text: First.}
- at: day 2 11:00
  who: Mara Lind
  open: {project: office/site, issue: Look at the page, assignees: [Sam Reed]}
- at: day 2 12:00
  who: Omar Diaz
  comment: {card: OPS-1, text: "six of them"}
- at: day 2 13:00
  who: Mara Lind
  share: {path: /Plans/launch.txt, with: Sam Reed}
"""


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return compiled(tmp_path_factory.mktemp("world") / "office", TIMELINE)


async def refused(desk: Desk, asked: object) -> str:
    before = desk.company.clock.skipped
    answer = await desk.ask("control", "POST", "/clock/wait", json=asked)
    assert answer.status_code in (400, 422), answer.text
    assert desk.company.clock.skipped == before, "a refused wait moves nothing"
    sentence: str = answer.json()["error"]
    return sentence


def test_a_wait_goes_through_everything_due_in_order_and_tells_what_a_phone_would(snapshot: Snapshot) -> None:
    async def work() -> None:
        async with at_desk(company_of(snapshot)) as desk:
            assert (await desk.ask("control", "GET", "/clock")).json() == {
                "now": "2026-03-09T09:00:02.000Z", "day": "Monday", "stepped": True, "left": None,
            }  # fmt: skip
            first = await desk.wait(until="10:45")
            assert first["now"] == "2026-03-09T10:45:00.000Z"
            assert [(one["kind"], one["from"], one["where"], one["at"]) for one in first["notices"]] == [
                ("message", "Omar Diaz", "direct message", "2026-03-09T10:00:00.001Z"),
                ("mention", "Mara Lind", "#launch", "2026-03-09T10:30:00.001Z"),
            ]
            second = await desk.wait(**{"for": "2d"})
            assert [(one["kind"], one["where"]) for one in second["notices"]] == [
                ("message", "direct message"),  # still unread
                ("mention", "#launch"),
                ("todo", "office/site Look at the page"),
                ("card", "OPS-1 Order chairs"),
                ("share", "drive"),
            ]
            assert second["text"].startswith("It is Wed 11 Mar 2026 10:45.\n- Mon 09 Mar 2026 10:00 Omar Diaz,")
            plain = await desk.ask("control", "POST", "/clock/wait", json={}, headers={"accept": "text/plain"})
            assert plain.text.startswith("It is Wed 11 Mar 2026 10:45.\n")

    run(work())


def test_looking_at_what_is_new_reads_nothing_and_counts_for_nobody(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk:
            await desk.wait(until="10:45")
            again = await desk.wait()
            assert len(again["notices"]) == 2
            assert not company.journal.accessed("chat", "/api/v1/channels.history")
            assert company.changes() == []
            assert {one.role for one in company.journal.changes()} == {"timeline"}
            assert {one.by for one in company.changes(by_role="timeline")} == {"mara.lind", "omar.diaz"}

    run(work())


def test_what_cannot_be_waited_for_is_refused_in_one_sentence(snapshot: Snapshot) -> None:
    async def work() -> None:
        async with at_desk(company_of(snapshot)) as desk:
            desk.company.may_skip = timedelta(days=1)
            assert await refused(desk, {"for": "ages"}) == "'ages' is no length of time; write 45m, 1h30m or 2d."
            assert (
                await refused(desk, {"until": "later"})
                == "'later' is no moment; write 17:00, Tue 09:00 or 2026-03-10 14:00."
            )
            over = await refused(desk, {"until": "2026-03-08 09:00"})
            assert over == "'2026-03-08 09:00' is over already: it is 2026-03-09 09:00. Time does not go back."
            assert await refused(desk, {"for": "1m", "until": "17:00"}) == "A wait has 'for' or 'until', not both."
            assert await refused(desk, {"fro": "1m"}) == "A wait has no 'fro'; it has 'for' or 'until'."
            assert (await refused(desk, [1])).startswith("A wait is an object")
            assert await refused(desk, {"for": "25h"}) == (
                "Here 1d may be let pass in all, and 1d of it is left. Nothing has moved."
            )
            await desk.wait(**{"for": "20h"})
            assert (await desk.ask("control", "GET", "/clock")).json()["left"] == "4h"
            await desk.wait(**{"for": "4h"})
            assert "nothing of it is left" in await refused(desk, {"for": "1s"})
            broken = await desk.ask("control", "POST", "/clock/wait", content=b"{")
            assert (broken.status_code, broken.json()["error"][:22]) == (400, "The body is not JSON; ")
            assert (await desk.ask("control", "GET", "/clock/wait")).status_code == 405

    run(work())


def test_nothing_is_skipped_while_something_is_busy_in_real_time(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot)
        company.clock.stepped = True
        busy, order = asyncio.Event(), []

        async def job() -> None:
            await busy.wait()
            order.append(f"job ended {company.clock.stamp()[:16]}")

        async with at_desk(company) as desk:
            company.busy.append(job)
            waiting = asyncio.create_task(desk.wait(until="12:00"))
            await asyncio.sleep(0)
            assert company.clock.skipped == timedelta()
            busy.set()
            await waiting
            assert order[0] == "job ended 2026-03-09T09:00"
            assert company.clock.stamp()[:16] == "2026-03-09T12:00"

    run(work())


def test_a_wait_lets_jobs_end_first_and_whoever_reads_messages_does_not_wait_for_them(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot, stepped=False)
        company.answers_within = timedelta(hours=1)
        asked, over = asyncio.Event(), asyncio.Event()

        async def jobs_over() -> None:
            asked.set()
            await over.wait()

        async with at_desk(company) as desk:
            company.jobs_over = jobs_over
            await desk.said()
            assert not asked.is_set()
            waiting = asyncio.create_task(desk.wait(until="12:00"))
            await asked.wait()
            assert company.clock.skipped == timedelta()
            over.set()
            await waiting
            assert company.clock.stamp()[:16] == "2026-03-09T12:00"

    run(work())


def test_a_thing_that_never_comes_to_rest_does_not_hold_time_for_ever(
    snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dayjob.company.company.BUSY_SECONDS", 0.01)

    async def work() -> None:
        company = company_of(snapshot, stepped=False)
        async with at_desk(company) as desk:
            company.busy.append(asyncio.Event().wait)  # type: ignore[arg-type]  # it never ends
            assert (await desk.wait(until="12:00"))["settled"] is False
            assert company.clock.stamp()[:16] == "2026-03-09T12:00"

    run(work())


def test_two_waits_at_once_pass_one_after_the_other_and_never_back(snapshot: Snapshot) -> None:
    async def work() -> None:
        company = company_of(snapshot, stepped=False)
        async with at_desk(company) as desk:
            came, rest = asyncio.Event(), asyncio.Event()

            async def busy() -> None:
                came.set()
                await rest.wait()

            company.busy.append(busy)
            waits = [asyncio.create_task(desk.wait(until=until)) for until in ("11:00", "10:00")]
            await came.wait()
            rest.set()
            await asyncio.gather(*waits)
            assert timedelta(hours=1, minutes=59) < company.clock.skipped <= timedelta(hours=2)
            assert [text for _, who, text in await desk.said() if who == "mara.lind"][1:] == [
                "The door is fixed, @sam.reed."
            ]

    run(work())


def test_only_who_works_there_lets_time_pass(snapshot: Snapshot, tmp_path: Path) -> None:
    from dayjob.company.host import Host
    from dayjob.http.server import bind

    async def work() -> None:
        company = company_of(snapshot)
        async with at_desk(company) as desk, Host() as host:
            sock = bind()
            desk.ports["control"] = sock.getsockname()[1]
            await host.serve(company, "control", sock, "grader")
            answer = await desk.ask("control", "POST", "/clock/wait", json={"for": "1h"})
            assert answer.status_code == 403
            token = {"x-dayjob-token": company.control_token}
            assert (
                await desk.ask("control", "POST", "/clock/wait", json={"for": "1h"}, headers=token)
            ).status_code == 200

    run(work())
