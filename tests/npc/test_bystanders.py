"""People without a part in a task: they come when the examinee writes to them, and only then."""

from __future__ import annotations

from dayjob.company.world import Snapshot
from tests.llm.gateways import until
from tests.npc.casting import Examinee, run, scene

PRIYA, JONAS, MARA = "priya.nair", "jonas.weber", "mara.lindqvist"


async def new(sam: Examinee, username: str, before: int) -> list[str]:
    return (await sam.hears(username, before + 1))[before:]


async def known(sam: Examinee, username: str) -> int:
    return len([one for one in await sam.history(username) if one["u"]["username"] == username])


def test_nobody_comes_before_somebody_is_written_to(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, {}, everybody=True) as (_stage, cast, sam):
            await sam.write("#general", "Good morning everyone, it is my first day.")
            assert cast.colleagues == []

    run(main())


def test_who_is_written_to_comes_and_hears_it(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, {}, everybody=True) as (_stage, cast, sam):
            before = await known(sam, PRIYA)
            await sam.write(f"@{PRIYA}", "Hi Priya, where is the roadmap?")
            (answer,) = await new(sam, PRIYA, before)
            assert "/Product/2026-q1-roadmap.pptx" in answer
            assert [one.persona.username for one in cast.colleagues] == [PRIYA]
            await sam.write(f"@{PRIYA}", "Sorry, where is the roadmap again?")
            (again,) = await new(sam, PRIYA, before + 1)
            assert again != answer
            assert "Four points" in again

    run(main())


def test_who_is_mentioned_with_a_question_answers_in_the_channel(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, {}, everybody=True) as (_stage, cast, sam):
            before = len(await sam.channel("general"))
            await sam.write("#general", f"@{PRIYA} which sprint is it now?")
            await until(lambda: bool(cast.evidence.turns))
            assert await cast.quiet()
            (_, (who, answer)) = await sam.channel("general", before)
            assert (who, "Sprint 7" in answer) == (PRIYA, True)

    run(main())


def test_an_announcement_that_names_people_is_read_and_not_answered(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, {}, everybody=True) as (_stage, cast, sam):
            before = len(await sam.channel("general"))
            await sam.write("#general", f"The list is on the drive now, thanks to @{PRIYA} and @{JONAS}.")
            await until(lambda: len(cast.evidence.turns) == 2)
            assert await cast.quiet()
            assert len(await sam.channel("general", before)) == 1
            assert {one.action for one in cast.evidence.turns} == {"silent"}
            (newest,) = (await sam.call("GET", "channels.history", roomName="general", count=1))["messages"]
            assert set(newest["reactions"][":thumbsup:"]["usernames"]) == {PRIYA, JONAS}

    run(main())


def test_what_is_not_known_is_said_with_somebody_who_may_know_it(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, {}, everybody=True) as (_stage, cast, sam):
            before = await known(sam, PRIYA)
            await sam.write(f"@{PRIYA}", "Which vendor budgets are already used up?")
            (answer,) = await new(sam, PRIYA, before)
            assert "Tomas Okafor" in answer
            assert cast.evidence.turns[0].how["unknown"]

    run(main())


def test_colleagues_do_not_answer_each_other(larkspur: Snapshot) -> None:
    async def main() -> None:
        part = {"Mara Lindqvist": {"script": [{"reply": f"@{PRIYA} where is the roadmap?"}]}}
        async with scene(larkspur, part, everybody=True) as (_stage, cast, sam):
            await sam.write("#general", f"@{MARA} who has the roadmap?")
            await until(lambda: bool(cast.evidence.turns))
            assert await cast.quiet()
            assert [one.persona.username for one in cast.colleagues] == [MARA]

    run(main())


def test_without_everybody_nobody_else_comes(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, {}) as (_stage, cast, sam):
            await sam.write(f"@{PRIYA}", "Hi Priya, where is the roadmap?")
            assert cast.colleagues == []

    run(main())
