"""What colleagues do when they are asked: in the services themselves, under their own account, once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dayjob.company.acting import Doer
from dayjob.company.company import Company
from dayjob.company.world import Snapshot
from dayjob.npc.cast import Cast, CastError
from tests.llm.gateways import until
from tests.npc.casting import Examinee, on_stage, run, scene

LENA, HANA, PRIYA = "lena.fischer", "hana.sato", "priya.nair"
TRELLIS = {"project": "larkspur/trellis", "merge_request": 12}


def part(may: dict[str, Any]) -> dict[str, Any]:
    """Somebody who may do something once they have seen a test that fails."""
    step = {"needs": {"test": {"shown": ["test fails"], "ask": ["Is there a test?", "I need a test first."]}}}
    return {"matter": ["request", "card", "file"], "steps": {"seen": step}, "may": may}


async def told(cast: Cast, sam: Examinee, who: str, text: str) -> list[str]:
    """Say something; what comes back in the same turn."""
    turns = len(cast.evidence.turns)
    await sam.write(f"@{who}", text)
    await until(lambda: len(cast.evidence.turns) > turns)
    assert await cast.quiet()
    return cast.evidence.turns[-1].said


def rows(company: Company, service: str, who: str) -> list[dict[str, Any]]:
    """What the journal has of somebody's changes in a service, apart from reading."""
    found = [json.loads(line) for line in company.journal.content().splitlines()]
    own = [one for one in found if one.get("service") == service and one.get("account") == who]
    return [one for one in own if one.get("method") not in (None, "GET") and one.get("role") == "npc"]


async def read(company: Company, service: str, path: str, **query: Any) -> Any:
    return await Doer(company, "sam.reed", "grader").read(service, path, **query)


def test_a_merge_request_is_approved_after_the_step_and_once(larkspur: Snapshot) -> None:
    may = {
        "approve": {
            "act": {"approve": TRELLIS},
            "asked": "approv",
            "when": "after:seen",
            "says": "Approved, ${sender}.",
        }
    }

    async def main() -> None:
        async with scene(larkspur, {"Lena Fischer": part(may)}) as (stage, cast, sam):
            place = "/api/v4/projects/larkspur%2Ftrellis/merge_requests/12/approvals"

            async def approved() -> list[str]:
                found = await read(stage.company, "forge", place)
                return [one["user"]["username"] for one in found["approved_by"]]

            before = await approved()
            assert LENA not in before
            assert await told(cast, sam, LENA, "Hi Lena, could you approve the request?") == ["Is there a test?"]
            assert await told(cast, sam, LENA, "The test will come later, please approve it now.") != []
            assert (await approved(), rows(stage.company, "forge", LENA)) == (before, [])
            await told(cast, sam, LENA, "The test fails on main and passes with the change.")
            assert await approved() == before
            assert await told(cast, sam, LENA, "Can you approve it now?") == ["Approved, Sam."]
            assert LENA in await approved()
            again = await told(cast, sam, LENA, "Please approve it.")
            assert again not in ([], ["Approved, Sam."])
            (row,) = rows(stage.company, "forge", LENA)
            assert (row["path"].endswith("/approve"), row["status"] // 100) == (True, 2)
            assert cast.faults == []

    run(main())


def test_a_card_is_moved_when_the_step_is_reached(larkspur: Snapshot) -> None:
    may = {"move": {"act": {"move": {"card": "TREL-31", "to": "Done"}}, "when": "at:seen", "says": "It is in Done."}}

    async def main() -> None:
        async with scene(larkspur, {"Priya Nair": part(may)}) as (stage, cast, sam):
            assert await told(cast, sam, PRIYA, "The test fails without it, see the card.") == ["It is in Done."]
            (row,) = rows(stage.company, "board", PRIYA)
            assert row["method"] == "PATCH"
            await told(cast, sam, PRIYA, "And the test fails again.")
            assert len(rows(stage.company, "board", PRIYA)) == 1

    run(main())


def test_a_file_is_shared_with_whom_the_sheet_names(larkspur: Snapshot) -> None:
    shared = {"share": {"path": "/People/Attendance/2026-01-attendance.xlsx", "with": "Noor Haddad"}}
    may = {"share": {"act": shared, "asked": ["share", "access"], "when": "after:seen"}}

    async def main() -> None:
        async with scene(larkspur, {"Hana Sato": part(may)}) as (stage, cast, sam):
            await told(cast, sam, HANA, "Could you share the file with Noor?")
            assert rows(stage.company, "drive", HANA) == []
            await told(cast, sam, HANA, "The test fails.")
            assert len(await told(cast, sam, HANA, "Could you give Noor access to the file?")) == 1
            (row,) = rows(stage.company, "drive", HANA)
            assert row["path"].endswith("/shares")
            seen = await Doer(stage.company, "noor.haddad", "grader").read(
                "drive", "/ocs/v1.php/apps/files_sharing/api/v1/shares", shared_with_me="true", format="json"
            )
            assert "2026-01-attendance.xlsx" in json.dumps(seen)

    run(main())


def test_what_a_service_refuses_is_said_and_noted_and_may_be_asked_again(larkspur: Snapshot) -> None:
    act = {"merge": {"project": "larkspur/trellis", "merge_request": 9999}}

    async def main() -> None:
        async with scene(larkspur, {"Lena Fischer": part({"merge": {"act": act, "says": "Merged."}})}) as (
            _,
            cast,
            sam,
        ):
            first = await told(cast, sam, LENA, "Could you merge the request?")
            second = await told(cast, sam, LENA, "Could you merge the request?")
            assert first
            assert second
            assert "Merged." not in first + second
            assert first != second
            assert not any("${" in one for one in first + second)
            assert len(cast.evidence.notes) == 2
            assert "Lena Fischer could not merge: 404" in str(cast.evidence.notes[0])
            assert cast.evidence.turns[0].did == [
                {"deed": "merge", "refused": cast.evidence.turns[0].did[0]["refused"]}
            ]
            assert cast.faults == []

    run(main())


@pytest.mark.parametrize(
    ("act", "why"),
    [
        ({"share": {"path": "/a.md", "with": "Nobody Atall"}}, "nobody here is called 'Nobody Atall'"),
        ({"assign": {"card": "TREL-31", "assignees": ["Sam Reed", "Nobody Atall"]}}, "nobody here is called"),
        ({"invite": {"in": "#launch", "with": "nobody.atall"}}, "nobody here is called"),
        ({"move": {"card": "TREL-31"}}, "'move' needs to"),
        ({"approve": {"project": "larkspur/trellis"}}, "'approve' needs"),
    ],
)
def test_a_deed_that_cannot_be_meant_keeps_the_trial_from_starting(
    larkspur: Snapshot, act: dict[str, Any], why: str
) -> None:
    async def main() -> None:
        async with on_stage(larkspur) as stage:
            with pytest.raises(CastError, match=f"What Lena Fischer may do cannot be done: {why}"):
                stage.cast({"Lena Fischer": part({"deed": {"act": act}})})

    run(main())
