"""What happens while somebody looks: a websocket per page that carries messages and the list of rooms as HTML.

A websocket, because a browser holds only six streams of events per server, and people open more tabs than that.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.types import Receive, Scope, Send

from dayjob.company.chat.outbox import Outbox
from dayjob.company.chat.pages.page import PAGES, session_of
from dayjob.company.chat.pages.shown import Showing
from dayjob.company.chat.pages.sidebar import rooms_of
from dayjob.company.chat.rows import Message, Room
from dayjob.company.chat.store import Page as Part
from dayjob.company.pages import markdown
from dayjob.http.bodies import parse_json

if TYPE_CHECKING:
    from dayjob.company.chat.service import Chat

log = logging.getLogger("dayjob.company.chat")
PATH = "/-/live"
_PAUSE = 0.08  # several changes in one go make one list of rooms
_OUTBOX_LIMIT = 2_000
_MISSED = 200


class Live:
    """The open pages of one company."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self.viewers: set[Viewer] = set()

    def connections(self, user_id: str) -> int:
        return sum(1 for one in self.viewers if one.user_id == user_id)

    def close_all(self) -> None:
        for viewer in tuple(self.viewers):
            viewer.close()

    def signed_out(self, token: str) -> None:
        for viewer in tuple(self.viewers):
            if viewer.token == token:
                viewer.close()

    def hear(self, topic: str, facts: dict[str, Any]) -> None:
        """The store's listener, beside the realtime hub."""
        if not self.viewers:
            return
        if topic == "message":
            self._message(facts["message"])
        elif topic == "message-deleted":
            for viewer in self.viewers:
                if viewer.room_id == facts["room_id"]:
                    viewer.send({"gone": facts["message_id"]})
        elif topic == "membership":
            for viewer in self.viewers:
                if viewer.user_id == facts["user_id"]:
                    viewer.rooms_soon()
        elif topic in ("room", "user", "user-gone"):
            for viewer in self.viewers:
                viewer.rooms_soon()

    def _message(self, message: Message) -> None:
        members = self.chat.store.members
        for viewer in tuple(self.viewers):
            if viewer.room_id == message.room_id:
                viewer.show(message)
            elif members.find(message.room_id, viewer.user_id) is not None:
                viewer.rooms_soon()


class Viewer:
    """One open page. It says which room it shows; it hears what is new there."""

    def __init__(self, chat: Chat, scope: Scope, receive: Receive, send: Send) -> None:
        self.chat = chat
        self.role = scope["dayjob.role"]
        self.room_id = ""
        self.token, self.user_id = _who(chat, scope)
        self._receive = receive
        self._send = send
        self._outbox = Outbox(send, _OUTBOX_LIMIT)
        self._later: asyncio.TimerHandle | None = None

    def send(self, facts: dict[str, Any]) -> None:
        self._outbox.put(json.dumps(facts))

    def close(self) -> None:
        self._outbox.close()

    async def run(self) -> None:
        """Until the page is left."""
        await self._receive()  # websocket.connect
        await self._send({"type": "websocket.accept"})
        if not self.user_id:  # accepted first: a refused handshake is an error in the page's console, not an answer
            await self._send({"type": "websocket.close", "code": 1008})
            return
        live = self.chat.live
        live.viewers.add(self)
        self.chat.store.accounts.connected(self.user_id, "online")
        self.chat.company.watching.stir()
        tasks = [asyncio.create_task(self._outbox.write()), asyncio.create_task(self._read())]
        try:
            with suppress(asyncio.CancelledError):  # the company closes while pages are open
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            for task in tasks:
                task.cancel()
            live.viewers.discard(self)
            if self._later is not None:
                self._later.cancel()
            self._leave()

    def _leave(self) -> None:
        try:
            if not self.chat.hub.connections(self.user_id):
                self.chat.store.accounts.connected(self.user_id, "offline")
        except Exception:  # the company was closed under the page; there is nobody left to tell
            log.debug("%s left after the company was closed", self.user_id)

    async def _read(self) -> None:
        while True:
            frame = await self._receive()
            if frame["type"] == "websocket.disconnect":
                return
            try:
                wanted = parse_json(frame.get("text") or "")
            except ValueError:
                continue
            if isinstance(wanted, dict):
                self._take(wanted)

    def _take(self, wanted: dict[str, Any]) -> None:
        store = self.chat.store
        user = store.accounts.bearer(self.token, self.user_id)
        if user is None:
            self.close()
            return
        room = store.rooms.get(str(wanted.get("room") or wanted.get("read") or ""))
        if room is None or not store.access.may_read(user, room):
            return
        if "room" in wanted:
            self.room_id = room.id
            with markdown.budget():
                self._catch_up(room, str(wanted.get("since") or ""))
        elif (member := store.members.find(room.id, user.id)) is not None and (member.alert or member.unread):
            store.unread.mark_read(room, user)

    def _catch_up(self, room: Room, since: str) -> None:
        """What happened between the writing of the page (or the end of its last connection) and now."""
        history = self.chat.store.history
        for id, _ in history.deleted(room, since, Part(count=_MISSED)) if since else ():
            self.send({"gone": id})
        for message in reversed(history.updated(room, since, limit=_MISSED) if since else []):
            self.show(message)
        self.rooms_soon()

    # -- what is shown -----------------------------------------------------------------------------------------------

    def show(self, message: Message) -> None:
        store = self.chat.store
        user, room = store.accounts.bearer(self.token, self.user_id), store.rooms.get(message.room_id)
        if user is None:
            self.close()
        elif room is not None and store.access.may_read(user, room):
            one = Showing(store, user, room).one(message)
            html = PAGES.part("message-part.html", one=one, me=user)
            about = {"id": one.id, "thread": message.thread_id, "shown": bool(message.thread_shown)}
            self.send({**about, "html": html, "at": message.updated_at})

    def rooms_soon(self) -> None:
        if self._later is None:
            self._later = asyncio.get_running_loop().call_later(_PAUSE, self._rooms)

    def _rooms(self) -> None:
        self._later = None
        user = self.chat.store.accounts.bearer(self.token, self.user_id)
        if user is None:
            self.close()
            return
        self.send({"rooms": PAGES.part("rooms.html", sections=rooms_of(self.chat.store, user), here="", me=user)})


def _who(chat: Chat, scope: Scope) -> tuple[str, str]:
    """(token, account) of a page of this server; a page from elsewhere is nobody, whatever cookies it brings."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    origin = headers.get(b"origin", b"").decode("latin-1")
    if urlsplit(origin).netloc.lower() != headers.get(b"host", b"").decode("latin-1").lower():
        return "", ""
    token, user = session_of(chat, headers.get(b"cookie", b"").decode("latin-1"))
    return (token, user.id) if token and user is not None else ("", "")
