"""What a message does, sentence by sentence: tables of what people write, and what holds for any text."""

from __future__ import annotations

import re
import time
import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.npc import addressing, agreeing, linking, looking, question_kinds
from dayjob.npc.acquaintance import sentences
from dayjob.npc.addressing import said_to
from dayjob.npc.hearing import Line, is_addressed
from dayjob.npc.hours_said import proposals, shifted
from dayjob.npc.linking import corrected, linked
from dayjob.npc.persona import Persona
from dayjob.npc.sentences import MEANT
from dayjob.npc.understanding import Reading, Segment, understood
from dayjob.npc.words import content, likeness, numbers, stem

ASKS = """
    Where is the price list?
    where do I find the price list
    What does the hall cost per day?
    Which of the two suppliers did you choose
    Who approves invoices above 500 EUR?
    When is the stand-up?
    since when has the pump been broken?
    By when do you need the figures?
    How many seats have we booked so far?
    how much is left
    Could you tell me who signs the contract?
    Can you remind me what the limit is
    Please tell me the address of the venue.
    Please confirm the number of guests.
    I need your view on the second offer.
    I would like to know whether the hall is heated.
    I wanted to ask about the heating
    I am not sure which folder is meant.
    I don't know who orders the flowers
    Any news on the delivery?
    Any idea why the build is red?
    Let me know what you think of the draft.
    I am looking for the seating plan.
    And what about the parking?
    The address of the venue, please
    ok, and when does it start?
    Sorry, one more question: who pays for it?
    Quick question, is the gate open on Sunday
    Before I write it down: what is the total?
    I'm collecting everyone's wishes for Friday
    I still need the menu from you
    My question for you - where shall I put it?
    You said three, right?
    where is the price list thanks
    Which room did we book, thank you
    The blue one or the green one?
"""
YES_NO = """
    Is the hall heated?
    Are both suppliers on the list?
    did Tomas agree to it?
    Has anybody withdrawn?
    Can I use the big room on Monday?
    Should the report be in English?
    isn't that the old price?
    So it is 12 EUR per month?
    The limit is still 500, right?
    You meant the second floor, correct?
    Any changes since last week?
    All of them are coming?
    would a draft be enough for now?
    and is that the final number?
"""
NOT_YES_NO = """
    Which one is it?
    How late is too late?
    when do we begin
    What time works?
    Please tell me the address.
    Why was it moved?
"""
DEEDS = """
    Could you approve it, please? | approve
    can you merge the request for me? | merge
    Please review my merge request. | review
    Would you mind sharing the file with Mara? | share
    I'd like you to assign the card to Jonas. | assign
    Can you also move the card to Done? | move
    Will you upload the sheet? | upload
    please just delete the old folder | delete
    Could you book a table for six? | book
    I want you to close the issue | close
    would you kindly invite Ewa to the channel? | invite
    Are you able to rename the folder? | rename
    Can you please quickly check the sum? | check
    Could you please add me to the group? | add
    Can you write it for me? | write
    may I ask you to sign the form? | sign
"""
NO_DEEDS = """
    Could you tell me the sum?
    Can you please explain the rule?
    Would you repeat that?
    Please confirm the date.
    Can you make it on Friday?
    Can you spare ten minutes?
    please advise
"""
THANKS = """
    Thanks!
    Thank you very much, Lena.
    thx
    Many thanks for the quick answer
    Cheers
    Perfect, thank you
    Much appreciated.
    I appreciate your help.
    Ok, thanks a lot
    will do, thanks
    How kind, thank you!
    What you wrote was very clear, thanks
    danke!
"""
FINE = """
    ok
    Okay.
    Great, got it
    Understood!
    sounds good
    Alright then
    No worries
    👍 ok
    That makes sense... ok
    Fair enough
    Perfect, that is all for now
    very helpful
    see you tomorrow
    Have a nice day
    noted, will do
    that was helpful
    All right
"""
NOT_FINE = """
    ok, but where?
    Great hall on Friday
    Good suppliers deliver in time
    fine, I take the second
    clear the table
    right of way
"""
GREETS = """
    Hi
    Hello Lena!
    hey there
    Good morning
    Good afternoon, Mara.
    Morning!
    Hi all,
    Dear Tomas
    Servus
    hello everyone
    Hallo Jonas :)
"""
SMALL_TALK = """
    How are you?
    How was your weekend?
    hope you had a good start
    I hope all is well
    What's up?
    How's it going?
    It is my first day here and I am a bit nervous.
    Nice weather today!
    Any plans for the weekend?
    Looking forward to working with you.
    Happy Friday!
    how are things
    How is your day?
"""
NOT_SMALL_TALK = """
    How is your review going?
    How are your tests named?
    What is up to date on the drive?
    How is the total computed?
"""
DONE = """
    Done.
    I have uploaded the sheet.
    The file is there now.
    It is on the drive.
    I've sent the letter to Tomas
    We moved the meeting to room 4.
    The card is in place.
    everything is up
    I just posted it in #general
    Merged!
    The list has been corrected.
    I put it in /Operations.
    The door is open.
    i told Mara
    Your request was submitted.
    I booked the table for six.
"""
NOT_YET = """
    Not yet.
    I have not written it yet.
    I will do it this afternoon.
    I'll send it later
    We haven't started.
    I am still working on it.
    Give me ten minutes
    I'm writing it right now
    I am going to upload it tomorrow.
    It is not ready
    I only need to add the total.
    I plan to merge it after lunch
    the pipeline is still red
    I'll get back to you when it is merged
    On it!
    Tomorrow I will have it done
    The test is not written
    I couldn't finish it yet
    In a moment
    I am about to post it
"""
NOT_NOT_YET = """
    It is done.
    I wrote the test and it fails on main.
    Without the change the order is A, C, B.
    The sheet is on the drive.
    I have posted it.
"""
CORRECTS = """
    Sorry, I meant Thursday.
    I mean the second one
    No, I meant the other list
    Correction: 14 seats
    typo, 41
    Oops, sorry, the blue one
    wait, I meant March
    make that 12
    my mistake, it is Tuesday
    scratch that
    Oh sorry, no, room 4
"""
TELLS = """
    The hall has 40 seats.
    Without the change the order is A, C, B.
    Tomas agreed to 12 EUR.
    Jonas told me that the gate is closed.
    The total is 3,780 EUR in May.
"""


def lines(table: str) -> list[str]:
    return [one.strip() for one in table.strip().splitlines()]


def one(text: str) -> Segment:
    """The one thing a sentence does besides greeting."""
    found = [each for each in understood(text).segments if not each.greets]
    assert found, text
    return found[-1]


@pytest.mark.parametrize("text", lines(ASKS) + lines(YES_NO))
def test_it_asks(text: str) -> None:
    assert understood(text).asking


@pytest.mark.parametrize("text", lines(YES_NO))
def test_it_can_be_answered_with_yes_or_no(text: str) -> None:
    assert understood(text).any("yes_no")


@pytest.mark.parametrize("text", lines(NOT_YES_NO))
def test_it_asks_for_more_than_yes_or_no(text: str) -> None:
    assert understood(text).asking
    assert not understood(text).any("yes_no")


@pytest.mark.parametrize("line", lines(DEEDS))
def test_it_asks_for_a_deed(line: str) -> None:
    text, verb = line.split(" | ")
    assert [each.deed for each in understood(text).deeds] == [verb]
    assert not understood(text).asking


@pytest.mark.parametrize("text", lines(NO_DEEDS))
def test_it_asks_for_words_and_not_for_a_deed(text: str) -> None:
    assert not understood(text).deeds
    assert understood(text).asking


@pytest.mark.parametrize("text", lines(THANKS))
def test_it_thanks_and_asks_nothing(text: str) -> None:
    assert understood(text).any("thanks")
    assert not understood(text).asking


@pytest.mark.parametrize("text", lines(FINE))
def test_it_says_all_right_and_no_more(text: str) -> None:
    assert understood(text).only("fine")
    assert not understood(text).asking


@pytest.mark.parametrize("text", lines(NOT_FINE))
def test_it_says_more_than_all_right(text: str) -> None:
    assert not understood(text).only("fine")


@pytest.mark.parametrize("text", lines(GREETS))
def test_it_greets_and_no_more(text: str) -> None:
    assert understood(text).only("greets")


@pytest.mark.parametrize("text", lines(ASKS)[:20:3] + lines(DONE)[:20:3])
def test_what_stands_behind_a_greeting_is_understood_as_without_it(text: str) -> None:
    alone = understood(text).segments
    for hello in ("Hi Lena, ", "Hello! ", "Good morning Lena,\n", "Hey @lena.fischer - "):
        first, *rest = understood(hello + text).segments
        assert first.greets, hello
        assert tuple(rest) == alone, hello


@pytest.mark.parametrize("text", lines(SMALL_TALK))
def test_it_is_small_talk(text: str) -> None:
    assert understood(text).any("small_talk")
    assert not understood(text).asking


@pytest.mark.parametrize("text", lines(NOT_SMALL_TALK))
def test_it_is_no_small_talk(text: str) -> None:
    assert not understood(text).any("small_talk")
    assert understood(text).asking


@pytest.mark.parametrize("text", lines(DONE))
def test_it_reports_something_done(text: str) -> None:
    assert one(text).done
    assert one(text).tells


@pytest.mark.parametrize("text", lines(NOT_YET))
def test_it_says_that_something_is_still_to_come(text: str) -> None:
    assert one(text).not_yet
    assert not one(text).tells


@pytest.mark.parametrize("text", lines(NOT_NOT_YET) + lines(TELLS))
def test_it_states_what_is_so(text: str) -> None:
    assert not understood(text).any("not_yet")
    assert one(text).tells


@pytest.mark.parametrize("text", lines(CORRECTS))
def test_it_corrects_what_was_said(text: str) -> None:
    assert understood(text).any("corrects")


def test_every_sentence_is_in_one_table_only() -> None:
    every = lines(ASKS) + lines(YES_NO) + lines(DEEDS) + lines(NO_DEEDS) + lines(THANKS) + lines(FINE) + lines(GREETS)
    every += lines(SMALL_TALK) + lines(DONE) + lines(NOT_YET) + lines(CORRECTS) + lines(TELLS) + lines(NOT_FINE)
    every += lines(NOT_NOT_YET) + lines(NOT_SMALL_TALK) + lines(NOT_YES_NO)
    assert len(every) > 190
    assert len(set(every)) >= len(every) - 1


# -- several sentences ---------------------------------------------------------------------------------------------

SEVERAL = {
    "Hi Lena, where is the list? I have put mine in /Team.": ["greets", "asks", "done"],
    "What does it cost and who pays?": ["asks", "asks"],
    "Thanks! Could you approve it?": ["thanks", "deed"],
    "- the price\n- who pays?\n- when is it?": ["", "asks", "asks"],
    "1. Is it heated?\n2. Is it free on Monday?": ["yes_no", "yes_no"],
    "The test is there; I have not run it yet.": ["done", "not_yet"],
    "We meet at 2 p.m. on Friday.": [""],
    "e.g. the green one costs 12.50 EUR.": [""],
    "> when is it?\nOn Monday.": [""],
    "": [],
    "?!": [],
}


@pytest.mark.parametrize("text", SEVERAL)
def test_a_message_is_taken_apart(text: str) -> None:
    found = understood(text).segments
    assert len(found) == len(SEVERAL[text])
    for segment, does in zip(found, SEVERAL[text], strict=True):
        assert not does or getattr(segment, does), (segment, does)


def test_a_long_sentence_does_the_same_from_beginning_to_end() -> None:
    middle = "and the order is A, C, B without the change, " * 40
    asked = understood(f"Would you agree if I showed that {middle}as Jonas says?").segments
    assert len(asked) > 1
    assert all(each.asks for each in asked)
    promised = understood(f"I will show you tomorrow that {middle}as Jonas says.").segments
    assert len(promised) > 1
    assert all(each.not_yet and not each.tells for each in promised)


# -- words and numbers ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("prices", "price"), ("copies", "copy"), ("merged", "merge"), ("merging", "merge"), ("boxes", "box"),
        ("approves", "approve"), ("quickly", "quick"), ("glass", "glass"), ("tests", "test"),
    ],
)  # fmt: skip
def test_words_with_endings_are_the_same_word(first: str, second: str) -> None:
    assert stem(first) == stem(second)


def test_words_that_say_nothing_are_no_content() -> None:
    assert content("Could you please tell me what the price of it is?") == {"pric"}
    assert likeness(content("the price of the hall"), content("The hall's price is 12 EUR.")) > 0.4
    assert likeness(frozenset(), content("anything")) == 0.0


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,240.00 EUR", {"1240"}),
        ("1240", {"1240"}),
        ("1.240,00", {"1240"}),
        ("12.50 or 12,50", {"12.50"}),
        ("from 9:30 to 10:15", {"9.30", "10.15"}),
        ("007", {"7"}),
        ("none", set()),
        ("3 of 14", {"3", "14"}),
        ("0", {"0"}),
    ],
)
def test_numbers_have_one_spelling(text: str, found: set[str]) -> None:
    assert numbers(text) == found


# -- any text ------------------------------------------------------------------------------------------------------

SAID = (
    "hi lena, what is the price? how much and when . ; could you please merge it thanks ok done not yet I will "
    "later sorry I meant 12 EUR from May 10:00-11:00 on Friday the 13th !12 #3 - • > e.g. p.m. 👍 … ?! ß É ﬁ"
)
WORDS = st.sampled_from([*SAID.split(" "), "\n", "\n\n", "1. ", "> "])
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=60).map(" ".join))


@given(TEXTS)
def test_any_text_is_taken_apart_without_losing_a_word(text: str) -> None:
    found = understood(text)
    assert isinstance(found, Reading)
    kept = "".join(each.text for each in found.segments)
    shown = unicodedata.normalize("NFKC", text).replace("’", "'")
    wanted = [line for line in re.split(r"\n", shown) if not re.match(r"\s*>", line)]
    for word in re.findall(r"[^\W\d_]{2,}", " ".join(wanted)):
        assert word in kept or word.lower() in ("am", "pm", "eg", "ie") or word.lower() in MEANT, word


@given(TEXTS)
def test_a_sentence_does_not_do_what_excludes_each_other(text: str) -> None:
    for each in understood(text).segments:
        assert not (each.asks and (each.fine or each.deed or each.not_yet or each.done))
        assert not (each.done and each.not_yet)
        assert not (each.yes_no and not each.asks)


@given(TEXTS)
def test_the_same_text_is_understood_the_same_way(text: str) -> None:
    first = understood(text)
    understood.cache_clear()
    assert understood(text) == first


REPEATED = (
    *" ?.,!:;-–'\"()*_>•aA0é\n\t@/#…👍ﷺ",
    "all right ", "quick question ", "that is all ", "see you all ", "ok, ", "please ", "please also ", "how is you ",
    "x did not ", "could not ", "/a", "a/", "a.b/", "mon, ", "mon 10-11 ", "10 to ", "10:00-", "the 3rd ", "1 march ",
    "on 1 on ", "and what is ", ", lena x ", "hi lena ", "1,000", "1.", "12 ", "no, ", "e.g. ", "- ", "> \n",
    "first day x ", "/ /", ". -", ", \t", "later ", "!12 ", "# 1 ", "-x", "[a](b) ", "between mon and ", "sorry, ",
)  # fmt: skip
LOOKED_FOR = [
    one
    for each in (looking, agreeing, linking, addressing)
    for one in vars(each).values()
    if isinstance(one, re.Pattern)
]
KINDS = [one for name, one in vars(question_kinds).items() if name.startswith("wants_") or name == "is_bare"]
WHO = Persona("Lena Fischer", "lena.fischer")


@pytest.mark.parametrize("unit", REPEATED)
@pytest.mark.parametrize("around", [("", ""), ("hi lena, x is ", "?"), ("1 ", "x")])
def test_ten_thousand_letters_take_no_noticeable_time(unit: str, around: tuple[str, str]) -> None:
    text = around[0] + (unit * (10_000 // len(unit) + 1))[:10_000] + around[1]
    began = time.process_time()
    for segment in understood(text).segments:
        for wants in KINDS:
            wants(segment)
        question_kinds.is_general(segment, ())
        proposals(segment.text, date(2026, 3, 9))
        for pattern in LOOKED_FOR:
            pattern.search(segment.text)
    linked(understood(text), "What is the date in March 2026?")
    corrected("What is the date in March 2026?", text)
    said_to(text, WHO, ())
    proposals(text, date(2026, 3, 9))
    shifted(date(2026, 3, 9), 600, text)
    numbers(text)
    sentences(text)
    is_addressed(Line("1", "r", "sam.reed", "Sam Reed", text, 0), WHO, takes_part=False)
    assert time.process_time() - began < 0.5
