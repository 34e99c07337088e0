"""The driver's requests to a company, through doors of their own with the examinee's role: what the examinee could ask.

Each is a Unix socket in the environment's own folder, opened when a service is first asked.
"""

from __future__ import annotations

import base64
import socket
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from dayjob.agent import Account
from dayjob.company.world.model import WorldInfo
from dayjob.env.values import EnvError
from dayjob.trial.company_process import TrialCompany

# Nothing here is asked over TLS; a context of one's own for each client would take longer than what it is used for.
_NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

Headers = dict[str, str]


class Requests:
    """The way to one company's services. `known` are headers that sign in, by service."""

    def __init__(
        self,
        company: TrialCompany,
        folder: Path,
        services: tuple[str, ...],
        who: Account | None,
        known: dict[str, Headers],
    ) -> None:
        self.known = known
        self._company = company
        self._folder = folder
        self._services = services
        self._who = who
        self._clients: dict[str, httpx.AsyncClient] = {}

    async def ask(
        self,
        service: str,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None,
        content: bytes | None,
        json: Any,
        params: Mapping[str, Any] | None,
        sign_in: bool,
        within: float,
    ) -> httpx.Response:
        """One request."""
        if service not in (*self._services, "control"):
            raise EnvError(f"There is no service '{service}' here; there are {', '.join(self._services)}.")
        if not path.startswith("/"):
            raise EnvError(f"'{path}' is no path; it begins with a slash.")
        body: dict[str, Any] = {"content": content} if json is None else {"json": json}
        if not sign_in or service == "control":
            return await self._send(service, method, path, headers=headers, params=params, timeout=within, **body)
        known = self.known.get(service)
        while True:
            given = {**await self._signed_in(service), **(headers or {})}
            answer = await self._send(service, method, path, headers=given, params=params, timeout=within, **body)
            if answer.status_code != 401 or known is None:
                return answer
            # A session that is over by now, as they are after hours: it is begun again, once.
            known = None
            del self.known[service]

    async def close(self) -> None:
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    async def _send(self, service: str, method: str, path: str, **options: Any) -> httpx.Response:
        client = self._clients.get(service) or await self._open(service)
        try:
            return await client.request(method, path, **options)
        except (TypeError, ValueError, httpx.InvalidURL) as error:
            raise EnvError(f"{method} {path} cannot be sent: {error}.") from error
        except httpx.HTTPError as error:
            if self._company.lost:
                raise await self._company.loss() from None
            why = str(error) or type(error).__name__
            raise EnvError(f"{service} did not answer {method} {path}: {why}.") from error

    async def _open(self, service: str) -> httpx.AsyncClient:
        path = self._folder / f"{service}.sock"
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.bind(str(path))
            path.chmod(0o600)
            sock.listen(64)
            await self._company.open("examinee", {service: sock}, f"driver-{service}")
        client = self._clients[service] = httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=str(path), verify=_NO_TLS),
            base_url=self._company.world.url(service),
            trust_env=False,
        )
        return client

    async def _signed_in(self, service: str) -> Headers:
        """Headers that say who works here; empty where nobody does, or without an account on this service."""
        if service not in self.known and self._who is not None:
            self.known[service] = await _SIGN_INS[service](self, self._who, self._company.world)
        return self.known.get(service, {})

    async def _chat(self, who: Account, _: WorldInfo) -> Headers:
        given = {"user": who.username, "password": who.password}
        answer = await self._send("chat", "POST", "/api/v1/login", json=given)
        if not answer.is_success:
            return {}
        found = answer.json()["data"]
        return {"X-Auth-Token": found["authToken"], "X-User-Id": found["userId"]}

    async def _forge(self, who: Account, _: WorldInfo) -> Headers:
        given = {"grant_type": "password", "username": who.username, "password": who.password}
        answer = await self._send("forge", "POST", "/oauth/token", json=given)
        return {"Authorization": f"Bearer {answer.json()['access_token']}"} if answer.is_success else {}

    async def _board(self, who: Account, world: WorldInfo) -> Headers:
        person = next((one for one in world.people if one.username == who.username), None)
        key = (person.more.get("board") or {}).get("api_key") if person is not None else None
        return {"x-api-key": str(key)} if key else {}

    async def _drive(self, who: Account, _: WorldInfo) -> Headers:
        pair = base64.b64encode(f"{who.username}:{who.password}".encode()).decode()
        return {"Authorization": f"Basic {pair}"}


_SIGN_INS = {
    "chat": Requests._chat,
    "forge": Requests._forge,
    "board": Requests._board,
    "drive": Requests._drive,
}
