"""Colleagues in a real company: they hear, answer, remember, write first, come back, and never only talk among themselves."""

from __future__ import annotations

from typing import Any

from dayjob.company.world import Snapshot
from tests.npc.casting import on_stage, run


def test_a_colleague_answers_a_direct_message(larkspur: Snapshot) -> None:
    async def main() -> None:
        scenarios = {"Mara Lindqvist": {"script": [{"on": {"topic": "launch date"}, "reply": "On 16 March, ${sender}."}]}}
        async with on_stage(larkspur) as stage, stage.cast(scenarios) as cast, stage.examinee() as sam:
            before = len(await sam.history("mara.lindqvist"))
            await sam.write("@mara.lindqvist", "When is the date of our launch?")
            said = await sam.hears("mara.lindqvist", 1)
            assert said[-1] == "On 16 March, Sam."
            assert await cast.quiet()
            assert len(await sam.history("mara.lindqvist")) == before + 2
            assert cast.faults == []

    run(main())
