"""Colleagues in a real company hear, answer, remember, write first and come back; they do not talk to each other."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect

from dayjob.company.world import Snapshot
from dayjob.npc.cast import Cast, CastError
from tests.llm.gateways import until
from tests.npc.casting import Examinee, on_stage, run, scene

MARA, JONAS, PRIYA = "mara.lindqvist", "jonas.weber", "priya.nair"
ECHO = [{"on": {"pattern": "(.*)"}, "reply": "You said: ${1}"}]


def three() -> dict[str, Any]:
    """Mara, Jonas and Priya, who each answer everything with their own name."""
    names = ("Mara Lindqvist", "Jonas Weber", "Priya Nair")
    return {name: {"script": [{"reply": f"{name.split()[0]} here."}]} for name in names}


def test_a_colleague_answers_a_direct_message(larkspur: Snapshot) -> None:
    async def main() -> None:
        rule = {"on": {"topic": "launch date"}, "reply": "On 16 March, ${sender}."}
        async with scene(larkspur, {"Mara Lindqvist": {"script": [rule]}}) as (_stage, cast, sam):
            before = await sam.history(MARA)
            await sam.write(f"@{MARA}", "When is the date of our launch?")
            await cast_at_rest(cast, 1)
            said = (await sam.history(MARA))[len(before) :]
            assert [(one["u"]["username"], one["msg"]) for one in said][1:] == [(MARA, "On 16 March, Sam.")]
            assert cast.faults == []
            assert cast.minds == {"Mara Lindqvist": "script"}

    run(main())


async def cast_at_rest(cast: Cast, turns: int) -> None:
    """Until so many turns were taken and nobody is about to write."""
    await until(lambda: len(cast.evidence.turns) >= turns)
    assert await cast.quiet()


def test_every_message_is_answered_not_only_the_newest(larkspur: Snapshot) -> None:
    async def main() -> None:
        rules = [{"on": {"topic": one}, "reply": f"About the {one}."} for one in ("budget", "venue", "menu")]
        async with scene(larkspur, {"Mara Lindqvist": {"script": rules}}) as (_stage, cast, sam):
            known = len([one for one in await sam.history(MARA) if one["u"]["username"] == MARA])
            await asyncio.gather(
                *(sam.write(f"@{MARA}", f"What about the {one}?") for one in ("budget", "venue", "menu"))
            )
            said = (await sam.hears(MARA, known + 3))[known:]
            assert sorted(said) == ["About the budget.", "About the menu.", "About the venue."]
            assert await cast.quiet()

    run(main())


@pytest.mark.parametrize(
    ("text", "who"),
    [
        (f"@{JONAS} is the scheduler ready?", ["Jonas"]),
        ("Jonas, is the scheduler ready?", ["Jonas"]),
        ("Hi Mara! Who reviews this?", ["Mara"]),
        ("Is that fine with you, Priya?", ["Priya"]),
        ("Priya Nair: please have a look", ["Priya"]),
        (f"@{MARA} and @{PRIYA}, please vote", ["Mara", "Priya"]),
        ("Jonas, please ask Mara about the list", ["Jonas"]),
        ("I heard from Priya that Jonas wrote it.", []),
        ("Good morning everyone", []),
    ],
)
def test_in_a_channel_only_who_is_addressed_answers(larkspur: Snapshot, text: str, who: list[str]) -> None:
    async def main() -> None:
        async with scene(larkspur, three()) as (_stage, cast, sam):
            before = len(await sam.channel("launch"))
            await sam.write("#launch", text)
            await sam.write(f"@{MARA}", "Ping")  # an answer to this shows that the first message was heard by all
            await cast_at_rest(cast, len(who) + 1)
            said = [one for one in await sam.channel("launch", before) if one[0] != "sam.reed"]
            assert sorted(one[1] for one in said) == [f"{name} here." for name in sorted(who)]

    run(main())


def test_a_thread_is_answered_by_those_who_take_part_in_it(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, three()) as (_stage, cast, sam):
            first = await sam.write("#launch", f"@{JONAS} a question about the release")
            await cast_at_rest(cast, 1)
            await sam.write("#launch", "And another one, without any name.", thread=first["_id"])
            await cast_at_rest(cast, 2)
            assert {one.colleague for one in cast.evidence.turns} == {"Jonas Weber"}
            assert cast.evidence.turns[1].thread == first["_id"]
            await sam.write("#launch", f"@{PRIYA} what do you think?", thread=first["_id"])
            await cast_at_rest(cast, 3)
            assert [one.colleague for one in cast.evidence.turns] == ["Jonas Weber", "Jonas Weber", "Priya Nair"]
            replies = (await sam.call("GET", "chat.getThreadMessages", tmid=first["_id"]))["messages"]
            assert [one["msg"] for one in replies if one["u"]["username"] == JONAS] == ["Jonas here."]

    run(main())


def test_a_thread_begun_before_the_colleague_came_is_looked_up(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with on_stage(larkspur) as stage, stage.examinee(JONAS) as earlier, stage.examinee() as sam:
            first = await earlier.write("#launch", "I will collect questions here.")
            async with stage.cast(three()) as cast:
                await sam.write("#launch", "Then here is one.", thread=first["_id"])
                await cast_at_rest(cast, 1)
                assert [one.colleague for one in cast.evidence.turns] == ["Jonas Weber"]

    run(main())


def test_colleagues_do_not_answer_each_other(larkspur: Snapshot) -> None:
    async def main() -> None:
        scenarios = three()
        scenarios["Mara Lindqvist"]["script"] = [{"reply": f"@{JONAS} and @{PRIYA}, @all: what do you think?"}]
        async with scene(larkspur, scenarios) as (_stage, cast, sam):
            await sam.write("#launch", "Mara, what now?")
            await cast_at_rest(cast, 1)
            await sam.write(f"@{PRIYA}", "Ping")
            await cast_at_rest(cast, 2)
            assert [one.colleague for one in cast.evidence.turns] == ["Mara Lindqvist", "Priya Nair"]

    run(main())


def test_steps_first_contact_once_and_leaving(larkspur: Snapshot) -> None:
    script = [
        {"on": {"step": "asked", "pattern": r"\byes\b"}, "reply": "Then it is the blue one.", "then": "told"},
        {"on": {"step": "asked"}, "reply": "Yes or no?"},
        {"on": {"topic": "bye"}, "reply": "Bye.", "then": "leave"},
        {"on": {"first_contact": True}, "reply": ["Hello ${sender}.", "Do you know the code?"], "then": "asked"},
        {"on": {"topic": "again"}, "reply": "Only once.", "once": True},
        {"on": {"in": "channel"}, "reply": "Not here."},
    ]
    talk = {
        "Good morning": ["Hello Sam.", "Do you know the code?"],
        "Hm": ["Yes or no?"],
        "Yes, I do": ["Then it is the blue one."],
        "Say that again": ["Only once."],
        "And again": [],
        "Bye then": ["Bye."],
        "Still there? Say it again": [],
    }

    async def main() -> None:
        async with scene(larkspur, {"Mara Lindqvist": {"script": script}}) as (_stage, cast, sam):
            for text in list(talk)[:-1]:
                before = len(cast.evidence.turns)
                await sam.write(f"@{MARA}", text)
                await cast_at_rest(cast, before + 1)
                assert cast.evidence.turns[-1].said == talk[text], text
            assert cast.evidence.turns[4].action == "silent"
            await sam.write(f"@{MARA}", list(talk)[-1])
            await sam.write("#launch", f"@{MARA} here?")
            await cast_at_rest(cast, 7)
            assert cast.evidence.turns[-1].said == ["Hello Sam.", "Do you know the code?"]
            assert cast.faults == []

    run(main())


def test_a_colleague_without_rules_shares_what_may_be_shared(larkspur: Snapshot) -> None:
    async def main() -> None:
        scenario = {"extra_info": "The room is 4.12.", "strategy_hint": "Be slow to help."}
        async with scene(larkspur, {"Mara Lindqvist": scenario}) as (_stage, cast, sam):
            for text in ("Which room?", "Which floor?"):
                await sam.write(f"@{MARA}", text)
                await cast_at_rest(cast, len(cast.evidence.turns) + 1)
            assert [one.said for one in cast.evidence.turns] == [
                ["My notes on this: “The room is 4.12.”"],
                ["That is all I know about it."],
            ]

    run(main())


def test_a_colleague_writes_first_at_a_time_and_after_an_event(larkspur: Snapshot) -> None:
    async def main() -> None:
        scenarios = {
            "Mara Lindqvist": {"initiates": [{"at": 0.05, "say": "Welcome, please see me."}]},
            "Jonas Weber": {
                "channels": ["random"],
                "initiates": [
                    {
                        "after": {"event": "message", "where": {"username": "sam.reed", "text": "done"}},
                        "to": "#random",
                        "say": "Sam is done.",
                    },
                    {"after": "merge", "to": "Sam Reed", "say": "Thanks for merging."},
                ],
            },
        }
        async with scene(larkspur, scenarios) as (stage, cast, sam):
            known = len(await sam.history(MARA))
            await sam.write("#random", "I am done already")
            cast.begin()
            assert (await sam.hears(MARA, 1))[-1] == "Welcome, please see me."
            assert len(await sam.history(MARA)) == known + 1
            await sam.write("#random", "Done, really")
            await until(lambda: len(cast.evidence.turns) == 2)
            assert (await sam.channel("random"))[-1] == (JONAS, "Sam is done.")
            merge = {"project_id": 1, "author": "sam.reed", "action": "accepted", "kind": "MergeRequest", "title": "x"}
            stage.company.tell("forge.event", {**merge, "action": "opened"})
            stage.company.tell("forge.event", merge)
            stage.company.tell("forge.event", merge)
            assert (await sam.hears(JONAS, 1))[-1] == "Thanks for merging."
            assert [one.action for one in cast.evidence.turns] == ["initiates"] * 3
            assert cast.faults == []

    run(main())


def test_a_colleague_comes_back_after_a_restart_of_chat_and_answers_what_was_missed(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, {"Mara Lindqvist": {"script": ECHO}}) as (stage, cast, sam):
            await sam.write(f"@{MARA}", "Before")
            await cast_at_rest(cast, 1)
            port = stage.ports["npc"]
            stage.close("npc")
            await until(lambda: cast.absent)
            for text in ("While you were out", "a second time"):
                await sam.write(f"@{MARA}", text)
            await sam.write("#launch", f"@{MARA} in the channel too")
            await stage.open("npc", port)
            await until(lambda: not cast.absent)
            await sam.write(f"@{MARA}", "After")
            said = [text for text in await collected(cast, 5) if "channel" not in text]
            assert said == [
                "You said: Before",
                "You said: While you were out",
                "You said: a second time",
                "You said: After",
            ]
            assert cast.faults == []

    run(main())


def test_what_was_said_before_the_colleague_came_is_not_answered_even_after_a_restart(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with on_stage(larkspur) as stage, stage.examinee() as sam:
            await sam.write(f"@{MARA}", "Long ago")
            await sam.write("#launch", f"@{MARA} long ago")
            async with stage.cast({"Mara Lindqvist": {"script": ECHO}}) as cast:
                port = stage.ports["npc"]
                stage.close("npc")
                await until(lambda: cast.absent)
                await stage.open("npc", port)
                await until(lambda: not cast.absent)
                await sam.write(f"@{MARA}", "Now")
                await cast_at_rest(cast, 1)
                assert [one.said for one in cast.evidence.turns] == [["You said: Now"]]

    run(main())


async def collected(cast: Cast, count: int) -> list[str]:
    await until(lambda: sum(len(turn.said) for turn in cast.evidence.turns) >= count)
    assert await cast.quiet()
    return [text for turn in cast.evidence.turns for text in turn.said]


def test_a_colleague_survives_a_reset_that_forgets_every_token(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with on_stage(larkspur) as stage, stage.cast({"Mara Lindqvist": {"script": ECHO}}) as cast:
            stage.company.reset("chat")
            await until(lambda: cast.absent)
            await until(lambda: not cast.absent)
            async with stage.examinee() as sam:
                await sam.write(f"@{MARA}", "Still there?")
                await cast_at_rest(cast, 1)
                assert cast.evidence.turns[0].said == ["You said: Still there?"]

    run(main())


def test_a_colleague_who_stays_away_is_a_fault_of_ours(larkspur: Snapshot, tmp_path: Path) -> None:
    async def main() -> None:
        file = tmp_path / "npc.jsonl"
        async with scene(larkspur, {"Mara Lindqvist": {"script": ECHO}}, away_seconds=0.05, evidence=file) as (
            stage,
            cast,
            _sam,
        ):
            stage.close("npc")
            await until(lambda: cast.faults)
            assert (cast.faults[0].colleague, cast.faults[0].label) == ("Mara Lindqvist", "dead")
            assert cast.absent == ["Mara Lindqvist"]
        assert json.loads(file.read_text("utf-8"))["label"] == "dead"

    run(main())


def test_somebody_nobody_knows_cannot_be_cast(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with on_stage(larkspur) as stage:
            with pytest.raises(CastError, match="'Nobody Known', who does not work at Larkspur"):
                stage.cast({"Nobody Known": {}})
            with pytest.raises(CastError, match="Mara Lindqvist needs a model"):
                stage.cast({"Mara Lindqvist": {"mind": "llm"}})
            with pytest.raises(CastError, match="Mara Lindqvist could not come to work"):
                async with stage.cast({"Mara Lindqvist": {"channels": ["no-such-channel"]}}):
                    pass

    run(main())


def test_typing_is_seen_before_the_answer(larkspur: Snapshot) -> None:
    async def main() -> None:
        scenario = {"script": ECHO, "typing": True, "delay": {"min": 0.01, "max": 0.02}}
        async with scene(larkspur, {"Mara Lindqvist": scenario}) as (stage, cast, sam):
            room = (await sam.write(f"@{MARA}", "First"))["rid"]
            await cast_at_rest(cast, 1)
            url = f"ws://127.0.0.1:{stage.ports['examinee']}/websocket"
            async with connect(url) as socket:
                for message in (
                    {"msg": "connect", "version": "1", "support": ["1"]},
                    {"msg": "method", "method": "login", "id": "1", "params": [{"resume": token(sam)}]},
                    {"msg": "sub", "id": "a", "name": "stream-notify-room", "params": [f"{room}/user-activity"]},
                    {"msg": "sub", "id": "b", "name": "stream-room-messages", "params": [room]},
                ):
                    await socket.send(json.dumps(message))
                seen: list[Any] = []
                async for frame in socket:
                    found = json.loads(frame)
                    if found.get("msg") == "ready" and found["subs"] == ["b"]:
                        await sam.write(f"@{MARA}", "Second")
                    if found.get("msg") == "changed":
                        arguments = found["fields"]["args"]
                        seen.append(arguments[1] if arguments[0] == MARA else arguments[0]["msg"])
                        if seen[-1] == []:
                            break
            assert seen == ["Second", ["user-typing"], "You said: Second", []]

    run(main())


def token(sam: Examinee) -> str:
    return sam.client.headers["X-Auth-Token"]


def test_what_colleagues_do_is_theirs_in_the_journal_and_not_the_examinee_s(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, {"Mara Lindqvist": {"script": ECHO}}) as (stage, cast, sam):
            await sam.write(f"@{MARA}", "Hello")
            await cast_at_rest(cast, 1)
            rows = [one for one in stage.company.journal.requests("chat", role="npc") if "sendMessage" in one.path]
            assert {one.account for one in rows} == {MARA}
            words = [one.words for one in stage.company.changes("chat")]
            assert any("Hello" in one for one in words)
            assert not any("You said" in one for one in words)

    run(main())


def test_every_turn_is_in_the_evidence(larkspur: Snapshot, tmp_path: Path) -> None:
    async def main() -> None:
        file = tmp_path / "npc.jsonl"
        async with scene(larkspur, {"Mara Lindqvist": {"script": ECHO}}, evidence=file) as (_stage, cast, sam):
            await sam.write(f"@{MARA}", "For the record")
            await cast_at_rest(cast, 1)
        (line,) = [json.loads(one) for one in file.read_text("utf-8").splitlines()]
        assert line["kind"] == "turn"
        assert (line["colleague"], line["mind"], line["place"]) == ("Mara Lindqvist", "script", "direct messages")
        assert [(one["sender"], one["text"]) for one in line["heard"]] == [("sam.reed", "For the record")]
        assert (line["action"], line["said"], line["how"]["rules"]) == ("speak", ["You said: For the record"], [0])

    run(main())


def test_a_secret_is_withheld_even_from_a_script_that_repeats_it(larkspur: Snapshot) -> None:
    async def main() -> None:
        scenario = {"script": ECHO, "must_not_reveal": ["blue heron"]}
        async with scene(larkspur, {"Mara Lindqvist": scenario}) as (_stage, cast, sam):
            await sam.write(f"@{MARA}", "Is the code word Blue-Heron?")
            await cast_at_rest(cast, 1)
            turn = cast.evidence.turns[0]
            assert (turn.said, turn.withheld) == ([], ["You said: Is the code word Blue-Heron?"])

    run(main())


def test_in_a_direct_room_of_three_all_are_meant_unless_one_is_called(larkspur: Snapshot) -> None:
    async def main() -> None:
        async with scene(larkspur, three()) as (_stage, cast, sam):
            room = (await sam.call("POST", "im.create", usernames=f"{MARA},{JONAS}"))["room"]["_id"]
            await sam.write(room, "Hello to both of you")
            await cast_at_rest(cast, 2)
            assert {one.colleague for one in cast.evidence.turns} == {"Jonas Weber", "Mara Lindqvist"}
            await sam.write(room, "Jonas, you first")
            await cast_at_rest(cast, 3)
            assert [one.colleague for one in cast.evidence.turns[2:]] == ["Jonas Weber"]
            assert "Jonas, you first" in [one.text for one in cast.evidence.turns[2].heard]

    run(main())
