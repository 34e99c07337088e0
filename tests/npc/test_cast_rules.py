"""A cast without a chat: who is cast, which mind they have, who writes first and when, and who is accountable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from dayjob.company.world.model import Person
from dayjob.npc.cast import Cast, CastError, Part, choose_mind, parts_for
from dayjob.npc.llm_mind import LlmMind
from dayjob.npc.minds import Briefing
from dayjob.npc.persona import Persona, examinee_of, persona_named
from dayjob.npc.realtime import RealtimeError
from dayjob.npc.script_mind import ScriptMind
from dayjob.npc.signing_in import SignInError
from dayjob.task.scenario import Scenario, read_scenarios

MARA = Persona("Mara Lind", "mara.lind")
TOM = Persona("Tom Berg", "tom.berg")


class Staged(Cast):
    """Colleagues who arrive as they are told to, and note whom they write to first."""

    def __init__(
        self, scenarios: dict[str, Any], *, arrives: dict[str, BaseException] | None = None, **more: Any
    ) -> None:
        personas = {"Mara Lind": MARA, "Tom Berg": TOM}
        parts = [Part(personas[name], one) for name, one in read_scenarios(scenarios).items()]
        super().__init__(parts, "http://chat", cast(Any, None), **more)
        self.events: list[str] = []
        self.written: list[tuple[str, str, str]] = []
        self.ends: dict[str, BaseException] = {}
        for one in self.colleagues:
            self._direct(one, (arrives or {}).get(one.persona.name))

    async def __aenter__(self) -> Staged:
        await super().__aenter__()
        return self

    def _direct(self, one: Any, error: BaseException | None) -> None:
        name = one.persona.name

        async def arrive() -> None:
            self.events.append(f"{name} arrives")
            if error is not None:
                raise error

        async def live() -> None:
            if name in self.ends:
                raise self.ends[name]
            await asyncio.Event().wait()

        async def leave() -> None:
            self.events.append(f"{name} leaves")

        async def write_first(to: str, text: str) -> None:
            self.written.append((name, to, text))

        one.arrive, one.live, one.leave, one.write_first = arrive, live, leave, write_first


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


# -- who is cast -------------------------------------------------------------------------------------------------


def person(name: str, username: str, title: str = "", persona: str = "", **more: Any) -> Person:
    return Person(name, username, f"{username}@larkspur.test", None, title, persona, (), more, f"{username}.yml")


PEOPLE = (
    person("Mara Lind", "mara.lind", "Lead", " Calm. ", knows="One fact."),
    person("Tom Berg", "tom.berg", knows=["A", 2], examinee="yes"),
    person("Sam Reed", "sam.reed", examinee=True),
)
WORLD: Any = SimpleNamespace(name="Larkspur", people=PEOPLE)


@pytest.mark.parametrize(
    ("name", "persona"),
    [
        ("Mara Lind", Persona("Mara Lind", "mara.lind", "Lead", "Calm.", ("One fact.",))),
        ("mara.lind", Persona("Mara Lind", "mara.lind", "Lead", "Calm.", ("One fact.",))),
        ("Tom Berg", Persona("Tom Berg", "tom.berg", "", "", ("A", "2"))),
        ("Sam Reed", Persona("Sam Reed", "sam.reed")),
        ("Mara", None),
        ("", None),
    ],
)
def test_somebody_is_known_by_full_name_or_username(name: str, persona: Persona | None) -> None:
    assert persona_named(WORLD, name) == persona


def test_the_examinee_is_who_the_world_says_it_is() -> None:
    assert examinee_of(WORLD) == "sam.reed"
    assert examinee_of(cast(Any, SimpleNamespace(people=PEOPLE[:2]))) is None


def test_a_first_name_is_the_first_of_the_names() -> None:
    assert MARA.first_name == "Mara"


def test_who_is_in_the_scenarios_must_work_there() -> None:
    company: Any = SimpleNamespace(world=WORLD)
    quiet = Scenario(extra_info="x")
    assert [(one.persona.username, one.scenario) for one in parts_for(company, {"Tom Berg": quiet})] == [
        ("tom.berg", quiet)
    ]
    with pytest.raises(CastError, match=r"scenarios\.json names 'Bo', who does not work at Larkspur\."):
        parts_for(company, {"Tom Berg": quiet, "Bo": quiet})


def test_a_cast_of_a_company_knows_its_people_its_examinee_and_its_seed() -> None:
    heard: list[Any] = []
    company: Any = SimpleNamespace(
        world=WORLD,
        listen=heard.append,
        ids=SimpleNamespace(seed="s7"),
        clock=SimpleNamespace(stepped=False, now=datetime.now),
    )
    found = Cast.for_company(
        company,
        "http://chat",
        read_scenarios({"Mara Lind": {}}),
        access=cast(Any, company),
        evidence=Path("npc.jsonl"),
        decision_seconds=9,
    )
    assert (found.minds, found.evidence.file) == ({"Mara Lind": "llm"}, Path("npc.jsonl"))
    assert found._names == {"Mara Lind": "mara.lind", "Tom Berg": "tom.berg", "Sam Reed": "sam.reed"}
    assert (found._examinee, found._listen) == ("sam.reed", company.listen)
    (mara,) = found.colleagues
    assert mara.mind.briefing.company == "Larkspur"
    place = mara._at
    assert (place.url, place.seed, place.decision_seconds, place.away_seconds) == ("http://chat", "s7", 9, 30.0)
    assert place.usernames == {"mara.lind"}
    assert place.evidence is found.evidence


@pytest.mark.parametrize(
    ("wanted", "model", "mind"),
    [
        ("", False, ScriptMind),
        ("", True, LlmMind),
        ("script", False, ScriptMind),
        ("script", True, ScriptMind),
        ("llm", True, LlmMind),
        ("llm", False, None),
    ],
)
def test_which_mind_a_colleague_has(wanted: Any, model: bool, mind: type | None) -> None:
    briefing = Briefing(MARA, Scenario(mind=wanted))
    access: Any = object() if model else None
    if mind is None:
        with pytest.raises(CastError, match="Mara Lind needs a model, and none is configured for colleagues"):
            choose_mind(briefing, access)
    else:
        assert type(choose_mind(briefing, access)) is mind


# -- coming and going --------------------------------------------------------------------------------------------


def test_all_arrive_together_and_leave_together() -> None:
    async def main() -> list[str]:
        async with Staged({"Mara Lind": {}, "Tom Berg": {"mind": "script"}}) as cast:
            assert cast.minds == {"Mara Lind": "script", "Tom Berg": "script"}
            assert cast.absent == ["Mara Lind", "Tom Berg"]
            cast.colleagues[1]._present.set()
            assert cast.absent == ["Mara Lind"]
            assert len(cast._tasks) == 2
        assert cast._tasks == set()
        return cast.events

    assert asyncio.run(main()) == ["Mara Lind arrives", "Tom Berg arrives", "Mara Lind leaves", "Tom Berg leaves"]


@pytest.mark.parametrize("error", [RealtimeError("no chat"), SignInError("nobody"), KeyError("ours")])
def test_one_who_cannot_come_ends_it_for_all(error: BaseException) -> None:
    async def main() -> list[str]:
        staged = Staged({"Mara Lind": {}, "Tom Berg": {}}, arrives={"Tom Berg": error})
        with pytest.raises((CastError, KeyError)) as refused:
            await staged.__aenter__()
        if isinstance(error, KeyError):
            assert refused.value is error
        else:
            assert str(refused.value) == f"Tom Berg could not come to work: {error}"
        return staged.events

    assert asyncio.run(main())[2:] == ["Mara Lind leaves", "Tom Berg leaves"]


def test_one_who_stops_working_is_a_fault() -> None:
    async def main() -> None:
        staged = Staged({"Mara Lind": {}, "Tom Berg": {}})
        staged.ends["Tom Berg"] = ValueError("oh")
        async with staged:
            await settle()
            (fault,) = staged.faults
            assert (fault.colleague, fault.label) == ("Tom Berg", "dead")
            assert fault.sentence == "Tom Berg stopped working: ValueError: oh."

    asyncio.run(main())


def test_quiet_is_when_nobody_thinks_any_more() -> None:
    async def main() -> None:
        async with Staged({"Mara Lind": {}, "Tom Berg": {}}) as cast:
            assert await cast.quiet(0)
            done = asyncio.Event()

            async def thinks_twice() -> None:
                await done.wait()
                cast.colleagues[1]._spawn(done.wait())

            cast.colleagues[0]._spawn(thinks_twice())
            assert not await cast.quiet(0.01)
            asyncio.get_running_loop().call_soon(done.set)
            assert await cast.quiet(5)
            assert [one.tasks for one in cast.colleagues] == [(), ()]

    asyncio.run(main())


# -- writing first -----------------------------------------------------------------------------------------------


def begun(initiates: list[dict[str, Any]], *events: tuple[str, dict[str, Any]], **more: Any) -> list[tuple[str, str]]:
    """Whom Mara wrote to, and what, after these events."""

    async def main() -> list[tuple[str, str]]:
        listening: list[Callable[[str, dict[str, Any]], None]] = []

        def listen(hear: Callable[[str, dict[str, Any]], None]) -> Callable[[], None]:
            listening.append(hear)
            return lambda: listening.remove(hear)

        facts = {"examinee": "sam.reed", "people": {"Ada Low": "ada.low"}, "listen": listen, **more}
        async with Staged({"Mara Lind": {"initiates": initiates}, "Tom Berg": {}}, **facts) as cast:
            cast.begin()
            for topic, about in events:
                for hear in tuple(listening):
                    hear(topic, about)
            await settle()
        assert listening == []
        assert [one.label for one in cast.faults] == (["refused"] if more.get("examinee", "") is None else [])
        return [(to, text) for _, to, text in cast.written]

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("to", "whom"),
    [
        ({}, "sam.reed"),
        ({"to": "Ada Low"}, "ada.low"),
        ({"to": "Tom Berg"}, "tom.berg"),
        ({"to": "somebody.else"}, "somebody.else"),
        ({"to": "#launch"}, "#launch"),
    ],
)
def test_whom_a_colleague_writes_to(to: dict[str, str], whom: str) -> None:
    assert begun([{"at": 0, "say": "Hello.", **to}]) == [(whom, "Hello.")]


def test_a_world_without_an_examinee_leaves_nobody_to_write_to() -> None:
    assert begun([{"at": 0, "say": "Hello."}], examinee=None) == []


REPORT = {"event": "drive.file", "where": {"path": "report", "by": "^sam"}}


@pytest.mark.parametrize(
    ("events", "times"),
    [
        ([], 0),
        ([("drive.file", {"path": "/the/REPORT.md", "by": "sam.reed"})], 1),
        ([("drive.file", {"path": "/notes.md", "by": "sam.reed"})], 0),
        ([("drive.file", {"path": "/report.md", "by": "tom.berg"})], 0),
        ([("drive.file", {"path": "/report.md"})], 0),
        ([("drive.folder", {"path": "/report.md", "by": "sam.reed"})], 0),
        ([("drive.file", {"path": "report", "by": "sam"})] * 3, 1),
    ],
)
def test_after_which_event_a_colleague_writes_once(events: list[Any], times: int) -> None:
    assert begun([{"after": REPORT, "say": "Thanks."}], *events) == [("sam.reed", "Thanks.")] * times


def test_what_an_event_does_not_say_matches_nothing() -> None:
    said = [{"after": {"event": "drive.file", "where": {"by": "."}}, "say": "Thanks."}]
    assert begun(said, ("drive.file", {"path": "x"})) == []
    assert begun(said, ("drive.file", {"by": "x"})) == [("sam.reed", "Thanks.")]


def test_an_event_may_have_several_messages_wait_for_it_and_others_wait_on() -> None:
    first = [{"after": "file", "say": "A."}, {"after": "push", "say": "B."}, {"after": "file", "say": "C."}]
    event = ("drive.file", {"path": "x"})
    assert begun(first, event, event) == [("sam.reed", "A."), ("sam.reed", "C.")]
    pushed = ("forge.event", {"action": "pushed to", "kind": None})
    assert begun(first, pushed, event) == [("sam.reed", "B."), ("sam.reed", "A."), ("sam.reed", "C.")]


def test_nothing_is_written_before_the_examinee_begins_or_its_time_has_come() -> None:
    async def main() -> None:
        async with Staged({"Mara Lind": {"initiates": [{"at": 3600, "say": "x"}]}}, examinee="sam.reed") as cast:
            await settle()
            assert cast._timers == []
            cast.begin()
            (timer,) = cast._timers
            assert 3590 < timer.when() - asyncio.get_running_loop().time() <= 3600
        assert timer.cancelled()
        assert cast.written == []

    asyncio.run(main())
