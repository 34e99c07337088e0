"""All colleagues of one trial: signed in together, started together, and accountable together.

`async with Cast(…) as cast` returns when every one of them is in chat; `begin` starts the clock of those who write
first; `faults` is empty, or the trial is an `infra_error`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dayjob.npc.bystanders import NO_PART, Bystanders
from dayjob.npc.colleague import Colleague, Workplace
from dayjob.npc.deeds import ImpossibleDeed, with_usernames
from dayjob.npc.directory import Directory, directory_of
from dayjob.npc.evidence import Evidence, NpcFault
from dayjob.npc.looking import Looking
from dayjob.npc.minds import Briefing, Mind, Models
from dayjob.npc.pacing import LONGEST_TURN, Pacing
from dayjob.npc.persona import Persona, examinee_of, persona_named
from dayjob.npc.realtime import RealtimeError
from dayjob.npc.script_mind import ScriptMind
from dayjob.npc.sheet_mind import SheetMind
from dayjob.npc.signing_in import SignIn, SignInError, with_company
from dayjob.task.scenario import Initiative, Scenario

if TYPE_CHECKING:
    from dayjob.company.company import Company

Listen = Callable[[Callable[[str, dict[str, Any]], None]], Callable[[], None]]


class CastError(Exception):
    """The colleagues cannot start: an `init_error`. The sentence names who and why."""


@dataclass(frozen=True, slots=True)
class Part:
    """Somebody in a task: who they are and what they know and do in it."""

    persona: Persona
    scenario: Scenario


def parts_for(company: Company, scenarios: Mapping[str, Scenario]) -> list[Part]:
    """The colleagues of a task, found in the company's world."""
    parts = []
    for name, scenario in scenarios.items():
        persona = persona_named(company.world, name)
        if persona is None:
            raise CastError(f"scenarios.json names '{name}', who does not work at {company.world.name}.")
        if scenario.sheet is not None:
            people = {person.name: person.username for person in company.world.people}
            try:
                scenario = replace(scenario, sheet=with_usernames(scenario.sheet, people))
            except ImpossibleDeed as problem:
                raise CastError(f"What {name} may do cannot be done: {problem}.") from problem
        parts.append(Part(persona, scenario))
    return parts


class Cast:
    """The colleagues of one trial, on the current event loop. `people` gives usernames for full names."""

    def __init__(
        self,
        parts: list[Part],
        url: str | Callable[[], Awaitable[str]],
        sign_in: SignIn,
        *,
        access: Models | None = None,
        company: str = "",
        examinee: str | None = None,
        people: Mapping[str, str] | None = None,
        listen: Listen | None = None,
        evidence: Path | int | None = None,
        seed: str = "0",
        decision_seconds: float = 120.0,
        away_seconds: float = 30.0,
        within: Company | None = None,
        by_hours: bool = False,
        everybody: bool = False,
    ) -> None:
        """`within` is the company whose agenda they keep to; `by_hours`: they answer when they are at work;
        `everybody`: who has no part comes when the examinee writes to them."""
        self._company = within
        paced = within is not None and (by_hours or within.clock.stepped)
        self._pacing = Pacing(within, by_hours) if within is not None and paced else None
        self.evidence = Evidence(evidence)
        self._examinee = examinee
        self._listen = listen
        self._others = Bystanders(within, examinee, self._bring) if within is not None and everybody else None
        usernames = {part.persona.name: part.persona.username for part in parts}
        self._names = {**(people or {}), **usernames}
        self._workplace = Workplace(
            url,
            sign_in,
            self.evidence,
            frozenset(usernames.values() if self._others is None else {*usernames.values(), *self._others.people}),
            seed,
            decision_seconds,
            away_seconds,
            tuple(part.persona for part in parts),
            self._pacing,
            within,
        )
        self._name = company
        everyone = within.world.people if within is not None else ()
        self._people = tuple(Persona(one.name, one.username, one.title) for one in everyone)
        """Everybody of the company, by name and title alone."""
        self._directory: Directory | None = None
        self.colleagues = [self._colleague(part, access) for part in parts]
        self._tasks: set[asyncio.Task[Any]] = set()
        self._writing: set[asyncio.Task[Any]] = set()
        """Messages that nobody asked for, on their way."""
        self._timers: list[asyncio.TimerHandle] = []
        self._stop_listening: Callable[[], None] | None = None
        self._stop_fetching: Callable[[], None] = _nothing
        self._waiting: list[tuple[Colleague, Initiative]] = []
        self._begun = False
        self._planned: dict[tuple[str, int], datetime] = {}
        """What somebody is going to write by themselves, and when."""
        self._tokens: dict[str, str] = {}
        self._memory: Mapping[str, Any] | None = None

    def _colleague(self, part: Part, access: Models | None) -> Colleague:
        briefing = Briefing(part.persona, part.scenario, self._name, seed=self._workplace.seed)
        if (company := self._company) is not None:
            own = part.persona.username
            eyes = Looking(company, own)
            briefing = replace(
                briefing,
                now=company.clock.now,
                look=eyes.at,
                goes_to=partial(self._goes_to, own),
                people=self._people,
                own_work=eyes.own_work,
            )
        return Colleague(choose_mind(briefing, access), self._workplace)

    def _goes_to(self, own: str, text: str) -> str:
        assert self._company is not None
        self._directory = self._directory or directory_of(self._company)
        return self._directory.for_question(text, apart_from=own)

    def _bring(self, persona: Persona, at: int) -> None:
        """Somebody without a part was written to: they come, and hear it."""
        colleague = self._colleague(Part(persona, NO_PART), None)
        self.colleagues.append(colleague)

        async def come() -> None:
            try:
                await colleague.arrive_for(at)
            except (RealtimeError, SignInError) as error:
                self.colleagues.remove(colleague)
                self.evidence.note(persona.name, f"{persona.name} did not come to chat: {error}")
            else:
                self._spawn(self._watched(colleague))

        task = self._spawn(come())
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    @classmethod
    def for_company(
        cls,
        company: Company,
        url: str | Callable[[], Awaitable[str]],
        scenarios: Mapping[str, Scenario],
        *,
        access: Models | None = None,
        evidence: Path | int | None = None,
        memory: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> Cast:
        """The cast of a task in a company of this process; `url` is a chat listener with the role `npc`.

        `memory` is another cast's: they come as if they had been here all along, and `go_on` when the company does.
        """
        tokens: dict[str, str] = dict(memory["tokens"]) if memory is not None else {}
        cast = cls(
            parts_for(company, scenarios),
            url,
            with_company(company, tokens),
            access=access,
            company=company.world.name,
            examinee=examinee_of(company.world),
            people={person.name: person.username for person in company.world.people},
            listen=company.listen,
            evidence=evidence,
            seed=company.ids.seed,
            within=company,
            **more,
        )
        cast._tokens, cast._memory = tokens, memory
        if memory is not None and cast._others is not None:
            known = {one.persona.username for one in cast.colleagues}
            late = [cast._others.persona(name) for name in memory["colleagues"] if name not in known]
            cast.colleagues += [cast._colleague(Part(one, NO_PART), None) for one in late]
        return cast

    async def __aenter__(self) -> Cast:
        results = await self._arrivals()
        for colleague, result in zip(self.colleagues, results, strict=True):
            if isinstance(result, RealtimeError | SignInError):
                await self.__aexit__()
                raise CastError(f"{colleague.persona.name} could not come to work: {result}") from result
            if isinstance(result, BaseException):
                await self.__aexit__()
                raise result
        for colleague in self.colleagues:
            self._spawn(self._watched(colleague))
        if self._company is not None:
            self._company.busy.append(self._rest)
        if self._others is not None:
            self._others.are_there({one.persona.username for one in self.colleagues})
            self._stop_fetching = self._others.listen()
        return self

    async def _arrivals(self) -> list[BaseException | None]:
        if (memory := self._memory) is not None:
            known = memory["colleagues"]
            back = (one.come_back(known[one.persona.username]) for one in self.colleagues)
            return await asyncio.gather(*back, return_exceptions=True)
        if self._pacing is None:
            return await asyncio.gather(*(one.arrive() for one in self.colleagues), return_exceptions=True)
        # One after the other, in an order that does not depend on who is quicker.
        return [*[(await asyncio.gather(one.arrive(), return_exceptions=True))[0] for one in self.colleagues]]

    async def __aexit__(self, *_: object) -> None:
        if self._company is not None and self._rest in self._company.busy:
            self._company.busy.remove(self._rest)
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None
        self._stop_fetching()
        self._stop_fetching = _nothing
        for timer in self._timers:
            timer.cancel()
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(one.leave() for one in self.colleagues))

    async def _watched(self, colleague: Colleague) -> None:
        try:
            await colleague.live()
        except Exception as error:
            name = colleague.persona.name
            self.evidence.fault(name, "dead", f"{name} stopped working: {type(error).__name__}: {error}.")
            raise

    # -- state ---------------------------------------------------------------------------------------------------

    @property
    def faults(self) -> list[NpcFault]:
        return self.evidence.faults

    @property
    def minds(self) -> dict[str, str]:
        """Which mind each colleague has, for the report."""
        return {one.persona.name: one.mind.kind for one in self.colleagues}

    @property
    def prompts(self) -> dict[str, str]:
        """By what each colleague's prompt can be told from another; nobody's who has none."""
        return {one.persona.name: one.mind.prompt_digest for one in self.colleagues if one.mind.prompt_digest}

    @property
    def absent(self) -> list[str]:
        """Who is not in chat right now."""
        return [one.persona.name for one in self.colleagues if not one.present]

    async def quiet(self, seconds: float = 30.0) -> bool:
        """Wait until nobody is thinking or about to write; False when they do not come to rest in time."""
        try:
            async with asyncio.timeout(seconds):
                while under_way := [task for one in self.colleagues for task in one.tasks]:
                    await asyncio.wait(under_way)
                return True
        except TimeoutError:
            return False

    async def _rest(self) -> None:
        """Wait until everybody has heard everything, and nobody is thinking or about to write before their turn."""
        await asyncio.gather(*(one.hear_all() for one in self.colleagues))
        while True:
            parked: set[asyncio.Task[Any] | None] = set()
            waits: list[asyncio.Future[Any]] = []
            if self._pacing is not None:
                self._pacing.stirred.clear()
                parked = self._pacing.parked
                waits = [asyncio.ensure_future(self._pacing.stirred.wait())]
            under_way = [task for one in self.colleagues for task in one.tasks if task not in parked]
            under_way += self._writing
            if under_way:
                await asyncio.wait([*under_way, *waits], return_when=asyncio.FIRST_COMPLETED)
            for one in waits:
                one.cancel()
            if not under_way:
                return

    # -- a copy of the company ------------------------------------------------------------------------------------

    @property
    def resting(self) -> bool:
        """Whether everybody has come to rest: nobody is thinking, or writes before their turn."""
        parked = self._pacing.parked if self._pacing is not None else set()
        return not self._writing and all(task in parked for one in self.colleagues for task in one.tasks)

    @property
    def memory(self) -> dict[str, Any]:
        """What everybody knows and is about to do, as JSON takes it; only while they are `resting`."""
        return {
            "colleagues": {one.persona.username: one.memory for one in self.colleagues},
            "tokens": dict(self._tokens),
            "begun": self._begun,
            "planned": [[*named, at.isoformat()] for named, at in self._planned.items()],
            "waiting": [[colleague.persona.username, one.number] for colleague, one in self._waiting],
            "faults": [asdict(fault) for fault in self.evidence.faults],
            "notes": self.evidence.notes,
        }

    def go_on(self, company: Company) -> None:
        """The company is where it was when the memory was made: everybody does what they were about to do."""
        memory, self._memory = self._memory, None
        assert memory is not None
        first = {
            (one.persona.username, initiative.number): (one, initiative)
            for one in self.colleagues
            for initiative in one.scenario.initiates
        }
        self.evidence.faults += [NpcFault(**fault) for fault in memory["faults"]]
        self.evidence.notes += memory["notes"]
        self._begun = memory["begun"]
        for username, number, at in memory["planned"]:
            self._plan(company, *first[username, number], datetime.fromisoformat(at))
        self._waiting = [first[username, number] for username, number in memory["waiting"]]
        self._listen_for_cues()
        for one in self.colleagues:
            one.go_on(memory["colleagues"][one.persona.username])

    # -- writing first -------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """The examinee begins to work: times count, and events matter, from now on."""
        loop = asyncio.get_running_loop()
        self._begun = True
        for colleague in self.colleagues:
            for one in colleague.scenario.initiates:
                if one.at is not None and self._company is not None:
                    self._plan(self._company, colleague, one, self._company.clock.now() + timedelta(seconds=one.at))
                elif one.at is not None:
                    self._timers.append(loop.call_later(one.at, self._send, colleague, one))
                else:
                    self._waiting.append((colleague, one))
        self._listen_for_cues()

    def _listen_for_cues(self) -> None:
        if self._waiting and self._listen is not None:
            self._stop_listening = self._listen(self._event)

    def _plan(self, company: Company, colleague: Colleague, one: Initiative, at: datetime) -> None:
        """Have them write at a moment of company time."""
        named = (colleague.persona.username, one.number)
        self._planned[named] = at

        async def write() -> None:
            self._planned.pop(named, None)
            if (task := self._send(colleague, one)) is not None:
                await asyncio.wait({task}, timeout=LONGEST_TURN)

        company.agenda.add(at, f"initiative {colleague.persona.username} {one.number:04}", write)
        company.agenda.begin()

    def _event(self, topic: str, facts: dict[str, Any]) -> None:
        for entry in tuple(self._waiting):
            colleague, one = entry
            patterns = one.where or {}
            if one.after == topic and all(found.search(str(facts.get(key, ""))) for key, found in patterns.items()):
                self._waiting.remove(entry)
                self._send(colleague, one)

    def _send(self, colleague: Colleague, one: Initiative) -> asyncio.Task[Any] | None:
        to = self._names.get(one.to, one.to) or self._examinee
        if to is None:
            name = colleague.persona.name
            self.evidence.fault(name, "refused", f"{name} wants to write first, but the world names no examinee.")
            return None
        task = self._spawn(colleague.write_first(to, one.text))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)
        return task

    def _spawn(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # already in the evidence


def _nothing() -> None:
    """Nobody listens."""


def choose_mind(briefing: Briefing, access: Models | None) -> Mind:
    """The scenario's own choice; else the model's when there is one (`access`), else the script's."""
    wanted = briefing.scenario.mind or ("llm" if access is not None else "script")
    if wanted == "llm":
        if access is None:
            raise CastError(f"{briefing.persona.name} needs a model, and none is configured for colleagues (role npc).")
        from dayjob.npc.llm_mind import LlmMind

        return LlmMind(briefing, access)
    return SheetMind(briefing) if briefing.scenario.sheet is not None else ScriptMind(briefing)
