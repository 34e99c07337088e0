"""Who answers what: the rules of hearing as tables, without a chat."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.npc.colleague import Colleague, Workplace, _moment
from dayjob.npc.evidence import Evidence
from dayjob.npc.hearing import Conversation, Line, is_addressed
from dayjob.npc.minds import Briefing, Decision, Mind
from dayjob.npc.persona import Persona
from dayjob.npc.realtime import Realtime, RealtimeError
from dayjob.task.scenario import Scenario

MARA = Persona("Mara Lind", "mara.lind")


def message(text: str = "Hello", *, id: str = "m1", sender: str = "sam.reed", **more: Any) -> dict[str, Any]:
    user = {"_id": f"id-{sender}", "username": sender, "name": sender.title()}
    return {"_id": id, "rid": "room", "u": user, "msg": text, "ts": {"$date": 1000}, **more}


def mentioning(*names: str) -> list[dict[str, str]]:
    return [{"username": name} for name in names]


# -- what is a line ----------------------------------------------------------------------------------------------


def test_a_message_is_read_as_everybody_sees_it() -> None:
    found = message("  Look!  ", tmid="t1", mentions=mentioning("all"), attachments=[{"title": "a.pdf"}, {"x": 1}])
    assert Line.of(found) == Line(
        "m1", "room", "sam.reed", "Sam.Reed", "Look!  \n[attached: a.pdf]", 1000, "t1", ("all",)
    )


@pytest.mark.parametrize(
    ("name", "shown"), [("", "sam.reed"), (" \u3000\n", "sam.reed"), ("Sam \n Reed", "Sam Reed"), ("x" * 99, "x" * 80)]
)
def test_a_name_is_a_line_of_words(name: str, shown: str) -> None:
    found = Line.of(message() | {"u": {"username": "sam.reed", "name": name}})
    assert found is not None
    assert found.name == shown


def test_nobody_is_somebody_else_by_calling_themselves_so() -> None:
    people = (MARA, Persona("Sam Reed", "sam.reed"))
    mind = cast(Mind, SimpleNamespace(briefing=Briefing(MARA, Scenario(), people=people)))
    mara = Colleague(mind, cast(Workplace, SimpleNamespace(seed="0")))
    for username, name, known in (
        ("sam.reed", "Mara Lind", "Sam Reed"),
        ("sam.reed2", "mara lind", "sam.reed2"),
        ("guest", "A Guest", "A Guest"),
    ):
        line = mara._line(message() | {"u": {"username": username, "name": name}})
        assert line is not None
        assert (line.sender, line.name) == (username, known)


@pytest.mark.parametrize("kind", ["uj", "ul", "au", "ru", "room_changed_topic", "r", "subscription-role-added", "rm"])
def test_what_nobody_said_is_no_line(kind: str) -> None:
    assert Line.of(message("sam.reed", t=kind)) is None


@pytest.mark.parametrize("spoiled", [{"u": None}, {"u": "sam"}, {"msg": None}, {"msg": 5}])
def test_what_is_misshapen_is_no_line(spoiled: dict[str, Any]) -> None:
    assert Line.of({**message(), **spoiled}) is None


@pytest.mark.parametrize(
    ("odd", "field", "value"),
    [
        ({"ts": None}, "at", 0),
        ({"ts": {"$date": "now"}}, "at", 0),
        ({"mentions": "all"}, "mentions", ()),
        ({"mentions": ["all", {"username": "here"}]}, "mentions", ("here",)),
        ({"attachments": "x"}, "text", "Hello"),
        ({"attachments": [{"description": "a plan"}]}, "text", "Hello\n[attached: a plan]"),
        ({"u": {"username": "sam"}}, "name", "sam"),
        ({"t": ""}, "text", "Hello"),
    ],
)
def test_what_is_odd_does_not_hide_what_was_said(odd: dict[str, Any], field: str, value: Any) -> None:
    line = Line.of({**message(), **odd})
    assert line is not None
    assert getattr(line, field) == value


# -- who is meant ------------------------------------------------------------------------------------------------

# text, mentions, in a thread, takes part in it: meant?
ADDRESSED: list[tuple[str, tuple[str, ...], bool, bool, bool]] = [
    ("@mara.lind can you look?", ("mara.lind",), False, False, True),
    ("could somebody ask @mara.lind", ("tom", "mara.lind"), False, False, True),
    ("@all lunch", ("all",), False, False, True),
    ("@here lunch", ("here",), False, False, True),
    ("@tom and @here", ("tom", "here"), False, False, True),
    ("@tom can you look?", ("tom",), False, False, False),
    ("who knows?", (), False, False, False),
    ("Mara, who knows?", (), False, False, True),
    ("mara: who knows?", (), False, False, True),
    ("Mara Lind – hello", (), False, False, True),
    ("mara.lind?", (), False, False, True),
    ("Mara", (), False, False, True),
    ("@mara!", (), False, False, True),
    ("Hi Mara, all well?", (), False, False, True),
    ("good morning, Mara Lind", (), False, False, True),
    ("THANKS MARA", (), False, False, True),
    ("Who has the plan, Mara?", (), False, False, True),
    ("First this.\nThen that - Mara?", (), False, False, True),
    ("I spoke to Mara yesterday", (), False, False, False),
    ("Mara said so", (), False, False, False),
    ("Ask Mara", (), False, False, False),
    ("Hi Marathon, all well?", (), False, False, False),
    ("Marathon, who knows?", (), False, False, False),
    ("Who has it, Tamara?", (), False, False, False),
    ("and then?", (), True, True, True),
    ("and then?", (), True, False, False),
    ("and then?", (), False, True, False),
    ("@tom and then?", ("tom",), True, True, False),
    ("@tom and @mara.lind?", ("tom", "mara.lind"), True, True, True),
    ("@tom, Mara?", ("tom",), True, False, True),
]


@pytest.mark.parametrize(("text", "mentions", "thread", "takes_part", "meant"), ADDRESSED)
def test_who_is_meant_in_a_channel(
    text: str, mentions: tuple[str, ...], thread: bool, takes_part: bool, meant: bool
) -> None:
    line = Line("m1", "room", "sam.reed", "Sam", text, 1, "t1" if thread else "", mentions)
    assert is_addressed(line, MARA, takes_part=takes_part) is meant


def test_a_conversation_is_named_by_its_place() -> None:
    assert Conversation("r", "d", "x").place == "direct messages"
    assert Conversation("r", "c", "general").place == "#general"
    assert Conversation("r", "p", "secret").place == "#secret"


# -- who takes it up ---------------------------------------------------------------------------------------------


class Quiet(Mind):
    kind = "quiet"

    async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
        return Decision("silent")


class Wire:
    """Stands for a connection: notes what is called, and answers with what it is given."""

    def __init__(self, **answers: Any) -> None:
        self.user_id = "id-mara"
        self.closed = asyncio.Event()
        self.called: list[tuple[Any, ...]] = []
        self.answers = answers

    async def call(self, method: str, *arguments: Any) -> Any:
        self.called.append((method, *arguments))
        answer = self.answers.get(method)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self) -> None:
        self.closed.set()


class Listening(Colleague):
    """Notes what would be answered instead of answering it."""

    def __init__(self, wire: Wire, mind: Mind | None = None) -> None:
        briefing = Briefing(MARA, Scenario())
        colleagues = frozenset({"mara.lind", "tom.berg"})
        self.evidence = Evidence()

        async def sign_in(username: str) -> dict[str, Any]:
            return {}

        super().__init__(mind or Quiet(briefing), Workplace("http://chat", sign_in, self.evidence, colleagues))
        self._connection = cast(Realtime, wire)
        self.taken: list[str] = []

    def _take_up(self, conversation: Conversation, line: Line) -> None:
        self.taken.append(line.id)

    def hear(self, found: dict[str, Any], kind: str = "c") -> None:
        self._hear(found, {"roomType": kind, "roomName": "general"})


def heard(*messages: dict[str, Any], kind: str = "c", **answers: Any) -> list[str]:
    """The messages that would be answered, after all of these were heard."""

    async def main() -> list[str]:
        mara = Listening(Wire(**answers))
        for one in messages:
            mara.hear(one, kind)
            await asyncio.gather(*mara.tasks)
        return mara.taken

    return asyncio.run(main())


DIRECT = "id-maraid-sam"

TAKEN: dict[str, tuple[list[dict[str, Any]], str, list[str]]] = {
    "direct": ([message(rid=DIRECT)], "d", ["m1"]),
    "direct, in a thread": ([message(rid=DIRECT), message(id="m2", rid=DIRECT, tmid="m1")], "d", ["m1", "m2"]),
    "a direct room of three": ([message(rid="of-three")], "d", []),
    "a direct room of three, by name": ([message("Mara?", rid="of-three")], "d", ["m1"]),
    "a channel": ([message()], "c", []),
    "a channel, mentioned": ([message(mentions=mentioning("mara.lind"))], "c", ["m1"]),
    "a private channel, everybody": ([message(mentions=mentioning("here"))], "p", ["m1"]),
    "her own words": ([message("Mara?", sender="mara.lind", rid=DIRECT)], "d", []),
    "another colleague's": ([message("Mara?", sender="tom.berg", rid=DIRECT)], "d", []),
    "somebody joined": ([message("mara.lind", t="uj", mentions=mentioning("mara.lind"))], "c", []),
    "somebody joined, direct": ([message("Mara", t="au", rid=DIRECT)], "d", []),
    "the same twice": ([message(rid=DIRECT), message(rid=DIRECT)], "d", ["m1"]),
    "an edit": ([message(rid=DIRECT), message("Hello?", rid=DIRECT, editedAt={"$date": 5})], "d", ["m1"]),
    "an edit that adds her name": ([message("who?"), message("who, Mara?", editedAt={"$date": 5})], "c", []),
    "her own thread": (
        [message("News", sender="mara.lind"), message("And?", id="m2", tmid="m1")], "c", ["m2"],
    ),
    "a thread that began with her": (
        [message("Mara?", mentions=mentioning("mara.lind")), message("And?", id="m2", tmid="m1")], "c", ["m1", "m2"],
    ),
    "a thread she spoke in": (
        [message(), message("I know", id="m2", sender="mara.lind", tmid="m1"), message("So?", id="m3", tmid="m1")],
        "c", ["m3"],
    ),
    "a thread she was asked in": (
        [message(), message("Mara?", id="m2", tmid="m1", mentions=mentioning("mara.lind")),
         message("So?", id="m3", tmid="m1")], "c", ["m2", "m3"],
    ),
    "a thread of others": ([message(), message("And?", id="m2", tmid="m1")], "c", []),
    "her thread, to somebody else": (
        [message("News", sender="mara.lind"), message("And?", id="m2", tmid="m1", mentions=mentioning("tom"))], "c", [],
    ),
    "beside her thread": ([message("News", sender="mara.lind"), message("And?", id="m2")], "c", []),
}  # fmt: skip


@pytest.mark.parametrize("what", TAKEN)
def test_what_a_colleague_takes_up(what: str) -> None:
    messages, kind, taken = TAKEN[what]
    assert heard(*messages, kind=kind) == taken


@pytest.mark.parametrize(
    ("first", "taken"),
    [
        (message("News", id="old", sender="mara.lind"), ["m1"]),
        (message("Mara?", id="old", mentions=mentioning("mara.lind")), ["m1"]),
        (message("News", id="old"), []),
        (None, []),
        (RealtimeError("gone"), []),
    ],
)
def test_a_thread_older_than_her_memory_is_looked_up(first: Any, taken: list[str]) -> None:
    assert heard(message("And?", tmid="old"), getSingleMessage=first) == taken


def test_what_is_said_directly_before_she_knows_her_own_number_is_for_her() -> None:
    async def main() -> None:
        mara = Listening(Wire())
        mara._connection = None
        mara.hear(message(rid=DIRECT), "d")
        mara.hear(message(id="m2"), "c")
        assert mara.taken == ["m1"]

    asyncio.run(main())


@pytest.mark.parametrize(
    ("value", "moment"), [({"$date": 5}, 5), ({"$date": 0}, 0), ({"$date": "5"}, 0), ({}, 0), (None, 0), (5, 0)]
)
def test_what_bears_no_time_is_as_old_as_can_be(value: Any, moment: int) -> None:
    assert _moment(value) == moment


def test_what_is_not_answered_is_remembered_and_her_own_words_are_not_unanswered() -> None:
    async def main() -> None:
        mara = Listening(Wire())
        mara.hear(message("one"))
        mara.hear(message("two", id="m2", sender="tom.berg"))
        mara.hear(message("three", id="m3", sender="mara.lind"))
        (conversation,) = mara._conversations.values()
        assert [line.text for line in conversation.lines] == ["one", "two", "three"]
        assert [line.text for line in conversation.unanswered] == ["one", "two"]

    asyncio.run(main())


def test_who_has_left_a_conversation_hears_and_says_nothing() -> None:
    async def main() -> None:
        mara = Listening(Wire())
        mara.hear(message(rid=DIRECT), "d")
        next(iter(mara._conversations.values())).left = True
        mara.hear(message(id="m2", rid=DIRECT), "d")
        assert mara.taken == ["m1"]

    asyncio.run(main())


# -- writing and going -------------------------------------------------------------------------------------------


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_a_message_that_arrived_before_its_refusal_is_not_told_as_refused() -> None:
    """Chat refuses a second message with the same id: it came through before the connection was lost."""

    async def main() -> None:
        wire = Wire(sendMessage=RealtimeError("exists already", "error-duplicate"))
        mara = Listening(wire)
        mara._present.set()
        await mara.say("room", "Hello")
        assert len(mara.evidence.notes) == 1
        # The same once more, and now it is heard before the refusal comes.
        wire.called.clear()
        call = wire.call

        async def heard_first(method: str, *arguments: Any) -> Any:
            mara.hear(message("Hello", id=arguments[0]["_id"], sender="mara.lind"))
            return await call(method, *arguments)

        wire.call = heard_first  # type: ignore[method-assign]  # what chat does in between
        await mara.say("room", "Hello")
        assert len(wire.called) == 1
        assert len(mara.evidence.notes) == 1

    asyncio.run(main())


def test_a_message_is_sent_once_more_with_the_same_id_after_the_connection_was_lost() -> None:
    async def main() -> None:
        lost, back = Wire(sendMessage=RealtimeError("gone")), Wire()
        lost.closed.set()
        mara = Listening(lost)
        mara._present.set()
        sending = asyncio.ensure_future(mara.say("room", "Hello", "t1"))
        await settle()
        assert not mara.present
        mara._connection = cast(Realtime, back)
        mara._present.set()
        await sending
        assert lost.called == back.called
        assert back.called[0][1]["tmid"] == "t1"
        assert mara.evidence.notes == []

    asyncio.run(main())


def test_leaving_does_not_wait_for_a_mind_that_thinks() -> None:
    class Thinking(Quiet):
        ended = False

        async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
            try:
                await asyncio.Event().wait()
            finally:
                self.ended = True
            return Decision("silent")

    async def main() -> None:
        wire = Wire()
        mind = Thinking(Briefing(MARA, Scenario()))
        mara = Colleague(mind, Workplace("http://chat", cast(Any, None), Evidence(), frozenset({"mara.lind"})))
        mara._connection = cast(Realtime, wire)
        mara._hear(message(rid=DIRECT), {"roomType": "d"})
        await settle()
        assert len(mara.tasks) == 1
        async with asyncio.timeout(10):
            await mara.leave()
        assert mind.ended
        assert not mara._tasks
        assert wire.closed.is_set()

    asyncio.run(main())
