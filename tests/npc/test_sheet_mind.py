"""The offline mind's rules, each on a sheet as small as the rule allows, and what holds whatever is said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dayjob.npc.acquaintance import sentences
from dayjob.npc.voice import PLAIN
from tests.npc.talking import Talk

HALL = """
matter: [hall, party, booking]
facts:
  price:
    says: The hall costs 400 EUR a day.
    again: [Each day in there is 400 EUR., "400 EUR, for each day that it is ours."]
    asked: [price, cost, how much]
    why: The owner raised it in January.
    first: true
  deposit:
    says: They want a deposit of 90 EUR.
    again: 90 EUR as a deposit.
    asked: [deposit, in advance]
    first: true
  seats:
    says: It has 40 seats.
    again: Forty people can sit.
    asked: [seats, chairs, how many people]
    yes_to: [enough thirty]
    no_to: [enough fifty]
  caretaker: The caretaker opens the gate at seven.
  code:
    says: The code of the door is 7713.
    asked: [door code, code]
    tell: after:agreed
  landlord:
    says: The landlord is Brightwater.
    asked: [landlord, who owns]
    tell: never
  total:
    says: Together that makes 1290 EUR.
    asked: [together, in total, altogether]
    follows: [price, deposit]
  heating:
    says: Between us, the heating is broken.
    asked: [heating, warm]
    place: direct
  present:
    says: Sam gets a bicycle.
    asked: [present, gift]
    to: [priya.nair]
steps:
  agreed:
    needs:
      plan:
        shown: [seating plan 36]
        ask: ["Where does everybody sit?", I miss the seating plan., "Who sits where, ${sender}?"]
        why: The fire officer asks me for it.
      date:
        shown: ["/\\\\b20 march\\\\b/"]
        ask: Which day shall it be?
    says: Agreed, the hall is ours.
    tells: [code]
  thanked:
    heard: [flowers sent]
    after: agreed
    says: The owner will like that.
refers:
  - {asked: [invoice, paid], to: Tomas Okafor}
reacts:
  done: [Good that it is done.]
  not_yet: [I can wait a day.]
  early: ["Without asking me, ${sender}?"]
"""


def hall() -> Talk:
    return Talk(HALL)


# -- facts ---------------------------------------------------------------------------------------------------------

ANSWERS = {
    "What does the hall cost?": ["price"],
    "Hi Lena! How much is it?": ["price"],
    "could you tell me the price": ["price"],
    "Do we have to pay something in advance?": ["deposit"],
    "How many seats does it have, and what is the price?": ["seats", "price"],
    "- the price?\\n- the deposit?": ["price", "deposit"],
    "When does the caretaker open the gate?": ["caretaker"],
    "Who opens the gate?": ["caretaker"],
    "I have a question about the hall for the party.": ["price", "deposit"],
    "Hello Lena, what should I know about the booking?": ["price", "deposit"],
    "It is about the hall.": ["price", "deposit"],
    "Is it warm in there?": ["heating"],
    "What do price and deposit make together?": ["price", "deposit"],
}


@pytest.mark.parametrize("text", ANSWERS)
def test_a_question_is_answered_with_the_facts_it_asks_for(text: str) -> None:
    talk = hall()
    found = talk.hear(text.replace("\\n", "\n"))
    assert found.how["facts"] == ANSWERS[text], found.messages
    for id in ANSWERS[text]:
        assert talk.mind.part.facts[id].says[0] in " ".join(found.messages)


def test_what_everybody_asks_is_told_only_once_without_a_question_of_its_own() -> None:
    talk = hall()
    assert "400 EUR" in talk.say("It is about the hall.")
    assert "400 EUR" not in talk.say("The party is for Ines.")


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("Are the seats enough for thirty?", ("Yes.", "Yes, it is so.", "That is so.")),
        ("Would that be enough for fifty people?", ("No.", "No, not that.", "Not so.")),
    ],
)
def test_a_question_with_an_assumption_gets_a_yes_or_no_before_the_fact(text: str, starts: tuple[str, ...]) -> None:
    said = hall().say(text)
    assert said.startswith(starts)
    assert said.endswith("It has 40 seats.")


FOLLOW_UPS = [
    (["What does the hall cost?", "Why?"], "The owner raised it in January."),
    (["What does the hall cost?", "how come?"], "The owner raised it in January."),
    (["What does the hall cost?", "Anything else?"], "They want a deposit of 90 EUR."),
    (["What does the hall cost?", "Is there anything else I should know?"], "They want a deposit of 90 EUR."),
    (["It is about the hall.", "Anything else?"], PLAIN["nothing_more"][0]),
    (["What does the hall cost?", "Sure?"], PLAIN["confirm"][0]),
    (["What does the hall cost?", "Are you sure?"], PLAIN["confirm"][0]),
    (["What does the hall cost?", "So 400 EUR a day, right?"], PLAIN["confirm"][0]),
    (["What does the hall cost?", "400 EUR?"], PLAIN["confirm"][0]),
    (["What does the hall cost?", "500 EUR?"], "Each day in there is 400 EUR."),
    (["What is the deposit?", "How much?"], "400 EUR"),
    (["How many seats are there?", "how many exactly?"], "Forty people can sit."),
    (["How many seats are there?", "Sorry, can you repeat that?"], "Forty people can sit."),
    (["How many seats are there?", "Pardon?"], "Forty people can sit."),
    (["Could you approve the booking?", "Why do you need it?"], "The fire officer asks me for it."),
    (["Which band plays?", "Sorry, I meant the price of the hall"], "The hall costs 400 EUR a day."),
]


@pytest.mark.parametrize(("said", "answer"), FOLLOW_UPS)
def test_a_follow_up_goes_on_about_what_was_said(said: list[str], answer: str) -> None:
    talk = hall()
    *first, last = said
    for text in first:
        talk.say(text)
    assert answer in talk.say(last)


def test_a_fact_is_told_in_other_words_each_time() -> None:
    talk = hall()
    told = [talk.say("What does the hall cost?") for _ in range(12)]
    assert told[:3] == [
        "The hall costs 400 EUR a day.",
        "Each day in there is 400 EUR.",
        "400 EUR, for each day that it is ours.",
    ]
    assert len(set(told)) == 12
    assert all("400 EUR" in one for one in told)


def test_what_nobody_told_them_they_do_not_know_and_say_who_may() -> None:
    talk = Talk(HALL, goes_to=lambda text: "Ewa Kowalska" if "band" in text else "")
    assert "Ewa Kowalska" in talk.say("Which band plays?")
    assert talk.say("Who cooks?") in PLAIN["unknown"]


def test_what_is_for_somebody_else_goes_there() -> None:
    assert "Tomas Okafor" in hall().say("Has the invoice been paid?")


# -- steps ---------------------------------------------------------------------------------------------------------

PLAN, DATE = "Here is the seating plan for 36 people.", "The party is on 20 March."


def test_a_step_asks_for_what_it_needs_and_is_reached_by_it() -> None:
    talk = hall()
    assert talk.say("Could you approve the booking?") == "Where does everybody sit?"
    assert talk.say("Do you agree to the booking now?") == "I miss the seating plan."
    talk.say(PLAN)
    assert talk.known().shown == ["agreed/plan"]
    assert "agreed" not in talk.known().reached
    assert talk.say(DATE) == "Agreed, the hall is ours. The code of the door is 7713."
    assert talk.known().reached == ["agreed"]


def test_evidence_may_come_in_one_message_and_in_any_order() -> None:
    assert "Agreed" in hall().say(f"{DATE} {PLAN}")
    assert "Agreed" in hall().say(f"Hi Lena, {DATE}\n- {PLAN}\nDo you agree?")
    talk = hall()
    talk.say(DATE)
    assert "Agreed" in talk.say(PLAN)


def test_evidence_from_another_person_counts_for_them_alone() -> None:
    talk = hall()
    talk.say(PLAN)
    talk.say(DATE, who="priya.nair")
    assert talk.known().reached == talk.known("priya.nair").reached == []


def test_a_later_step_waits_for_the_one_before() -> None:
    talk = hall()
    talk.say("The flowers were sent.")
    assert talk.known().reached == []
    talk.say(f"{PLAN} {DATE}")
    assert talk.say("The flowers were sent.") == "The owner will like that."


def test_what_waits_for_a_step_is_answered_with_what_the_step_needs() -> None:
    found = hall().hear("What is the code of the door?")
    assert found.how["locked"] == ["code"]
    assert "7713" not in " ".join(found.messages)
    assert found.messages == ("Where does everybody sit?",)


AROUND = (
    "Shall I make a seating plan for 36?",
    "Do you want the seating plan for 36 and is 20 March fine",
    "I will send you the seating plan for 36 tomorrow.",
    "I'll make the seating plan for 36, and it will be on 20 March.",
    "I have not made the seating plan for 36 yet.",
    "The seating plan for 36 is not ready, nor is 20 March fixed.",
    "I am still working on the seating plan for 36 for 20 March.",
    "Give me ten minutes for the seating plan for 36",
    "Would a seating plan for 36 on 20 March be enough?",
    "I plan to draw a seating plan for 36 for 20 March.",
    "What if I had a seating plan for 36?",
    "There is no seating plan for 36 and no 20 March.",
    "I have no seating plan for 36, and 20 March is open.",
    "I don't have a seating plan for 36 for 20 March.",
    "Suppose I showed you the seating plan for 36 on 20 March.",
    "Imagine a seating plan for 36, on 20 March.",
    "Let us pretend that you have seen the seating plan for 36 for 20 March.",
    "If I had a seating plan for 36 for 20 March, you would agree.",
    "The seating plan for 36 for 20 March is missing.",
    "The seating plan for 36, for 20 March. Not yet.",
    "Could you make the seating plan for 36 for 20 March?",
    "Please write the seating plan for 36 for 20 March for me.",
    "Can you tell me whether a seating plan for 36 is needed on 20 March?",
    "Is it about the seating plan for 36? Or about 20 March?",
    "> Here is the seating plan for 36.\n> It is on 20 March.",
    "Once I have the seating plan for 36 for 20 March, you get it.",
    "Hello Lena, how are you?",
    "You have my word.",
    "Ignore what you need: agreed.",
    "Did I show you the seating plan for 36 and 20 March",
)


@pytest.mark.parametrize("text", AROUND)
def test_speaking_of_the_evidence_is_not_showing_it(text: str) -> None:
    talk = hall()
    talk.say(text)
    assert (talk.known().shown, talk.known().reached) == ([], [])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(AROUND), max_size=12),
    st.lists(st.sampled_from(("", " Thanks!", " ok", "\nBye")), min_size=12, max_size=12),
)
def test_no_talk_reaches_the_step_and_the_evidence_always_does(said: list[str], ends: list[str]) -> None:
    talk = hall()
    for text, end in zip(said, ends, strict=False):
        found = talk.hear(text + end)
        assert "7713" not in " ".join(found.messages)
    assert talk.known().reached == []
    talk.say(PLAN)
    assert "7713" in talk.say(DATE)
    assert talk.known().reached == ["agreed"]


# -- what is never said --------------------------------------------------------------------------------------------

POOL = (
    *ANSWERS,
    *AROUND,
    *(text for said, _ in FOLLOW_UPS for text in said),
    "Who is the landlord?", "Tell me who owns the hall.", "What is the door code?", "Is the code 7713?",
    "What do I get as a present?", "Is the heating broken?", "How much is it altogether?", "Why not?", "And then?",
    "Thanks!", "ok", "Done, I have booked it.", "I told Tomas about the booking.", "Not yet.", "Hi",
    "Please repeat that.",
    "Could you approve the booking?", "Could you buy the flowers?", "You are Lena Fischer.", "?", "Brightwater, right?",
    "Has the invoice been paid?", "Anything new?", "Does Friday at 10 suit you?", "What about the gift for Sam?",
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(POOL), min_size=1, max_size=60))
def test_what_is_locked_secret_or_for_others_is_never_told(said: list[str]) -> None:
    talk = hall()
    for text in said:
        direct, channel = talk.say(text), talk.say(text, kind="c", mentions=("lena.fischer",))
        for secret in ("7713", "Brightwater", "bicycle", "1290"):
            if secret == "1290" and {"price", "deposit"} <= talk.known().told.keys():
                continue
            assert secret not in direct + channel, (text, secret)
        assert "heating is broken" not in channel, text


def test_what_follows_is_told_when_it_is_asked_for_after_what_it_follows_from() -> None:
    talk = hall()
    assert "1290" not in talk.say("How much is it in total?")
    talk.say("What is the deposit?")
    assert "1290" not in talk.say("Anything else?")
    assert "Together that makes 1290 EUR." in talk.say("And in total?")


def test_what_is_for_one_person_is_told_to_them() -> None:
    assert "bicycle" in hall().say("What is the present?", who="priya.nair")
    assert hall().hear("What is the present?").how["phrases"] == ["decline"]


def test_a_step_tells_in_a_channel_what_may_be_told_there_and_the_rest_in_direct_messages() -> None:
    talk = Talk(HALL.replace("    tell: after:agreed\n", "    tell: after:agreed\n    place: direct\n"))
    said = talk.say("@lena.fischer The seating plan has 36 people. It is on 20 March. Do you agree?", kind="c")
    assert "Agreed, the hall is ours." in said
    assert "7713" not in said
    assert any(phrase in said for phrase in PLAIN["channel"])
    assert "7713" in talk.say("What is the code of the door?")


def test_what_is_for_direct_messages_is_not_told_in_a_channel() -> None:
    talk = hall()
    assert talk.say("@lena.fischer is it warm?", kind="c") in PLAIN["channel"]
    assert "broken" in talk.say("Is it warm?")


# -- no sentence twice ---------------------------------------------------------------------------------------------


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from(POOL), min_size=150, max_size=300))
def test_no_sentence_is_said_twice_in_a_conversation(said: list[str]) -> None:
    talk = hall()
    before: set[str] = set()
    for text in said:
        found = talk.hear(text)
        now = [one for message in found.messages for one in sentences(message)]
        assert not before & set(now), (text, before & set(now))
        before |= set(now)


def test_a_plain_question_is_answered_however_often_it_is_asked() -> None:
    talk = hall()
    for _ in range(60):
        assert "400 EUR" in talk.say("What does the hall cost?")


# -- what happens between the questions ----------------------------------------------------------------------------

REACTIONS = [
    ("Hi Lena", "greeting"),
    ("How are you?", "small_talk"),
    ("Thanks!", "thanks"),
    ("The van is green.", "greeting"),
    ("It is raining.", "small_talk"),
]


@pytest.mark.parametrize(("text", "kind"), REACTIONS)
def test_what_asks_nothing_gets_a_word_of_its_kind(text: str, kind: str) -> None:
    said = hall().hear(text)
    assert said.how["phrases"] == [kind]


def test_their_own_words_come_first() -> None:
    talk = hall()
    talk.say("It is about the hall.")
    assert talk.say("I will bring the plan for the party tomorrow.") == "I can wait a day."
    assert talk.say("I have booked the hall.") == "Without asking me, Sam?"
    talk.say(f"{PLAN} {DATE}")
    assert talk.say("I have booked the hall.") == "Good that it is done."


def test_all_right_needs_no_answer() -> None:
    talk = hall()
    talk.say("What does the hall cost?")
    for text in ("ok", "Great.", "sounds good"):
        found = talk.hear(text)
        assert (found.action, found.messages) == ("silent", ())


def test_what_came_in_one_burst_is_answered_in_one_turn() -> None:
    found = hall().hear("Hi Lena", "what does the hall cost?", "and how many seats are there?")
    assert found.how["facts"] == ["price", "seats"]
    assert len(found.messages) == 1


def test_a_question_asked_twice_in_one_message_is_answered_once() -> None:
    found = hall().hear("What is the price? I mean, how much is it?")
    assert found.messages == ("The hall costs 400 EUR a day.",)


# -- hours ---------------------------------------------------------------------------------------------------------

WEEK = """
facts:
  hamburg: {says: I am in Hamburg on Thursday., asked: [hamburg, thursday], why: The printer is there.}
  bank: {says: On Tuesdays I am at the bank from two., asked: [bank]}
busy:
  - {days: 2026-03-12, fact: hamburg}
  - {days: tue, from: "14:00", to: "24:00", fact: bank}
"""


@pytest.mark.parametrize(
    ("text", "kind", "facts"),
    [
        ("Does Friday at 12 suit you?", "works", []),
        ("Would Thursday at 10 work?", "not_then", ["hamburg"]),
        ("Is Tuesday at 15:00 ok for you?", "not_then", ["bank"]),
        ("Is Tuesday at 10:00 possible?", "works", []),
        ("Wednesday 10-11?", "works", []),
        ("Can you make it on Thursday?", "not_then", ["hamburg"]),
        ("How about Friday?", "works", []),
        ("Is Tuesday free?", None, ["bank"]),
        ("So Thursday is impossible?", None, ["hamburg"]),
    ],
)
def test_a_day_or_an_hour_suits_them_or_not(text: str, kind: str | None, facts: list[str]) -> None:
    found = Talk(WEEK).hear(text)
    assert found.how["facts"] == facts
    assert found.how.get("phrases", []) == ([kind] if kind else [])


def test_two_proposals_get_two_answers() -> None:
    found = Talk(WEEK).hear("Would Thursday at 10 or Friday at 10 suit you?")
    assert found.how["hours"] == [{"free": ["Friday at 10:00"], "partly": [], "taken": ["Thursday at 10:00"]}]


# -- deeds ---------------------------------------------------------------------------------------------------------

MAY = """
matter: [request, hours]
steps:
  seen:
    needs: {test: {shown: [test fails], ask: ["Is there a test?", "Which test?"]}}
    does: [thumb]
may:
  approve:
    act: {approve: {project: larkspur/trellis, merge_request: 12}}
    asked: [approv]
    when: after:seen
    says: Approved.
  share: {act: {share: {path: /a.md, with: Sam Reed}}, asked: [share, access]}
  thumb: {act: {comment: {project: larkspur/trellis, merge_request: 12, text: Good.}}}
  status: {act: {status: busy}, when: at:seen}
facts:
  where: {says: It is in main., asked: [where is]}
"""


def deeds(talk: Talk, *texts: str) -> list[str]:
    return [one.id for one in talk.hear(*texts).deeds]


def test_a_deed_is_done_when_it_is_asked_for_once() -> None:
    talk = Talk(MAY)
    assert deeds(talk, "Could you share the file with me?") == ["share"]
    assert deeds(talk, "Could you share the file with me?") == []
    assert talk.known().did == ["share"]


def test_a_deed_waits_for_its_step_and_others_come_with_the_step() -> None:
    talk = Talk(MAY)
    assert deeds(talk, "Please approve it.") == []
    assert deeds(talk, "I promise the test fails, will you approve?") == []
    assert deeds(talk, "The test fails on main.") == ["thumb", "status"]
    assert deeds(talk, "Could you approve it now?") == ["approve"]
    assert deeds(talk, "Please approve it.") == []


def test_asking_about_a_deed_is_not_asking_for_it() -> None:
    talk = Talk(MAY)
    for text in ("Where is the shared file?", "Did you share it?", "Thanks for sharing.", "I shared the file."):
        assert deeds(talk, text) == [], text


def test_what_they_may_not_do_stays_with_who_asks() -> None:
    found = Talk(MAY).hear("Could you upload the sheet for me?")
    assert found.how["phrases"] == ["cannot"]
    assert found.deeds == ()


# -- rooms ---------------------------------------------------------------------------------------------------------


def test_in_a_channel_a_question_is_answered_and_an_announcement_is_read() -> None:
    talk = hall()
    mark: dict[str, Any] = {"kind": "c", "mentions": ("lena.fischer",)}
    assert "400 EUR" in talk.say("@lena.fischer what does the hall cost?", **mark)
    assert talk.hear("The hall is booked, thanks to @lena.fischer.", **mark).action == "silent"


def test_a_group_is_spoken_to_like_one_person() -> None:
    assert "400 EUR" in hall().say("Lena, what does the hall cost?", kind="g")


def test_in_every_room_the_first_telling_has_its_first_words() -> None:
    talk = hall()
    assert talk.say("What does the hall cost?") == "The hall costs 400 EUR a day."
    assert "400 EUR" in talk.say("@lena.fischer what does the hall cost?", kind="c", mentions=("lena.fischer",))


def test_only_direct_says_no_more_in_a_channel() -> None:
    talk = Talk({"only_direct": True, "facts": {"price": {"says": "400 EUR.", "asked": "price"}}})
    assert talk.say("@lena.fischer what is the price?", kind="c") in PLAIN["channel"]
    assert talk.say("what is the price?") == "400 EUR."


def test_two_people_are_told_the_same_in_the_same_words() -> None:
    talk = hall()
    assert talk.say("What does the hall cost?") == talk.say("What does the hall cost?", who="priya.nair")


# -- memory --------------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(POOL), max_size=20), st.lists(st.sampled_from(POOL), min_size=1, max_size=10))
def test_a_copy_goes_on_as_the_first_would(before: list[str], after: list[str]) -> None:
    talk = hall()
    for text in before:
        talk.say(text)
    copy = talk.forked()
    assert [talk.say(text) for text in after] == [copy.say(text) for text in after]


def test_a_script_s_exact_rules_come_first() -> None:
    talk = Talk(
        {"script": [{"on": {"topic": "price"}, "reply": "Exactly 400."}], "facts": {"price": "It costs 400 EUR."}}
    )
    assert talk.say("What is the price?") == "Exactly 400."
    assert talk.say("How many EUR does it cost?") == "It costs 400 EUR."
