"""A conversation as a model is told it: own lines in their place, turns that alternate, few and short lines."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.llm_talk import Telling

NOW = datetime(2026, 3, 9, 9, 20, tzinfo=UTC)
AT = int(NOW.timestamp() * 1000)
MINUTE = 60_000
TELLING = Telling("mara.lind", {"sam.reed", "mara.lind"}, NOW)


def line(text: str, number: int = 1, sender: str = "sam.reed", at: int = AT, **more: Any) -> Line:
    return Line(f"m{number}", "room", sender, sender.title(), text, at, **more)


def told(talk: Conversation) -> list[dict[str, str]]:
    return TELLING.talk(talk, {"sam.reed"})


def quoted(text: str, sender: str = "sam.reed", at: str = "09:20") -> str:
    return json.dumps({"at": at, "from": sender, "text": text}, ensure_ascii=False)


@pytest.mark.parametrize(
    ("talk", "place"),
    [
        (Conversation("r", "d"), "You are in direct messages."),
        (Conversation("r", "d", thread="t"), "You are in direct messages, in a thread."),
        (Conversation("r", "c", "launch"), "You are in #launch."),
        (Conversation("r", "c", "launch", "t"), "You are in #launch, in a thread."),
        (Conversation("r", "c", "launch", members=["a.b", "c.d"]), "You are in #launch. Here too: a.b, c.d."),
        (Conversation("r", "g", members=["a.b"]), "You are in a direct message with several. Here too: a.b."),
    ],
)
def test_a_conversation_begins_with_its_place_and_who_is_there(talk: Conversation, place: str) -> None:
    assert told(talk) == [{"role": "user", "content": place}]


def test_of_a_crowd_twelve_are_named() -> None:
    (found,) = told(Conversation("r", "c", "general", members=[f"p{number}" for number in range(20)]))
    assert found["content"].endswith("p11 and 8 more.")


def test_lines_have_their_time_and_the_names_of_strangers() -> None:
    lines = [
        line("Long ago", 1, at=AT - 30 * 1440 * MINUTE),
        line("Friday", 2, at=AT - 3 * 1440 * MINUTE),
        line("Hello", 3, "tom.berg", at=AT - 5 * MINUTE),
    ]
    (found,) = told(Conversation("r", "d", lines=lines))
    assert found["content"].split("\n")[1:] == [
        quoted("Long ago", at="2026-02-07 09:20"),
        quoted("Friday", at="Fri 09:20"),
        '{"at": "09:15", "from": "tom.berg", "name": "Tom.Berg", "text": "Hello"}',
    ]


def test_own_words_and_silences_are_turns_and_two_in_a_row_are_one() -> None:
    lines = [
        line("Grüße", 1),
        line("Hi.", 2, "mara.lind"),
        line("Thanks", 3),
        line("One more thing", 4),
        line("Fine.", 5, "mara.lind"),
        line("Good.", 6, "mara.lind"),
        line("So?", 7),
    ]
    assert told(Conversation("r", "d", lines=lines, silent_after={"m3"})) == [
        {"role": "user", "content": f"You are in direct messages.\n{quoted('Grüße')}"},
        {"role": "assistant", "content": '{"action": "speak", "message": "Hi."}'},
        {"role": "user", "content": quoted("Thanks")},
        {"role": "assistant", "content": '{"action": "silent", "message": ""}'},
        {"role": "user", "content": quoted("One more thing")},
        {"role": "assistant", "content": '{"action": "speak", "message": "Fine.\\nGood."}'},
        {"role": "user", "content": quoted("So?")},
    ]


@pytest.mark.parametrize(
    ("lengths", "kept"),
    [([1] * 60, 60), ([1] * 61, 60), ([8000] * 3, 3), ([8001, 8000, 8000], 2), ([30_000], 1), ([1, 30_000], 1)],
)
def test_a_long_direct_message_is_cut_at_its_old_end_and_that_is_said(lengths: list[int], kept: int) -> None:
    lines = [line("x" * length, number) for number, length in enumerate(lengths)]
    (found,) = told(Conversation("r", "d", lines=lines))
    place, *rest = found["content"].split("\n")
    assert len(rest) == kept
    assert place.endswith("Older messages are left out.") is (kept < len(lengths))
    assert rest[-1] == quoted(lines[-1].text)


def test_of_a_channel_little_is_told_but_the_talk_with_the_colleague() -> None:
    chatter = [line(f"Chatter {number} " + "x" * 300, number, "tom.berg") for number in range(40)]
    talk = [
        line("@mara.lind " + "a" * 300, 100, mentions=("mara.lind",)),
        line("Well.", 101, "mara.lind"),
        *[line(f"More {number}", 110 + number, "tom.berg") for number in range(10)],
        line("@mara.lind and?", 200, mentions=("mara.lind",)),
    ]
    found = told(Conversation("r", "c", "launch", lines=[*chatter, *talk]))
    text = "\n".join(one["content"] for one in found)
    assert text.count("Chatter") == 0
    assert text.count("More") == 5
    assert "a" * 300 in text, "what was said to them is whole"
    assert [one["role"] for one in found] == ["user", "assistant", "user"]
    few = "\n".join(one["content"] for one in told(Conversation("r", "c", "launch", lines=[*chatter, talk[0]])))
    assert few.count("Chatter") == 5
    assert "x" * 150 not in few


def test_what_was_said_elsewhere_is_told_of_these_people_alone_and_of_what_may_be_told() -> None:
    here = Conversation("r", "c", "launch")
    direct = Conversation("d", "d", lines=[line(f"Word {number}", number, at=AT + number) for number in range(6)])
    thread = Conversation("r", "c", "launch", "t", lines=[line("In it", 20, "mara.lind", at=AT + 9)])
    thread.lines.insert(0, line("Mara?", 21, at=AT + 8, thread="t"))
    other = Conversation("o", "d", lines=[line("Not yours", 30, "tom.berg", at=AT + 20)])
    found = TELLING.elsewhere(here, [here, direct, thread, other], {"sam.reed"}, lambda text: text != "Word 5")
    assert [json.loads(one)["text"] for one in found] == ["Word 4", "Mara?", "In it"]
    assert [json.loads(one)["in"] for one in found] == [
        "direct messages",
        "#launch, in a thread",
        "#launch, in a thread",
    ]
    (talk,) = TELLING.talk(here, {"sam.reed"}, found)
    assert talk["content"].split("\n")[1:] == ["Lately, elsewhere:", *found, "Here:"]


# -- own lines in their place ------------------------------------------------------------------------------------

Event = tuple[str, int]


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """What happens in a room: others write, a decision begins, it says so many things, one after the other."""
    return draw(
        st.lists(
            st.one_of(st.just(("heard", 0)), st.just(("begins", 0)), st.tuples(st.just("says"), st.integers(0, 2))),
            min_size=1,
            max_size=40,
        )
    )


@given(histories())
def test_an_own_line_stands_after_what_its_decision_knew_and_before_what_came_later(history: list[Event]) -> None:
    talk = Conversation("r", "d")
    heard: list[str] = []
    own: dict[str, tuple[int, int]] = {}
    decision = -1
    for number, (what, _) in enumerate(history):
        if what == "heard":
            talk.take_in(line("x", number), 200)
            heard.append(f"m{number}")
        elif what == "begins" and heard and talk.seen != heard[-1]:
            talk.seen, decision = heard[-1], decision + 1
        elif what == "says" and talk.seen:
            talk.own_after[f"m{number}"] = talk.seen
            own[f"m{number}"] = (heard.index(talk.seen), decision)
            talk.take_in(line("y", number, "mara.lind"), 200)
    order = [one.id for one in talk.lines]
    assert [one for one in order if one not in own] == heard, "others in the order in which they wrote"
    for id, (knew, _) in own.items():
        before = [one for one in order[: order.index(id)] if one not in own]
        assert before == heard[: knew + 1]
    said = [one for one in order if one in own]
    assert said == sorted(said, key=lambda one: (own[one], int(one[1:])))
    messages = told(talk)
    assert messages[-1]["role"] == "user"
    assert [one["role"] for one in messages] == [("user", "assistant")[at % 2] for at in range(len(messages))]


def test_a_decision_is_told_nothing_that_came_after_it_began() -> None:
    talk = Conversation("r", "d", lines=[line("One", 1), line("Two", 2)], seen="m1")
    (found,) = told(talk)
    assert found["content"].endswith(quoted("One"))


def test_what_is_forgotten_is_forgotten_whole() -> None:
    talk = Conversation("r", "d")
    for number in range(6):
        talk.own_after[f"m{number}"] = f"m{number - 1}"
        talk.take_in(line("x", number, "mara.lind"), 3)
    assert len(talk.lines) == 3
    assert set(talk.own_after) == {one.id for one in talk.lines}
