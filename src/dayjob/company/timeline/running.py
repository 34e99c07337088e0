"""The timeline of one running company: what is still to come is on its agenda or waits for an event."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from dayjob.company import happened
from dayjob.company.acting import Doer
from dayjob.company.agenda import Due
from dayjob.company.clock import moment, stamp
from dayjob.company.expressions import expression
from dayjob.company.timeline.acts import NotDone, carry_out
from dayjob.company.timeline.model import Entry
from dayjob.company.timeline.places import EVENTS

if TYPE_CHECKING:
    from dayjob.company.company import Company

log = logging.getLogger("dayjob.company")


class Timeline:
    """Puts each line on the agenda when its moment is known, and never twice."""

    def __init__(self, company: Company, entries: list[Entry]) -> None:
        self._company = company
        self._entries = entries
        self._queued: dict[str, Due] = {}
        self._waiting: list[Entry] = []
        self._stop: Callable[[], None] = company.listen(self._hear)
        self.refused: list[str] = []
        """What could not be done, each in a sentence: for the author, or because of what was changed before."""
        self.load()

    def load(self) -> None:
        """Read from the databases what has happened; whatever has not is still to come."""
        for due in self._queued.values():
            self._company.agenda.drop(due)
        self._queued, self._waiting = {}, []
        done: set[str] = set()
        expected: dict[str, str] = {}
        for service in sorted({one.service for one in self._entries}):
            db = self._company.database(service)
            done |= happened.marked(db)
            expected |= happened.expected(db)
        for number, one in enumerate(self._entries):
            if one.mark in done:
                continue
            if (at := one.at or expected.get(one.mark)) is not None:
                self._queue(one, number, at)
            elif one.after == "entry" and one.where["mark"] in done:
                # Its cue came, and the company was ended before that was written down.
                self._expect(one)
            else:
                self._waiting.append(one)

    def close(self) -> None:
        self._stop()

    def _queue(self, one: Entry, number: int, at: str) -> None:
        self._queued[one.mark] = self._company.agenda.add(moment(at), f"{number:06}", lambda: self._do(one))

    async def _do(self, one: Entry) -> None:
        self._queued.pop(one.mark, None)
        doer = Doer(self._company, one.who, mark=one.mark)
        try:
            await carry_out(doer, one.act, one.facts)
        except NotDone as error:
            self.refused.append(f"{one.place}: {one.who} could not {one.act}: {error}")
        except Exception:
            log.exception("%s failed", one.place)
            self.refused.append(f"{one.place}: {one.who} could not {one.act}: the service failed; see its log")
        # Once is once: what was refused is not tried again, and what needed no transaction is marked here.
        happened.mark(self._company.database(one.service), one.mark)
        for other in tuple(self._waiting):
            if other.after == "entry" and other.where["mark"] == one.mark:
                self._expect(other)

    def _hear(self, topic: str, facts: dict[str, Any]) -> None:
        for one in tuple(self._waiting):
            if one.after != "entry" and self._fits(one, topic, facts):
                self._expect(one)

    def _expect(self, one: Entry) -> None:
        """Its event has come: it is due then, whatever else comes."""
        if one in self._waiting:
            self._waiting.remove(one)
        at = stamp(self._company.clock.now() + timedelta(seconds=one.delay))
        happened.expect(self._company.database(one.service), one.mark, at)
        self._queue(one, self._entries.index(one), at)

    def _fits(self, one: Entry, topic: str, facts: dict[str, Any]) -> bool:
        wanted, begins = EVENTS[one.after]
        if topic != wanted or not all(str(facts.get(key, "")).startswith(text) for key, text in begins.items()):
            return False
        return all(self._is(one, key, str(value), facts) for key, value in one.where.items())

    def _is(self, one: Entry, key: str, value: str, facts: dict[str, Any]) -> bool:
        match key:
            case "by":
                return value == facts.get("username", facts.get("author"))
            case "with":
                return value == facts.get("with")
            case "in" if value.startswith("#"):
                return value[1:] == facts.get("room_name")
            case "in":
                names = self._members(str(facts.get("room_id"))) if facts.get("room_type") == "d" else ()
                return value[1:] in names and one.who in names
            case "saying":
                return expression(value, ignore_case=True).found_in(str(facts.get("text", "")))
            case "title":
                return expression(value, ignore_case=True).found_in(str(facts.get("title") or ""))
            case "project":
                return value == self._project(facts.get("project_id"))
            case _:
                path = str(facts.get("path", ""))
                return path == value or path.endswith("/" + value.strip("/"))

    def _members(self, room_id: str) -> tuple[str, ...]:
        from dayjob.company.chat import Chat

        chat = self._company.service("chat")
        assert isinstance(chat, Chat)
        room = chat.store.rooms.get(room_id)
        ids = json.loads(room.uids) if room is not None and room.uids else []
        return tuple(user.username for id in ids if (user := chat.store.accounts.get(id)) is not None)

    def _project(self, project_id: Any) -> str:
        from dayjob.company.forge.service import Forge
        from dayjob.company.forge.store import projects

        forge = self._company.service("forge")
        assert isinstance(forge, Forge)
        found = projects.find(forge.store, str(project_id)) if project_id is not None else None
        return found.full_path if found is not None else ""
