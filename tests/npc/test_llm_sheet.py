"""A model that plays a colleague from a sheet: it is told what is open, the engine keeps the rest."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from dayjob.llm.faults import Label, ModelFault
from dayjob.npc.acquaintance import Acquaintance
from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.llm_mind import LlmMind
from dayjob.npc.minds import Briefing, Decision
from dayjob.npc.persona import Persona
from dayjob.npc.sheet_mind import SheetMind
from dayjob.task.colleague_sheet import standing_fact
from dayjob.task.reading import parse_yaml
from dayjob.task.rules import Rule
from dayjob.task.scenario import Scenario, read_scenarios
from tests.npc.test_llm_mind_rules import Given, reply

LENA = Persona("Lena Fischer", "lena.fischer", "Engineer")
NOW = datetime(2026, 3, 9, 9, 20, tzinfo=UTC)
TEXT = """
matter: [merge, order]
wants: The commit is in main with its own number.
conduct: You want an example before you agree, and say then that it is neither squashed nor rebased.
facts:
  hours:
    says: I look at it until 16:40, ${sender}.
    asked: [until when, how long]
    why: The train goes at five.
  plain:
    says: "Merge it as it is, neither squashed nor rebased: the number 7731 counts."
    asked: [how merge, squash]
    tell: after:agreed
  branch:
    says: It goes to the branch Quellwasser.
    asked: [which branch]
    tell: never
  price: {says: A crate is 40 EUR., asked: [crate]}
  count: {says: Twelve crates were ordered., asked: [how many]}
  sum: {says: That is 480 EUR in all., asked: [sum, in all], follows: [price, count]}
  salary: {says: I make 3100 a month., asked: [salary], place: direct}
  for-tom: {says: Tom gets the key 5512., asked: [key], to: [tom.berg]}
  view: {says: I find it a good change., asked: [opinion], opinion: true}
steps:
  agreed:
    needs:
      example: {shown: [fails without], ask: ["Show me what fails without it, ${sender}."], why: I have been burnt.}
    says: That convinces me, ${sender}. Agreed.
    tells: [plain]
    does: [note]
busy:
  - {days: "2026-03-12", from: "14:00", to: "24:00", fact: hours}
refers: [{asked: [login, account], to: Mara Lind}]
may:
  note: {act: {comment: {project: a/b, merge_request: 12, text: Agreed.}}, when: "at:agreed"}
  approve: {act: {approve: {project: a/b, merge_request: 12}}, asked: [approve], when: after:agreed, says: Approved.}
  rename: {act: {status: {status: away}}, asked: [rename]}
must_not_reveal: [blue heron]
"""
SHEET: dict[str, Any] = parse_yaml(TEXT, "colleagues.yml", Rule.SCENARIOS)


def scenario(sheet: Mapping[str, Any] = SHEET, **more: Any) -> Scenario:
    return read_scenarios({"Lena Fischer": {**sheet, **more}})["Lena Fischer"]


class Talk:
    """A talk with Lena, whose model has its replies."""

    def __init__(self, *replies: Any, kind: str = "d", sheet: Mapping[str, Any] = SHEET, **more: Any) -> None:
        self.given = Given(*replies)
        persona = replace(LENA, **more)
        self.mind = LlmMind(Briefing(persona, scenario(sheet), "Larkspur", now=lambda: NOW), self.given)
        self.conversation = Conversation("room", kind, "launch")
        self.mind.conversations = lambda: [self.conversation]

    def say(self, *texts: str, sender: str = "sam.reed") -> Decision:
        meant = []
        for text in texts:
            number = len(self.conversation.lines)
            name = sender.replace(".", " ").title()
            meant.append(Line(f"m{number}", "room", sender, name, text, int(NOW.timestamp() * 1000)))
            self.conversation.take_in(meant[-1], 200)
        return self.take(meant)

    def take(self, meant: list[Line]) -> Decision:
        self.conversation.seen = meant[-1].id
        return asyncio.run(self.mind.decide(self.conversation, meant))

    @property
    def system(self) -> str:
        return str(self.given.asked[-1]["messages"][0]["content"])

    @property
    def known(self) -> Acquaintance:
        return self.mind.knows("sam.reed")


OK = reply("speak", "All right.", facts=[])
EXAMPLE = "It fails without the change."


def test_a_model_is_told_what_is_open_and_nothing_of_what_is_not() -> None:
    talk = Talk(OK)
    talk.say("Hello Lena, until when are you here?")
    for part in (
        "- hours: I look at it until 16:40, Sam. Why: The train goes at five.",
        "- view (what you think): I find it a good change.",
        "You want: The commit is in main with its own number.",
        "You want an example before you agree",
        "When you cannot: 2026-03-12 14:00-24:00 (hours).",
        "Not yours: login, account (ask Mara Lind).",
        "- salary: I make 3100 a month.",
        "Not reached yet: agreed.",
        "“Show me what fails without it, Sam.” (because I have been burnt.)",
        "- rename: status (status away)",
    ):
        assert part in talk.system
    for part in ("7731", "Quellwasser", "480", "5512", "Tom gets", "approve", "That convinces me"):
        assert part not in talk.system


def test_the_engine_takes_in_what_was_shown_and_opens_what_waited_for_it() -> None:
    talk = Talk(reply("speak", "That convinces me: merge it as it is, neither squashed nor rebased, 7731 counts."), OK)
    decision = talk.say(EXAMPLE)
    assert talk.known.reached == ["agreed"]
    assert "What they wrote is what you waited for." in talk.system
    assert "Say in your words: “That convinces me, Sam. Agreed.” Tell them now: plain." in talk.system
    assert "- plain: Merge it as it is" in talk.system
    assert "You do this now, with this message, and may say so: comment (project a/b" in talk.system
    assert decision.how["reached"] == ["agreed"]
    assert decision.how["facts"] == ["plain"]
    assert [one.id for one in decision.deeds] == ["note"], "what comes with a step is done by the engine"
    assert len(decision.messages) == 1
    talk.say("Thanks.")
    assert "you waited for" not in talk.system
    assert "Not reached yet" not in talk.system
    assert "- approve: approve (project a/b, merge_request 12), saying “Approved.”" in talk.system
    assert "- note" not in talk.system


def test_a_promise_or_a_question_opens_no_gate() -> None:
    talk = Talk(OK, OK)
    talk.say("I will show you what fails without it later.")
    talk.say("Does it fail without it?")
    assert talk.known.reached == []
    assert "7731" not in talk.system


@pytest.mark.parametrize("words", ["Agreed.", None])
def test_what_comes_with_a_step_is_said_though_the_model_forgets_it_or_makes_no_sense(words: str | None) -> None:
    talk = Talk(*([reply("speak", words, facts=[])] if words else ["Hm"] * 3))
    decision = talk.say(EXAMPLE)
    plain = "Merge it as it is, neither squashed nor rebased: the number 7731 counts."
    assert decision.messages == (words or "That convinces me, Sam. Agreed.", plain)
    assert (decision.how["facts"], talk.known.told) == (["plain"], {"plain": 1})
    assert [one.id for one in decision.deeds] == ["note"]


def test_a_step_that_was_reached_while_the_model_was_away_is_spoken_of_when_it_is_back() -> None:
    talk = Talk(ModelFault(Label.LATE, "Away."), OK)
    with pytest.raises(ModelFault):
        talk.say(EXAMPLE)
    memory = json.loads(json.dumps(talk.mind.memory))
    talk.mind.recall(memory)
    decision = talk.take(talk.conversation.lines)
    assert decision.how["reached"] == ["agreed"]
    assert talk.known.reached == ["agreed"]


def test_what_was_told_is_written_down_and_opens_what_follows_from_it() -> None:
    talk = Talk(
        reply("speak", "A crate is 40, and twelve were ordered.", facts=["price", "count", "sum"]),
        reply("speak", "480 EUR.", facts=["sum"]),
    )
    decision = talk.say("What is a crate, and how many?")
    assert talk.known.told == {"price": 1, "count": 1}
    assert decision.how["dropped"] == ["sum"]
    assert decision.how["asked"] == ["price", "count"]
    assert "They seem to ask for: price, count." in talk.system
    assert talk.say("And in all?").how["facts"] == ["sum"]
    assert "- sum (only if asked for exactly this): That is 480 EUR in all." in talk.system


def test_facts_that_a_reply_does_not_name_are_found_in_its_words() -> None:
    talk = Talk(reply("speak", "A crate is 40 EUR, Sam."), reply("speak", "Hm, no idea."))
    assert talk.say("What is a crate?").how["facts"] == ["price"]
    assert talk.say("And how many?").how["facts"] == []
    assert len(talk.given.asked) == 2


def test_a_deed_is_done_if_it_is_open_and_else_dropped_and_noted() -> None:
    talk = Talk(
        reply("speak", "Done.", facts=[], do=["approve", "rename", "sing"]),
        reply("speak", "Approved.", facts=[], do=["approve"]),
        reply("speak", "Agreed, merge it as it is, not squashed.", facts=["plain"], do=["approve"]),
        reply("speak", "Again.", facts=[], do=["approve"]),
    )
    first = talk.say("Please approve and rename it.")
    assert [one.id for one in first.deeds] == ["rename"]
    assert first.how["dropped"] == ["approve", "sing"]
    assert talk.say("Please approve it.").deeds == ()
    third = talk.say(EXAMPLE + " Please approve it.")
    assert [one.id for one in third.deeds] == ["note", "approve"]
    assert {one.says for one in third.deeds} == {""}, "the model's words were about it"
    assert talk.known.did == ["rename", "note", "approve"]
    assert talk.say("Once more, please approve it.").deeds == (), "what is done is done"


def test_a_deed_that_two_conversations_ask_for_at_once_is_done_once() -> None:
    talk = Talk(reply("speak", "Agreed.", facts=[], do=["rename"]), reply("speak", "Gladly.", facts=[], do=["rename"]))
    answers = asyncio.Barrier(2)
    complete = talk.given.complete

    async def together(body: dict[str, Any]) -> dict[str, Any]:
        await answers.wait()  # both are asked before one is answered
        return await complete(body)

    talk.given.complete = together  # type: ignore[method-assign]
    asked = []
    for room in ("one", "two"):
        said = Line(room, room, "sam.reed", "Sam Reed", f"{EXAMPLE} Could you rename yourself?", 1)
        asked.append(talk.mind.decide(Conversation(room, "d", lines=[said], seen=said.id), [said]))

    async def main() -> list[Decision]:
        return list(await asyncio.gather(*asked))

    done = [deed.id for one in asyncio.run(main()) for deed in one.deeds]
    assert sorted(done) == ["note", "rename"]


def test_promises_are_kept_in_the_evidence() -> None:
    decision = Talk(reply("speak", "I look at it at noon.", promises=["to look at it at noon"])).say("Hello")
    assert decision.how["promises"] == ["to look at it at noon"]


def test_somebody_else_may_hear_something_else() -> None:
    talk = Talk(OK, OK)
    talk.say("Which key?", sender="tom.berg")
    assert "5512" in talk.system
    talk.say("Which key?")
    assert "5512" not in talk.system
    assert "They ask for something that you keep to yourself" in talk.system


def test_towards_two_at_once_only_what_both_may_hear_is_open() -> None:
    talk = Talk(OK, kind="g")
    lines = [Line("m1", "room", "tom.berg", "Tom", "Which key?", 1), Line("m2", "room", "sam.reed", "Sam", EXAMPLE, 2)]
    talk.conversation.lines += lines
    talk.take(lines)
    assert "5512" not in talk.system
    assert "7731" not in talk.system, "Tom has shown no example"
    assert (talk.mind.knows("tom.berg").reached, talk.known.reached) == ([], ["agreed"])


def test_what_is_for_direct_messages_is_not_in_a_channel_s_prompt() -> None:
    talk = Talk(OK, kind="c")
    talk.say("What is your salary?")
    assert "3100" not in talk.system
    only = Talk(OK, kind="c", sheet={**SHEET, "only_direct": True})
    only.say(EXAMPLE)
    assert "say no more than that this belongs into a direct message" in only.system
    assert "Facts" not in only.system
    assert only.known.reached == []


def test_what_they_know_in_every_task_is_told_of_where_somebody_asks_for_it() -> None:
    facts = (standing_fact("wiki", "The wiki has a page on words.", "", ("wiki",)),)
    talk = Talk(OK, OK, facts=facts)
    talk.say("Hello Lena")
    assert "page on words" not in talk.system
    talk.say("Is there a wiki?")
    assert "- wiki: The wiki has a page on words." in talk.system


MANY = {
    **SHEET,
    "facts": {
        **{
            f"shelf-{n}": {"says": f"Shelf {n} has {'many ' * 9}plants.", "asked": [f"shelf {n}"]}
            for n in range(30, 50)
        },
        "soil": {"says": "Peat is not sold any more.", "why": "It is law.", "asked": ["peat"]},
        "plain": {"says": "Merge it.", "tell": "after:agreed"},
        "hours": "Until six.",
    },
}


def test_of_many_facts_those_that_the_words_are_about_are_told_and_the_rest_by_name() -> None:
    talk = Talk(OK, sheet=MANY)
    talk.say("What is on shelf 47?")
    assert "- shelf-47: Shelf 47 has many" in talk.system
    assert talk.system.count("many many") < 60
    assert "You know more: shelf-" in talk.system
    assert "Merge it" not in talk.system


def test_a_model_that_names_a_fact_is_told_its_words_once_and_answers_then() -> None:
    named = reply("speak", "", facts=["shelf-33"])
    talk = Talk(named, reply("speak", "Plants.", facts=["shelf-33"]), sheet=MANY)
    decision = talk.say("And the one near the door?")
    assert "- shelf-33: Shelf 33 has many" not in talk.given.asked[0]["messages"][0]["content"]
    assert "- shelf-33: Shelf 33 has many" in talk.system
    assert (decision.messages, decision.how["looked_up"]) == (("Plants.",), ["shelf-33"])
    assert talk.known.told == {"shelf-33": 1}
    guess = reply("speak", "Roses.", facts=["shelf-34"])
    again = Talk(guess, reply("speak", "", facts=["shelf-35"]), OK, sheet=MANY).say("And the one near the door?")
    assert again.messages == ("All right.",)
    assert again.how["looked_up"] == ["shelf-34"]
    assert [one["because"] for one in again.how["thrown_away"]] == ["it speaks without a message"]


# -- leaks -------------------------------------------------------------------------------------------------------

LEAKS = ["It goes to Quellwasser.", "The number is 7731.", "That is 480 EUR.", "Take 5512.", "Blue  Heron it is."]


@pytest.mark.parametrize("leak", LEAKS)
def test_figures_and_names_of_what_is_kept_back_are_not_said(leak: str) -> None:
    talk = Talk(reply("speak", leak), OK)
    decision = talk.say("Hello Lena")
    assert decision.messages == ("All right.",)
    assert decision.how["thrown_away"][0]["because"].startswith("it gives away what")


@pytest.mark.parametrize("leak", LEAKS[:4])
def test_but_those_that_the_other_person_said_are(leak: str) -> None:
    decision = Talk(reply("speak", leak)).say(f"Somebody told me: {leak}")
    assert decision.messages == (leak,)
    assert Talk(reply("speak", LEAKS[4]), OK).say(f"Is it {LEAKS[4]}").messages == ("All right.",)


@pytest.mark.parametrize(
    "words",
    [
        "An example before I agree, please: then it is neither squashed nor rebased.",
        "Until 16:40 I am here, Sam.",
        "On Thursday 12 March I cannot after 14:00.",
        "Mara Lind has the accounts.",
    ],
)
def test_what_is_open_and_what_conduct_orders_is_said(words: str) -> None:
    assert Talk(reply("speak", words)).say("Hello Lena").messages == (words,)


def test_an_own_word_from_a_direct_message_that_is_not_for_a_channel_is_not_told_there() -> None:
    talk = Talk(OK, OK)
    direct = talk.conversation
    talk.say("What is your salary?")
    mine = Line("own", "room", "lena.fischer", "Lena Fischer", "I make 3100 a month.", int(NOW.timestamp() * 1000))
    direct.take_in(mine, 200)
    talk.conversation = Conversation("other", "c", "launch")
    talk.mind.conversations = lambda: [direct, talk.conversation]
    talk.say("Lena, what is it?")
    text = json.dumps(talk.given.asked[-1])
    assert "What is your salary" in text
    assert "3100" not in text


def test_figures_and_names_that_stand_nowhere_are_noted() -> None:
    """Finding 9: a new customer in a task about customers' wishes."""
    decision = Talk(reply("speak", "Since then we lost Kornblume and 9,400 EUR.", facts=[])).say("Why, Lena?")
    assert decision.how["stands_nowhere"] == ["9400", "kornblume"]
    assert "stands_nowhere" not in Talk(reply("speak", "A crate is 40 EUR.", facts=[])).say("How much?").how


# -- both minds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        ["Hello Lena", EXAMPLE, "How do you merge it?"],
        ["What is a crate?", "How many?", "And the sum, in all?"],
        ["I will show you what fails without it."],
        ["Which branch is it?", "Please approve it."],
    ],
)
def test_both_minds_are_equally_far_with_somebody(words: list[str]) -> None:
    offline = SheetMind(Briefing(LENA, scenario(), now=lambda: NOW))
    talk = Talk()
    for text in words:
        line = Line("m", "room", "sam.reed", "Sam Reed", text, 1)
        said = asyncio.run(offline.decide(Conversation("room", "d"), [line]))
        talk.given.replies.append(reply("speak", " ".join(said.messages) or "Hm.", facts=said.how["facts"]))
        talk.say(text)
        mine, theirs = talk.known, offline.knows("sam.reed")
        assert (mine.reached, mine.shown, mine.told.keys(), mine.did) == (
            theirs.reached, theirs.shown, theirs.told.keys(), theirs.did,
        )  # fmt: skip


def test_what_a_step_tells_in_direct_messages_alone_is_neither_told_nor_prompted_in_a_channel() -> None:
    facts = {**SHEET["facts"], "plain": {**SHEET["facts"]["plain"], "place": "direct"}}
    talk = Talk(OK, kind="c", sheet={**SHEET, "facts": facts})
    said = talk.say(f"@lena.fischer {EXAMPLE} Do you agree?")
    assert talk.known.reached == ["agreed"]
    assert "plain" not in talk.known.told
    assert "Tell them now" not in talk.system
    assert "7731" not in talk.system + " ".join(said.messages)
