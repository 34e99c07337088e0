"""Coming to chat, coming back, and what is read on the way: a colleague with a connection that is given its answers."""

from __future__ import annotations

import asyncio
import time
from typing import Any, cast

import pytest

from dayjob.npc.colleague import Colleague, Workplace
from dayjob.npc.evidence import Evidence
from dayjob.npc.hearing import Conversation, Line
from dayjob.npc.minds import Briefing, Decision, Mind
from dayjob.npc.persona import Persona
from dayjob.npc.realtime import Realtime, RealtimeError
from dayjob.task.scenario import Scenario

MARA = Persona("Mara Lind", "mara.lind")


class Noting(Mind):
    """Notes what it was shown, and says what it is given to say."""

    kind = "noting"

    def __init__(self, scenario: Scenario, recalls: bool = False, decision: Decision | None = None) -> None:
        super().__init__(Briefing(MARA, scenario))
        self.recalls = recalls  # type: ignore[misc]  # of this one alone
        self.decision = decision or Decision("silent")
        self.shown: list[list[str]] = []

    async def decide(self, conversation: Conversation, meant: list[Line]) -> Decision:
        self.shown.append([line.id for line in conversation.lines])
        return self.decision


class Wire:
    """Stands for a connection: notes what is called, and answers with what it is given."""

    user_id = "id-mara"

    def __init__(self, **answers: Any) -> None:
        self.closed = asyncio.Event()
        self.called: list[tuple[Any, ...]] = []
        self.answers = {name.replace("__", "/"): answer for name, answer in answers.items()}

    async def call(self, method: str, *arguments: Any) -> Any:
        self.called.append((method, *arguments))
        answer = self.answers.get(method)
        found = answer(*arguments) if callable(answer) else answer
        if isinstance(found, Exception):
            raise found
        return found

    async def close(self) -> None:
        self.closed.set()


def message(id: str, at: int, text: str = "Hello", room: str = "r1", **more: Any) -> dict[str, Any]:
    return {"_id": id, "rid": room, "u": {"username": "sam.reed"}, "msg": text, "ts": {"$date": at}, **more}


class Stage:
    """A colleague and the connections it gets, one after the other."""

    def __init__(
        self, *wires: Wire | Exception, monkeypatch: pytest.MonkeyPatch, away_seconds: float = 30.0, **mind: Any
    ) -> None:
        self.wires = list(wires)
        self.evidence = Evidence()
        self.opened: list[tuple[str, Any]] = []
        self.slept: list[float] = []
        self.mind = Noting(mind.pop("scenario", Scenario()), **mind)

        async def sign_in(username: str) -> dict[str, Any]:
            return {"resume": f"token of {username}"}

        async def open(url: str, login: Any, hear: Any, **_: Any) -> Any:
            self.opened.append((url, login))
            found = self.wires.pop(0)
            if isinstance(found, Exception):
                raise found
            return found

        monkeypatch.setattr(Realtime, "open", open)
        place = Workplace(
            "http://chat", sign_in, self.evidence, frozenset({"mara.lind"}), seed="s", away_seconds=away_seconds
        )
        self.mara = Colleague(self.mind, place)

    async def rest(self) -> None:
        while self.mara.tasks:
            await asyncio.gather(*self.mara.tasks)


ROOMS = [
    {"_id": "r1", "t": "c", "name": "launch", "lm": {"$date": 50}, "_updatedAt": {"$date": 40}},
    {"_id": "id-mara-sam", "t": "d", "lm": {"$date": 70}},
    {"_id": "r3", "t": "p", "fname": "Secret plans", "_updatedAt": {"$date": 90}},
    {"_id": "r4"},
]
KNOWN = {"r1": ("c", "launch"), "id-mara-sam": ("d", ""), "r3": ("p", "Secret plans"), "r4": ("c", "")}


# -- coming ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rooms", [ROOMS, {"update": ROOMS, "remove": []}])
def test_who_arrives_knows_the_rooms_and_that_what_is_there_was_said_before(
    rooms: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        stage = Stage(Wire(rooms__get=rooms), monkeypatch=monkeypatch)
        assert not stage.mara.present
        await stage.mara.arrive()
        assert stage.mara.present
        assert stage.opened == [("http://chat", {"resume": "token of mara.lind"})]
        assert stage.mara._rooms == KNOWN
        assert stage.mara._newest == 91

    asyncio.run(main())


def test_channels_of_the_scenario_are_joined_unless_one_is_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        ids = {"launch": "r1", "random": "r9"}
        wire = Wire(rooms__get=ROOMS, getRoomIdByNameOrId=ids.get)
        stage = Stage(wire, monkeypatch=monkeypatch, scenario=Scenario(channels=("launch", "random")))
        await stage.mara.arrive()
        assert wire.called[1:] == [
            ("getRoomIdByNameOrId", "launch"),
            ("getRoomIdByNameOrId", "random"),
            ("joinRoom", "r9"),
        ]
        assert stage.mara._rooms["r9"] == ("c", "random")

    asyncio.run(main())


def test_who_cannot_settle_in_leaves_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        wire = Wire(rooms__get=RealtimeError("not now"))
        stage = Stage(wire, monkeypatch=monkeypatch)
        with pytest.raises(RealtimeError, match="not now"):
            await stage.mara.arrive()
        assert wire.closed.is_set()
        assert not stage.mara.present

    asyncio.run(main())


def test_who_leaves_closes_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        wire = Wire(rooms__get=ROOMS)
        stage = Stage(wire, monkeypatch=monkeypatch)
        await stage.mara.arrive()
        stage.mara._spawn(asyncio.Event().wait())
        async with asyncio.timeout(5):
            await stage.mara.leave()
        assert (wire.closed.is_set(), stage.mara.tasks) == (True, ())

    asyncio.run(main())


def test_a_room_is_learned_from_the_first_message_in_it_and_stays_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> dict[str, tuple[str, str]]:
        stage = Stage(Wire(rooms__get=ROOMS), monkeypatch=monkeypatch)
        await stage.mara.arrive()
        for number, (room, about) in enumerate(
            [
                ("r1", {"roomType": "d", "roomName": "other"}),
                ("r8", {"roomType": "p", "roomName": "new"}),
                ("r8", {"roomType": "c", "roomName": "renamed"}),
                ("r9", {}),
                ("r10", {"roomType": "d"}),
            ]
        ):
            stage.mara._hear(message(f"m{number}", 100, "x", room=room), about)
        return {room: facts for room, facts in stage.mara._rooms.items() if room not in KNOWN or room == "r1"}

    assert asyncio.run(main()) == {"r1": ("c", "launch"), "r8": ("p", "new"), "r10": ("d", "")}


def test_who_is_not_there_writes_first_when_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        wire = Wire(rooms__get=ROOMS, createDirectMessage={"rid": "r7"})
        stage = Stage(wire, monkeypatch=monkeypatch)
        writing = asyncio.ensure_future(stage.mara.write_first("sam.reed", "Hello"))
        await asyncio.sleep(0)
        assert wire.called == []
        await stage.mara.arrive()
        await writing
        assert [one[0] for one in wire.called] == ["rooms/get", "createDirectMessage", "sendMessage"]

    asyncio.run(main())


@pytest.mark.parametrize("to", ["#gone", "nobody"])
def test_who_cannot_be_reached_is_noted(to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> Stage:
        refusal = RealtimeError("no such room")
        wire = Wire(rooms__get=ROOMS, createDirectMessage=refusal, getRoomIdByNameOrId=refusal)
        stage = Stage(wire, monkeypatch=monkeypatch)
        await stage.mara.arrive()
        await stage.mara.write_first(to, "Hello")
        return stage

    stage = asyncio.run(main())
    assert stage.evidence.notes == [f"Mara Lind could not reach {to}: no such room"]
    assert (stage.evidence.turns, stage.evidence.faults) == ([], [])


# -- coming back -------------------------------------------------------------------------------------------------


class Clock:
    """Time that passes while one sleeps, and at no other moment."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.until: asyncio.Event = asyncio.Event()
        real = asyncio.sleep

        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)
            self.now += seconds
            await real(0)

        monkeypatch.setattr(asyncio, "sleep", sleep)
        monkeypatch.setattr(time, "monotonic", lambda: self.now)


def came_back(
    monkeypatch: pytest.MonkeyPatch, failures: int, error: Exception, away_seconds: float = 30.0
) -> tuple[Stage, Clock]:
    """A colleague whose connection ended, and who was let in after so many failures."""

    async def main() -> tuple[Stage, Clock]:
        first, second = Wire(rooms__get=ROOMS), Wire(rooms__get=ROOMS, messages__get={"updated": []})
        stage = Stage(first, *[error] * failures, second, monkeypatch=monkeypatch, away_seconds=away_seconds)
        await stage.mara.arrive()
        clock = Clock(monkeypatch)
        living = asyncio.ensure_future(stage.mara.live())
        first.closed.set()
        for _ in range(failures * 6 + 12):
            await asyncio.sleep(0)
        assert stage.mara.present
        assert stage.mara._connection is cast(Realtime, second)
        living.cancel()
        await asyncio.gather(living, return_exceptions=True)
        clock.slept = [one for one in clock.slept if one]
        return stage, clock

    return asyncio.run(main())


def test_who_lost_the_connection_signs_in_again_at_ever_longer_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    stage, clock = came_back(monkeypatch, 9, RealtimeError("gone"))
    assert clock.slept == [0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.0, 2.0]
    assert len(stage.opened) == 11
    assert (stage.evidence.faults, stage.evidence.notes) == ([], [])


@pytest.mark.parametrize(("failures", "faults"), [(9, 0), (10, 0), (11, 1), (20, 1)])
def test_who_stays_away_for_too_long_is_told_once(failures: int, faults: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tenth attempt comes 6.54 s after the connection ended, the eleventh 8.54 s after it.
    stage, _ = came_back(monkeypatch, failures, RealtimeError("gone"), away_seconds=8.0)
    assert [(one.label, one.sentence) for one in stage.evidence.faults] == [
        ("dead", "Mara Lind is not in chat: gone")
    ] * faults


def test_who_is_back_reads_what_was_missed_and_answers_it_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        missed = {
            "r1": RealtimeError("it is gone"),
            "id-mara-sam": {"updated": [message("m3", 93, room="id-mara-sam")]},
            "r3": {"updated": [message(f"m{number}", 90 + number, "Mara?", room="r3") for number in (4, 2, 0)]},
            "r4": {},
        }
        first = Wire(rooms__get=ROOMS)
        second = Wire(rooms__get=ROOMS, messages__get=lambda room, since: missed[room])
        stage = Stage(first, second, monkeypatch=monkeypatch)
        await stage.mara.arrive()
        heard: list[str] = []
        monkeypatch.setattr(stage.mara, "_take_up", lambda _, line: heard.append(line.id))
        await stage.mara._connect(first=False)
        since = {"lastUpdate": {"$date": 91}}
        assert second.called[1:] == [("messages/get", room, since) for room in KNOWN]
        assert heard == ["m2", "m3", "m4"], "and nothing from before they came"

    asyncio.run(main())


# -- remembering -------------------------------------------------------------------------------------------------


def talk(monkeypatch: pytest.MonkeyPatch, *heard: dict[str, Any], recalls: bool = True, **answers: Any) -> Stage:
    async def main() -> Stage:
        stage = Stage(Wire(rooms__get=ROOMS, **answers), monkeypatch=monkeypatch, recalls=recalls)
        await stage.mara.arrive()
        for one in heard:
            stage.mara._hear(one, {"roomType": "c", "roomName": "launch"})
            await stage.rest()
        return stage

    return asyncio.run(main())


def called(stage: Stage) -> list[tuple[Any, ...]]:
    wire = cast(Wire, stage.mara._connection)
    return [one for one in wire.called if one[0] != "rooms/get"]


OLD = [message("m2", 20), message("m1", 10), message("joined", 15, t="uj"), "odd", message("later", 300)]


def test_a_mind_that_recalls_is_shown_what_was_said_in_the_room_before(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = message("m5", 100, "Mara?"), message("m6", 110, "Mara?")
    history = {"messages": [*OLD, first]}
    stage = talk(monkeypatch, first, second, loadHistory=history)
    assert stage.mind.shown == [["m1", "m2", "m5"], ["m1", "m2", "m5", "m6"]]
    assert called(stage) == [("loadHistory", "r1", None, 30), ("getUsersOfRoom", "r1", True)]


def test_in_a_thread_its_beginning_and_its_answers_are_recalled(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = message("t1", 5, "Mara?")
    stage = talk(
        monkeypatch,
        message("m5", 100, "Well?", tmid="t1", mentions=[{"username": "mara.lind"}]),
        getSingleMessage=begin,
        getThreadMessages=[message("m2", 20, tmid="t1"), message("m1", 10, tmid="t1")],
    )
    assert stage.mind.shown == [["t1", "m1", "m2", "m5"]]
    recalled = [("getThreadMessages", {"tmid": "t1", "limit": 30}), ("getSingleMessage", "t1")]
    assert called(stage)[-3:] == [*recalled, ("getUsersOfRoom", "r1", True)]


def test_a_mind_that_does_not_recall_and_a_room_that_cannot_be_read_have_no_past(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = talk(monkeypatch, message("m5", 100, "Mara?"), recalls=False)
    assert (stage.mind.shown, called(stage)) == ([["m5"]], [])
    refused = talk(monkeypatch, message("m5", 100, "Mara?"), loadHistory=RealtimeError("no"))
    assert refused.mind.shown == [["m5"]]


def test_two_hundred_lines_of_a_conversation_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = talk(monkeypatch, *(message(f"m{number}", number, "x") for number in range(201)), recalls=False)
    (conversation,) = stage.mara._conversations.values()
    assert [line.id for line in conversation.lines] == [f"m{number}" for number in range(1, 201)]


# -- taking one's time -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "decision", "slept", "typing"),
    [
        (Scenario(), Decision("speak", ("Hi.",)), [], []),
        (Scenario(delay=(2.0, 2.0)), Decision("speak", ("Hi.",)), [2.0], []),
        (Scenario(delay=(0.0, 4.0)), Decision("speak", ("Hi.",)), None, []),
        (Scenario(delay=(2.0, 2.0)), Decision("silent"), [], []),
        (Scenario(typing=True), Decision("speak", ("Hi.", "Again.")), [0.0], [["user-typing"], []]),
        (Scenario(typing=True), Decision("silent"), [], []),
        (Scenario(typing=True, delay=(2.0, 2.0)), Decision("leave", ("Bye.",)), [2.0], [["user-typing"], []]),
    ],
)
def test_a_colleague_takes_the_time_the_scenario_says_and_is_seen_typing(
    scenario: Scenario,
    decision: Decision,
    slept: list[float] | None,
    typing: list[list[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def main() -> Stage:
        stage = Stage(Wire(rooms__get=ROOMS), monkeypatch=monkeypatch, scenario=scenario, decision=decision)
        await stage.mara.arrive()
        clock = Clock(monkeypatch)
        stage.mara._hear(message("m5", 100, "Mara?"), {"roomType": "c", "roomName": "launch"})
        await stage.rest()
        stage.slept = clock.slept
        return stage

    stage = asyncio.run(main())
    if slept is None:
        (pause,) = stage.slept
        assert 0 < pause < 4
    else:
        assert stage.slept == slept
    seen = [one for one in called(stage) if one[0] == "stream-notify-room"]
    assert seen == [("stream-notify-room", "r1/user-activity", "mara.lind", one, {}) for one in typing]
    said = [one[1] for one in called(stage) if one[0] == "sendMessage"]
    assert [one["msg"] for one in said] == list(decision.messages)
    assert len({one["_id"] for one in said}) == len(said)


def test_typing_that_chat_does_not_take_is_missed_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> list[Any]:
        wire = Wire(rooms__get=ROOMS, **{"stream-notify-room": RealtimeError("no")})
        decision = Decision("speak", ("Hi.",))
        stage = Stage(wire, monkeypatch=monkeypatch, scenario=Scenario(typing=True), decision=decision)
        await stage.mara.arrive()
        stage.mara._hear(message("m5", 100, "Mara?", tmid="t1", mentions=[{"username": "mara.lind"}]), {})
        await stage.rest()
        return [one[1] for one in wire.called if one[0] == "sendMessage"]

    (said,) = asyncio.run(main())
    assert (said["rid"], said["msg"], said["tmid"]) == ("r1", "Hi.", "t1")


def test_two_colleagues_and_two_seeds_wait_differently_and_each_the_same_again() -> None:
    def chance(seed: str, username: str) -> float:
        mind = Noting(Scenario())
        mind.briefing = Briefing(Persona("X", username), Scenario())
        place = Workplace("http://chat", cast(Any, None), Evidence(), frozenset(), seed=seed)
        return Colleague(mind, place)._chance.random()

    found = [chance("1", "mara"), chance("2", "mara"), chance("1", "tom")]
    assert len(set(found)) == 3
    assert chance("1", "mara") == found[0]
