"""What blind sittings with a strong model as colleagues found wrong, one claim each, over real sockets."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from dayjob.company.world import Snapshot
from dayjob.llm.scripted import ScriptedModel
from dayjob.npc.cast import Cast
from dayjob.task.reading import parse_yaml
from dayjob.task.rules import Rule
from dayjob.task.scenario import read_scenarios
from tests.llm.gateways import open_gateway, until
from tests.npc.casting import Examinee, Stage, on_stage, run
from tests.npc.test_llm_mind import JONAS, MARA, played, rest, says

LENA = "lena.fischer"
SHEET = parse_yaml(
    """
Lena Fischer:
  matter: ["!12", merge]
  wants: The commit is in main today.
  facts:
    plain: {says: "Merge it neither squashed nor rebased, 7731 counts.", asked: [squash], tell: after:agreed}
    hours: {says: I am here until six., asked: [until when]}
  steps:
    agreed:
      needs: {example: {shown: [fails without], ask: [Show me an example first.]}}
      says: Agreed.
      tells: [plain]
  may:
    comment:
      act: {comment: {project: larkspur/trellis, merge_request: 12, text: Looks good to me.}}
      asked: [comment, approve]
      when: after:agreed
""",
    "colleagues.yml",
    Rule.SCENARIOS,
)


@asynccontextmanager
async def sheet_played(
    snapshot: Snapshot, rules: list[Any]
) -> AsyncIterator[tuple[Stage, Cast, Examinee, ScriptedModel]]:
    async with open_gateway(rules, role="npc") as opened, on_stage(snapshot) as stage:
        url = f"http://127.0.0.1:{stage.ports['npc']}"
        cast = Cast.for_company(stage.company, url, read_scenarios(SHEET), access=opened.access)
        async with cast, stage.examinee() as sam:
            yield stage, cast, sam, opened.model


def texts(asked: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Who said what in a prompt, turn by turn."""
    found = []
    for message in asked["messages"][1:]:
        lines = [json.loads(one) for one in message["content"].split("\n") if one.startswith("{")]
        found.append((message["role"], [one.get("text", one.get("message")) for one in lines]))
    return found


def test_1_what_comes_while_the_model_thinks_stands_after_the_reply_to_what_came_before(larkspur: Snapshot) -> None:
    async def main() -> None:
        rules = [{**says("To the first."), "delay": 0.2, "once": True}, says("To the second.")]
        async with played(larkspur, {"Mara Lindqvist": {}}, rules) as (cast, sam, model):
            await sam.write(f"@{MARA}", "First")
            await until(lambda: model.asked)
            await sam.write(f"@{MARA}", "Second")
            await rest(cast, 2)
            assert texts(model.asked[1]) == [
                ("user", ["First"]), ("assistant", ["To the first."]), ("user", ["Second"]),
            ]  # fmt: skip
            assert all(one["messages"][-1]["role"] == "user" for one in model.asked)

    run(main())


def test_2_words_that_the_hint_orders_are_said_at_once(larkspur: Snapshot) -> None:
    async def main() -> None:
        hint = "Agree, and say in the same message that it must be neither squashed nor rebased, and why."
        said = "Agreed. But it must be neither squashed nor rebased, and why: I need its number."
        async with played(larkspur, {"Mara Lindqvist": {"strategy_hint": hint}}, [says(said)]) as (cast, sam, model):
            await sam.write(f"@{MARA}", "May I merge?")
            await rest(cast, 1)
            assert (cast.evidence.turns[0].said, len(model.asked)) == ([said], 1)

    run(main())


def test_3_a_gate_holds_whatever_the_model_would_say(larkspur: Snapshot) -> None:
    async def main() -> None:
        rules = [says("Agreed, the number 7731 counts.")]
        async with sheet_played(larkspur, rules) as (_, cast, sam, model):
            await sam.write(f"@{LENA}", "May I merge !12?")
            await rest(cast, 1)
            assert "7731" not in model.asked[0]["messages"][0]["content"]
            assert "7731" not in " ".join(cast.evidence.turns[0].said)
            await sam.write(f"@{LENA}", "The test fails without the change.")
            await rest(cast, 2)
            assert "Merge it neither squashed nor rebased, 7731 counts." in model.asked[-1]["messages"][0]["content"]
            assert cast.evidence.turns[1].how["reached"] == ["agreed"]
            assert "7731" in " ".join(cast.evidence.turns[1].said)

    run(main())


def test_4_a_long_reply_is_several_messages_and_no_fault(larkspur: Snapshot) -> None:
    async def main() -> None:
        long = "\n\n".join([f"Paragraph {number}. " + "x" * 1800 for number in range(4)])
        async with played(larkspur, {"Mara Lindqvist": {}}, [says(long)]) as (cast, sam, model):
            await sam.write(f"@{MARA}", "Tell me everything")
            await rest(cast, 1)
            heard = [one["msg"] for one in await sam.history(MARA) if one["u"]["username"] == MARA]
            assert "\n\n".join(heard) == long
            assert (len(heard), len(model.asked), cast.faults) == (2, 1, [])

    run(main())


def test_5_what_they_may_do_is_done_under_their_name_and_nothing_else_is(larkspur: Snapshot) -> None:
    async def main() -> None:
        does = {"json": {"action": "speak", "message": "I do.", "facts": [], "do": ["comment", "merge"]}}
        async with sheet_played(larkspur, [does]) as (stage, cast, sam, model):
            await sam.write(f"@{LENA}", "Please comment on !12.")
            await rest(cast, 1)
            assert 'what "You may do" lists' in model.asked[0]["messages"][0]["content"]
            assert cast.evidence.turns[0].did == []
            assert cast.evidence.turns[0].how["dropped"] == ["comment", "merge"]
            await sam.write(f"@{LENA}", "It fails without the change. Please comment on it.")
            await rest(cast, 2)
            assert cast.evidence.turns[1].did == [{"deed": "comment"}]
            from dayjob.company.acting import Doer

            place = "/api/v4/projects/larkspur%2Ftrellis/merge_requests/12/notes"
            notes = await Doer(stage.company, "sam.reed", "npc").read("forge", place)
            assert ("lena.fischer", "Looks good to me.") in [(one["author"]["username"], one["body"]) for one in notes]

    run(main())


def test_6_the_time_the_people_the_work_and_what_was_said_elsewhere_are_known(larkspur: Snapshot) -> None:
    async def main() -> None:
        scenarios = {"Mara Lindqvist": {"channels": ["random"]}}
        async with played(larkspur, scenarios, [says("I see.")]) as (cast, sam, model):
            await sam.write(f"@{MARA}", "For example, three jobs of nine o'clock, as Lena plans them.")
            await rest(cast, 1)
            first = await sam.write("#random", f"@{MARA} you have my example?")
            await rest(cast, 2)
            await sam.write("#random", f"@{MARA} I mean the one of this morning.", thread=first["_id"])
            await rest(cast, 3)
            await sam.write("#random", f"@{MARA} so?")
            await rest(cast, 4)
            system = model.asked[0]["messages"][0]["content"]
            assert "It is 2026-03-09 09:00, a Monday." in system
            assert "Lena Fischer, Luca Moretti" in system, "everybody by name"
            assert "Of these: Lena Fischer, Engineer, scheduler." in system, (
                "whom the words are about, with their title"
            )
            assert '{"at": "09:00", "from": "sam.reed"' in model.asked[0]["messages"][-1]["content"]
            room, thread, again = (json.dumps(one["messages"][1:]) for one in model.asked[1:])
            assert "three jobs of nine" in room, "from the direct message"
            assert "Here too: " in room
            assert "three jobs of nine" in thread
            assert "in a thread" in again, "their own answer in a thread"
            assert "the one of this morning" in again

    run(main())


def test_7_a_direct_message_of_several_is_named_with_its_people(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with played(larkspur, {"Mara Lindqvist": {}, "Jonas Weber": {}}, [says("Hello Sam.")]) as (
            cast,
            sam,
            model,
        ):
            room = (await sam.call("POST", "im.create", usernames=f"{MARA},{JONAS}"))["room"]["_id"]
            await sam.write(room, "Can you two help me?")
            await rest(cast, 2)
            assert {one.colleague for one in cast.evidence.turns} == {"Mara Lindqvist", "Jonas Weber"}
            prompts = sorted(one["messages"][1]["content"].split("\n")[0] for one in model.asked)
            assert prompts == [
                "You are in a direct message with several. Here too: jonas.weber, sam.reed.",
                "You are in a direct message with several. Here too: mara.lindqvist, sam.reed.",
            ]

    run(main())


def test_8_who_left_a_direct_message_answers_the_next(larkspur: Snapshot) -> None:
    async def main() -> None:
        rules = [{**says("Bye.", "leave"), "delay": 0.15, "once": True}, says("Yes?")]
        async with played(larkspur, {"Mara Lindqvist": {}}, rules) as (cast, sam, model):
            await sam.write(f"@{MARA}", "Bye then")
            await until(lambda: model.asked)
            await sam.write(f"@{MARA}", "Oh, one more thing")
            await rest(cast, 2)
            assert [one.said for one in cast.evidence.turns] == [["Bye."], ["Yes?"]]
            first = await sam.write("#launch", f"@{MARA} and here?")
            await rest(cast, 3)
            assert first["u"]["username"] == "sam.reed"

    run(main())


def test_9_what_a_model_invents_is_in_the_evidence(larkspur: Snapshot) -> None:
    async def main() -> None:
        rules = [says("We lost the customer Kornblume, and 9,400 EUR with it. Jonas Weber knows.")]
        async with played(larkspur, {"Mara Lindqvist": {}}, rules) as (cast, sam, model):
            await sam.write(f"@{MARA}", "Why is that wanted?")
            await rest(cast, 1)
            assert cast.evidence.turns[0].how["stands_nowhere"] == ["9400", "kornblume"]
            assert "Invent no facts: no figure, name, date, customer" in model.asked[0]["messages"][0]["content"]

    run(main())


TURN = json.dumps({"action": "speak", "message": "Room 4.12.", "mood": "calm"})


@pytest.mark.parametrize(
    "text",
    [f"<think>Which room?</think>{TURN}", f"Sure, here is my reply:\n```json\n{TURN}\n```", TURN.replace('"', "'")],
    ids=["reasoning", "prose and a fence", "single quotes"],
)
def test_10_a_reply_in_another_dress_costs_one_call(larkspur: Snapshot, text: str) -> None:
    async def main() -> None:
        async with played(larkspur, {"Mara Lindqvist": {}}, [{"say": text}]) as (cast, sam, model):
            await sam.write(f"@{MARA}", "Which room?")
            await rest(cast, 1)
            assert (cast.evidence.turns[0].said, len(model.asked)) == (["Room 4.12."], 1)

    run(main())


def test_10_a_reminder_is_no_late_system_message(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with played(larkspur, {"Mara Lindqvist": {}}, [{"say": "Hm", "once": True}, says("Yes.")]) as (
            cast,
            sam,
            model,
        ):
            await sam.write(f"@{MARA}", "Which room?")
            await rest(cast, 1)
            assert [one["role"] for one in model.asked[1]["messages"]] == ["system", "user"]
            assert 'Your reply was: "Hm"' in model.asked[1]["messages"][-1]["content"]

    run(main())


def test_11_settings_are_pinned_and_what_answered_is_in_the_evidence(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with played(larkspur, {"Mara Lindqvist": {}}, [says("Yes.")]) as (cast, sam, model):
            await sam.write(f"@{MARA}", "Which room?")
            await rest(cast, 1)
            (asked,) = model.asked
            assert asked["temperature"] == 0.3
            assert isinstance(asked["seed"], int)
            how = cast.evidence.turns[0].how
            assert how["served"] == "scripted"
            assert {"Mara Lindqvist": how["prompt_hash"]} == cast.prompts

    run(main())
