"""Writing a world into the snapshot. Ids come from names and times from the files, so it comes out the same twice."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from dayjob.company.chat.defaults import BOT_ID, GENERAL_ID, PERMISSIONS, ROLES, SETTINGS
from dayjob.company.chat.rows import Room, Upload, User
from dayjob.company.chat.store.accounts import digest
from dayjob.company.chat.store.messages import links_in, named_in
from dayjob.company.chat.store.rooms import direct_id
from dayjob.company.chat.store.settings import kind_of
from dayjob.company.chat.store.uploads import attachment, file_of
from dayjob.company.chat.world.model import Attachment, Line, Place, Section
from dayjob.company.clock import stamp
from dayjob.company.ids import Ids
from dayjob.company.mime import mime_of
from dayjob.company.passwords import hash_password
from dayjob.company.rows import insert, packed
from dayjob.company.world import Build

_ROOM_ROLES = ("owner", "moderator", "leader")
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


def compile(section: Section, build: Build) -> None:
    """Write the rows every company of this world starts with."""
    _Compiler(section, build).run()


class _Compiler:
    def __init__(self, section: Section, build: Build) -> None:
        self.section = section
        self.world = build.world
        self.db = build.db
        self.blobs = build.blobs
        self.slug = build.world.info.slug
        moments = [line.at for place in section.places for line in place.lines]
        self.now = build.world.info.now or _BEGINNING
        self.start = stamp(min([*moments, self.now]) - timedelta(days=7))
        self.users: dict[str, User] = {}
        self.rooms: dict[str, Room] = {}

    def id(self, kind: str, name: str, length: int = 17) -> str:
        """An id that depends on nothing but the thing's own name."""
        return Ids(f"{self.slug}/chat/{kind}/{name}").short(length)

    def insert(self, table: str, **values: Any) -> None:
        insert(self.db, table, values)

    def run(self) -> None:
        self.administration()
        self.people()
        places = list(self.section.places)
        if not any(place.name == "general" for place in places):
            names = [person.username for person in self.world.people]
            places.insert(0, Place("general", "c", names, None, [], default=True))
        for place in places:
            self.place(place)

    def administration(self) -> None:
        for id, (scope, description) in ROLES.items():
            self.insert(
                "roles", id=id, name=id, scope=scope, description=description, protected=1, updated_at=self.start
            )
        for id, roles in PERMISSIONS.items():
            self.insert("permissions", id=id, roles=packed(list(roles)), updated_at=self.start)
        given = {
            "Site_Name": self.world.info.name,
            "Site_Url": self.world.info.url("chat"),
            "uniqueID": self.id("server", "id"),
        }
        if self.slug == "blank":
            del given["Site_Name"]
        for id, (part, public, usual) in SETTINGS.items():
            value = self.section.settings.get(id, given.get(id, usual))
            self.insert(
                "settings",
                id=id,
                value=packed(value),
                type=kind_of(usual),
                public=public,
                section=part,
                updated_at=self.start,
            )

    def people(self) -> None:
        self.person(BOT_ID, BOT_ID, "Rocket.Cat", None, None, ["bot"], type="bot", status="online")
        admin = self.section.admin
        if admin is not None:
            name = str(admin.get("username", "admin"))
            email = str(admin.get("email", f"{name}@{self.world.info.host}"))
            password = str(admin["password"]) if "password" in admin else None
            self.person(self.id("user", name), name, str(admin.get("name", name)), email, password, ["user", "admin"])
        for one in self.world.people:
            more = one.more.get("chat") or {}
            roles = more.get("roles", ["user"]) if isinstance(more, dict) else ["user"]
            bio = str(one.more.get("bio") or one.title) or None
            self.person(
                self.id("user", one.username), one.username, one.name, one.email, one.password, list(roles), bio=bio
            )

    def person(
        self, id: str, username: str, name: str, email: str | None, password: str | None, roles: list[str],
        *, type: str = "user", bio: str | None = None, status: str = "offline",
    ) -> None:  # fmt: skip
        self.insert(
            "users", id=id, username=username, name=name, email=email, email_verified=email is not None, type=type,
            roles=packed(roles), bio=bio, status=status, created_at=self.start, updated_at=self.start,
        )  # fmt: skip
        if password is not None:
            self.insert("passwords", user_id=id, hash=hash_password(digest(password), self.id("salt", username)))
        self.users[username] = User(
            id,
            username,
            name,
            email,
            1,
            type,
            packed(roles),
            1,
            bio,
            None,
            status,
            "online",
            "",
            None,
            None,
            None,
            None,
            "{}",
            None,
            0,
            self.start,
            self.start,
            None,
        )

    def place(self, place: Place) -> None:
        people = [self.users[name] for name in place.members]
        general = place.name == "general"
        if general:
            extra = [self.users[BOT_ID]]
            if self.section.admin is not None:
                extra.append(self.users[str(self.section.admin.get("username", "admin"))])
            people = list({user.id: user for user in (*people, *extra)}.values())
        if place.kind == "d":
            id = direct_id(*(user.id for user in people))
        else:
            id = GENERAL_ID if general else self.id("room", str(place.name))
        owner = self.users[place.owner] if place.owner else None
        if owner is None and "owner" in place.roles:
            owner = self.users[place.roles["owner"][0]] if place.roles["owner"] else None
        elif owner is None and place.kind != "d":
            admin = self.section.admin
            owner = (
                self.users[str(admin.get("username", "admin"))]
                if general and admin
                else people[0]
                if people and not general
                else None
            )
        last = max((line.at for line in place.lines), default=None)
        total = sum(1 + len(line.replies) for line in place.lines)
        newest = f"{id}/{len(place.lines) - 1}"
        updated = stamp(
            max([last or self.now - timedelta(days=7), *(r.at for line in place.lines for r in line.replies)])
        )
        self.insert(
            "rooms",
            id=id,
            type=place.kind,
            name=place.name,
            fname=place.name,
            owner_id=owner.id if owner else None,
            topic=place.topic,
            announcement=place.announcement,
            description=place.description,
            read_only=place.read_only,
            archived=place.archived,
            is_default=place.default or general,
            uids=packed([user.id for user in people]) if place.kind == "d" else None,
            created_at=self.start,
            updated_at=max(updated, self.start),
            last_at=stamp(last) if last else None,
            last_message=self.id("message", newest) if place.lines else None,
            messages=total,
            members=len(people),
        )
        if place.name is not None:
            self.rooms[place.name.lower()] = _room_row(id, place)
        held = {role: {self.users[name].id for name in names} for role, names in place.roles.items()}
        held.setdefault("owner", {owner.id} if owner is not None else set())
        for user in people:
            self.insert(
                "memberships", id=self.id("membership", f"{id}/{user.username}"), room_id=id, user_id=user.id,
                room_type=place.kind, roles=packed([role for role in _ROOM_ROLES if user.id in held.get(role, ())]),
                last_seen=stamp(self.now), created_at=self.start, updated_at=max(updated, self.start),
            )  # fmt: skip
        # In time's order, replies among the rest: sequence numbers then tell the same story as the moments do.
        lines = [(line.at, f"{id}/{number}", line, None) for number, line in enumerate(place.lines)]
        replies = [
            (reply.at, f"{mark}/{number}", reply, self.id("message", mark))
            for _, mark, line, _ in lines
            for number, reply in enumerate(line.replies)
        ]
        for _, mark, line, thread_id in sorted([*lines, *replies], key=lambda one: one[0]):
            self.line(id, mark, line, thread_id)

    def line(self, room_id: str, mark: str, line: Line, thread_id: str | None) -> None:
        user = self.users[line.author]
        id, at = self.id("message", mark), stamp(line.at)
        mentions, channels = named_in(line.text, self.users.get, lambda name: self.rooms.get(name.lower()))
        followers = (
            list(dict.fromkeys(self.users[one.author].id for one in (line, *line.replies))) if line.replies else []
        )
        last_reply = stamp(line.replies[-1].at) if line.replies else None
        uploads = [self.upload(room_id, f"{mark}/{number}", line, one) for number, one in enumerate(line.attachments)]
        self.insert(
            "messages",
            id=id,
            room_id=room_id,
            user_id=user.id,
            username=user.username,
            user_name=user.name,
            at=at,
            text=line.text,
            thread_id=thread_id,
            replies=len(line.replies),
            last_reply_at=last_reply,
            followers=packed(followers),
            pinned=line.pinned,
            pinned_at=at if line.pinned else None,
            pinned_by=packed({"_id": user.id, "username": user.username}) if line.pinned else None,
            attachments=packed([attachment(one, one.description) for one in uploads]) if uploads else None,
            files=packed([file_of(one) for one in uploads]) if uploads else None,
            groupable=not uploads,
            reactions=packed({emoji: {"usernames": names} for emoji, names in line.reactions.items() if names}),
            urls=packed(links_in(line.text)),
            mentions=packed(mentions),
            channels=packed(channels),
            updated_at=last_reply or at,
        )
        for one in mentions:
            if one["_id"] not in ("all", "here"):
                self.db.execute(
                    "INSERT OR IGNORE INTO mentions (user_id, room_id, message_seq) "
                    "SELECT ?, ?, seq FROM messages WHERE id = ?",
                    (one["_id"], room_id, id),
                )

    def upload(self, room_id: str, mark: str, line: Line, attached: Attachment) -> Upload:
        blob = self.blobs.put(attached.path.read_bytes())
        upload = Upload(
            self.id("upload", mark), room_id, self.users[line.author].id, attached.name, mime_of(attached.name),
            blob.size, blob.hash, attached.description, 1, stamp(line.at),
        )  # fmt: skip
        self.insert("uploads", **asdict(upload))
        return upload


def _room_row(id: str, place: Place) -> Room:
    """As much of a room as naming it in a message needs."""
    return Room(
        id,
        place.kind,
        place.name,
        place.name,
        None,
        None,
        None,
        None,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        None,
        None,
        "[]",
        None,
        None,
        None,
        0,
        0,
        "",
        "",
        None,
        None,
        0,
        0,
    )
