"""How a colleague gets into chat: with a token of our own company, an administrator's help, or a password.

Each gives the argument of the realtime method `login`, fresh every time, because a reset of chat forgets all tokens.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dayjob.company.company import Company

SignIn = Callable[[str], Awaitable[dict[str, Any]]]
"""From a username to what `login` takes."""


class SignInError(Exception):
    """Nobody can sign in as this colleague."""


def with_company(company: Company) -> SignIn:
    """For a company of this process: it mints the token itself, so no colleague needs a password."""

    async def sign_in(username: str) -> dict[str, Any]:
        from dayjob.company.chat import Chat

        chat = company.service("chat")
        assert isinstance(chat, Chat)
        if chat.store.accounts.named(username) is None:
            raise SignInError(f"Nobody in chat is called '{username}': add them to the world's people.")
        return {"resume": chat.store.accounts.mint_token(username)}

    return sign_in


def with_administrator(url: str, username: str, password: str) -> SignIn:
    """For any Rocket.Chat: an administrator asks for the colleague's token (`users.createToken`)."""

    https = url.startswith("https")

    async def sign_in(colleague: str) -> dict[str, Any]:
        import httpx

        try:
            async with httpx.AsyncClient(
                base_url=f"{url}/api/v1/", timeout=20, trust_env=False, verify=https
            ) as client:
                entry = await client.post("login", json={"user": username, "password": password})
                if entry.status_code != 200:
                    raise SignInError(f"The administrator '{username}' cannot sign in to {url}.")
                facts = entry.json()["data"]
                headers = {"X-Auth-Token": facts["authToken"], "X-User-Id": facts["userId"]}
                made = await client.post("users.createToken", json={"username": colleague}, headers=headers)
                if made.status_code != 200:
                    raise SignInError(f"Chat gave no token for '{colleague}': {made.text[:200]}")
                return {"resume": made.json()["data"]["authToken"]}
        except httpx.HTTPError as error:
            raise SignInError(f"Chat at {url} cannot be reached: {error}.") from error

    return sign_in


def with_passwords(passwords: dict[str, str]) -> SignIn:
    """For colleagues whose passwords are known."""

    async def sign_in(username: str) -> dict[str, Any]:
        if username not in passwords:
            raise SignInError(f"There is no password for '{username}'.")
        digest = hashlib.sha256(passwords[username].encode()).hexdigest()
        return {"user": {"username": username}, "password": {"digest": digest, "algorithm": "sha-256"}}

    return sign_in
