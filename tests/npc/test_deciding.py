"""What becomes of a decision: said, withheld, silent, noted, or a fault. A colleague without a chat."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

import pytest

from dayjob.llm.faults import Label, ModelFault
from dayjob.npc.colleague import Colleague, Workplace
from dayjob.npc.evidence import Evidence
from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.minds import Briefing, Decision, Mind
from dayjob.npc.persona import Persona
from dayjob.npc.realtime import Realtime, RealtimeError
from dayjob.npc.script_mind import ScriptMind
from dayjob.npc.sheet_mind import SheetMind
from dayjob.npc.signing_in import SignInError
from dayjob.task.colleague_sheet import ColleagueSheet
from dayjob.task.scenario import Scenario
from dayjob.task.secrecy import Secrets

MARA = Persona("Mara Lind", "mara.lind")
ROOM = "id-mara-and-sam"
Step = Decision | BaseException | str


class Scripted(Mind):
    """Does one step after the other; "think" is never done with it."""

    kind = "scripted"

    def __init__(self, steps: Sequence[Step], able: bool, scenario: Scenario) -> None:
        super().__init__(Briefing(MARA, scenario))
        self.steps = list(steps)
        self.is_able = able
        self.meant: list[list[str]] = []

    async def able(self) -> bool:
        return self.is_able

    async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
        self.meant.append([line.id for line in meant])
        step = self.steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        if isinstance(step, str):
            await asyncio.Event().wait()
        assert isinstance(step, Decision)
        return step


class Wire:
    user_id = "id-mara"

    def __init__(self) -> None:
        self.closed = asyncio.Event()
        self.called: list[tuple[Any, ...]] = []

    async def call(self, method: str, *arguments: Any) -> Any:
        self.called.append((method, *arguments))

    @property
    def said(self) -> list[str]:
        return [one[1]["msg"] for one in self.called if one[0] == "sendMessage"]


class Scene:
    """One colleague who is written to, and all that came of it."""

    def __init__(self, *steps: Step, able: bool = False, seconds: float = 60, **scenario: Any) -> None:
        self.mind = Scripted(steps, able, Scenario(**scenario))
        self.evidence = Evidence()
        self.seconds = seconds

    def run(self, *messages: str) -> Scene:
        async def main() -> None:
            place = Workplace(
                "http://chat", cast(Any, None), self.evidence, frozenset({"mara.lind"}), decision_seconds=self.seconds
            )
            self.mara = Colleague(self.mind, place)
            self.wire = Wire()
            self.mara._connection = cast(Realtime, self.wire)
            self.mara._present.set()
            for number, text in enumerate(messages):
                self.mara._hear(message(text, str(number)), {"roomType": "d"})
                while self.mara.tasks:
                    await asyncio.gather(*self.mara.tasks)

        asyncio.run(main())
        (self.conversation,) = self.mara._conversations.values()
        return self


def message(text: str, id: str) -> dict[str, Any]:
    return {"_id": id, "rid": ROOM, "u": {"username": "sam.reed"}, "msg": text, "ts": {"$date": 1}}


def speak(*texts: str, **how: Any) -> Decision:
    return Decision("speak", texts, how)


def fault(label: Label) -> ModelFault:
    return ModelFault(label, "it broke.")


def test_what_is_decided_is_said_and_kept_as_a_turn() -> None:
    scene = Scene(speak("One.", "Two.", rule=3)).run("Hello")
    assert scene.wire.said == ["One.", "Two."]
    (turn,) = scene.evidence.turns
    assert (turn.action, turn.said, turn.withheld, turn.how, turn.fault) == (
        "speak", ["One.", "Two."], [], {"rule": 3}, "",
    )  # fmt: skip
    assert [line.text for line in turn.heard] == ["Hello"]
    assert (turn.colleague, turn.mind, turn.place) == ("Mara Lind", "scripted", "direct messages")


def test_a_secret_is_withheld_and_the_rest_is_said() -> None:
    scene = Scene(speak("It is Blue Heron.", "Bye."), secrets=Secrets(("blue heron",))).run("Hello")
    assert scene.wire.said == ["Bye."]
    (turn,) = scene.evidence.turns
    assert (turn.said, turn.withheld) == (["Bye."], ["It is Blue Heron."])


def test_silence_is_remembered_and_ends_nothing() -> None:
    scene = Scene(Decision("silent"), speak("Now.")).run("Hello", "Again")
    assert scene.wire.said == ["Now."]
    assert scene.conversation.silent_after == {"0"}
    assert not scene.conversation.left


def test_who_leaves_says_goodbye_and_hears_no_more() -> None:
    scene = Scene(Decision("leave", ("Bye.",)), speak("Back?")).run("Hello", "Again")
    assert scene.wire.said == ["Bye."]
    assert scene.conversation.left
    assert scene.mind.meant == [["0"]]


def test_a_model_that_chose_twice_to_say_nothing_to_a_question_is_noted() -> None:
    scene = Scene(Decision("silent", (), {"silent_to_a_question": True})).run("Hello?")
    assert scene.evidence.notes == ["Mara Lind's model chose twice to say nothing to a question"]
    assert Scene(Decision("silent")).run("Hello?").evidence.notes == []


DOUBTFUL = (Label.MALFORMED, Label.REFUSED, Label.LATE, Label.PROVIDER_DOWN)


@pytest.mark.parametrize("label", list(Label))
def test_a_mind_whose_model_fails_is_a_fault_of_the_model(label: Label) -> None:
    scene = Scene(fault(label), able=False).run("Hello")
    (found,) = scene.evidence.faults
    assert (found.label, found.sentence) == (str(label), "Mara Lind reached no decision: it broke.")
    assert scene.evidence.turns[0].fault == str(label)
    assert (scene.wire.said, scene.evidence.notes) == ([], [])


@pytest.mark.parametrize("label", list(Label))
def test_a_mind_that_fails_on_these_words_alone_says_nothing_to_them(label: Label) -> None:
    scene = Scene(fault(label), fault(label), able=True).run("Hello")
    if label in DOUBTFUL:
        assert scene.evidence.faults == []
        assert "had no answer to what was said in direct messages, though to a greeting" in scene.evidence.notes[0]
        (turn,) = scene.evidence.turns
        assert (turn.action, turn.how) == ("silent", {"unanswerable": "it broke."})
    else:
        assert [one.label for one in scene.evidence.faults] == [str(label)]
        assert len(scene.mind.meant) == 1


def test_a_mind_that_is_back_answers_after_all() -> None:
    scene = Scene(fault(Label.LATE), speak("Here."), able=True).run("Hello")
    assert (scene.wire.said, scene.evidence.faults, scene.evidence.notes) == (["Here."], [], [])


@pytest.mark.parametrize(("able", "label"), [(False, "no_decision"), (True, None)])
def test_a_mind_that_does_not_end_is_not_waited_for(able: bool, label: str | None) -> None:
    scene = Scene("think", "think", able=able, seconds=0.01).run("Hello")
    assert [one.label for one in scene.evidence.faults] == ([label] if label else [])
    assert bool(scene.evidence.notes) is able
    assert scene.wire.said == []


@pytest.mark.parametrize("kind", [ScriptMind, SheetMind])
def test_a_mind_of_rules_that_looks_too_long_at_something_is_no_fault(kind: type[Mind]) -> None:
    class Looking(kind):  # type: ignore[misc, valid-type]  # one of the two
        async def decide(self, *_: Any) -> Decision:
            await asyncio.Event().wait()
            raise AssertionError

    scene = Scene(seconds=0.01)
    scene.mind = Looking(Briefing(MARA, Scenario(sheet=ColleagueSheet({}))))
    scene.run("What is !12?")
    assert scene.evidence.faults == []
    assert "had no answer to what was said" in scene.evidence.notes[0]


def test_a_mind_that_is_wrong_itself_is_a_fault_of_ours() -> None:
    scene = Scene(KeyError("x"), able=True).run("Hello")
    (found,) = scene.evidence.faults
    assert found.label == "mind_failed"
    assert "KeyError" in found.sentence


def test_what_comes_in_while_a_mind_thinks_is_decided_next_all_of_it_together() -> None:
    async def main() -> tuple[Scripted, Conversation]:
        go = asyncio.Event()

        class Slow(Scripted):
            async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
                self.meant.append([line.id for line in meant])
                await go.wait()
                return Decision("silent")

        mind = Slow([], False, Scenario())
        place = Workplace("http://chat", cast(Any, None), Evidence(), frozenset({"mara.lind"}))
        mara = Colleague(mind, place)
        mara._connection = cast(Realtime, Wire())
        for number in range(3):
            mara._hear(message("Hello", str(number)), {"roomType": "d"})
            for _ in range(10):
                await asyncio.sleep(0)
        go.set()
        while mara.tasks:
            await asyncio.gather(*mara.tasks)
        (conversation,) = mara._conversations.values()
        return mind, conversation

    mind, conversation = asyncio.run(main())
    assert mind.meant == [["0"], ["1", "2"]]
    assert conversation.silent_after == {"0", "2"}, "after the last of what was heard"
    assert [line.id for line in conversation.lines] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("error", "is_fault"),
    [
        (RealtimeError("gone"), True),
        (RealtimeError("no entry", "403"), False),
        (SignInError("no account"), False),
    ],
)
def test_who_stays_away_is_a_fault_unless_chat_does_not_let_them_in(error: Any, is_fault: bool) -> None:
    evidence = Evidence()
    mind = Scripted([], False, Scenario())
    mara = Colleague(mind, Workplace("http://chat", cast(Any, None), evidence, frozenset()))
    mara._stays_away(error)
    assert [one.label for one in evidence.faults] == (["dead"] if is_fault else [])
    assert len(evidence.notes) == (0 if is_fault else 1)


@pytest.mark.parametrize(
    ("to", "calls", "place"),
    [
        ("#general", [("getRoomIdByNameOrId", "general")], "#general"),
        ("sam.reed", [("createDirectMessage", "sam.reed")], "direct messages"),
    ],
)
def test_a_colleague_may_write_first_to_a_channel_or_a_person(to: str, calls: list[Any], place: str) -> None:
    class Rooms(Wire):
        async def call(self, method: str, *arguments: Any) -> Any:
            await super().call(method, *arguments)
            return {"getRoomIdByNameOrId": "r1", "createDirectMessage": {"rid": "r1"}}.get(method)

    async def main() -> None:
        evidence, wire = Evidence(), Rooms()
        mara = Colleague(
            Scripted([], False, Scenario()), Workplace("http://chat", cast(Any, None), evidence, frozenset())
        )
        mara._connection = cast(Realtime, wire)
        mara._present.set()
        await mara.write_first(to, "Hello")
        assert wire.called[:1] == calls
        assert (wire.called[1][1]["rid"], wire.said) == ("r1", ["Hello"])
        (turn,) = evidence.turns
        assert (turn.action, turn.place, turn.said) == ("initiates", place, ["Hello"])

    asyncio.run(main())
