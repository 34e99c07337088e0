"""A task's colleagues in a company of their own, to be talked to: with their minds, hours and gates as in a trial.

Everything is in this process. What is written goes over chat's own API, as an examinee's would.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol, runtime_checkable

import httpx

from dayjob.company.company import Company
from dayjob.company.host import Host
from dayjob.company.waiting import pass_until, wait
from dayjob.company.world.snapshot import Snapshot
from dayjob.http.server import bind
from dayjob.nearest import did_you_mean
from dayjob.npc.acquaintance import Acquaintance
from dayjob.npc.cast import Cast
from dayjob.npc.colleague import Colleague
from dayjob.npc.evidence import Turn
from dayjob.npc.minds import Models
from dayjob.npc.part import Part
from dayjob.npc.persona import examinee_of
from dayjob.npc.signing_in import with_company
from dayjob.task.scenario import Scenario

NOTED = (
    "facts", "reached", "asks_for", "locked", "kept", "unknown", "refers", "hours", "why", "more", "looked_up",
    "cannot", "read", "left_to_others", "rules", "shares", "promises", "dropped", "unusable", "unanswerable",
    "silent_to_a_question",
)  # fmt: skip
"""What of a turn's notes says how it came about, in the order of telling."""


class NobodyThere(Exception):
    """There is no colleague, channel or way to write; the sentence says what there is."""


@runtime_checkable
class HasPart(Protocol):
    """A mind that stands on a sheet."""

    part: Part

    def knows(self, who: str) -> Acquaintance: ...


@dataclass(frozen=True, slots=True)
class Answer:
    """One turn that a colleague took."""

    who: str
    place: str
    said: tuple[str, ...]
    why: dict[str, list[str]]
    did: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    fault: str = ""


class Rehearsal:
    """One company with a task's colleagues at work, and whoever talks to them."""

    def __init__(
        self, company: Company, cast: Cast, client: httpx.AsyncClient, you: str, look: timedelta, *, everybody: bool
    ) -> None:
        self.company, self.cast, self.you = company, cast, you
        self._client, self._look = client, look
        self._others = [
            one for one in company.world.people if everybody and one.more.get("voice") and one.username != you
        ]
        """Who has no part in the task, and comes when they are written to."""
        self._told = 0

    @property
    def colleagues(self) -> list[Colleague]:
        return self.cast.colleagues

    def named(self, name: str) -> str:
        """The username of the colleague that a name means, or a channel as it stands. Raises `NobodyThere`."""
        if name.startswith("#"):
            return name
        wanted = name.removeprefix("@").casefold()
        called: dict[str, str] = {}
        known = [(one.persona.username, one.persona.name) for one in self.colleagues]
        for username, full in [*known, *((one.username, one.name) for one in self._others)]:
            for each in (username, full, full.split()[0]):
                called.setdefault(each.casefold(), username)
        if wanted in called:
            return called[wanted]
        there = ", ".join(one.persona.name for one in self.colleagues) or "nobody"
        raise NobodyThere(
            f"There is no colleague '{name}' in this task; there is {there}.{did_you_mean(wanted, called)}"
        )

    async def say(self, to: str, text: str) -> list[Answer]:
        """Write to a colleague or a channel, and hear whatever comes of it."""
        channel = to if to.startswith("#") else f"@{to}"
        answer = await self._client.post("chat.postMessage", json={"channel": channel, "text": text})
        found = answer.json()
        if not found.get("success"):
            raise NobodyThere(f"{to} cannot be written to: {found.get('error') or answer.status_code}.")
        return await self.news()

    async def news(self) -> list[Answer]:
        """What was said since one last heard; time goes on to what is owed soon, as it does for an examinee."""
        while True:
            await self.company.settle(jobs=False)
            owed = self.company.agenda.owed_at
            if owed is None or owed - self.company.clock.now() > self._look:
                break
            await pass_until(self.company, owed)
        new = self.cast.evidence.turns[self._told :]
        self._told += len(new)
        return [_answer(one) for one in new]

    async def pass_time(self, length: timedelta) -> list[Answer]:
        """Let company time go by. Raises `CannotWait`."""
        await wait(self.company, self.company.clock.now() + length, None)
        return await self.news()

    @property
    def now(self) -> datetime:
        return self.company.clock.now()

    @property
    def owed_at(self) -> datetime | None:
        """When the next answer comes, where it is further off than anybody looks ahead."""
        return self.company.agenda.owed_at

    def facts(self, username: str) -> list[dict[str, Any]]:
        """A colleague's facts, each with how it stands towards you; none where they have no sheet."""
        mind = self._colleague(username).mind
        if not isinstance(mind, HasPart):
            return []
        part, known = mind.part, mind.knows(self.you)
        found = []
        for fact in [*part.facts.values(), *part.standing.values()]:
            open_now = part.open_to(fact, known, who=self.you, direct=True)
            told = known.told.get(fact.id, 0)
            is_open = f"told {told} ×" if told else "open"
            stands = (
                is_open if open_now or told else "never told" if fact.tell == "never" else f"locked ({_lock(fact)})"
            )
            found.append({"id": fact.id, "stands": stands, "text": fact.text, "of_the_task": fact.id in part.facts})
        return found

    def state(self, username: str) -> dict[str, Any]:
        """How far you are with a colleague."""
        one = self._colleague(username)
        found: dict[str, Any] = {"colleague": one.persona.name, "mind": one.mind.kind, "here": one.present}
        if not isinstance(one.mind, HasPart):
            return {**found, "sheet": False}
        known, sheet = one.mind.knows(self.you), one.mind.part.sheet
        needs = {
            f"{step.id}/{need.id}": f"{step.id}/{need.id}" in known.shown for step in sheet.steps for need in step.needs
        }
        stands: dict[str, list[str]] = {"told": [], "open": [], "locked": [], "never": []}
        for fact in self.facts(username):
            if fact["of_the_task"]:
                stands[str(fact["stands"]).split()[0]].append(fact["id"])
        steps = {step.id: step.id in known.reached for step in sheet.steps}
        return {**found, "sheet": True, "steps": steps, "needs": needs, "facts": stands, "did": list(known.did)}

    def _colleague(self, username: str) -> Colleague:
        found = next((one for one in self.colleagues if one.persona.username == username), None)
        if found is None:
            raise NobodyThere(f"{username} is not there yet; whoever has no part in the task comes when written to.")
        return found

    @property
    def faults(self) -> list[str]:
        return [one.sentence for one in self.cast.faults]


def _lock(fact: Any) -> str:
    if fact.tell.startswith("after:"):
        return str(fact.tell)
    if fact.follows:
        return f"follows {', '.join(fact.follows)}"
    return f"to {', '.join(fact.to)}" if fact.to else "not here"


def _answer(turn: Turn) -> Answer:
    why = {name: found for name in NOTED if (found := _words(turn.how.get(name)))}
    if phrases := _words(turn.how.get("phrases")):
        why["phrases"] = phrases
    if thrown := turn.how.get("thrown_away"):
        why["thrown away"] = [str(one.get("because")) for one in thrown if isinstance(one, dict)]
    if not turn.heard:
        why["by themselves"] = ["unasked"]
    did = tuple(f"{one['deed']}{' (refused: ' + one['refused'] + ')' if 'refused' in one else ''}" for one in turn.did)
    return Answer(turn.colleague, turn.place, tuple(turn.said), why, did, tuple(turn.withheld), turn.fault)


def _words(value: Any) -> list[str]:
    if value is None or value == [] or value == "":
        return []
    if isinstance(value, Mapping):
        return [f"{name}: {', '.join(_words(each))}" for name, each in value.items() if _words(each)]
    if isinstance(value, list | tuple):
        return [each for one in value for each in _words(one)]
    return [str(value)]


@asynccontextmanager
async def rehearsal(
    snapshot: Snapshot,
    scenarios: Mapping[str, Scenario],
    *,
    access: Models | None = None,
    by_hours: bool = False,
    everybody: bool = False,
    look: timedelta = timedelta(hours=1),
    seed: str = "0",
) -> AsyncIterator[Rehearsal]:
    """A company with these colleagues at work, until it is left. Raises `CastError` when they cannot come.

    `everybody`: who has no part comes when they are written to.
    """
    company = Company(snapshot, seed=seed, phase="work")
    async with AsyncExitStack() as stack:
        stack.callback(company.close)
        host = await stack.enter_async_context(Host())
        doors = [
            await host.serve(company, "chat", bind(), "examinee"),
            await host.serve(company, "chat", bind(), "npc"),
        ]
        urls = [f"http://127.0.0.1:{door.address[1]}" for door in doors]
        cast = await stack.enter_async_context(
            Cast.for_company(company, urls[1], scenarios, access=access, by_hours=by_hours, everybody=everybody)
        )
        you = examinee_of(company.world) or _somebody_else(company, (one.persona.username for one in cast.colleagues))
        token = (await with_company(company)(you))["resume"]
        headers = {"X-Auth-Token": token, "X-User-Id": _user_id(company, you)}
        client = await stack.enter_async_context(
            httpx.AsyncClient(base_url=f"{urls[0]}/api/v1/", headers=headers, trust_env=False, timeout=60)
        )
        cast.begin()
        company.begin_time()
        yield Rehearsal(company, cast, client, you, look if by_hours else timedelta(), everybody=everybody)


def _somebody_else(company: Company, cast: Iterable[str]) -> str:
    """A world that names no examinee is talked to as somebody who has no part."""
    taken = set(cast)
    found = next((one.username for one in company.world.people if one.username not in taken), None)
    if found is None:
        raise NobodyThere(f"Everybody at {company.world.name} has a part in this task; nobody is left to talk to them.")
    return found


def _user_id(company: Company, username: str) -> str:
    from dayjob.company.chat import Chat

    chat = company.service("chat")
    assert isinstance(chat, Chat)
    user = chat.store.accounts.named(username)
    return user.id if user is not None else ""
