"""Teams: a main room, members with roles, and the rooms that belong to the team."""

from __future__ import annotations

from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.rows import Room, Team, TeamMember, User
from dayjob.company.chat.store.base import Page, Part
from dayjob.company.chat.store.conditions import Condition, holding
from dayjob.company.rows import like, packed


class Teams(Part):
    """Everything about teams."""

    def find(self, *, id: str | None = None, name: str | None = None) -> Team:
        found = self.store.one(Team, "teams WHERE id = ? OR name = ?", id, name)
        if found is None:
            raise ChatError("team-does-not-exist")
        return found

    def create(self, name: str, kind: int, owner: User, members: list[User], *, room: Room | None = None) -> Team:
        """A team with its main room, or made of an existing room (`room`)."""
        if self.store.value("SELECT 1 FROM teams WHERE name = ?", name):
            raise ChatError("team-name-already-exists")
        id, now = self.store.ids.hex(24), self.store.now()
        with self.store.change():
            if room is None:
                room = self.store.rooms.create(
                    "c" if kind == 0 else "p", name, owner, members=members, team_id=id, team_main=True
                )
                people = [owner, *members]
            else:
                room = self.store.rooms.change(room, owner, team_id=id, team_main=1)
                people, _ = self.store.members.listing(room, Page(count=0))
            self.store.insert(
                "teams",
                id=id,
                name=name,
                type=kind,
                room_id=room.id,
                created_by=owner.id,
                created_at=now,
                updated_at=now,
            )
            for person in {one.id: one for one in people}.values():
                member = self.store.members.must(room.id, person.id)
                self._put(id, person, member.role_list(), owner)
        return self.find(id=id)

    def _put(self, team_id: str, user: User, roles: list[str], by: User) -> None:
        self.store.run(
            "INSERT OR REPLACE INTO team_members (team_id, user_id, roles, created_by, created_at) VALUES (?, ?, ?, "
            "?, ?)",
            team_id,
            user.id,
            packed([role for role in roles if role != "member"]),
            by.id,
            self.store.now(),
        )

    def ensure_member(self, team_id: str, user: User, by: User) -> None:
        if self.member(team_id, user.id) is None:
            self.add_member(self.find(id=team_id), user, [], by)

    def member(self, team_id: str, user_id: str) -> TeamMember | None:
        return self.store.one(TeamMember, "team_members WHERE team_id = ? AND user_id = ?", team_id, user_id)

    def add_member(self, team: Team, user: User, roles: list[str], by: User) -> None:
        main = self.store.rooms.must(team.room_id)
        roles = [role for role in roles if role != "member"]
        with self.store.change():
            self.store.members.add(main, user, roles=roles, by=by)
            self._put(team.id, user, roles, by)
            for room in self.rooms(team, Page(count=0), default_only=True)[0]:
                self.store.members.add(room, user, by=by)

    def update_member(self, team: Team, user: User, roles: list[str], by: User) -> None:
        if self.member(team.id, user.id) is None:
            raise ChatError("member-does-not-exist")
        member = self.store.members.must(team.room_id, user.id)
        roles = [role for role in roles if role != "member"]
        with self.store.change():
            self.store.members.change(member, roles=packed(roles))
            self._put(team.id, user, roles, by)

    def remove_member(self, team: Team, user: User, by: User, room_ids: list[str], *, leaving: bool = False) -> None:
        if self.member(team.id, user.id) is None:
            raise ChatError("member-does-not-exist")
        main = self.store.rooms.must(team.room_id)
        with self.store.change():
            if leaving:
                self.store.members.leave(main, user)
            else:
                self.store.members.kick(main, by, user)
            self.store.run("DELETE FROM team_members WHERE team_id = ? AND user_id = ?", team.id, user.id)
            for room_id in room_ids:
                room = self.store.rooms.get(room_id)
                if room is not None and room.team_id == team.id and self.store.members.find(room.id, user.id):
                    self.store.members.kick(room, by, user)

    def members(
        self, team: Team, page: Page, *, username: str = "", name: str = ""
    ) -> tuple[list[tuple[TeamMember, User]], int]:
        where, arguments = "m.team_id = ?", [team.id]
        for column, text in (("username", username), ("name", name)):
            if text:
                where += f" AND u.{column} LIKE ? ESCAPE '\\'"
                arguments.append(like(text))
        inside = f"users u JOIN team_members m ON m.user_id = u.id WHERE {where}"
        users, total = self.store.page(User, inside, page, "u.username", *arguments)
        pairs = [(self.member(team.id, user.id), user) for user in users]
        return [(member, user) for member, user in pairs if member is not None], total

    def rooms(
        self, team: Team, page: Page, *, text: str = "", default_only: bool = False, of: User | None = None
    ) -> tuple[list[Room], int]:
        condition = Condition("team_id = ? AND NOT team_main", (team.id,))
        if text:
            condition &= holding(text, "name")
        if default_only:
            condition &= Condition("team_default")
        if of is not None:
            condition &= Condition("id IN (SELECT room_id FROM memberships WHERE user_id = ?)", (of.id,))
        return self.store.rooms.listing(condition, page)

    def add_room(self, team: Team, room: Room, by: User) -> Room:
        if room.team_id is not None:
            raise ChatError("room-already-in-team")
        if room.type not in ("c", "p"):
            raise ChatError("invalid-room")
        return self.store.rooms.change(room, by, team_id=team.id)

    def remove_room(self, team: Team, room: Room, by: User) -> Room:
        if room.team_id != team.id:
            raise ChatError("room-not-in-team")
        return self.store.rooms.change(room, by, team_id=None, team_default=0)

    def listing(
        self, page: Page, *, of: User | None = None, seen_by: User | None = None, text: str = ""
    ) -> tuple[list[Team], int]:
        """Teams by name: those somebody belongs to, those somebody may see, those whose name holds the text."""
        mine = "id IN (SELECT team_id FROM team_members WHERE user_id = ?)"
        where, arguments = "name LIKE ? ESCAPE '\\'", [like(text)]
        if of is not None:
            where, arguments = f"{where} AND {mine}", [*arguments, of.id]
        if seen_by is not None and not self.store.access.can(seen_by, "view-all-teams"):
            where, arguments = f"{where} AND (type = 0 OR {mine})", [*arguments, seen_by.id]
        return self.store.page(Team, f"teams WHERE {where}", page, "name", *arguments)

    def size(self, team: Team) -> tuple[int, int]:
        """(rooms, members)"""
        return (
            self.store.value("SELECT count(*) FROM rooms WHERE team_id = ? AND NOT team_main", team.id),
            self.store.value("SELECT count(*) FROM team_members WHERE team_id = ?", team.id),
        )

    def matching(self, text: str) -> list[Team]:
        return self.store.many(Team, "teams WHERE name LIKE ? ESCAPE '\\' ORDER BY name LIMIT 20", like(text))

    def change(self, team: Team, by: User, *, name: str | None, kind: int | None) -> Team:
        main = self.store.rooms.must(team.room_id)
        with self.store.change():
            if name is not None and name != team.name:
                self.store.rooms.rename(main, by, name)
            if kind is not None and kind != team.type:
                self.store.rooms.set_type(self.store.rooms.must(main.id), by, "c" if kind == 0 else "p")
                self.store.update("teams", team.id, type=kind, updated_at=self.store.now())
        return self.find(id=team.id)

    def disband(self, team: Team, by: User, *, keep_main: bool, also_remove: list[str]) -> None:
        """End a team: its rooms become ordinary, except those to remove with it."""
        with self.store.change():
            for room in self.rooms(team, Page(count=0))[0]:
                if room.id in also_remove:
                    self.store.rooms.delete(room)
                else:
                    self.store.rooms.change(room, by, team_id=None, team_default=0)
            main = self.store.rooms.must(team.room_id)
            self.store.run("DELETE FROM teams WHERE id = ?", team.id)
            if keep_main:
                self.store.rooms.change(main, by, team_id=None, team_main=0)
            else:
                self.store.rooms.delete(main)
