"""Rooms: making, finding, changing and removing channels, private groups, direct rooms and discussions."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dayjob.company.chat.errors import ChatError, invalid, no_room, no_user, not_allowed
from dayjob.company.chat.rows import Membership, Room, User
from dayjob.company.chat.store.base import Page, Part
from dayjob.company.chat.store.conditions import ALL, Condition, among, holding
from dayjob.company.rows import packed, placeholders

PRIVATE_GROUPS = Condition("type = 'p'")
CHANNELS_AND_GROUPS = Condition("type IN ('c', 'p')")
NOT_ARCHIVED = Condition("NOT archived")
NO_DISCUSSIONS = Condition("parent_id IS NULL")
OPEN_CHANNELS = Condition("type = 'c' AND NOT archived AND parent_id IS NULL")
# Channels of private teams are left out of the directory: whoever may see them finds them in their own list.
LISTED_CHANNELS = OPEN_CHANNELS & Condition("team_id IS NULL OR team_main")
# What of a room takes a permission of its own.
_SETTINGS = {
    "read_only": "set-readonly",
    "react_read_only": "set-react-when-readonly",
    "encrypted": "toggle-room-e2e-encryption",
}
NAMED_FIRST = "name IS NULL, name, id"  # an order: direct rooms, which have no name, come last
_MOST_HIDDEN = 100  # types of system messages: more than there are, and few enough to ask for with every history
_NAME = re.compile(r"[0-9a-zA-Z-_.]+")


@dataclass(frozen=True, slots=True)
class SidebarRoom:
    """A room and what one of its members has not read there."""

    id: str
    type: str
    name: str | None
    fname: str | None
    uids: str | None
    parent_id: str | None
    unread: int
    alert: int
    favorite: int


class Rooms(Part):
    """The places where people talk."""

    # -- finding -------------------------------------------------------------------------------------------------

    def get(self, id: str) -> Room | None:
        return self.store.one(Room, "rooms WHERE id = ?", id)

    def named(self, name: str) -> Room | None:
        return self.store.one(Room, "rooms WHERE name = ?", name.removeprefix("#"))

    def must(self, id: str) -> Room:
        found = self.get(id)
        if found is None:
            raise no_room()
        return found

    def defaults(self) -> list[Room]:
        return self.store.many(Room, "rooms WHERE is_default AND type IN ('c', 'p') ORDER BY name")

    def listing(self, condition: Condition, page: Page) -> tuple[list[Room], int]:
        """Rooms in order, and how many there are in all."""
        where, arguments = condition.sql, condition.arguments
        return self.store.page(Room, f"rooms WHERE {where}", page, page.order or "name, id", *arguments)

    def joined(self, user: User, types: str, page: Page, *, since: str = "") -> tuple[list[Room], int]:
        """The rooms of these types (`"c"`, `"pd"`) a person is in, if they changed after `since`."""
        kinds = tuple(types)
        inside = (
            "rooms r WHERE r.id IN (SELECT room_id FROM memberships WHERE user_id = ? AND room_type IN "
            f"({placeholders(kinds)})) AND r.updated_at > ?"
        )
        return self.store.page(Room, inside, page, page.order or "r.name, r.id", user.id, *kinds, since)

    def matching(self, text: str, limit: int, condition: Condition = ALL) -> list[Room]:
        """Rooms whose name holds the text."""
        found = holding(text, "name", "fname") & condition
        return self.store.many(Room, f"rooms WHERE {found.sql} ORDER BY name LIMIT ?", *found.arguments, limit)

    def discussions(self, room: Room, page: Page) -> tuple[list[Room], int]:
        """What was started from a room."""
        return self.listing(Condition("parent_id = ?", (room.id,)), page)

    def of_types(self, types: Sequence[str], page: Page, text: str = "") -> tuple[list[Room], int]:
        """All rooms of these types, whose name holds the text."""
        return self.listing(among("type", types) & (holding(text, "name", "fname") if text else ALL), page)

    def of_teams(self, page: Page, text: str = "") -> tuple[list[Room], int]:
        """The main rooms of teams, whose name holds the text."""
        return self.listing(Condition("team_main") & (holding(text, "name", "fname") if text else ALL), page)

    def readable_channels(self, user: User, page: Page, wanted: Condition = ALL) -> tuple[list[Room], int]:
        return self.listing(self.store.access.channels_of(user) & wanted, page)

    def known_to(self, user: User) -> Condition:
        """The channels a person may read and the private groups they are in."""
        inside = "type = 'p' AND id IN (SELECT room_id FROM memberships WHERE user_id = ?)"
        return self.store.access.channels_of(user) | Condition(inside, (user.id,))

    def free_for_teams(self, user: User, text: str, limit: int) -> list[Room]:
        """Rooms that their owner could put into a team."""
        own = (
            "team_id IS NULL AND parent_id IS NULL AND NOT is_default AND id IN (SELECT m.room_id FROM memberships m, "
            "json_each(m.roles) r WHERE m.user_id = ? AND r.value = 'owner')"
        )
        return self.matching(text, limit, Condition(own, (user.id,)))

    def beside(self, user: User) -> list[SidebarRoom]:
        """The open rooms of a person, as the list at the side of a page shows them."""
        rows = self.store.rows(
            "SELECT r.id, r.type, r.name, r.fname, r.uids, r.parent_id, m.unread, m.alert, m.favorite"
            " FROM memberships m JOIN rooms r ON r.id = m.room_id"
            " WHERE m.user_id = ? AND m.open AND r.type IN ('c', 'p', 'd') AND NOT r.archived"
            " ORDER BY coalesce(r.fname, r.name) COLLATE NOCASE",
            user.id,
        )
        return [SidebarRoom(*row) for row in rows]

    # -- direct rooms --------------------------------------------------------------------------------------------

    def direct_between(self, *users: User) -> Room | None:
        return self.get(direct_id(*(user.id for user in users)))

    def open_direct(self, user: User, others: list[User]) -> Room:
        """The direct room of a person with others (or with themselves), made if there is none."""
        people = list({one.id: one for one in (user, *others)}.values())
        found = self.direct_between(*people)
        if found is not None:
            member = self.store.members.find(found.id, user.id)
            if member is None:
                with self.store.change():
                    self.store.members.add(found, user, quiet=True)
            elif not member.open:
                self.store.members.set_open(found, user, True)
            return self.must(found.id)
        self.store.access.require(user, "create-d")
        if any(not one.active for one in people):
            raise no_user()
        id = direct_id(*(one.id for one in people))
        now = self.store.now()
        with self.store.change():
            self.store.insert(
                "rooms", id=id, type="d", uids=packed([one.id for one in people]), created_at=now, updated_at=now
            )
            room = self.must(id)
            for one in people:
                self.store.members.add(room, one, quiet=True, open=one.id == user.id or len(people) > 2)
        return self.must(id)

    def directs_of(self, user: User) -> list[Room]:
        return self.store.many(
            Room,
            "rooms r JOIN memberships m ON m.room_id = r.id WHERE m.user_id = ? AND m.room_type = 'd'",
            user.id,
        )

    # -- making --------------------------------------------------------------------------------------------------

    def create(
        self,
        kind: str,
        name: str,
        owner: User,
        *,
        members: list[User] | None = None,
        topic: str | None = None,
        read_only: bool = False,
        custom_fields: dict[str, Any] | None = None,
        fname: str | None = None,
        parent: Room | None = None,
        team_id: str | None = None,
        team_main: bool = False,
        broadcast: bool = False,
        encrypted: bool = False,
        description: str | None = None,
    ) -> Room:
        """A channel (`c`) or private group (`p`), with its owner and first members."""
        if parent is None:
            self.check_name(name)
        now = self.store.now()
        id = self.store.ids.short()
        with self.store.change():
            self.store.insert(
                "rooms", id=id, type=kind, name=name, fname=fname or name, owner_id=owner.id, topic=topic,
                description=description, read_only=read_only or broadcast, broadcast=broadcast, encrypted=encrypted,
                custom_fields=packed(custom_fields) if custom_fields is not None else None,
                parent_id=parent.id if parent else None, team_id=team_id, team_main=team_main,
                created_at=now, updated_at=now,
            )  # fmt: skip
            room = self.must(id)
            self.store.members.add(room, owner, roles=["owner"], quiet=True)
            for member in members or []:
                if member.id != owner.id:
                    self.store.members.add(room, member, by=owner, quiet=True)
            self.store.announce("room", kind="inserted", room_id=id)
        return self.must(id)

    def check_name(self, name: str, but: str | None = None) -> None:
        if not _NAME.fullmatch(name):
            raise ChatError(
                f"{name} is not a valid room name. Use only letters, numbers, hyphens, underscores and dots",
                "error-invalid-room-name",
            )
        other = self.named(name)
        if other is not None and other.id != but:
            kind = "archived-" if other.archived else ""
            raise ChatError(f"A channel with name '{name}' exists", f"error-{kind}duplicate-channel-name")

    def start_discussion(
        self, parent: Room, title: str, user: User, *, members: list[User], message_id: str | None, reply: str
    ) -> Room:
        """A room of its own for a subject raised in another room."""
        if not title.strip():
            raise ChatError("The discussion needs a name", "error-invalid-arguments")
        if parent.parent_id is not None:
            raise ChatError("Cannot create nested discussions", "error-nested-discussion")
        kind = "p" if parent.type == "d" else parent.type
        with self.store.change():
            room = self.create(
                kind, self.store.ids.short(), user, members=members, fname=title, parent=parent,
                topic=None, description=f"Discussion in {parent.name or 'a direct message'}",
            )  # fmt: skip
            origin = self.store.messages.get(message_id) if message_id else None
            if origin is not None:
                self.store.messages.link_discussion(origin, room)
                self.store.messages.write(room, user, "", quote=origin, quiet=True)
            self.store.messages.system(parent, user, "discussion-created", title, discussion_id=room.id)
            if reply:
                self.store.messages.write(room, user, reply)
        return self.must(room.id)

    # -- changing ------------------------------------------------------------------------------------------------

    def change(self, room: Room, by: User, **values: Any) -> Room:
        """Set columns of a room; those people should notice leave a line in the room."""
        with self.store.change():
            self.store.update("rooms", room.id, **values, updated_at=self.store.now())
            changed = self.must(room.id)
            for column, type in (
                ("topic", "room_changed_topic"),
                ("announcement", "room_changed_announcement"),
                ("description", "room_changed_description"),
            ):
                if column in values and values[column] != getattr(room, column):
                    self.store.messages.system(changed, by, type, values[column] or "")
            if "archived" in values and values["archived"] != room.archived:
                self.store.messages.system(
                    changed, by, "room-archived" if values["archived"] else "room-unarchived", ""
                )
            if "read_only" in values and values["read_only"] != room.read_only:
                type = "room-set-read-only" if values["read_only"] else "room-removed-read-only"
                self.store.messages.system(changed, by, type, "")
            self.store.announce("room", kind="updated", room_id=room.id)
        return self.must(room.id)

    def require_settings(self, room: Room, by: User, values: dict[str, Any]) -> None:
        """Refuse whoever changes something of a room that takes more than the right to edit it."""
        for column, permission in _SETTINGS.items():
            changes = column in values and values[column] != getattr(room, column)
            if changes and not self.store.access.can(by, permission, room):
                raise ChatError("Editing room is not allowed", "error-action-not-allowed")

    @staticmethod
    def hiding(types: list[str] | None) -> str | None:
        """A room's own choice of system messages that are not shown, as it is kept; None leaves it to the workspace."""
        if types is not None and len(types) > _MOST_HIDDEN:
            raise invalid(f"systemMessages must not hold more than {_MOST_HIDDEN} types")
        return None if types is None else packed(types)

    def hidden_types(self, room: Room) -> list[str]:
        """The types of system messages that a room's history leaves out: its own choice, else the workspace's."""
        named = self.store.settings.get("Hide_System_Messages") or []
        if room.hidden_lines is not None:
            named = json.loads(room.hidden_lines)
        return [type for one in named for type in (("user-muted", "user-unmuted") if one == "mute_unmute" else (one,))]

    def rename(self, room: Room, by: User, name: str) -> Room:
        if room.parent_id is not None:
            return self.change(room, by, fname=name)
        if name == room.name:
            return room
        self.check_name(name, room.id)
        with self.store.change():
            changed = self.change(room, by, name=name, fname=name)
            self.store.messages.system(changed, by, "r", name)
            if room.team_main and room.team_id:
                self.store.update("teams", room.team_id, name=name, updated_at=self.store.now())
        return self.must(room.id)

    def set_type(self, room: Room, by: User, kind: str) -> Room:
        if kind not in ("c", "p"):
            raise ChatError("Invalid room type", "error-invalid-room-type")
        if room.type == kind:
            raise ChatError("The room already has this type", "error-invalid-room-type")
        if room.is_default and kind == "p":
            raise ChatError("Cannot change default channel to private", "error-action-not-allowed")
        with self.store.change():
            self.store.run("UPDATE memberships SET room_type = ? WHERE room_id = ?", kind, room.id)
            changed = self.change(room, by, type=kind)
            self.store.messages.system(changed, by, "room_changed_privacy", "private" if kind == "p" else "public")
        return self.must(room.id)

    def set_muted(self, room: Room, by: User, username: str, muted: bool) -> None:
        names: list[str] = json.loads(room.muted)
        target = self.store.accounts.named(username)
        if target is None or self.store.members.find(room.id, target.id) is None:
            raise ChatError("User is not in this room", "error-user-not-in-room")
        if muted == (target.username in names):
            return
        names = [*names, target.username] if muted else [name for name in names if name != target.username]
        with self.store.change():
            self.store.update("rooms", room.id, muted=packed(names), updated_at=self.store.now())
            self.store.messages.system(room, by, "user-muted" if muted else "user-unmuted", target.username)

    def delete(self, room: Room) -> None:
        """Remove a room with everything said in it."""
        if room.id == "GENERAL":
            raise not_allowed("The general channel cannot be deleted")
        with self.store.change():
            for member in self.store.many(Membership, "memberships WHERE room_id = ?", room.id):
                self.store.members.note_left(member)
            self.store.run("DELETE FROM uploads WHERE room_id = ?", room.id)
            self.store.run("DELETE FROM messages WHERE room_id = ?", room.id)
            self.store.run("DELETE FROM invites WHERE room_id = ?", room.id)
            self.store.run("DELETE FROM rooms WHERE id = ?", room.id)
            self.store.announce("room", kind="removed", room_id=room.id)


def direct_id(*user_ids: str) -> str:
    """The id of the direct room of these people: theirs, sorted, joined (one's own twice when alone)."""
    ids = sorted(set(user_ids))
    if len(ids) == 1:
        return ids[0] * 2
    if len(ids) == 2:
        return "".join(ids)
    return hashlib.sha256("".join(ids).encode()).hexdigest()[:24]
