"""Customers who write from outside: a visitor, their room, and the inquiry an agent takes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Inquiry, Message, Room, User, Visitor
from dayjob.company.chat.store.base import Page, Part
from dayjob.company.rows import packed

AGENT = "livechat-agent"
MANAGER = "livechat-manager"


class Livechat(Part):
    """Visitors, their rooms and the queue."""

    def visitor_by_id(self, id: str) -> Visitor | None:
        return self.store.one(Visitor, "visitors WHERE id = ?", id)

    def visitor(self, token: str) -> Visitor | None:
        return self.store.one(Visitor, "visitors WHERE token = ?", token)

    def register(self, token: str, username: str | None, name: str | None, facts: dict[str, Any]) -> Visitor:
        with self.store.change():
            found = self.visitor(token)
            if found is None:
                number = self.store.value("SELECT count(*) FROM visitors") + 1
                self.store.insert(
                    "visitors",
                    id=self.store.ids.short(),
                    token=token,
                    username=username or f"guest-{number}",
                    name=name,
                    facts=packed(facts),
                    at=self.store.now(),
                )
            else:
                self.store.update("visitors", found.id, name=name or found.name, facts=packed(facts))
        found = self.visitor(token)
        assert found is not None
        return found

    def online_agents(self) -> list[User]:
        return self.store.many(
            User,
            "users u WHERE u.active AND u.status != 'offline' AND EXISTS (SELECT 1 FROM json_each(u.roles) r WHERE "
            "r.value = ?)",
            AGENT,
        )

    def open_room(self, visitor: Visitor) -> tuple[Room, bool]:
        """The visitor's open conversation, or a new one that waits for an agent (or is given to one at once)."""
        room_id = self.store.value(
            "SELECT room_id FROM inquiries WHERE visitor_id = ? AND status != 'closed' ORDER BY at DESC LIMIT 1",
            visitor.id,
        )
        if room_id is not None:
            return self.store.rooms.must(room_id), False
        agents = self.online_agents()
        settings = self.store.settings
        if not agents and not settings.get("Livechat_accept_chats_with_no_agents"):
            raise ChatError("Sorry, no online agents", "no-agent-online")
        now, room_id = self.store.now(), self.store.ids.short()
        with self.store.change():
            self.store.insert(
                "rooms", id=room_id, type="l", fname=visitor.name or visitor.username, custom_fields=None,
                created_at=now, updated_at=now,
            )  # fmt: skip
            self.store.insert(
                "inquiries", id=self.store.ids.short(), room_id=room_id, visitor_id=visitor.id,
                name=visitor.name or visitor.username, status="queued", at=now, updated_at=now,
            )  # fmt: skip
            if agents and settings.get("Livechat_Routing_Method") == "Auto_Selection":
                self.take(self.inquiry_of(room_id), agents[0])
        return self.store.rooms.must(room_id), True

    def find_inquiry(self, room_id: str) -> Inquiry | None:
        return self.store.one(Inquiry, "inquiries WHERE room_id = ?", room_id)

    def inquiry_of(self, room_id: str) -> Inquiry:
        found = self.find_inquiry(room_id)
        if found is None:
            raise ChatError("Inquiry not found", "error-not-found")
        return found

    def inquiry(self, id: str) -> Inquiry:
        found = self.store.one(Inquiry, "inquiries WHERE id = ?", id)
        if found is None:
            raise ChatError("Inquiry not found", "error-not-found")
        return found

    def take(self, inquiry: Inquiry, agent: User) -> Inquiry:
        if inquiry.status == "taken":
            raise ChatError("Inquiry already taken", "error-inquiry-taken")
        with self.store.change():
            self.store.update("inquiries", inquiry.id, status="taken", agent_id=agent.id, updated_at=self.store.now())
            self.store.members.add(self.store.rooms.must(inquiry.room_id), agent, quiet=True)
        return self.inquiry(inquiry.id)

    def inquiries(self, page: Page, status: str | None = None) -> tuple[list[Inquiry], int]:
        where, arguments = ("status = ?", (status,)) if status else ("1", ())
        return self.store.page(Inquiry, f"inquiries WHERE {where}", page, "at DESC, id", *arguments)

    def say(self, visitor: Visitor, room: Room, text: str, id: str | None) -> Message:
        """A message from the visitor."""
        if self.inquiry_of(room.id).visitor_id != visitor.id:
            raise ChatError("Invalid room", "invalid-room")
        if id is not None and self.store.messages.get(id) is not None:
            raise ChatError("A message with this id already exists", "error-message-id-in-use")
        return self.store.messages.write(room, self.as_user(visitor), text, id=id)

    def as_user(self, visitor: Visitor) -> User:
        """A visitor in the place of an account, for writing messages only."""
        bot = self.store.accounts.get("rocket.cat")
        assert bot is not None
        return replace(bot, id=visitor.id, username=visitor.username, name=visitor.name or visitor.username, roles="[]")
