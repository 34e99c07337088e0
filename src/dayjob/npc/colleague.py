"""One colleague at work in chat: present, listening, answering; back again when chat was away.

Hears every message in their rooms, decides which are meant for them, and holds each conversation on its own. While a
mind thinks, what comes in waits; the next decision sees all of it. What other colleagues say is heard and remembered,
but never answered: so they cannot talk to each other in a loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from dayjob.company.acting import Doer
from dayjob.company.ids import Ids
from dayjob.company.timeline.acts import NotDone, carry_out
from dayjob.llm.faults import Label, ModelFault
from dayjob.npc.evidence import Evidence, Turn
from dayjob.npc.hearing import Conversation, Line, is_addressed
from dayjob.npc.minds import Decision, Mind
from dayjob.npc.pacing import Pacing
from dayjob.npc.pacing import Turn as Slot
from dayjob.npc.persona import Persona
from dayjob.npc.realtime import Realtime, RealtimeError
from dayjob.npc.signing_in import SignIn, SignInError
from dayjob.npc.voice import filled
from dayjob.task.colleague_sheet import Deed

if TYPE_CHECKING:
    from dayjob.company.company import Company

log = logging.getLogger("dayjob.npc")

_REMEMBERED = 200
_RECALLED = 30
_THINKING = 4
# Faults of a model that the words it was given may have brought about.
_DOUBTFUL = (Label.MALFORMED, Label.REFUSED, Label.LATE, Label.PROVIDER_DOWN)


# What of a decision is noted for the record.
_NOTED = {
    "silent_to_a_question": "chose twice to say nothing to a question",
    "unusable": "gave no usable reply, and the colleague had but a plain word",
}

_T = TypeVar("_T")


class _NoDecision(Exception):
    """A mind did not decide in time."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """Where colleagues are and what they share."""

    url: str | Callable[[], Awaitable[str]]
    """Chat's address, or the way to it for whoever comes first."""
    sign_in: SignIn
    evidence: Evidence
    usernames: frozenset[str]
    """Everybody in the cast, so that they do not take each other for people."""
    seed: str = "0"
    decision_seconds: float = 120.0
    away_seconds: float = 30.0
    """Longer without chat than this, and the colleague counts as dead."""
    names: tuple[Persona, ...] = ()
    """Everybody in the cast, by whom one of several is told apart."""
    pacing: Pacing | None = None
    """When they get round to what was said to them; None is at once."""
    company: Company | None = None
    """Where they can do more than write; None is a chat alone."""
    thinking: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(_THINKING))
    """How many decisions are made at a time: who opens a hundred threads at once waits for a hundred answers."""

    async def address(self) -> str:
        return self.url if isinstance(self.url, str) else await self.url()


class Colleague:
    """A persona with a mind, in chat."""

    def __init__(self, mind: Mind, workplace: Workplace) -> None:
        self.mind = mind
        self.persona = mind.briefing.persona
        self.scenario = mind.briefing.scenario
        self._at = workplace
        self._present = asyncio.Event()
        self._connection: Realtime | None = None
        self._conversations: dict[tuple[str, str], Conversation] = {}
        self._rooms: dict[str, tuple[str, str]] = {}
        self._seen: dict[str, Line | None] = {}
        self._meant: dict[tuple[str, str], list[Line]] = {}
        self._newest = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._busy: set[tuple[str, str]] = set()
        self._ids = Ids(f"{workplace.seed}/{self.persona.username}")
        self._chance = random.Random(f"{workplace.seed}/{self.persona.username}")
        self._drawn = 0
        """How often chance was asked."""
        self._planned: dict[tuple[str, str], datetime] = {}
        """When they get round to each conversation that waits for its turn."""
        self._called = {one.username: one.name for one in mind.briefing.people}
        """What the company calls everybody, whatever they call themselves in chat."""
        self._done: set[str] = set()
        """Deeds that are done, for whomever."""
        mind.conversations = self._conversations.values

    # -- presence ------------------------------------------------------------------------------------------------

    @property
    def present(self) -> bool:
        """In chat right now."""
        return self._present.is_set()

    @property
    def tasks(self) -> tuple[asyncio.Task[Any], ...]:
        """Conversations in which they are thinking or about to write."""
        return tuple(self._tasks)

    async def arrive(self) -> None:
        """Sign in for the first time; from then on `live` keeps them there."""
        await self._connect(first=True)

    async def arrive_for(self, at: int) -> None:
        """Sign in because of what was said at a moment: it is the first thing they hear."""
        await self._connect(first=True)
        assert self._connection is not None
        self._newest = at - 1
        await self._catch_up(self._connection)

    async def live(self) -> None:
        """Stay in chat until cancelled; sign in again whenever the connection ends."""
        while True:
            assert self._connection is not None
            await self._connection.closed.wait()
            self._present.clear()
            gone, pause, told = time.monotonic(), 0.02, False
            while not self._present.is_set():
                try:
                    await self._connect(first=False)
                except (RealtimeError, SignInError) as error:
                    if not told and time.monotonic() - gone > self._at.away_seconds:
                        told = True
                        self._stays_away(error)
                    await asyncio.sleep(pause)
                    pause = min(pause * 2, 2.0)

    def _stays_away(self, error: RealtimeError | SignInError) -> None:
        sentence = f"{self.persona.name} is not in chat: {error}"
        if isinstance(error, SignInError) or error.code:
            # Chat is there and does not let them in: their account was changed, which no fault of ours does.
            self._at.evidence.note(self.persona.name, sentence)
        else:
            self._at.evidence.fault(self.persona.name, "dead", sentence)

    async def hear_all(self) -> None:
        """Return once everything that chat has told so far was heard; somebody who is not in chat hears nothing."""
        if self._present.is_set() and self._connection is not None:
            with contextlib.suppress(RealtimeError):  # the connection ended: what was missed is read after the next
                await self._connection.ping()

    # -- memory --------------------------------------------------------------------------------------------------

    @property
    def memory(self) -> dict[str, Any]:
        """What they know while nobody waits for them but at a planned moment, as JSON takes it."""
        return {
            "conversations": [one.memory for one in self._conversations.values()],
            "rooms": self._rooms,
            "seen": {id: line and asdict(line) for id, line in self._seen.items()},
            "meant": [[*key, [asdict(line) for line in lines]] for key, lines in self._meant.items() if lines],
            "planned": [[*key, at.isoformat()] for key, at in self._planned.items()],
            "newest": self._newest,
            "ids": self._ids.drawn,
            "chance": self._drawn,
            "done": sorted(self._done),
            "mind": self.mind.memory,
        }

    async def come_back(self, memory: Mapping[str, Any]) -> None:
        """Be in chat as somebody was whose memory this is: nothing was missed, nothing is said."""
        for one in memory["conversations"]:
            self._conversations[one["room"], one["thread"]] = Conversation.recalled_from(one)
        self._rooms = {id: (kind, name) for id, (kind, name) in memory["rooms"].items()}
        self._seen = {id: line and Line.recalled_from(line) for id, line in memory["seen"].items()}
        self._meant = {
            (room, thread): [Line.recalled_from(line) for line in lines] for room, thread, lines in memory["meant"]
        }
        self._newest, self._ids.drawn = memory["newest"], memory["ids"]
        self._done = set(memory["done"])
        self.mind.recall(memory["mind"])
        while self._drawn < memory["chance"]:
            self._draw(0.0, 1.0)
        self._connection = await Realtime.open(
            await self._at.address(), await self._at.sign_in(self.persona.username), self._hear
        )
        self._present.set()

    def go_on(self, memory: Mapping[str, Any]) -> None:
        """Wait again for the turns that were waited for."""
        for room, thread, at in memory["planned"]:
            key = (room, thread)
            self._planned[key] = datetime.fromisoformat(at)
            self._busy.add(key)
            self._spawn(self._converse(key, self._conversations[key]))

    def _draw(self, low: float, high: float) -> float:
        self._drawn += 1
        return self._chance.uniform(low, high)

    async def leave(self) -> None:
        """Stop everything and go."""
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._connection is not None:
            await self._connection.close()

    async def _connect(self, *, first: bool) -> None:
        login = await self._at.sign_in(self.persona.username)
        connection = await Realtime.open(await self._at.address(), login, self._hear)
        self._connection = connection
        try:
            await self._settle_in(connection, first=first)
        except BaseException:
            await connection.close()
            raise
        self._present.set()

    async def _settle_in(self, connection: Realtime, *, first: bool) -> None:
        """Know the rooms; at first join what the scenario asks for, later read what was missed."""
        rooms = await connection.call("rooms/get")
        for room in rooms if isinstance(rooms, list) else rooms.get("update", []):
            self._rooms[room["_id"]] = (str(room.get("t", "c")), str(room.get("name") or room.get("fname") or ""))
            if first:
                self._newest = max(self._newest, _moment(room.get("lm")), _moment(room.get("_updatedAt")))
        if first:
            self._newest += 1  # what is there already was said before they came
            for name in self.scenario.channels:
                await self._join(connection, name)
        else:
            await self._catch_up(connection)

    async def _join(self, connection: Realtime, name: str) -> None:
        room = str(await connection.call("getRoomIdByNameOrId", name))
        if room not in self._rooms:
            await connection.call("joinRoom", room)
            self._rooms[room] = ("c", name)

    async def _catch_up(self, connection: Realtime) -> None:
        """Read what was said in every room while away."""
        since = {"lastUpdate": {"$date": self._newest}}
        missed: list[tuple[int, dict[str, Any]]] = []
        for room in tuple(self._rooms):
            try:
                found = await connection.call("messages/get", room, since)
            except RealtimeError:
                continue  # a room that is gone has nothing to tell
            missed += [(_moment(one.get("ts")), one) for one in found.get("updated", [])]
        horizon = self._newest
        for at, message in sorted(missed, key=lambda one: one[0]):
            if at >= horizon:
                kind, name = self._rooms.get(str(message.get("rid")), ("c", ""))
                self._hear(message, {"roomType": kind, "roomName": name})

    # -- hearing -------------------------------------------------------------------------------------------------

    def _hear(self, message: dict[str, Any], about: dict[str, Any]) -> None:
        """Everything said in their rooms comes here, once."""
        id = str(message.get("_id"))
        if id in self._seen:
            return
        line = self._line(message)
        self._seen[id] = line
        if line is None:
            return
        self._newest = max(self._newest, line.at)
        kind, name = about.get("roomType"), about.get("roomName")
        if kind and (line.room not in self._rooms or not self._rooms[line.room][0]):
            self._rooms[line.room] = (str(kind), str(name or ""))
        conversation = self._conversation(line)
        conversation.take_in(line, _REMEMBERED)
        if line.sender == self.persona.username:
            return
        conversation.unanswered.append(line)
        if line.sender in self._at.usernames or (conversation.left and not self._called_back(conversation, line)):
            return
        if conversation.direct:
            self._take_up(conversation, line)
        elif line.thread and line.thread not in self._seen:
            self._spawn(self._look_up(conversation, line))
        elif self._is_addressed(conversation, line):
            self._take_up(conversation, line)

    def _line(self, message: dict[str, Any]) -> Line | None:
        """A message, by the name that the company has for its sender: calling themselves so makes nobody another."""
        line = Line.of(message)
        if line is None:
            return None
        name = self._called.get(line.sender, line.name)
        if line.sender not in self._called and name.casefold() in {one.casefold() for one in self._called.values()}:
            name = line.sender
        return replace(line, name=name)

    def _is_addressed(self, conversation: Conversation, line: Line) -> bool:
        names = self._at.names if conversation.group else ()
        return is_addressed(line, self.persona, takes_part=self._takes_part(conversation), beside=names)

    def _called_back(self, conversation: Conversation, line: Line) -> bool:
        """Whether somebody who has left a conversation takes it up again: for whoever writes to them directly or calls
        them, unless they left for good."""
        if self.mind.leaves_for_good:
            return False
        called = conversation.direct or conversation.group or is_addressed(line, self.persona, takes_part=False)
        conversation.left = not called
        return called

    def _conversation(self, line: Line) -> Conversation:
        key = (line.room, line.thread)
        found = self._conversations.get(key)
        if found is None:
            kind, name = self._rooms.get(line.room, ("c", ""))
            # A direct room of more than two has an id of its own.
            user_id = self._connection.user_id if self._connection else ""
            found = Conversation(
                line.room, "g" if kind == "d" and user_id not in line.room else kind, name, line.thread
            )
            self._conversations[key] = found
        return found

    def _takes_part(self, conversation: Conversation) -> bool:
        first = self._seen.get(conversation.thread)
        own = self.persona.username
        begun = first is not None and (first.sender == own or own in first.mentions)
        return begun or any(own == one.sender or own in one.mentions for one in conversation.lines)

    async def _look_up(self, conversation: Conversation, line: Line) -> None:
        """A thread whose beginning is older than this colleague's memory: read it before deciding who is meant."""
        try:
            assert self._connection is not None
            found = await self._connection.call("getSingleMessage", line.thread)
            self._seen.setdefault(line.thread, self._line(found or {}))
        except RealtimeError:
            self._seen.setdefault(line.thread, None)
        if self._is_addressed(conversation, line):
            self._take_up(conversation, line)

    def _take_up(self, conversation: Conversation, line: Line) -> None:
        key = (conversation.room, conversation.thread)
        self._meant.setdefault(key, []).append(line)
        if key not in self._busy:
            self._busy.add(key)
            self._spawn(self._converse(key, conversation))

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work, name=f"npc {self.persona.username}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # -- answering -----------------------------------------------------------------------------------------------

    async def _converse(self, key: tuple[str, str], conversation: Conversation) -> None:
        try:
            while self._meant.get(key) and not conversation.left:
                slot = await self._slot(key)
                if slot is None:
                    return  # they are never there again
                try:
                    await self._take_turn(conversation, self._meant.pop(key))
                finally:
                    slot.end()
        finally:
            self._busy.discard(key)

    async def _slot(self, key: tuple[str, str]) -> Slot | None:
        """Wait until they get round to what was said."""
        pacing, username = self._at.pacing, self.persona.username
        if pacing is None:
            return Slot()
        at = self._planned.get(key) or pacing.when(username, self._meant[key][-1].at, self._draw(0.0, 1.0))
        if at is None:
            return None
        self._planned[key] = at
        try:
            return await pacing.turn(username, at)
        finally:
            del self._planned[key]

    async def _take_turn(self, conversation: Conversation, meant: list[Line]) -> None:
        heard, conversation.unanswered = conversation.unanswered, []
        conversation.seen = heard[-1].id
        if self.mind.recalls and not conversation.recalled:
            await self._recall(conversation)
            await self._look_around(conversation)
        turn = Turn(self.persona.name, self.mind.kind, conversation.place, conversation.thread, heard)
        decision = await self._decide(conversation, meant, turn)
        if decision is not None:
            for what, said in _NOTED.items():
                if why := decision.how.get(what):
                    note = f"{self.persona.name}'s model {said}" + (f": {why}" if isinstance(why, str) else "")
                    self._at.evidence.note(self.persona.name, note)
            await self._act(conversation, decision, turn)
        self._at.evidence.turn(turn)

    async def _recall(self, conversation: Conversation) -> None:
        """Read what was said here before; a room that cannot be read is one without a past."""
        conversation.recalled = True
        assert self._connection is not None
        try:
            if conversation.thread:
                found = await self._connection.call(
                    "getThreadMessages", {"tmid": conversation.thread, "limit": _RECALLED}
                )
                found = [await self._connection.call("getSingleMessage", conversation.thread), *found]
            else:
                found = (await self._connection.call("loadHistory", conversation.room, None, _RECALLED))["messages"]
        except RealtimeError:
            return
        known = {one.id for one in conversation.lines}
        told = [line for one in found if isinstance(one, dict) and (line := self._line(one)) is not None]
        lines = {line.id: line for line in told if line.id not in known}
        first = conversation.lines[0].at if conversation.lines else 0
        older = sorted((one for one in lines.values() if one.at <= first), key=lambda one: one.at)
        self._seen.update({one.id: one for one in older})
        conversation.lines[:0] = older

    async def _look_around(self, conversation: Conversation) -> None:
        """Read who else is in the room; of one that does not tell it is not known."""
        if conversation.direct or self._connection is None:
            return
        with contextlib.suppress(RealtimeError):
            listed = await self._connection.call("getUsersOfRoom", conversation.room, True)
            here = {str(one.get("username")) for one in (listed or {}).get("records", ())}
            conversation.members = sorted(here - {self.persona.username})

    async def _decide(self, conversation: Conversation, meant: list[Line], turn: Turn) -> Decision | None:
        async with self._at.thinking:
            began = time.monotonic()
            try:
                decision = await self._decided(conversation, meant)
            except ModelFault as fault:
                self._failed(turn, str(fault.label), f"{self.persona.name} reached no decision: {fault.sentence}")
            except _NoDecision as problem:
                self._failed(turn, "no_decision", str(problem))
            except Exception as error:
                log.exception("the mind of %s failed", self.persona.name)
                said = f"The mind of {self.persona.name} failed: {type(error).__name__}: {error}."
                self._failed(turn, "mind_failed", said)
            else:
                turn.action, turn.how = decision.action, decision.how
                turn.seconds = time.monotonic() - began
                return decision
            turn.seconds = time.monotonic() - began
            return None

    async def _decided(self, conversation: Conversation, meant: list[Line]) -> Decision:
        """A decision. A mind that fails on one conversation and not on a plain greeting was made to fail by what was
        said to it: its colleague says nothing, and that is noted. Otherwise the fault is its model's."""
        name = self.persona.name
        try:
            return await self._in_time(self.mind.decide(conversation, meant))
        except (ModelFault, _NoDecision) as problem:
            doubtful = not isinstance(problem, ModelFault) or problem.label in _DOUBTFUL
            if not doubtful or not await self._in_time(self.mind.able()):
                raise
        try:
            return await self._in_time(self.mind.decide(conversation, meant))
        except (ModelFault, _NoDecision) as problem:
            sentence = f"{name} had no answer to what was said in {conversation.place}, though to a greeting: {problem}"
            self._at.evidence.note(name, sentence)
            return Decision("silent", (), {"unanswerable": str(problem)})

    async def _in_time(self, work: Awaitable[_T]) -> _T:
        try:
            async with asyncio.timeout(self._at.decision_seconds):
                return await work
        except TimeoutError:
            limit = self._at.decision_seconds
            raise _NoDecision(f"{self.persona.name} reached no decision within {limit:g} s.") from None

    def _failed(self, turn: Turn, label: str, sentence: str) -> None:
        turn.fault = label
        self._at.evidence.fault(self.persona.name, label, sentence)

    async def _act(self, conversation: Conversation, decision: Decision, turn: Turn) -> None:
        low, high = self.scenario.delay
        if decision.messages and (high or self.scenario.typing):
            await self._show_typing(conversation.room, True)
            await asyncio.sleep(self._draw(low, high))
        for text in decision.messages:
            if self.scenario.secrets.revealed_by(text) is not None:
                turn.withheld.append(text)
                continue
            await self.say(conversation.room, text, conversation.thread, answers=conversation)
            turn.said.append(text)
        if decision.reaction and turn.heard:
            await self._react(turn.heard[-1].id, decision.reaction, turn)
        for deed in decision.deeds:
            text = await self._do(deed, turn)
            if text:
                await self.say(conversation.room, text, conversation.thread, answers=conversation)
                turn.said.append(text)
        if decision.messages and self.scenario.typing:
            await self._show_typing(conversation.room, False)
        if decision.action == "silent" and turn.heard:
            conversation.silent_after.add(turn.heard[-1].id)
        # What came in while they made up their mind to go is still for them, unless they go for good.
        waits = self._meant.get((conversation.room, conversation.thread)) and not self.mind.leaves_for_good
        conversation.left = decision.action == "leave" and not waits

    async def _react(self, message: str, emoji: str, turn: Turn) -> None:
        if self._at.company is None:
            return
        doer = Doer(self._at.company, self.persona.username, "npc")
        answer = await doer.do("chat", "POST", "/api/v1/chat.react", {"messageId": message, "emoji": emoji})
        if answer.ok:
            turn.did.append({"reaction": emoji})

    async def _do(self, deed: Deed, turn: Turn) -> str:
        """Do something under their own account, once, whoever asks for it and however often; what they say about
        it."""
        if self._at.company is None:
            return ""
        if deed.id in self._done:
            return self.mind.word_for("did", turn)
        self._done.add(deed.id)
        try:
            await carry_out(Doer(self._at.company, self.persona.username, "npc"), deed.act, deed.facts)
        except NotDone as refusal:
            self._done.remove(deed.id)
            self._at.evidence.note(self.persona.name, f"{self.persona.name} could not {deed.act}: {refusal}")
            turn.did.append({"deed": deed.id, "refused": str(refusal)})
            return self.mind.word_for("failed", turn)
        turn.did.append({"deed": deed.id})
        sender = turn.heard[-1].name.split()[0] if turn.heard and turn.heard[-1].name else ""
        return filled(deed.says, {"sender": sender}) or self.mind.word_for("did", turn)

    async def _show_typing(self, room: str, begun: bool) -> None:
        if self.scenario.typing and self._connection is not None:
            try:
                activity = ["user-typing"] if begun else []
                name = self.persona.username
                await self._connection.call("stream-notify-room", f"{room}/user-activity", name, activity, {})
            except RealtimeError:
                pass  # nobody misses it

    async def say(self, room: str, text: str, thread: str = "", answers: Conversation | None = None) -> None:
        """Post a message exactly once, even if chat goes away in the middle."""
        message = {"_id": self._ids.short(), "rid": room, "msg": text, **({"tmid": thread} if thread else {})}
        if answers is not None and answers.seen:
            answers.own_after[str(message["_id"])] = answers.seen
        while True:
            await self._present.wait()
            assert self._connection is not None
            try:
                await self._connection.call("sendMessage", message)
                return
            except RealtimeError as error:
                if not self._connection.closed.is_set():
                    # Refused while connected: it arrived before the connection was lost, or it never will.
                    if message["_id"] in self._seen:
                        return
                    # Whoever removed, archived or closed the room has the silence that comes of it.
                    reason = f"{self.persona.name} could not write to the room: {error}"
                    self._at.evidence.note(self.persona.name, reason)
                    return
                self._present.clear()

    async def write_first(self, to: str, text: str) -> None:
        """Send a message nobody asked for: to a username, or to a channel with its #."""
        await self._present.wait()
        assert self._connection is not None
        try:
            if to.startswith("#"):
                room = str(await self._connection.call("getRoomIdByNameOrId", to[1:]))
            else:
                room = str((await self._connection.call("createDirectMessage", to))["rid"])
        except RealtimeError as error:
            self._at.evidence.note(self.persona.name, f"{self.persona.name} could not reach {to}: {error}")
            return
        await self.say(room, text)
        place = to if to.startswith("#") else "direct messages"
        self._at.evidence.turn(Turn(self.persona.name, self.mind.kind, place, "", [], "initiates", [text]))


def _moment(value: Any) -> int:
    found = value.get("$date") if isinstance(value, dict) else None
    return found if isinstance(found, int) else 0
