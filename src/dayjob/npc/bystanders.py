"""Everybody who has no part in a task: they come when somebody writes to them, and answer as who they are.

Nobody of them is in chat before that, so that a company in which nobody is asked pays for nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from dayjob.company.clock import moment
from dayjob.npc.persona import Persona
from dayjob.task.colleague_sheet import ColleagueSheet
from dayjob.task.scenario import Scenario

if TYPE_CHECKING:
    from dayjob.company.company import Company

NO_PART = Scenario(sheet=ColleagueSheet({}), mind="script")
"""What somebody without a part plays: what they know in every task, what they can see, and nothing else."""


class Bystanders:
    """Hears who is written to, and has them come."""

    def __init__(self, company: Company, examinee: str | None, bring: Callable[[Persona, int], None]) -> None:
        self._company = company
        self._examinee = examinee
        self._bring = bring
        self._there: set[str] = set()
        self.people = {
            person.username: person
            for person in company.world.people
            if person.more.get("voice") and person.username != examinee
        }

    def are_there(self, usernames: set[str]) -> None:
        """They need not be fetched."""
        self._there |= usernames

    def persona(self, username: str) -> Persona:
        return Persona.of(self.people[username])

    def listen(self) -> Callable[[], None]:
        """From now on; returns the way to stop."""
        return self._company.listen(self._event) if self.people else lambda: None

    def _event(self, topic: str, facts: dict[str, Any]) -> None:
        if topic != "chat.message" or not facts["new"] or facts["username"] != self._examinee:
            return
        called = set(facts["mentions"])
        if facts["room_type"] == "d":
            called |= self._members(facts["room_id"])
        for username in sorted(called & self.people.keys() - self._there):
            self._there.add(username)
            self._bring(self.persona(username), round(moment(facts["at"]).timestamp() * 1000))

    def _members(self, room: str) -> set[str]:
        from dayjob.company.chat import Chat

        chat = self._company.service("chat")
        assert isinstance(chat, Chat)
        names = (chat.store.accounts.names(id) for id in chat.store.members.user_ids(room))
        return {one[0] for one in names if one is not None}
