"""The obedient model as a server: a colleague's prompt in, the turn that it leads to out."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime
from typing import Any

import pytest

from dayjob.llm.gateway import Gateway
from dayjob.llm.settings import OBEDIENT, load_settings
from dayjob.npc.acquaintance import Acquaintance
from dayjob.npc.llm_prompt import RULES, present_part
from dayjob.npc.llm_turn import ModelTurn, turn_in
from dayjob.npc.opening import Opening
from dayjob.task.colleague_sheet import Deed, Fact, Need, Step

ROOM = Fact("room", ("The room is 4.12.", "It has no window."), why="The others are taken.")
KEY = Fact("key", ("Jonas has the key: ask him, ${sender}.",), first=True)
LONG = Fact("long-story", ("It began in 2019.\n- a fire first\nand then a flood.",))
NEED = Need("example", (), ("An example first, ${sender}?",), "it was wrong before")
GATE = Step("agreed", (NEED,))
THANKED = Step("told", says=("Noted, ${sender}.",), tells=("room",))
APPROVE = Deed("approve", "approve", {"merge_request": "!12"})


def opening(**more: Any) -> Opening:
    now = Opening({"sam.reed": Acquaintance()}, "Sam", **more)
    now.near = now.near or {one.id for one in now.facts}
    return now


def answer(now: Opening, said: str, *before: str, reminder: str = "") -> ModelTurn:
    """What the model makes of a prompt as the mind writes it, through a gateway and its server."""
    talk = [{"role": "assistant", "content": json.dumps({"action": "speak", "message": one})} for one in before]
    line = json.dumps({"at": "09:00", "from": "sam.reed", "text": said})
    system = f"You are Mara.\n\n{RULES}\n\n{present_part(now, datetime(2026, 3, 9, 9))}"
    last = {"role": "user", "content": f"You are in direct messages.\n{line}{reminder}"}

    async def asked() -> dict[str, Any]:
        async with Gateway(load_settings(flags={"npc": OBEDIENT})) as gateway:
            access = gateway.admit("example.oracle.1", "npc")
            return await access.complete({"messages": [{"role": "system", "content": system}, *talk, last]})

    return turn_in(asyncio.run(asked()))


def test_it_is_named_like_a_script_and_needs_no_file() -> None:
    chosen = load_settings(flags={"npc": OBEDIENT}).roles["npc"]
    assert (chosen.shown, chosen.provider.script) == ("script:obedient", None)


@pytest.mark.parametrize(
    ("now", "said", "message", "facts"),
    [
        (opening(facts=[ROOM, LONG], asked=["room"]), "Which room?", "The room is 4.12. It has no window.", ("room",)),
        (opening(facts=[ROOM, LONG], asked=["long-story"]), "Why?", LONG.text, ("long-story",)),
        (opening(facts=[ROOM, KEY]), "How do I get in?", "Jonas has the key: ask him, Sam.", ("key",)),
        (opening(facts=[ROOM, KEY]), "Thank you, bye!", "Thank you.", ()),
        (opening(facts=[ROOM]), "Is it raining?", "I do not know that.", ()),
        (opening(facts=[ROOM], reached=[THANKED]), "It is done.", f"Noted, Sam. {ROOM.text}", ("room",)),
        (opening(next_step=(GATE, [NEED])), "Do you agree?", "An example first, Sam?", ()),
        (opening(declines=True), "What does she earn?", "That one I keep to myself, sorry.", ()),
        (opening(elsewhere=True), "Mara, which room?", "Write to me in a direct message about that, please.", ()),
    ],
)
def test_it_says_what_its_prompt_says(now: Opening, said: str, message: str, facts: tuple[str, ...]) -> None:
    turn = answer(now, said)
    assert (turn.action, turn.message, turn.facts) == ("speak", message, facts)


def test_it_asks_for_the_words_of_a_fact_that_it_knows_by_name() -> None:
    now = opening(facts=[ROOM, KEY], near={"key"}, reached=[THANKED])
    turn = answer(now, "It is done.")
    assert (turn.message, turn.facts) == ("", ("room",))


def test_it_does_what_it_is_asked_to_do_and_only_then() -> None:
    assert answer(opening(deeds=[APPROVE]), "Could you approve it, please?").do == ("approve",)
    assert answer(opening(deeds=[APPROVE]), "I approve of the weather.").do == ()


def test_it_tells_what_is_told_first_once_and_asks_again_for_what_is_missing() -> None:
    now = opening(facts=[KEY], next_step=(GATE, [NEED]))
    assert answer(now, "And now?", "Jonas has the key: ask him, Sam.").message == "An example first, Sam?"


def test_it_says_less_when_a_reply_was_not_sent() -> None:
    turn = answer(
        opening(facts=[ROOM], asked=["room"]),
        "Which?",
        reminder="\n\nYour last reply was not sent: it gives away 4.12.",
    )
    assert (turn.message, turn.facts) == ("I would rather say no more about that.", ())
