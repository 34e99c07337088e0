"""One realtime connection: a websocket that speaks DDP. Each method call is a journal row of its own."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any

from starlette.types import Receive, Scope, Send

from dayjob.company.chat import shapes
from dayjob.company.chat.errors import ChatError
from dayjob.company.chat.outbox import Outbox
from dayjob.company.chat.realtime.ejson import dated, method_error
from dayjob.company.chat.realtime.methods import Caller, run_method
from dayjob.company.journal import WORK_HERE
from dayjob.http.bodies import parse_json

if TYPE_CHECKING:
    from dayjob.company.chat.service import Chat

log = logging.getLogger("dayjob.company.chat")

_OUTBOX_LIMIT = 10_000  # a client that reads nothing is let go before it holds more than this
_FRAME_LIMIT = 1024 * 1024
_SUBSCRIPTION_LIMIT = 5_000


class Session:
    """Reads frames, calls methods, keeps subscriptions; what is to be sent waits in an outbox."""

    def __init__(self, chat: Chat, scope: Scope, receive: Receive, send: Send, *, sockjs: bool = False) -> None:
        self.chat = chat
        self.role = scope["dayjob.role"]
        host = dict(scope["headers"]).get(b"host", b"localhost").decode("latin-1")
        self.caller = Caller(chat, None, None, f"http://{host}")
        self._receive = receive
        self._send = send
        self._sockjs = sockjs
        self._outbox = Outbox(send, _OUTBOX_LIMIT)
        self._connected = False
        self._subscriptions: dict[str, tuple[str, str]] = {}

    # -- sending -------------------------------------------------------------------------------------------------

    def send(self, message: dict[str, Any]) -> None:
        self.send_text(json.dumps(message))

    def send_text(self, text: str) -> None:
        self._outbox.put(f"a{json.dumps([text])}" if self._sockjs else text)

    def close(self) -> None:
        self._outbox.close()

    # -- receiving -----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Until the client or the company ends it."""
        await self._receive()  # websocket.connect
        await self._send({"type": "websocket.accept"})
        hub = self.chat.hub
        hub.sessions.add(self)
        writer = asyncio.create_task(self._outbox.write())
        reader = asyncio.create_task(self._read())
        try:
            if self._sockjs:
                self._outbox.put("o")
            self.send({"server_id": "0"})
            await asyncio.wait((writer, reader), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (writer, reader):
                task.cancel()
            await asyncio.gather(writer, reader, return_exceptions=True)
            hub.sessions.discard(self)
            for stream, event in self._subscriptions.values():
                hub.unlisten(self, stream, event)
            self._leave()

    async def _read(self) -> None:
        while True:
            frame = await self._receive()
            if frame["type"] == "websocket.disconnect":
                return
            text = frame.get("text")
            if text is None:
                text = (frame.get("bytes") or b"").decode("utf-8", "replace")
            for message in self._messages(text):
                if self.role in WORK_HERE and isinstance(message, dict) and message.get("msg") in ("method", "sub"):
                    await self.chat.company.watching.arrived(looks=False)
                self._take(message)

    def _messages(self, text: str) -> list[Any]:
        """The DDP messages in a frame; SockJS packs several, each as JSON inside JSON."""
        if len(text) > _FRAME_LIMIT:
            self.send({"msg": "error", "reason": "Bad request: too large"})
            return []
        try:
            found = parse_json(text)
            if self._sockjs:
                return [
                    parse_json(one) for one in (found if isinstance(found, list) else [found]) if isinstance(one, str)
                ]
            return [found]
        except ValueError:
            self.send({"msg": "error", "reason": "Bad request", "offendingMessage": text[:200]})
            return []

    def _take(self, message: Any) -> None:
        kind = message.get("msg") if isinstance(message, dict) else None
        if kind == "connect":
            if message.get("version") not in ("1", "pre1", "pre2"):
                self.send({"msg": "failed", "version": "1"})
                return
            self._connected = True
            self.send({"msg": "connected", "session": self.chat.company.ids.short()})
        elif kind == "ping":
            self.send({"msg": "pong", **({"id": message["id"]} if isinstance(message.get("id"), str) else {})})
        elif kind == "pong":
            pass
        elif not self._connected:
            self.send({"msg": "error", "reason": "Must connect first", "offendingMessage": _short(message)})
        elif kind == "method":
            self._method(message)
        elif kind == "sub":
            self._subscribe(message)
        elif kind == "unsub":
            self._unsubscribe(message)
        else:
            self.send({"msg": "error", "reason": "Unknown message type", "offendingMessage": _short(message)})

    # -- methods -------------------------------------------------------------------------------------------------

    def _method(self, message: dict[str, Any]) -> None:
        name, id, parameters = message.get("method"), message.get("id"), message.get("params", [])
        if not isinstance(name, str) or not isinstance(id, str) or not isinstance(parameters, list):
            self.send({"msg": "error", "reason": "Malformed method invocation", "offendingMessage": _short(message)})
            return
        answer: dict[str, Any] = {"msg": "result", "id": id}
        before = self.caller.somebody
        with self.chat.company.acting("chat", self.role, "DDP", f"method/{name[:100]}") as visit:
            try:
                self._refresh()
                answer["result"] = dated(run_method(self.caller, name, parameters))
                visit.status = 200
            except ChatError as error:
                visit.status = error.status
                answer["error"] = method_error(error)
            except (UnicodeEncodeError, OverflowError):
                visit.status = 400
                answer["error"] = method_error(ChatError("Match failed", "400"))
            except Exception:
                log.exception("realtime method %s failed", name)
                visit.status = 500
                answer["error"] = method_error(ChatError("Internal server error", "500"))
            if self.caller.somebody is not None and before is None:
                self._arrive()
            elif before is not None and self.caller.somebody is None:
                self._left(before.id)
        self.send(answer)
        self.send({"msg": "updated", "methods": [id]})

    def _refresh(self) -> None:
        """The account as it is now; a session whose account is gone or locked is nobody's."""
        if self.caller.somebody is not None:
            found = self.chat.store.accounts.get(self.caller.somebody.id)
            self.caller.somebody = found if found is not None and found.active else None

    def _arrive(self) -> None:
        user = self.caller.user
        self.send({"msg": "added", "collection": "users", "id": user.id, "fields": dated(shapes.account(user))})
        self.chat.store.accounts.connected(user.id, "online")
        self.chat.company.watching.stir()

    def _leave(self) -> None:
        if self.caller.somebody is not None:
            user_id = self.caller.somebody.id
            self.caller.somebody = None
            try:
                with self.chat.company.acting("chat", self.role, "DDP", "disconnect") as visit:
                    visit.status = 200
                    self._left(user_id)
            except OSError:
                log.debug("%s left after the company was closed; there is nobody to tell", user_id)

    def _left(self, user_id: str) -> None:
        if not self.chat.hub.connections(user_id):
            self.chat.store.accounts.connected(user_id, "offline")

    # -- subscriptions -------------------------------------------------------------------------------------------

    def _subscribe(self, message: dict[str, Any]) -> None:
        id, stream, parameters = message.get("id"), message.get("name"), message.get("params", [])
        if not isinstance(id, str) or not isinstance(stream, str) or not isinstance(parameters, list):
            self.send({"msg": "error", "reason": "Malformed subscription", "offendingMessage": _short(message)})
            return
        with self.chat.company.acting("chat", self.role, "DDP", f"sub/{stream[:100]}") as visit:
            try:
                self._refresh()
                event = self._allowed(stream, parameters)
                if len(self._subscriptions) >= _SUBSCRIPTION_LIMIT:
                    raise ChatError("Too many subscriptions", "error-not-allowed")
                visit.status = 200
                if self.caller.somebody is not None:
                    visit.account = self.caller.somebody.username
            except ChatError as error:
                visit.status = error.status
                self.send({"msg": "nosub", "id": id, "error": method_error(error)})
                return
        if event:
            self._subscriptions[id] = (stream, event)
            self.chat.hub.listen(self, stream, event)
        self.send({"msg": "ready", "subs": [id]})

    def _allowed(self, stream: str, parameters: list[Any]) -> str:
        """The event a subscription names, if the caller may hear it; "" for publications that have nothing to say."""
        first = parameters[0] if parameters else ""
        event = first if isinstance(first, str) else ""
        refused = ChatError("Not allowed", "not-allowed")
        if stream in ("stream-notify-all", "stream-livechat-room", "stream-importers", "stream-roles", "stream-apps"):
            return event
        user = self.caller.user
        store = self.chat.store
        if stream == "stream-room-messages":
            if event == "__my_messages__":
                return event
            room = store.rooms.get(event)
            if room is None or not store.access.may_read(user, room):
                raise refused
            return event
        if stream == "stream-notify-room":
            room = store.rooms.get(event.partition("/")[0])
            if room is None or not store.access.may_read(user, room):
                raise refused
            return event
        if stream == "stream-notify-user":
            if event.partition("/")[0] != user.id:
                raise refused
            return event
        if stream in ("stream-notify-logged", "stream-user-presence", "stream-notify-room-users"):
            return event
        if stream.startswith("stream-"):
            raise ChatError(f"There is no stream '{stream[:100]}'", "404")
        return ""

    def _unsubscribe(self, message: dict[str, Any]) -> None:
        id = message.get("id")
        found = self._subscriptions.pop(id, None) if isinstance(id, str) else None
        if found is not None and found not in self._subscriptions.values():
            self.chat.hub.unlisten(self, *found)
        self.send({"msg": "nosub", "id": id if isinstance(id, str) else ""})


def _short(message: Any) -> str:
    return json.dumps(message)[:200]
