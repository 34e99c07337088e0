"""Sending what was generated over the services' own wires, and looking at what comes back."""

from __future__ import annotations

import base64
import http.client
import json
import random
import re
from typing import Any

from tools.fuzz import values
from tools.fuzz.routes import Route, address

TIMEOUT = 60
_DAV_BODIES = (
    b"", b"<", b'<?xml version="1.0"?><d:propfind xmlns:d="DAV:"><d:allprop/></d:propfind>', b"<a>" * 5000,
    b'<d:propertyupdate xmlns:d="DAV:"><d:set><d:prop><d:x>1</d:x></d:prop></d:set></d:propertyupdate>',
    b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', b'<a xmlns="' + b"x" * 3000 + b'"/>', b"\0\xff",
    b'<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope><d:locktype><d:write/></d:locktype>'
    b"</d:lockinfo>",
)  # fmt: skip


class Asker:
    """One client: a connection to each service, signed in as the world's own accounts."""

    def __init__(self, ports: dict[str, int], accounts: dict[str, dict[str, Any]]) -> None:
        self._ports = ports
        self._accounts = accounts
        self._connections: dict[str, http.client.HTTPConnection] = {}
        self.headers: dict[str, dict[str, str]] = {}
        self._refusals = 0
        self.known: dict[str, tuple[str, ...]] = {}
        self.sign_in()
        self._look_around()

    def sign_in(self) -> None:
        chat, drive = self._accounts["chat"], self._accounts["drive"]
        body = json.dumps({"user": chat["username"], "password": chat["password"]}).encode()
        raw = self.send("chat", "POST", "/api/v1/login", {"content-type": "application/json"}, body)[1]
        try:
            data = json.loads(raw)["data"]
        except (ValueError, KeyError):
            return  # a request has changed the account's password; the next reset brings it back
        basic = base64.b64encode(f"{drive['username']}:{drive['password']}".encode()).decode()
        cookie = f"rc_uid={data['userId']}; rc_token={data['authToken']}"
        self.token = str(data["authToken"])
        self.headers = {
            "chat": {"x-auth-token": data["authToken"], "x-user-id": data["userId"], "cookie": cookie},
            "forge": {"private-token": self._accounts["forge"]["token"]},
            "board": {"x-api-key": self._accounts["board"]["api_key"]},
            "drive": {"authorization": f"Basic {basic}", "ocs-apirequest": "true"},
        }

    def _look_around(self) -> None:
        """Ids that a freshly reset company shows: the same every time, so that requests can be repeated."""
        found: dict[str, None] = {}
        board = f"/api/v1/workspaces/{self._accounts['board']['workspace']}/projects/"
        lists = ("channels.list", "users.list", "groups.listAll", "im.list")
        for service, path in [*(("chat", f"/api/v1/{one}?count=8") for one in lists), ("board", board)]:
            ids = self._ids(service, path)[:8]
            found.update(dict.fromkeys(ids))
            for part in ("issues", "states", "labels", "cycles", "modules") if service == "board" and ids else ():
                found.update(dict.fromkeys(self._ids(service, f"{board}{ids[0]}/{part}/")[:3]))
        self.known = {"forge": tuple(self._ids("forge", "/api/v4/projects?per_page=8&simple=true"))}
        self.known |= dict.fromkeys(("chat", "board", "drive"), tuple(found))

    def _ids(self, service: str, path: str) -> list[str]:
        raw = self.send(service, "GET", path, self.headers[service], b"")[1]
        return [one.decode() for one in re.findall(rb'"_?id": ?"?([\w-]{1,40})[",]', raw)]

    def send(self, service: str, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        """(status, body); a connection that the server ended is status 0."""
        connection = self._connections.get(service)
        if connection is None:
            connection = http.client.HTTPConnection("127.0.0.1", self._ports[service], timeout=TIMEOUT)
            self._connections[service] = connection
        try:
            connection.putrequest(method, path, skip_accept_encoding=True)
            for name, value in headers.items():
                connection.putheader(name, value)
            connection.putheader("content-length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        except TimeoutError:
            raise
        except (http.client.HTTPException, OSError):
            self._connections.pop(service).close()
            return 0, b""

    def ask(self, route: Route, dice: random.Random) -> tuple[int, str]:
        """Send one generated request; returns its status and what it was."""
        path = address(route, dice, self.known[route.service])
        headers = dict(self.headers[route.service])
        body = b""
        if "/remote.php/" in path:
            body, more = _dav(dice)
            headers.update(more)
        elif route.method not in ("GET", "HEAD") and dice.random() < 0.95:
            body, headers["content-type"] = _body(route, dice)
        if dice.random() < 0.03:
            headers[dice.choice(("range", "if-match", "accept-language", "host", "if"))] = dice.choice(
                ("bytes=-", "bytes=0-1,2-,-3,99999999999999999999-", "*", '"', "(", "a" * 3000, "[::")
            )
        status, _ = self.send(route.service, route.method, path, headers, body)
        if status == 401:
            self._refusals += 1
            if self._refusals % 3 == 0:
                self.sign_in()
        return status, f"{route.method} {path[:300]} {body[:300]!r}"

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()


def _body(route: Route, dice: random.Random) -> tuple[bytes, str]:
    names = [*route.names] if dice.random() < 0.95 else ["a", "b"]
    kind = dice.random()
    if kind < 0.75:
        return values.json_body(dice, names), "application/json"
    if kind < 0.85:
        return values.multipart_body(dice, names)
    if kind < 0.97:
        pairs = [f"{name}{dice.choice(('', '', '[]', '[x]'))}={values.text(dice)[:2000]}" for name in names]
        return "&".join(pairs).encode("utf-8", "replace"), "application/x-www-form-urlencoded"
    return values.text(dice).encode("utf-8", "replace"), dice.choice(("text/plain", "", "application/xml", "a/b;c"))


def _dav(dice: random.Random) -> tuple[bytes, dict[str, str]]:
    headers = {
        "depth": dice.choice(("0", "1", "infinity", "x")),
        "destination": dice.choice(("/remote.php/webdav/x", "http://[", "", "/remote.php/webdav/%ff", "a" * 2000)),
        "overwrite": dice.choice(("T", "F", "?")),
    }
    if dice.random() < 0.1:
        headers["oc-chunked"] = "1"
        headers["oc-checksum"] = dice.choice(("SHA1:00", "x", ":", "MD5:"))
        headers["x-oc-mtime"] = dice.choice(("1", "-1", "9" * 30, "x"))
    return dice.choice(_DAV_BODIES), headers


class Realtime:
    """A websocket to chat; one that the server ended is opened again."""

    def __init__(self, port: int, token: str) -> None:
        from dayjob.company.chat.realtime.methods import METHODS

        self._port, self._token = port, token
        self._methods = sorted(METHODS)
        self._socket: Any = None

    def _open(self) -> Any:
        from websockets.sync.client import connect

        found = connect(f"ws://127.0.0.1:{self._port}/websocket", max_size=None, open_timeout=TIMEOUT)
        found.send(json.dumps({"msg": "connect", "version": "1", "support": ["1"]}))
        login = {"msg": "method", "method": "login", "id": "login", "params": [{"resume": self._token}]}
        found.send(json.dumps(login))
        return found

    def ask(self, dice: random.Random) -> tuple[int, str]:
        """Call a method, or send something else; 500 when the answer says so."""
        from websockets.exceptions import ConnectionClosed

        kind, mark = dice.random(), str(dice.random())
        parameters = [values.value(dice) for _ in range(dice.randrange(4))]
        name = dice.choice(self._methods) if kind < 0.7 else values.text(dice)
        text = json.dumps({"msg": "method", "method": name, "id": mark, "params": parameters})
        if 0.8 < kind <= 0.9:
            text = json.dumps(
                {"msg": "sub", "id": mark, "name": dice.choice(("stream-room-messages", name)), "params": parameters}
            )
        elif kind > 0.9:
            text = values.json_body(dice, ["msg", "id", "params"]).decode("utf-8", "replace")
        try:
            self._socket = self._socket or self._open()
            self._socket.send(text)
            self._socket.send(json.dumps({"msg": "ping", "id": mark}))
            status = 200
            while True:
                answer = json.loads(self._socket.recv(timeout=TIMEOUT))
                if answer.get("msg") == "pong" and answer.get("id") == mark:
                    return status, f"DDP {text[:300]}"
                if answer.get("id") == mark and str(answer.get("error", {}).get("error")) == "500":
                    status = 500
        except (OSError, ConnectionClosed):
            self._socket = None
            return 0, f"DDP {text[:300]}"

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
