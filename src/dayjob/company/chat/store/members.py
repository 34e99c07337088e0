"""Who is in a room, with which roles, and what they have not read yet."""

from __future__ import annotations

from typing import Any

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Membership, Room, User
from dayjob.company.chat.store.base import Page, Part
from dayjob.company.rows import like, packed, placeholders

ROOM_ROLES = ("owner", "moderator", "leader")


class Members(Part):
    """Joining, leaving, roles in a room, and unread marks."""

    # -- finding -------------------------------------------------------------------------------------------------

    def find(self, room_id: str, user_id: str) -> Membership | None:
        return self.store.one(Membership, "memberships WHERE room_id = ? AND user_id = ?", room_id, user_id)

    def must(self, room_id: str, user_id: str) -> Membership:
        found = self.find(room_id, user_id)
        if found is None:
            raise ChatError("User is not in this room", "error-user-not-in-room")
        return found

    def of_user(self, user: User, since: str = "") -> list[Membership]:
        return self.store.many(
            Membership, "memberships WHERE user_id = ? AND updated_at > ? ORDER BY created_at, id", user.id, since
        )

    def left_since(self, user: User, since: str) -> list[tuple[str, str, str]]:
        """(membership id, room id, when) of rooms a person is no longer in."""
        return [
            (str(id), str(room), str(at))
            for id, room, at in self.store.rows(
                "SELECT membership_id, room_id, at FROM left_rooms WHERE user_id = ? AND at > ?", user.id, since
            )
        ]

    def user_ids(self, room_id: str) -> list[str]:
        return [row[0] for row in self.store.rows("SELECT user_id FROM memberships WHERE room_id = ?", room_id)]

    def listing(
        self, room: Room, page: Page, *, text: str = "", statuses: list[str] | None = None, role: str | None = None
    ) -> tuple[list[User], int]:
        where, arguments = "m.room_id = ? AND u.active", [room.id]
        if text:
            where += " AND (u.username LIKE ? ESCAPE '\\' OR u.name LIKE ? ESCAPE '\\')"
            arguments += [like(text)] * 2
        if statuses:
            where += f" AND u.status IN ({placeholders(statuses)})"
            arguments += statuses
        if role:
            where += " AND EXISTS (SELECT 1 FROM json_each(m.roles) r WHERE r.value = ?)"
            arguments.append(role)
        plain = not (text or statuses or role)
        # In a room of nearly everybody, going through people by name and stopping early beats sorting all members.
        crowded = plain and room.type != "d" and room.members * 4 > self.store.accounts.count()
        inside = f"users u {'CROSS ' if crowded else ''}JOIN memberships m ON m.user_id = u.id WHERE {where}"
        if plain:
            total = room.members - self._inactive(room)
        else:
            total = self.store.value(f"SELECT count(*) FROM {inside}", *arguments)
        order = page.order or ("m.created_at, m.rowid" if room.type == "d" else "u.username")
        found = self.store.many(
            User, f"{inside} ORDER BY {order} LIMIT ? OFFSET ?", *arguments, page.limit, page.offset
        )
        return found, total

    def _inactive(self, room: Room) -> int:
        found: int = self.store.value(
            "SELECT count(*) FROM users u JOIN memberships m ON m.user_id = u.id AND m.room_id = ? WHERE NOT u.active",
            room.id,
        )
        return found

    def holders(self, room_id: str) -> list[tuple[Membership, User]]:
        """Those with a role in the room."""
        found = self.store.many(
            Membership, "memberships WHERE room_id = ? AND roles != '[]' ORDER BY created_at, id", room_id
        )
        pairs = [(member, self.store.accounts.get(member.user_id)) for member in found]
        return [(member, user) for member, user in pairs if user is not None]

    def count_role(self, room_id: str, role: str) -> int:
        return int(
            self.store.value(
                "SELECT count(*) FROM memberships m, json_each(m.roles) r WHERE m.room_id = ? AND r.value = ?",
                room_id, role,
            )
        )  # fmt: skip

    # -- coming --------------------------------------------------------------------------------------------------

    def add(
        self,
        room: Room,
        user: User,
        *,
        roles: list[str] | None = None,
        by: User | None = None,
        quiet: bool = False,
        open: bool = True,
    ) -> None:
        """Put a person into a room; already there is fine. `by` is who added them, if not themselves."""
        if self.find(room.id, user.id) is not None:
            return
        now = self.store.now()
        with self.store.change():
            self.store.insert(
                "memberships", id=self.store.ids.short(), room_id=room.id, user_id=user.id, room_type=room.type,
                roles=packed(roles or []), open=open, last_seen=now, created_at=now, updated_at=now,
            )  # fmt: skip
            self.store.run("UPDATE rooms SET members = members + 1, updated_at = ? WHERE id = ?", now, room.id)
            if not quiet:
                if by is None or by.id == user.id:
                    self.store.messages.system(room, user, "uj", user.username)
                else:
                    self.store.messages.system(room, by, "au", user.username)
            self.store.announce("membership", kind="inserted", room_id=room.id, user_id=user.id)

    def join(self, room: Room, user: User, code: str | None = None) -> None:
        """Enter a room that one may read without being in it."""
        if self.find(room.id, user.id) is not None:
            return
        if not self.store.access.may_read(user, room):
            raise ChatError("Not allowed", "error-not-allowed")
        if room.join_code and code != room.join_code and not self.store.access.can(user, "join-without-join-code"):
            raise ChatError("The given password is wrong", "error-code-invalid" if code else "error-code-required")
        self.add(room, user)

    def invite(self, room: Room, by: User, user: User) -> None:
        """Add somebody else to a room one is in (or may add to from outside)."""
        access = self.store.access
        inside = self.find(room.id, by.id) is not None
        allowed = access.can(by, "add-user-to-any-c-room" if room.type == "c" else "add-user-to-any-p-room") or (
            inside and access.can(by, "add-user-to-joined-room", room)
        )
        if not allowed or room.type == "d":
            raise ChatError("Not allowed", "error-not-allowed")
        if room.archived:
            raise ChatError(f"The channel, {room.name}, is archived", "error-room-archived")
        if room.team_id and not room.team_main:
            self.store.teams.ensure_member(room.team_id, user, by)
        self.add(room, user, by=by)

    # -- going ---------------------------------------------------------------------------------------------------

    def leave(self, room: Room, user: User) -> None:
        member = self.find(room.id, user.id)
        if member is None:
            raise ChatError("You are not in this room", "error-user-not-in-room")
        if room.type == "d":
            raise ChatError("You can't leave a direct message", "error-not-allowed")
        if not self.store.access.can(user, f"leave-{room.type}"):
            raise ChatError("Not allowed", "error-not-allowed")
        if "owner" in member.role_list() and self.count_role(room.id, "owner") == 1:
            raise ChatError(
                "You are the last owner. Please set new owner before leaving the room.", "error-you-are-last-owner"
            )
        self._remove(room, member)
        self.store.messages.system(room, user, "ul", user.username)

    def kick(self, room: Room, by: User, user: User) -> None:
        member = self.must(room.id, user.id)
        if "owner" in member.role_list() and self.count_role(room.id, "owner") == 1:
            raise ChatError(
                "You are the last owner. Please set new owner before leaving the room.", "error-you-are-last-owner"
            )
        with self.store.change():
            self._remove(room, member)
            self.store.messages.system(room, by, "ru", user.username)

    def _remove(self, room: Room, member: Membership) -> None:
        with self.store.change():
            self.note_left(member)
            self.store.run("DELETE FROM memberships WHERE id = ?", member.id)
            self.store.run(
                "UPDATE rooms SET members = members - 1, updated_at = ? WHERE id = ?", self.store.now(), room.id
            )

    def note_left(self, member: Membership) -> None:
        self.store.run(
            "INSERT OR REPLACE INTO left_rooms (membership_id, room_id, user_id, at) VALUES (?, ?, ?, ?)",
            member.id, member.room_id, member.user_id, self.store.now(),
        )  # fmt: skip
        self.store.announce(
            "membership", kind="removed", room_id=member.room_id, user_id=member.user_id, membership_id=member.id
        )

    def remove_everywhere(self, user: User) -> None:
        for member in self.store.many(Membership, "memberships WHERE user_id = ?", user.id):
            room = self.store.rooms.get(member.room_id)
            if room is not None:
                self._remove(room, member)

    def left_without(self, user: User) -> tuple[list[tuple[Room, User]], list[Room]]:
        """What a person's leaving for good means for rooms they alone own: (room, heir), and rooms with no heir."""
        handed_over, removed = [], []
        owned = self.store.many(
            Membership,
            "memberships m WHERE m.user_id = ? AND m.room_type != 'd' AND "
            "EXISTS (SELECT 1 FROM json_each(m.roles) r WHERE r.value = 'owner')",
            user.id,
        )
        for member in owned:
            room = self.store.rooms.must(member.room_id)
            if self.count_role(room.id, "owner") != 1:
                continue
            heir = self.store.one(
                User,
                "users u JOIN memberships m ON m.user_id = u.id WHERE m.room_id = ? AND u.id != ? AND u.active "
                "ORDER BY m.created_at, m.id LIMIT 1",
                room.id, user.id,
            )  # fmt: skip
            if heir is not None:
                handed_over.append((room, heir))
            elif room.type != "c":
                removed.append(room)
        return handed_over, removed

    # -- roles ---------------------------------------------------------------------------------------------------

    def set_role(
        self, room_id: str, user: User, role: str, *, held: bool, by: User | None = None, quiet: bool = False
    ) -> None:
        """Give or take a role in a room, with the line in the room that says so."""
        member = self.must(room_id, user.id)
        roles = member.role_list()
        if held and role in roles:
            raise ChatError(f"User is already {_article(role)}", f"error-user-already-{role}")
        if not held and role not in roles:
            raise ChatError(f"User is not {_article(role)}", f"error-user-not-{role}")
        if not held and role == "owner" and self.count_role(room_id, "owner") == 1:
            raise ChatError(
                "This is the last owner. Please set a new owner before removing this one.", "error-remove-last-owner"
            )
        roles = [*roles, role] if held else [one for one in roles if one != role]
        room = self.store.rooms.must(room_id)
        with self.store.change():
            self.store.update("memberships", member.id, roles=packed(roles), updated_at=self.store.now())
            if room.team_main and room.team_id:
                self.store.run(
                    "UPDATE team_members SET roles = ? WHERE team_id = ? AND user_id = ?",
                    packed(roles), room.team_id, user.id,
                )  # fmt: skip
            if not quiet:
                type = "subscription-role-added" if held else "subscription-role-removed"
                self.store.messages.system(room, by or user, type, user.username, role=role)
            self.store.announce("membership", kind="updated", room_id=room_id, user_id=user.id)

    def set_open(self, room: Room, user: User, open: bool) -> None:
        member = self.find(room.id, user.id)
        if member is None:
            raise ChatError(f"The user is not in the room {room.name or room.id}", "error-not-in-room")
        if bool(member.open) == open:
            state = "already open" if open else "already closed"
            raise ChatError(f"The channel, {room.name or room.id}, is {state} to the sender")
        self.change(member, open=int(open))

    def change(self, member: Membership, **values: Any) -> None:
        with self.store.change():
            self.store.update("memberships", member.id, **values, updated_at=self.store.now())
            self.store.announce("membership", kind="updated", room_id=member.room_id, user_id=member.user_id)


def _article(role: str) -> str:
    return f"an {role}" if role[0] in "aeiou" else f"a {role}"
