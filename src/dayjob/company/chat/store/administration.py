"""What administrators keep besides people and rooms: invites, custom statuses, emojis, sounds, assets, integrations."""

from __future__ import annotations

import hmac
import secrets
from datetime import timedelta
from typing import Any

from dayjob.company.chat.errors import ChatError, not_allowed
from dayjob.company.chat.rows import Emoji, Integration, Invite, Room, User
from dayjob.company.chat.store.accounts import STATUSES
from dayjob.company.chat.store.base import Page, Part
from dayjob.company.clock import stamp
from dayjob.company.rows import like, packed


class Administration(Part):
    """Small collections, each with its few rules."""

    # -- invites -------------------------------------------------------------------------------------------------

    def invite(self, room: Room, user: User, days: int, max_uses: int) -> Invite:
        """An invite link with these limits; the same one again if it exists and still works."""
        self.store.access.require(user, "create-invite-links", room)
        if days not in (0, 1, 7, 15, 30):
            raise ChatError("Invalid days", "invalid-number-of-days")
        if max_uses not in (0, 1, 5, 10, 25, 50, 100):
            raise ChatError("Invalid number of uses", "invalid-number-of-uses")
        now = self.store.now()
        found = self.store.one(
            Invite,
            "invites WHERE room_id = ? AND user_id = ? AND days = ? AND max_uses = ? AND (expires IS NULL OR expires "
            "> ?) "
            "AND (max_uses = 0 OR uses < max_uses)",
            room.id,
            user.id,
            days,
            max_uses,
            now,
        )
        if found is not None:
            return found
        id = self.store.ids.short(6)
        expires = stamp(self.store.clock.now() + timedelta(days=days)) if days else None
        with self.store.change():
            self.store.insert(
                "invites", id=id, room_id=room.id, user_id=user.id, days=days, max_uses=max_uses, expires=expires,
                created_at=now, updated_at=now,
            )  # fmt: skip
        return self.the_invite(id)

    def the_invite(self, id: str) -> Invite:
        found = self.store.one(Invite, "invites WHERE id = ?", id)
        if found is None:
            raise ChatError("Invalid invite token", "error-invalid-token")
        return found

    def invites(self) -> list[Invite]:
        return self.store.many(Invite, "invites ORDER BY created_at, id")

    def remove_invite(self, id: str) -> None:
        found = self.store.one(Invite, "invites WHERE id = ?", id)
        if found is None:
            raise ChatError("Invalid invite ID", "invalid-invitation-id")
        with self.store.change():
            self.store.run("DELETE FROM invites WHERE id = ?", id)

    def usable(self, id: str) -> Invite:
        invite = self.the_invite(id)
        if invite.expires is not None and invite.expires < self.store.now():
            raise ChatError("Invite token has expired", "error-invite-expired")
        if invite.max_uses and invite.uses >= invite.max_uses:
            raise ChatError("Invite token has expired", "error-invite-expired")
        return invite

    def use_invite(self, id: str, user: User) -> Room:
        invite = self.usable(id)
        room = self.store.rooms.must(invite.room_id)
        with self.store.change():
            if self.store.members.find(room.id, user.id) is None:
                self.store.update("invites", invite.id, uses=invite.uses + 1, updated_at=self.store.now())
                self.store.members.add(room, user)
        return room

    # -- custom statuses -----------------------------------------------------------------------------------------

    def statuses(
        self, page: Page, *, name: str = "", id: str | None = None
    ) -> tuple[list[tuple[str, str, str, str]], int]:
        """(id, name, kind, updated) of each."""
        where, arguments = "name LIKE ? ESCAPE '\\'", [like(name)]
        if id:
            where += " AND id = ?"
            arguments.append(id)
        total = self.store.value(f"SELECT count(*) FROM statuses WHERE {where}", *arguments)
        rows = self.store.rows(
            f"SELECT id, name, status, updated_at FROM statuses WHERE {where} ORDER BY name LIMIT ? OFFSET ?",
            *arguments, page.limit, page.offset,
        )  # fmt: skip
        return [(str(a), str(b), str(c), str(d)) for a, b, c, d in rows], total

    def save_status(self, name: str, kind: str, id: str | None = None) -> str:
        if not name.strip() or any(sign in name for sign in '<>"&'):
            raise ChatError("The name is not valid", "error-input-is-not-a-valid-field")
        if kind not in STATUSES:
            raise ChatError(f"{kind} is not a status type", "error-input-is-not-a-valid-field")
        other = self.store.value("SELECT id FROM statuses WHERE name = ?", name)
        if other is not None and other != id:
            raise ChatError(
                "The custom user status name is already in use", "Custom_User_Status_Error_Name_Already_In_Use"
            )
        with self.store.change():
            if id is None:
                id = self.store.ids.short()
                self.store.insert("statuses", id=id, name=name, status=kind, updated_at=self.store.now())
            elif not self.store.update("statuses", id, name=name, status=kind, updated_at=self.store.now()):
                raise ChatError(f'No custom user status found with the id of "{id}".')
        return id

    def delete_status(self, id: str) -> None:
        with self.store.change():
            if not self.store.run("DELETE FROM statuses WHERE id = ?", id):
                raise ChatError("Custom user status not found", "Custom_User_Status_Error_Invalid_User_Status")

    # -- emojis and sounds ---------------------------------------------------------------------------------------

    def emojis(self, page: Page, *, since: str = "", name: str = "") -> tuple[list[Emoji], int]:
        where, arguments = "updated_at > ? AND name LIKE ? ESCAPE '\\'", (since, like(name))
        return self.store.page(Emoji, f"emojis WHERE {where}", page, "name", *arguments)

    def emoji_named(self, name: str) -> Emoji | None:
        return self.store.one(Emoji, "emojis WHERE name = ?", name)

    def emoji(self, id: str) -> Emoji:
        found = self.store.one(Emoji, "emojis WHERE id = ? OR name = ?", id, id)
        if found is None:
            raise ChatError("Emoji not found.", "Custom_Emoji_Error_Invalid_Emoji")
        return found

    def save_emoji(
        self, name: str, aliases: list[str], *, id: str | None = None, file: tuple[str, str, str] | None = None
    ) -> None:
        """`file` is (blob, media type, extension); a new emoji needs one."""
        if not name or any(not (sign.isalnum() or sign in "_-+.") for sign in name + "".join(aliases)):
            raise ChatError(f"{name} is not a valid emoji name", "error-input-is-not-a-valid-field")
        other = self.store.value("SELECT id FROM emojis WHERE name = ?", name)
        if other is not None and other != id:
            raise ChatError(
                "The custom emoji or one of its aliases is already in use",
                "Custom_Emoji_Error_Name_Or_Alias_Already_In_Use",
            )
        values: dict[str, Any] = {"name": name, "aliases": packed(aliases), "updated_at": self.store.now()}
        if file is not None:
            values |= {"blob": file[0], "type": file[1], "extension": file[2]}
        with self.store.change():
            if id is None:
                self.store.insert("emojis", id=self.store.ids.short(), **values)
            else:
                self.store.update("emojis", self.emoji(id).id, **values)

    def delete_emoji(self, id: str) -> None:
        with self.store.change():
            self.store.run("DELETE FROM emojis WHERE id = ?", self.emoji(id).id)

    def sounds(self, page: Page, name: str = "") -> tuple[list[tuple[str, str, str, str]], int]:
        """(id, name, extension, updated) of each."""
        total = self.store.value("SELECT count(*) FROM sounds WHERE name LIKE ? ESCAPE '\\'", like(name))
        rows = self.store.rows(
            "SELECT id, name, extension, updated_at FROM sounds WHERE name LIKE ? ESCAPE '\\' ORDER BY name LIMIT ? "
            "OFFSET ?",
            like(name),
            page.limit,
            page.offset,
        )
        return [(str(a), str(b), str(c), str(d)) for a, b, c, d in rows], total

    def save_sound(self, name: str, extension: str, id: str | None = None) -> str:
        if not name or any(sign in name for sign in '<>"&'):
            raise ChatError("The name is not valid", "error-input-is-not-a-valid-field")
        other = self.store.value("SELECT id FROM sounds WHERE name = ?", name)
        if other is not None and other != id:
            raise ChatError("The custom sound name is already in use", "Custom_Sound_Error_Name_Already_In_Use")
        with self.store.change():
            if id is None:
                id = self.store.ids.short()
                self.store.insert("sounds", id=id, name=name, extension=extension, updated_at=self.store.now())
            else:
                self.store.update("sounds", id, name=name, updated_at=self.store.now())
        return id

    def delete_sound(self, id: str) -> None:
        with self.store.change():
            if not self.store.run("DELETE FROM sounds WHERE id = ?", id):
                raise ChatError("Custom sound not found", "Custom_Sound_Error_Invalid_Sound")

    # -- assets --------------------------------------------------------------------------------------------------

    def set_asset(self, name: str, blob: str, type: str) -> None:
        with self.store.change():
            self.store.run("INSERT OR REPLACE INTO assets (name, blob, type) VALUES (?, ?, ?)", name, blob, type)

    def unset_asset(self, name: str) -> None:
        with self.store.change():
            self.store.run("DELETE FROM assets WHERE name = ?", name)

    def asset(self, name: str) -> tuple[str, str] | None:
        rows = self.store.rows("SELECT blob, type FROM assets WHERE name = ?", name)
        return (rows[0][0], rows[0][1]) if rows else None

    # -- integrations --------------------------------------------------------------------------------------------

    def save_integration(
        self,
        kind: str,
        by: User,
        *,
        name: str,
        enabled: bool,
        username: str,
        channels: list[str],
        facts: dict[str, Any],
        id: str | None = None,
    ) -> Integration:
        direction = kind.removeprefix("webhook-")
        if direction not in ("incoming", "outgoing") or not kind.startswith("webhook-"):
            raise ChatError("Invalid integration type.")
        self.store.access.require(by, f"manage-{direction}-integrations")
        for channel in channels:
            word = channel[1:]
            if channel.startswith("#"):
                if self.store.rooms.named(word) is None and self.store.rooms.get(word) is None:
                    raise ChatError("Invalid Room", "error-invalid-room")
            elif channel.startswith("@"):
                if self.store.accounts.named(word) is None:
                    raise ChatError("Invalid Room", "error-invalid-room")
            elif not (
                direction == "outgoing"
                and channel in ("all_public_channels", "all_private_groups", "all_direct_messages")
            ):
                raise ChatError("Invalid channel. Start with @ or #", "error-invalid-channel-start-with-chars")
        user = self.store.accounts.named(username)
        if user is None:
            raise ChatError("Invalid post as user", "error-invalid-post-as-user")
        now = self.store.now()
        values: dict[str, Any] = {
            "type": kind, "name": name, "enabled": enabled, "username": user.username, "user_id": user.id,
            "channels": packed(channels), "facts": packed(facts), "updated_at": now,
        }  # fmt: skip
        with self.store.change():
            if id is None:
                id = self.store.ids.short()
                self.store.insert(
                    "integrations", id=id, token=secrets.token_urlsafe(32), created_by=by.id, created_at=now, **values
                )
            elif not self.store.update("integrations", id, **values):
                raise ChatError("Invalid integration", "error-invalid-integration")
        return self.integration(id)

    def incoming(self, id: str, token: str) -> Integration:
        """The integration that may say something here with this token."""
        found = self.store.one(Integration, "integrations WHERE id = ? AND type = 'webhook-incoming' AND enabled", id)
        if found is None or not hmac.compare_digest(found.token.encode(), token.encode()):
            raise ChatError("Invalid integration id or token provided.", status=404)
        return found

    def integration(self, id: str) -> Integration:
        found = self.store.one(Integration, "integrations WHERE id = ?", id)
        if found is None:
            raise ChatError("The integration does not exists.")
        return found

    def integrations(self, page: Page, *, channel: str | None = None) -> tuple[list[Integration], int]:
        where = "EXISTS (SELECT 1 FROM json_each(channels) c WHERE c.value = ?)" if channel else "1"
        arguments = (channel,) if channel else ()
        return self.store.page(Integration, f"integrations WHERE {where}", page, "created_at, id", *arguments)

    def remove_integration(self, id: str, by: User) -> Integration:
        found = self.integration(id)
        if not self.store.access.can(by, f"manage-{found.type.removeprefix('webhook-')}-integrations"):
            raise not_allowed("Unauthorized")
        with self.store.change():
            self.store.run("DELETE FROM integrations WHERE id = ?", id)
        return found
