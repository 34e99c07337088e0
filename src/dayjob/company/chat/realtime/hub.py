"""Who listens to what on the realtime wire, and passing on what the store announces."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dayjob.company.chat import shapes
from dayjob.company.chat.realtime.ejson import dated
from dayjob.company.chat.rows import Message, Room

if TYPE_CHECKING:
    from dayjob.company.chat.realtime.session import Session
    from dayjob.company.chat.service import Chat

_STATUS_CODES = {"offline": 0, "online": 1, "away": 2, "busy": 3}


class Hub:
    """The open realtime sessions of one company."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.sessions: set[Session] = set()
        self._listeners: dict[tuple[str, str], set[Session]] = {}

    # -- sessions ------------------------------------------------------------------------------------------------

    def close_all(self) -> None:
        for session in tuple(self.sessions):
            session.close()

    def signed_out(self, token: str) -> None:
        for session in tuple(self.sessions):
            if session.caller.token == token:
                session.close()

    def listen(self, session: Session, stream: str, event: str) -> None:
        self._listeners.setdefault((stream, event), set()).add(session)

    def unlisten(self, session: Session, stream: str, event: str) -> None:
        found = self._listeners.get((stream, event))
        if found is not None:
            found.discard(session)
            if not found:
                del self._listeners[stream, event]

    def people(self) -> list[Session]:
        """The sessions in which somebody is signed in."""
        return [one for one in self.sessions if one.caller.somebody is not None]

    def connections(self, user_id: str) -> int:
        """How many ways a person is here: clients, and pages in a browser."""
        clients = (one.caller.somebody for one in self.sessions)
        return sum(1 for one in clients if one is not None and one.id == user_id) + self.chat.live.connections(user_id)

    def tell(self, stream: str, event: str, arguments: list[Any]) -> None:
        found = self._listeners.get((stream, event))
        if found:
            text = changed(stream, event, arguments)
            for session in tuple(found):
                session.send_text(text)

    # -- what the store announces --------------------------------------------------------------------------------

    def hear(self, topic: str, facts: dict[str, Any]) -> None:
        """The store's listener: to the streams, and (messages) to everyone who listens to the company."""
        if topic == "message":
            self._message(facts["message"], facts["new"])
        elif not self.sessions:
            return
        elif topic == "message-deleted":
            self.tell("stream-notify-room", f"{facts['room_id']}/deleteMessage", [{"_id": facts["message_id"]}])
        elif topic == "membership":
            self._membership(facts)
        elif topic == "room":
            self._room(facts["room_id"], facts["kind"])
        elif topic == "user":
            self._user(facts["user_id"])

    def _message(self, message: Message, new: bool) -> None:
        store = self.chat.store
        room = store.rooms.get(message.room_id)
        if room is None:
            return
        self.chat.company.tell(
            "chat.message",
            {
                "id": message.id, "new": new, "room_id": room.id, "room_type": room.type, "room_name": room.name,
                "user_id": message.user_id, "username": message.username, "text": message.text, "type": message.type,
                "at": message.at, "thread_id": message.thread_id,
                "mentions": [one["username"] for one in json.loads(message.mentions)],
            },
        )  # fmt: skip
        if not self.sessions:
            return
        written = dated(shapes.message(store, message))
        self.tell("stream-room-messages", room.id, [written])
        mine = self._listeners.get(("stream-room-messages", "__my_messages__"))
        for session in tuple(mine or ()):
            user = session.caller.somebody
            if user is not None and store.members.find(room.id, user.id) is not None:
                about = {"roomParticipant": True, "roomType": room.type, "roomName": room.name}
                session.send_text(changed("stream-room-messages", "__my_messages__", [written, about]))
        if new:
            self._to_members(room, message)

    def _to_members(self, room: Room, message: Message) -> None:
        """Each connected member's own view of the room, and a notification for those who are meant."""
        store = self.chat.store
        mentioned = {one["_id"] for one in json.loads(message.mentions)}
        shown: Any = None
        for user_id in {one.caller.somebody.id for one in self.sessions if one.caller.somebody is not None}:
            member = store.members.find(room.id, user_id)
            if member is None:
                continue
            shown = shown or dated(shapes.room(store, room))
            self.tell("stream-notify-user", f"{user_id}/rooms-changed", ["updated", shown])
            mine = dated(shapes.subscription(store, member, room))
            self.tell("stream-notify-user", f"{user_id}/subscriptions-changed", ["updated", mine])
            meant = room.type == "d" or user_id in mentioned or mentioned & {"all", "here"}
            if message.user_id != user_id and message.type is None and meant:
                payload = {
                    "_id": message.id, "rid": room.id, "tmid": message.thread_id, "type": room.type, "name": room.name,
                    "sender": {"_id": message.user_id, "username": message.username, "name": message.user_name},
                    "message": {"msg": message.text},
                }  # fmt: skip
                title = message.user_name if room.type == "d" else f"#{room.name}"
                self.tell(
                    "stream-notify-user",
                    f"{user_id}/notification",
                    [{"title": title, "text": message.text, "payload": payload}],
                )

    def _membership(self, facts: dict[str, Any]) -> None:
        store, user_id, room_id, kind = self.chat.store, facts["user_id"], facts["room_id"], facts["kind"]
        if kind == "removed":
            gone = {"_id": facts["membership_id"], "rid": room_id, "u": {"_id": user_id}}
            self.tell("stream-notify-user", f"{user_id}/subscriptions-changed", ["removed", gone])
            self.tell("stream-notify-user", f"{user_id}/rooms-changed", ["removed", {"_id": room_id}])
            return
        member, room = store.members.find(room_id, user_id), store.rooms.get(room_id)
        if member is None or room is None:
            return
        mine = dated(shapes.subscription(store, member, room))
        self.tell("stream-notify-user", f"{user_id}/subscriptions-changed", [kind, mine])
        if kind == "inserted":
            self.tell("stream-notify-user", f"{user_id}/rooms-changed", [kind, dated(shapes.room(store, room))])

    def _room(self, room_id: str, kind: str) -> None:
        room = self.chat.store.rooms.get(room_id)
        if room is None:
            return
        shown = dated(shapes.room(self.chat.store, room))
        for user_id in self.chat.store.members.user_ids(room_id):
            self.tell("stream-notify-user", f"{user_id}/rooms-changed", [kind, shown])

    def _user(self, user_id: str) -> None:
        user = self.chat.store.accounts.get(user_id)
        if user is None:
            return
        state = [user.id, user.username, _STATUS_CODES[user.status], user.status_text, user.name, user.role_list()]
        self.tell("stream-notify-logged", "user-status", [state])
        self.tell("stream-user-presence", user.id, [[user.username, _STATUS_CODES[user.status], user.status_text]])


def changed(stream: str, event: str, arguments: list[Any]) -> str:
    return json.dumps(
        {"msg": "changed", "collection": stream, "id": "id", "fields": {"eventName": event, "args": arguments}}
    )
