"""Who may do what: roles (for the whole server or in one room) and the permissions an administrator gives them."""

from __future__ import annotations

import json

from dayjob.company.chat.errors import ChatError, Unauthenticated, forbidden, not_allowed
from dayjob.company.chat.rows import Role, Room, User
from dayjob.company.chat.store.base import Page, Part, Store
from dayjob.company.chat.store.conditions import Condition
from dayjob.company.rows import packed


def signed_in(somebody: User | None) -> User:
    """Who asks; nobody is refused."""
    if somebody is None:
        raise Unauthenticated()
    return somebody


class Access(Part):
    """Answers `can(user, permission, room)`, and lets administrators change roles and permissions."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._granted: dict[str, frozenset[str]] = {}

    def forget(self) -> None:
        self._granted.clear()

    # -- questions -----------------------------------------------------------------------------------------------

    def granted(self, permission: str) -> frozenset[str]:
        """The roles that have a permission."""
        found = self._granted.get(permission)
        if found is None:
            text = self.store.value("SELECT roles FROM permissions WHERE id = ?", permission)
            found = self._granted[permission] = frozenset(json.loads(text) if text else ())
        return found

    def can(self, user: User, permission: str, room: Room | str | None = None) -> bool:
        granted = self.granted(permission)
        if not granted.isdisjoint(user.role_list()):
            return True
        if room is None:
            return False
        room_id = room if isinstance(room, str) else room.id
        text = self.store.value("SELECT roles FROM memberships WHERE room_id = ? AND user_id = ?", room_id, user.id)
        return text is not None and not granted.isdisjoint(json.loads(text))

    def require(self, user: User, permission: str, room: Room | str | None = None) -> None:
        """Refuse in the words Rocket.Chat's methods use."""
        if not self.can(user, permission, room):
            raise ChatError("Not allowed", "error-not-allowed")

    def require_endpoint(self, user: User, *permissions: str) -> None:
        """Refuse the endpoint as a whole unless one of these is held."""
        if not any(self.can(user, permission) for permission in permissions):
            raise forbidden()

    def may_read(self, user: User, room: Room) -> bool:
        """Whether a person can see what is said in a room."""
        if self.store.members.find(room.id, user.id) is not None:
            return True
        if room.type == "c":
            if room.team_id is not None and not room.team_main:
                return self.can(user, "view-all-teams") or self._team_lets_in(user, room.team_id)
            return self.can(user, "view-c-room")
        if room.type == "l":
            return self.can(user, "view-l-room")
        if room.parent_id is not None:
            parent = self.store.rooms.get(room.parent_id)
            return parent is not None and room.type == "p" and self.may_read(user, parent)
        return False

    def require_writing(self, user: User, room: Room) -> None:
        """Refuse whoever cannot write here, and say why."""
        member = self.store.members.find(room.id, user.id)
        if member is None and not self.may_read(user, room):
            raise not_allowed()
        if room.archived:
            raise ChatError("room_is_archived")
        if member is not None and (member.blocked or member.blocker):
            raise ChatError("room_is_blocked")
        if user.username in json.loads(room.muted):
            raise ChatError("You_have_been_muted")
        if room.read_only:
            self._require_for_all(user, room)

    def require_reacting(self, user: User, room: Room) -> None:
        """Refuse whoever cannot react to messages here, and say why."""
        if not self.may_read(user, room):
            raise not_allowed()
        if room.archived:
            raise ChatError("room_is_archived")
        if room.read_only and not room.react_read_only:
            self._require_for_all(user, room)

    def _require_for_all(self, user: User, room: Room) -> None:
        if not self.can(user, "post-readonly", room):
            raise ChatError("You can't send messages because the room is readonly.")

    def channels_of(self, user: User) -> Condition:
        """The channels (type `c`) a person may read."""
        return Condition(
            "(type = 'c' AND (id IN (SELECT room_id FROM memberships WHERE user_id = ?) OR CASE WHEN team_id IS NULL "
            "OR team_main THEN ? WHEN ? THEN 1 WHEN team_id IN (SELECT id FROM teams WHERE type = 0) THEN ? "
            "ELSE team_id IN (SELECT team_id FROM team_members WHERE user_id = ?) END))",
            (
                user.id,
                self.can(user, "view-c-room"),
                self.can(user, "view-all-teams"),
                self.can(user, "view-c-room"),
                user.id,
            ),
        )

    def _team_lets_in(self, user: User, team_id: str) -> bool:
        team_type = self.store.value("SELECT type FROM teams WHERE id = ?", team_id)
        if team_type == 0:
            return self.can(user, "view-c-room")
        member = self.store.value("SELECT 1 FROM team_members WHERE team_id = ? AND user_id = ?", team_id, user.id)
        return member is not None

    # -- permissions ---------------------------------------------------------------------------------------------

    def permissions(self, since: str = "") -> list[tuple[str, list[str], str]]:
        rows = self.store.rows("SELECT id, roles, updated_at FROM permissions WHERE updated_at > ? ORDER BY id", since)
        return [(id, json.loads(roles), updated_at) for id, roles, updated_at in rows]

    def grant(self, wanted: dict[str, list[str]]) -> None:
        """Give each named permission exactly these roles."""
        known_roles = {role.id for role in self.store.many(Role, "roles")}
        for permission, roles in wanted.items():
            if self.store.value("SELECT 1 FROM permissions WHERE id = ?", permission) is None:
                raise ChatError("Invalid permission", "error-invalid-permission")
            if not known_roles.issuperset(roles):
                raise ChatError("Invalid role", "error-invalid-role")
        with self.store.change():
            for permission, roles in wanted.items():
                self.store.run(
                    "UPDATE permissions SET roles = ?, updated_at = ? WHERE id = ?",
                    packed(roles), self.store.now(), permission,
                )  # fmt: skip
        self.forget()

    # -- roles ---------------------------------------------------------------------------------------------------

    def roles(self, since: str = "") -> list[Role]:
        return self.store.many(Role, "roles WHERE updated_at > ? ORDER BY rowid", since)

    def role(self, name: str) -> Role:
        """A role by its id or name."""
        found = self.store.one(Role, "roles WHERE id = ? OR name = ? ORDER BY id = ? DESC", name, name, name)
        if found is None:
            raise ChatError("Invalid Role", "error-invalid-role")
        return found

    def create_role(self, name: str, scope: str, description: str, mandatory_2fa: bool) -> Role:
        if not name.strip():
            raise ChatError('The "name" param is required', "error-role-name-required")
        if scope not in ("Users", "Subscriptions"):
            raise ChatError("Invalid scope", "error-invalid-scope")
        if self.store.value("SELECT 1 FROM roles WHERE name = ? OR id = ?", name, name):
            raise ChatError("Role name already exists", "error-duplicate-role-names-not-allowed")
        id = self.store.ids.short()
        with self.store.change():
            self.store.insert(
                "roles", id=id, name=name, scope=scope, description=description, mandatory_2fa=mandatory_2fa,
                updated_at=self.store.now(),
            )  # fmt: skip
        return self.role(id)

    def update_role(self, id: str, *, name: str, scope: str | None, description: str, mandatory_2fa: bool) -> Role:
        role = self.role(id)
        if role.protected and (name != role.name or (scope or role.scope) != role.scope):
            raise ChatError("Role is protected", "error-role-protected")
        if self.store.value("SELECT 1 FROM roles WHERE name = ? AND id != ?", name, role.id):
            raise ChatError("Role name already exists", "error-duplicate-role-names-not-allowed")
        if scope is not None and scope not in ("Users", "Subscriptions"):
            raise ChatError("Invalid scope", "error-invalid-scope")
        with self.store.change():
            self.store.update(
                "roles", role.id, name=name, scope=scope or role.scope, description=description,
                mandatory_2fa=mandatory_2fa, updated_at=self.store.now(),
            )  # fmt: skip
        return self.role(role.id)

    def delete_role(self, id: str) -> None:
        role = self.role(id)
        if role.protected:
            raise ChatError("Cannot delete a protected role", "error-role-protected")
        if self.holders(role):
            raise ChatError("Cannot delete role because it's in use", "error-role-in-use")
        with self.store.change():
            self.store.run("DELETE FROM roles WHERE id = ?", role.id)

    def holders(self, role: Role) -> int:
        """How many hold a role, anywhere."""
        return self.users_in(role, None, Page())[1]

    def users_in(self, role: Role, room_id: str | None, page: Page) -> tuple[list[User], int]:
        """Who holds a role: everywhere, in one room, or (a room role without a room) in any room."""
        if role.scope == "Subscriptions":
            where = (
                "users u WHERE u.id IN (SELECT m.user_id FROM memberships m, "
                "json_each(m.roles) r WHERE m.roles != '[]' AND r.value = ?"
                + (" AND m.room_id = ?)" if room_id else ")")
            )
            arguments = [role.id, *([room_id] if room_id else [])]
        else:
            where = "users u WHERE EXISTS (SELECT 1 FROM json_each(u.roles) r WHERE r.value = ?)"
            arguments = [role.id]
        return self.store.page(User, where, page, "u.username", *arguments)

    def give(self, role: Role, user: User, room_id: str | None) -> None:
        if role.scope == "Subscriptions":
            self._set_in_room(role, user, room_id, held=True)
            return
        roles = user.role_list()
        if role.id in roles:
            raise ChatError("User already in role", "error-user-already-in-role")
        self._set_roles(user, [*roles, role.id])

    def take(self, role: Role, user: User, room_id: str | None) -> None:
        if role.scope == "Subscriptions":
            self._set_in_room(role, user, room_id, held=False)
            return
        roles = user.role_list()
        if role.id not in roles:
            raise ChatError("User is not in this role", "error-user-not-in-role")
        if role.id == "admin" and self.holders(role) == 1:
            raise ChatError("Removing the last admin is not allowed", "error-admin-required")
        self._set_roles(user, [one for one in roles if one != role.id])

    def _set_in_room(self, role: Role, user: User, room_id: str | None, *, held: bool) -> None:
        if room_id is None:
            raise ChatError("A room role needs a room", "error-invalid-room")
        self.store.members.set_role(room_id, user, role.id, held=held)

    def _set_roles(self, user: User, roles: list[str]) -> None:
        with self.store.change():
            self.store.update("users", user.id, roles=packed(roles), updated_at=self.store.now())
            self.store.announce("user", user_id=user.id)
